"""What the Hub keeps of a repository, in memory, and who may see or change it."""

import fnmatch
import hashlib
import re
import secrets
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import unquote

from .accounts import Account, account_of, writer_of
from .wire import Refusal, Request

KINDS = {"models": "model", "datasets": "dataset", "spaces": "space"}
PAGES = {"model": "", "dataset": "datasets/", "space": "spaces/"}  # how the page of a repository begins
LARGE = (
    "7z arrow bin bz2 ckpt ftz gz h5 joblib model msgpack npy npz onnx ot parquet "
    "pb pickle pkl pt pth rar safetensors tar tgz wasm xz zip zst"
).split()
ATTRIBUTES = "".join(f"*.{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in LARGE)
FORBIDDEN_PARTS = (".git", ".huggingface", ".cache", ".", "..", "")


@dataclass(frozen=True)
class Entry:
    """A file of a tree: its git name, its content, and the sha256 of that where it lies with the large
    objects.
    """

    oid: str
    content: bytes
    sha256: str | None = None

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.content)

    @property
    def lfs(self) -> dict:
        """What answers say of a large object."""
        named = {"oid": self.sha256, "sha256": self.sha256, "size": self.size, "pointerSize": 130}
        return {"lfs": named} if self.sha256 else {}


def regular(content: bytes) -> Entry:
    """The entry of a file that git itself holds."""
    return Entry(hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest(), content)


def large(content: bytes) -> Entry:
    """The entry of a large object, whose git name is that of the text that git holds in its place."""
    sha256 = hashlib.sha256(content).hexdigest()
    words = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(content)}\n"
    return Entry(regular(words.encode()).oid, content, sha256)


@dataclass(frozen=True)
class Commit:
    """A state of a repository: every file, by path."""

    title: str
    author: str
    tree: dict[str, Entry]
    oid: str = field(default_factory=lambda: secrets.token_hex(20))
    date: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.000Z")


@dataclass
class Repo:
    """One repository: its commits on main, oldest first, its tags, who sees it, its large objects."""

    kind: str
    name: str
    is_private: bool = False
    is_gated: bool = False
    granted: set[str] = field(default_factory=set)
    commits: list[Commit] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    parts: dict[tuple[str, int], bytes] = field(default_factory=dict)

    def __post_init__(self):
        first = {".gitattributes": regular(ATTRIBUTES.encode())}
        self.commits.append(Commit("initial commit", self.name.partition("/")[0], first))

    @property
    def head(self) -> Commit:
        """The newest commit of main."""
        return self.commits[-1]

    def commit(self, revision: str) -> Commit | None:
        """The commit that main, a tag or a full oid names."""
        bare = revision.removeprefix("refs/heads/").removeprefix("refs/tags/")
        oid = self.head.oid if bare == "main" else self.tags.get(bare, bare)
        return next((commit for commit in self.commits if commit.oid == oid), None)


@dataclass
class Site:
    """All repositories, where the Hub is reached, and its limits: sizes in bytes above which a file must be a
    large object, above which it goes up in parts, and of these parts; entries of a tree per answer, few, so
    that clients meet a second page.
    """

    url: str = ""
    objects_url: str = ""
    large_above: int = 10 * 2**20
    parts_above: int = 8 * 2**20
    part_size: int = 4 * 2**20
    page: int = 25
    repos: dict[tuple[str, str], Repo] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def must_be_large(self, path: str, size: int, tree: dict[str, Entry]) -> bool:
        """Whether a file has to be stored as a large object: by its size, or by a line of .gitattributes;
        empty files never.
        """
        entry = tree.get(".gitattributes")
        lines = entry.content.decode("utf-8", "replace").splitlines() if entry and not entry.sha256 else []
        patterns = [line.split()[0] for line in lines if "filter=lfs" in line]
        names = (path.rpartition("/")[2], path)
        is_named = any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns for name in names)
        return size > 0 and (size > self.large_above or is_named)

    def find(self, request: Request, kinds: str, name: str) -> tuple[Repo, Account | None]:
        """The repository and who asks for it; Refusal RepoNotFound where it is not there or not theirs to
        see.
        """
        account, repo = account_of(request), self.repos.get((KINDS[kinds], unquote(name)))
        if repo and (not repo.is_private or is_owner(repo, account)):
            return repo, account
        if account is None:
            raise Refusal(401, "Invalid username or password.", "RepoNotFound")
        raise Refusal(404, "Repository not found", "RepoNotFound")

    def find_for_writing(self, request: Request, kinds: str, name: str) -> tuple[Repo, Account]:
        """The repository, for those who may change it; Refusal 401, 403 or RepoNotFound else."""
        repo, _ = self.find(request, kinds, name)
        account = writer_of(request)
        if not is_owner(repo, account):
            raise Refusal(403, f"Forbidden: you don't have write access to {repo.kind} {repo.name}")
        return repo, account

    def find_for_files(self, request: Request, kinds: str, name: str) -> Repo:
        """The repository, for those who may read its files; Refusal GatedRepo where they have not been let
        in.
        """
        repo, account = self.find(request, kinds, name)
        if (
            repo.is_gated
            and not is_owner(repo, account)
            and (not account or account.user not in repo.granted)
        ):
            words = f"Access to {repo.kind} {repo.name} is restricted and you are not in the authorized list."
            raise Refusal(403 if account else 401, words, "GatedRepo")
        return repo


def is_owner(repo: Repo, account: Account | None) -> bool:
    """Whether a repository lies in a namespace of an account."""
    return account is not None and repo.name.partition("/")[0] in account.namespaces


def commit_at(repo: Repo, revision: str) -> Commit:
    """The commit that a quoted revision names; Refusal RevisionNotFound where there is none."""
    commit = repo.commit(unquote(revision))
    if commit is None:
        raise Refusal(404, f"Invalid rev id: {unquote(revision)}", "RevisionNotFound")
    return commit


def check_repo_name(name: object) -> str:
    """A repository's name without its namespace; Refusal 400 where the Hub does not take it."""
    is_taken = isinstance(name, str) and re.fullmatch(r"(?![-.])[A-Za-z0-9._-]{1,96}(?<![-.])", name)
    if not is_taken or "--" in name or ".." in name or name.endswith((".git", ".ipynb")):
        raise Refusal(400, f"Invalid repo name: {name!r}")
    return name


def check_path(path: object) -> str:
    """A path inside a repository; Refusal 400 where git or the Hub would not take it."""
    parts = path.split("/") if isinstance(path, str) else [""]
    is_odd = any(part in FORBIDDEN_PARTS or len(part.encode()) > 255 for part in parts)
    if is_odd or "\\" in path or any(ord(letter) < 32 for letter in path):
        raise Refusal(400, f"Invalid path: {path!r}")
    return path
