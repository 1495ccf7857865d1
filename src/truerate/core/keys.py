"""Content keys: what decides the content of a scratch folder, a row's name, a model's identity."""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from truerate.core.errors import TruerateError

# A file that was written this short a while ago may be written again at what its system calls the same time.
SETTLED_NS = 2 * 10**9
# What Python, file managers and editors leave in folders, and the sentinels of outputs, which decide nothing;
# .dvcignore names the same for DVC.
LEFT_BY_TOOLS = re.compile(
    r"__pycache__|(?:\..+\.parquet)?\.made|\.DS_Store|\._.*|\.ipynb_checkpoints|Thumbs\.db|desktop\.ini|\.Trash.*|.*~|\..*\.sw[a-p]|\.#.*",
    re.DOTALL,
)
_READ: dict[tuple[int, ...], bytes] = {}  # digests of files by what tells a file and its state

# made once: `json.dumps` makes an encoder per call, and every row has a name
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True)
_IN_ORDER = json.JSONEncoder(ensure_ascii=False)


def content_id(*parts: object) -> str:
    """The id of a row: 16 hex digits of SHA-256 over its identifying values, encoded as one JSON list."""
    return hashlib.sha256(_SORTED.encode(parts).encode()).hexdigest()[:16]


def content_id_of_rows(rows: Iterable[Sequence[object]]) -> str:
    """`content_id` of the list of these rows, of which one is in memory at a time."""
    sha, start = hashlib.sha256(b"[["), ""
    for row in rows:
        sha.update(f"{start}{_SORTED.encode(row)}".encode())
        start = ", "
    sha.update(b"]]")
    return sha.hexdigest()[:16]


def draw(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone, for seeded picks that no row order can change."""
    return int(hashlib.sha256(_IN_ORDER.encode(parts).encode()).hexdigest()[:13], 16) / 16**13


def shard_of(item_id: str, n_shards: int) -> int:
    """The scratch job in which an item is worked on, 0 to n_shards − 1."""
    return int(draw("shard", item_id) * n_shards)


def split_of(group_id: str, task: str | None = None, *, train: float = 0.7) -> str:
    """`train` or `test` by group, with the share `train` to learn from: equal on every board with the same
    share. All of task `held-out` is `test`.
    """
    return "train" if task != "held-out" and draw("split", group_id) < train else "test"


def files(path: str | Path) -> list[Path]:
    """The file itself, or the files below a folder in sorted order, without what tools leave there."""
    return [Path(file) for file, _ in _files(path)]


def _files(path: str | Path) -> list[tuple[str, os.stat_result]]:
    """The same, each with its state. Folders that a link stands for are not opened, but for `path` itself."""
    path = Path(path)
    if path.is_file():
        return [(str(path), path.stat())]
    if "__pycache__" in path.parts:
        return []
    start = path.parts  # none of the current folder
    return [
        (os.path.join(*start, *parts), state)
        for parts, state in sorted(_below(str(path), ()), key=lambda entry: entry[0])
    ]


def _below(folder: str, parts: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
    """Files below a folder by the parts of their paths, in any order; one that may not be read has none."""
    entries: list[os.DirEntry[str]] = []
    with suppress(PermissionError, FileNotFoundError, NotADirectoryError):
        entries += os.scandir(folder)
    for entry in entries:
        entry_parts = (*parts, entry.name)
        if LEFT_BY_TOOLS.fullmatch(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, entry_parts)
        elif os.path.isfile(entry.path) if entry.is_symlink() else entry.is_file():
            yield entry_parts, entry.stat()


def digest(*paths: str | Path, **values: object) -> str:
    """Twelve hex digits of SHA-256 over JSON values and the names and bytes of files. Raises TruerateError
    for an absent path, which would give one key to many contents.
    """
    whole = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for path in paths:
        file_list = _files(path)
        if not file_list:
            hint = "run `dvc repro sources` or `dvc pull`, or correct the path in params.yaml"
            raise TruerateError(f"hashing what decides a result: nothing at {str(path)!r}; {hint}")
        for file, state in file_list:
            whole.update(file.replace(os.sep, "/").encode())
            whole.update(_digest_of(file, state))
    return whole.hexdigest()[:12]


def _digest_of(file: str, state: os.stat_result) -> bytes:
    """SHA-256 of a file's bytes, read once per process until its state changes, unless it is very new."""
    state_key = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    if (file_digest := _READ.get(state_key)) is None:
        with open(file, "rb") as opened:
            file_digest = hashlib.file_digest(opened, "sha256").digest()
        if state.st_ino and time.time_ns() - max(state.st_mtime_ns, state.st_ctime_ns) > SETTLED_NS:
            _READ[state_key] = file_digest
    return file_digest


def page_key(title: str) -> str:
    """Title of a wiki's page as titles are compared: case folded, spaces for underscores, single spaces."""
    return " ".join(title.replace("_", " ").casefold().split())
