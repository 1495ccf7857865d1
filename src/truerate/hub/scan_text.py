"""Every string of a file of a release, whatever its format, seen by its readers or not."""

import base64
import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from truerate.core.errors import TruerateError

PACKED, CLOSED = "packed file that cannot be looked into", "column that cannot be looked into"
WINDOW, OVERLAP = 1 << 26, 1 << 12  # bytes of a binary file taken as one string, and again in the next
# zip (also .npz and pickled networks), gzip, zstd, bzip2, xz
MAGIC = (b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")
TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Binary)
# not maps: of a key that a map repeats polars' reader keeps the last value alone
NESTED = (pl.Struct, pl.List, pl.Array)
TEXTLESS = (pl.Boolean, pl.Null, pl.Date, pl.Datetime, pl.Duration, pl.Time)  # and numbers
Texts = list[tuple[str, str]]  # where each stands, and the text


class Strings(NamedTuple):
    """Strings of a file: the prefix of a place, a frame of `place` and `text`, whether they are bytes."""

    called: str
    data: pl.DataFrame
    is_binary: bool = False


class Unread(NamedTuple):
    """A part of a file whose strings cannot be told: where it stands, and what it is."""

    where: str
    kind: str


def strings_of(path: str, content: bytes | Path) -> Iterator[Strings | Unread]:
    """All strings of a file, and the parts of it that cannot be looked into (`PACKED`, `CLOSED`).

    Raises TruerateError for a file that cannot be read.
    """
    suffix = Path(path).suffix.lower()
    try:
        if suffix == ".parquet":
            yield from _parquet(content)
            return
        raw = content if isinstance(content, bytes) else content.read_bytes()
    # the middle two are pyarrow's
    except (OSError, ValueError, NotImplementedError, pl.exceptions.PolarsError) as error:
        why = getattr(error, "strerror", None) or next(iter(str(error).splitlines()), type(error).__name__)
        raise TruerateError(
            f"looking for secrets in {path!r}: {why}; run `dvc repro` and publish again"
        ) from None
    if raw.startswith(MAGIC):
        yield Unread("the whole", PACKED)
    elif suffix == ".safetensors":
        size = 8 + int.from_bytes(raw[:8], "little")
        yield _strings(_json(raw[8:size].decode("utf-8", "replace")), called="header")
        yield from _binary(raw[size:])
    elif raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield _strings(_of_text(raw.decode("utf-16", "replace"), suffix))
    elif b"\0" in raw:
        yield from _binary(raw)
    else:
        yield _strings(_of_text(raw.decode("utf-8", "replace"), suffix))


def _of_text(text: str, suffix: str) -> Texts:
    if suffix in (".jsonl", ".ndjson"):
        return [(at, part) for at, line in _lines(text) for _, part in _json(line)]
    return _json(text) if suffix in (".json", ".jsonld") else _lines(text)


def _lines(text: str) -> Texts:
    return [(f"line {n}", line) for n, line in enumerate(text.split("\n"), 1)]


def _strings(rows: Texts, called: str = "") -> Strings:
    return Strings(called, frame_of([where for where, _ in rows], [text for _, text in rows]))


def frame_of(places: list[str], texts: list[str]) -> pl.DataFrame:
    """The frame of `Strings`; halves of surrogate pairs, which JSON can hold, become question marks."""
    try:
        return pl.DataFrame({"place": places, "text": texts}, schema={"place": pl.String, "text": pl.String})
    except UnicodeEncodeError:
        sound = ([part.encode("utf-8", "replace").decode() for part in column] for column in (places, texts))
        return frame_of(*sound)


