"""What the server keeps, on disk: a repository is a folder, its refs are one small file, and replacing that
file is the commit.
"""

import hashlib
import json
import os
import re
import secrets
import shutil
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from .names import KINDS

OID = re.compile(r"[0-9a-f]{40}")


def now() -> str:
    """The time as the Hub writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def git_oid(content: bytes) -> str:
    """The name that git gives a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    part.write_bytes(content)
    os.replace(part, path)


@dataclass(frozen=True)
class Entry:
    """A file of a tree: its git name, its size, and the sha256 of its content where that lies with the large
    objects.
    """

    oid: str
    size: int
    sha256: str | None = None

    @cached_property
    def pointer(self) -> bytes:
        """The text that git holds in place of a large object."""
        return b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n" % (
            str(self.sha256).encode(),
            self.size,
        )


def large(sha256: str, size: int) -> Entry:
    """The entry of a large object."""
    pointer = Entry("", size, sha256).pointer
    return Entry(git_oid(pointer), size, sha256)


@dataclass(frozen=True)
class Commit:
    """A state of a repository: every file, by path."""

    oid: str
    parent: str | None
    title: str
    message: str
    author: str
    date: str
    tree: Mapping[str, Entry]


@dataclass(frozen=True)
class Repo:
    """One repository in its folder."""

    folder: Path
    kind: str
    name: str

    @property
    def record(self) -> dict:
        """Settings and refs, as they are now."""
        return json.loads((self.folder / "repo.json").read_bytes())

    def save(self, record: dict) -> None:
        """Replace settings and refs at once; whoever changes them holds the state's lock."""
        write_whole(self.folder / "repo.json", json.dumps(record, indent=1).encode())

    def update(self, **changes: object) -> None:
        """Change some settings; whoever does holds the lock."""
        self.save(self.record | changes)

    def resolve(self, revision: str) -> str | None:
        """The commit that a branch, a tag or a full oid names."""
        record = self.record
        bare = revision.removeprefix("refs/heads/").removeprefix("refs/tags/")
        if bare in record["branches"]:
            return record["branches"][bare]
        if bare in record["tags"]:
            return record["tags"][bare]["oid"]
        is_there = OID.fullmatch(revision) and (self.folder / "commits" / f"{revision}.json").is_file()
        return revision if is_there else None

    def commit(self, oid: str) -> Commit:
        """A commit by its full oid."""
        found = json.loads((self.folder / "commits" / f"{oid}.json").read_bytes())
        return Commit(**found | {"tree": {path: Entry(**entry) for path, entry in found["tree"].items()}})

    def history(self, oid: str | None) -> list[Commit]:
        """A commit and all before it, newest first."""
        found = []
        while oid:
            found.append(self.commit(oid))
            oid = found[-1].parent
        return found

    def content(self, entry: Entry) -> bytes:
        """The bytes of a file."""
        return (
            self.object_path(entry.sha256).read_bytes()
            if entry.sha256
            else (self.folder / "blobs" / entry.oid).read_bytes()
        )

    def object_path(self, sha256: str) -> Path:
        """Where a large object of this repository lies, if it was uploaded."""
        return self.folder / "lfs" / sha256

    def put_blob(self, content: bytes) -> Entry:
        """Keep a regular file's content."""
        entry = Entry(git_oid(content), len(content))
        write_whole(self.folder / "blobs" / entry.oid, content)
        return entry

    def put_commit(
        self, tree: Mapping[str, Entry], *, parent: str | None, title: str, message: str = "", author: str
    ) -> Commit:
        """Keep a commit; nothing shows before a branch names it."""
        made = {"parent": parent, "title": title, "message": message, "author": author, "date": now()}
        made["tree"] = {path: asdict(tree[path]) for path in sorted(tree)}
        oid = hashlib.sha1(json.dumps(made | {"salt": secrets.token_hex(8)}).encode()).hexdigest()
        write_whole(self.folder / "commits" / f"{oid}.json", json.dumps(made | {"oid": oid}).encode())
        return self.commit(oid)


class State:
    """All repositories below a folder, and the key that signs addresses of stored objects."""

    def __init__(self, folder: Path):
        self.folder = Path(folder)
        self.lock = threading.RLock()
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / "key").is_file():
            write_whole(self.folder / "key", secrets.token_bytes(32))
        self.key = (self.folder / "key").read_bytes()

    def repo(self, kind: str, name: str) -> Repo | None:
        """A repository by kind and org/name; None where there is none."""
        folder = self.folder / kind / name
        return Repo(folder, kind, name) if (folder / "repo.json").is_file() else None

    def repos(self) -> list[Repo]:
        """Every repository."""
        found = sorted(
            path.parent for kind in KINDS.values() for path in (self.folder / kind).glob("*/*/repo.json")
        )
        return [Repo(path, path.parent.parent.name, f"{path.parent.name}/{path.name}") for path in found]

    def create(
        self,
        kind: str,
        name: str,
        *,
        visibility: str = "public",
        gated: str | bool = False,
        attributes: bytes,
    ) -> Repo:
        """Make a repository with one commit that holds .gitattributes alone."""
        repo = Repo(self.folder / kind / name, kind, name)
        tree = {".gitattributes": repo.put_blob(attributes)}
        first = repo.put_commit(tree, parent=None, title="initial commit", author=name.partition("/")[0])
        repo.save({
            "id": secrets.token_hex(12), "private": visibility == "private", "gated": gated, "granted": [], "created": first.date,
            "branches": {"main": first.oid}, "tags": {},
        })  # fmt: skip
        return repo

    def delete(self, repo: Repo) -> None:
        """Take a repository away: its record first, so that no half of it shows."""
        (repo.folder / "repo.json").unlink()
        shutil.rmtree(repo.folder)

    def clear(self) -> None:
        """Forget every repository."""
        for repo in self.repos():
            self.delete(repo)
