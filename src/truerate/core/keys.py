"""Content keys: what decides the content of a scratch folder, a row's name, a model's identity."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from truerate.core.errors import TruerateError

# made once: `json.dumps` makes an encoder per call, and every row has a name
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True)
_IN_ORDER = json.JSONEncoder(ensure_ascii=False)


def content_id(*parts: object) -> str:
    """The name of a row: 16 hex digits of SHA-256 over its identifying values.

    The parts are encoded as one JSON list, so neither their order nor their borders can be confused.
    """
    return hashlib.sha256(_SORTED.encode(parts).encode()).hexdigest()[:16]


def content_id_of_rows(rows: Iterable[Sequence[object]]) -> str:
    """`content_id` of the list of these rows, of which one is in memory at a time."""
    found, start = hashlib.sha256(b"[["), ""
    for row in rows:
        found.update(f"{start}{_SORTED.encode(row)}".encode())
        start = ", "
    found.update(b"]]")
    return found.hexdigest()[:16]


def draw(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone, for seeded picks that no row order can change."""
    return int(hashlib.sha256(_IN_ORDER.encode(parts).encode()).hexdigest()[:13], 16) / 16**13


def shard_of(item_id: str, n_shards: int) -> int:
    """The scratch job in which an item is worked on, 0 to n_shards − 1."""
    return int(draw("shard", item_id) * n_shards)


def split_of(group_id: str, task: str | None = None, *, train: float = 0.7) -> str:
    """`train` or `test` by group, the share `train` of the groups to learn from: what shares a group is on one
    side on every board that takes the same share, whatever else is read.

    All of task `held-out` is `test`.
    """
    return "train" if task != "held-out" and draw("split", group_id) < train else "test"


def files(path: str | Path) -> list[Path]:
    """The file itself, or the files below a folder in sorted order, without compiled Python."""
    path = Path(path)
    if path.is_file():
        return [path]
    return sorted(f for f in path.rglob("*") if f.is_file() and "__pycache__" not in f.parts)


def digest(*paths: str | Path, **values: object) -> str:
    """Twelve hex digits of SHA-256 over JSON values and over the names and bytes of files.

    Raises TruerateError where a path holds nothing: hashed as nothing it would give one key to many contents.
    """
    whole = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for path in paths:
        file_list = files(path)
        if not file_list:
            hint = "run `dvc repro sources` or `dvc pull`, or correct the path in params.yaml"
            raise TruerateError(f"hashing what decides a result: nothing at {str(path)!r}; {hint}")
        for file in file_list:
            whole.update(file.as_posix().encode())
            with file.open("rb") as opened:
                whole.update(hashlib.file_digest(opened, "sha256").digest())
    return whole.hexdigest()[:12]