def _json(text: str) -> Texts:
    """Keys and strings of a JSON text, repeated keys too, each with its path; its lines if it is no JSON."""
    try:
        left = [("at /", json.loads(text, object_pairs_hook=tuple))]
    except (ValueError, RecursionError):
        return _lines(text)
    strings = []
    while left:
        where, value = left.pop()
        if isinstance(value, str):
            strings.append((where, value))
        elif isinstance(value, tuple):  # an object: its keys with their values
            strings.extend((where, key) for key, _ in value)
            left.extend((f"{where.rstrip('/')}/{key[:60]}", inner) for key, inner in value)
        elif isinstance(value, list):
            left.extend((f"{where.rstrip('/')}/{n}", inner) for n, inner in enumerate(value))
    return strings


def _binary(raw: bytes) -> Iterator[Strings]:
    for start in range(0, len(raw), WINDOW):
        text = raw[start : start + WINDOW + OVERLAP].decode("latin-1")
        yield Strings("bytes from", frame_of([str(start)], [text]), is_binary=True)


# ---- Parquet -----------------------------------------------------------------------------------------------
def _parquet(content: bytes | Path) -> Iterator[Strings | Unread]:
    """Metadata, names of columns and fields, then the strings of each column."""
    metadata = pl.read_parquet_metadata(_source(content))
    texts = [text for pair in metadata.items() for text in pair]
    for schema in (value for key, value in metadata.items() if key == "ARROW:schema"):
        texts.append(base64.b64decode(schema + "==").decode("utf-8", "replace"))  # holds metadata of its own
    columns = pl.read_parquet_schema(_source(content))
    names = [name for column, dtype in columns.items() for name in (column, *_fields(dtype))]
    yield _strings([("", text) for text in texts], "metadata")
    yield _strings([("", name) for name in names], "name of a column")
    for column, dtype in columns.items():
        if not _is_open(dtype):
            yield Unread(f"column {column!r}", CLOSED)
        elif _holds(dtype, *TEXTS):
            data = pl.read_parquet(_source(content), columns=[column]).rename({column: "text"})
            parts = _flat(data.with_row_index("place", offset=1))
            yield from (Strings(f"column {column!r}, row", part) for part in parts)


def _source(content: bytes | Path) -> BytesIO | Path:
    return BytesIO(content) if isinstance(content, bytes) else content


def _inner(dtype: Any) -> list[Any]:
    """The types that stand right in a nested one."""
    if isinstance(dtype, pl.Struct):
        return [field.dtype for field in dtype.fields]
    return [dtype.inner] if isinstance(dtype, (pl.List, pl.Array)) else []


def _fields(dtype: pl.DataType) -> list[str]:
    """The names of the fields of a nested type, at any depth."""
    names = [field.name for field in dtype.fields] if isinstance(dtype, pl.Struct) else []
    return [*names, *(name for inner in _inner(dtype) for name in _fields(inner))]


def _holds(dtype: pl.DataType, *kinds: type[pl.DataType]) -> bool:
    """Return whether a type is one of these, or has one in it."""
    return isinstance(dtype, kinds) or any(_holds(inner, *kinds) for inner in _inner(dtype))


def _is_open(dtype: pl.DataType) -> bool:
    """Return whether all that a type is made of is known here; what a new or foreign type holds is not."""
    if isinstance(dtype, NESTED):
        return all(map(_is_open, _inner(dtype)))
    return isinstance(dtype, (*TEXTS, *TEXTLESS)) or dtype.is_numeric()


def _flat(data: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The strings of a column of any type, one per row, each with the place of the row that it came from."""
    dtype, text = data.schema["text"], pl.col("text")
    if not _holds(dtype, *TEXTS):
        return
    if isinstance(dtype, (pl.List, pl.Array)):
        yield from _flat(data.drop_nulls("text").explode("text"))
    elif isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            yield from _flat(data.select("place", text=text.struct.field(field.name)))
    elif dtype == pl.Binary:
        decoded = text.map_elements(lambda raw: raw.decode("latin-1"), return_dtype=pl.String)
        yield data.drop_nulls("text").with_columns(decoded)
    else:
        yield data.select("place", text.cast(pl.String)).drop_nulls("text")
