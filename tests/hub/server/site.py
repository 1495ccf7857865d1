"""What every route works on: the state, the addresses, the limits; and who may see or change which
repository.
"""

import fnmatch
from dataclasses import dataclass, field
from urllib.parse import unquote

from .accounts import Account, account_of, writer_of
from .names import KINDS
from .state import Commit, Entry, Repo, State
from .wire import Refusal, Request

REPO = (
    r"/api/(?P<kinds>models|datasets|spaces)/(?P<name>[^/]+/[^/]+)"  # how the address of a repository begins
)
LARGE = (
    "7z arrow bin bz2 ckpt ftz gz h5 joblib model msgpack npy npz onnx ot parquet "
    "pb pickle pkl pt pth rar safetensors tar tgz wasm xz zip zst"
).split()
ATTRIBUTES = "".join(f"*.{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in LARGE)


@dataclass
class Limits:
    """Sizes in bytes: above which a file must be a large object, above which it goes up in parts, and of
    these parts.
    """

    large_above: int = 10 * 2**20
    parts_above: int = 8 * 2**20
    part_size: int = 4 * 2**20
    page: int = 25  # entries of a tree per answer: small, so that clients meet a second page
    url_seconds: int = 900  # how long an address of a stored object holds


@dataclass
class Site:
    """One Hub: what it keeps, where it is reached, which limits it has."""

    state: State
    url: str = ""
    objects_url: str = ""
    limits: Limits = field(default_factory=Limits)


def find(site: Site, request: Request, kinds: str, name: str) -> tuple[Repo, Account | None]:
    """The repository and who asks for it; Refusal RepoNotFound where it is not there or not theirs to see."""
    account = account_of(request)
    repo = site.state.repo(KINDS[kinds], unquote(name))
    if repo and (not repo.record["private"] or is_owner(repo, account)):
        return repo, account
    if account is None:
        raise Refusal(401, "Invalid username or password.", "RepoNotFound")
    raise Refusal(404, "Repository not found", "RepoNotFound")


def find_for_writing(site: Site, request: Request, kinds: str, name: str) -> tuple[Repo, Account]:
    """The repository, for those who may change it; Refusal 401, 403 or RepoNotFound else."""
    repo, _ = find(site, request, kinds, name)
    account = writer_of(request)
    if not is_owner(repo, account):
        raise Refusal(403, f"Forbidden: you don't have write access to {repo.kind} {repo.name}")
    return repo, account


def find_for_files(site: Site, request: Request, kinds: str, name: str) -> Repo:
    """The repository, for those who may read its files; Refusal GatedRepo where they have not been let in."""
    repo, account = find(site, request, kinds, name)
    record = repo.record
    if (
        record["gated"]
        and not is_owner(repo, account)
        and (account is None or account.user not in record["granted"])
    ):
        status, then = (
            (401, "You must be authenticated to access it.")
            if account is None
            else (403, "Ask for access on its page.")
        )
        words = f"Access to {repo.kind} {repo.name} is restricted and you are not in the authorized list."
        raise Refusal(status, f"{words} {then}", "GatedRepo")
    return repo


def is_owner(repo: Repo, account: Account | None) -> bool:
    """Whether a repository lies in a namespace of an account."""
    return account is not None and repo.name.partition("/")[0] in account.namespaces


def commit_at(repo: Repo, revision: str) -> Commit:
    """The commit that a quoted revision names; Refusal RevisionNotFound where there is none."""
    oid = repo.resolve(unquote(revision))
    if oid is None:
        raise Refusal(404, f"Invalid rev id: {unquote(revision)}", "RevisionNotFound")
    return repo.commit(oid)


def must_be_large(path: str, size: int, *, attributes: str, limits: Limits) -> bool:
    """Whether a file has to be stored as a large object: by its size, or by a line of .gitattributes; empty
    files never.
    """
    name = path.rpartition("/")[2]
    patterns = [line.split()[0] for line in attributes.splitlines() if "filter=lfs" in line]
    return size > 0 and (
        size > limits.large_above or any(fnmatch.fnmatchcase(p, q) for q in patterns for p in (name, path))
    )


def attributes_of(repo: Repo, tree: dict[str, Entry]) -> str:
    """The text of .gitattributes; without one, no file is large by its name."""
    entry = tree.get(".gitattributes")
    return repo.content(entry).decode("utf-8", "replace") if entry and entry.sha256 is None else ""
