"""Checksums of a repository's files, and the mark that says what the repository is."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from truerate.hub.kept import digest_of
from truerate.hub.release import README, Files, Kind, Stamp


def checksums(files: Files) -> str:
    """SHA256SUMS over files, as `sha256sum -c` reads it, sorted by path; empty over none."""
    return "".join(f"{sha256(content)}  {path}\n" for path, content in sorted(files.items()))


def sha256(content: bytes | Path) -> str:
    """The SHA-256 of a file, given as its bytes or by where it lies, in hex."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def size_of(content: bytes | Path) -> int:
    """Bytes of a local file, given as its bytes or as the path where it lies."""
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def mark(kind: Kind, name: str, *, prefixes: Sequence[str], stamp: Stamp, files: Files) -> str:
    """truerate.json: that we made a repository, of which board or detector, when its content last changed and
    by which version, which folders are ours, and the digest of what is ours in its card.
    """
    card = files[README]
    assert isinstance(card, bytes)
    said = {
        "kind": kind,
        "name": name,
        "prefixes": list(prefixes),
        "dated": stamp.dated,
        "maker": stamp.maker,
        "card": digest_of(card.decode("utf-8")),
        "tool": "truerate",
    }
    return json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
