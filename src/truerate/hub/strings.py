"""Every string of a file of a release, whatever its format: what its readers would see, and what they would not."""

import base64
import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.errors import TruerateError

WINDOW, OVERLAP = 1 << 26, 1 << 12  # bytes of a binary file taken as one string, and again in the next
MAGIC = (
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x28\xb5\x2f\xfd",
    b"BZh",
    b"\xfd7zXZ",
)  # zip (also .npz and pickled networks), gzip, zstd, bzip2, xz


class Strings(NamedTuple):
    """Strings of a file: a frame of `place` and `text`, what stands before a place (`column 'text', row`), whether they are mere bytes."""

    called: str
    data: pl.DataFrame
    is_binary: bool = False


def strings_of(path: str, content: bytes | Path) -> Iterator[Strings | None]:
    """All strings of a file; None for a packed one."""
    suffix = Path(path).suffix.lower()
    try:
        if suffix == ".parquet":
            yield from _parquet(content)
            return
        raw = content if isinstance(content, bytes) else content.read_bytes()
    except (OSError, pl.exceptions.PolarsError) as error:
        why = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise TruerateError(f"looking for secrets in {path!r}: {why}; run `dvc repro` and publish again") from None
    if raw.startswith(MAGIC):
        yield None
    elif suffix == ".safetensors":
        size = 8 + int.from_bytes(raw[:8], "little")
        yield Strings("header", _frame(_json(raw[8:size].decode("utf-8", "replace"))))
        yield from _binary(raw[size:])
    elif (text := _text(raw)) is None:
        yield from _binary(raw)
    elif suffix in (".jsonl", ".ndjson"):
        yield Strings("", _frame([(at, said) for at, line in _lines(text) for _, said in _json(line)]))
    elif suffix in (".json", ".jsonld"):
        yield Strings("", _frame(_json(text)))
    else:
        yield Strings("", _frame(_lines(text)))


def _text(raw: bytes) -> str | None:
    """A file as text, bad bytes replaced; None where it is none."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace")
    return None if b"\0" in raw else raw.decode("utf-8", "replace")


def _lines(text: str) -> list[tuple[str, str]]:
    return [(f"line {n}", line) for n, line in enumerate(text.split("\n"), 1)]


def _frame(found: list[tuple[str, str]]) -> pl.DataFrame:
    return frame_of([place for place, _ in found], [text for _, text in found])


def frame_of(places: list[str], texts: list[str]) -> pl.DataFrame:
    """Strings and where they stand, as the frame of `Strings`. Halves of surrogate pairs, which JSON can hold, become question marks."""
    try:
        return pl.DataFrame({"place": places, "text": texts}, schema={"place": pl.String, "text": pl.String})
    except UnicodeEncodeError:
        return frame_of(*([one.encode("utf-8", "replace").decode() for one in column] for column in (places, texts)))


def _json(text: str) -> list[tuple[str, str]]:
    """Keys and strings of a JSON text, repeated keys too, each after the names that lead to it; its lines where it is no JSON."""
    try:
        left = [("at /", json.loads(text, object_pairs_hook=tuple))]
    except (ValueError, RecursionError):
        return _lines(text)
    found = []
    while left:
        place, value = left.pop()
        if isinstance(value, str):
            found.append((place, value))
        elif isinstance(value, tuple):  # an object: its keys with their values
            found.extend((place, key) for key, _ in value)
            left.extend((f"{place.rstrip('/')}/{key[:60]}", inner) for key, inner in value)
        elif isinstance(value, list):
            left.extend((f"{place.rstrip('/')}/{n}", inner) for n, inner in enumerate(value))
    return found


def _binary(raw: bytes) -> Iterator[Strings]:
    for start in range(0, len(raw), WINDOW):
        yield Strings("bytes from", frame_of([str(start)], [raw[start : start + WINDOW + OVERLAP].decode("latin-1")]), is_binary=True)


def _parquet(content: bytes | Path) -> Iterator[Strings]:
    """Metadata, names of columns and fields, then the strings of each column."""

    def source() -> BytesIO | Path:
        return BytesIO(content) if isinstance(content, bytes) else content

    metadata = pl.read_parquet_metadata(source())
    said = [text for pair in metadata.items() for text in pair]
    for schema in (value for key, value in metadata.items() if key == "ARROW:schema"):
        said.append(base64.b64decode(schema + "==").decode("utf-8", "replace"))  # holds metadata of its own
    yield Strings("metadata", frame_of([""] * len(said), said))
    columns = pl.read_parquet_schema(source())
    names = [name for column, dtype in columns.items() for name in (column, *_fields(dtype))]
    yield Strings("name of a column", frame_of([""] * len(names), names))
    for column, dtype in columns.items():
        if _holds_strings(dtype):
            data = pl.read_parquet(source(), columns=[column]).rename({column: "text"}).with_row_index("place", offset=1)
            yield from (Strings(f"column {column!r}, row", part) for part in _flat(data))


def _fields(dtype: pl.DataType) -> list[str]:
    """The names of the fields of a nested type, at any depth."""
    if isinstance(dtype, pl.Struct):
        return [name for field in dtype.fields for name in (field.name, *_fields(field.dtype))]
    return _fields(dtype.inner) if isinstance(dtype, (pl.List, pl.Array)) else []


def _holds_strings(dtype: pl.DataType) -> bool:
    if isinstance(dtype, pl.Struct):
        return any(_holds_strings(field.dtype) for field in dtype.fields)
    if isinstance(dtype, (pl.List, pl.Array)):
        return _holds_strings(dtype.inner)
    return dtype in (pl.String, pl.Categorical, pl.Enum, pl.Binary)


def _flat(data: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The strings of a column of any type, one per row, each with the place of the row that it came from."""
    dtype = data.schema["text"]
    if not _holds_strings(dtype):
        return
    if isinstance(dtype, (pl.List, pl.Array)):
        yield from _flat(data.drop_nulls("text").explode("text"))
    elif isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            yield from _flat(data.select("place", text=pl.col("text").struct.field(field.name)))
    elif dtype == pl.Binary:
        yield data.drop_nulls("text").with_columns(pl.col("text").map_elements(lambda raw: raw.decode("latin-1"), return_dtype=pl.String))
    else:
        yield data.select("place", pl.col("text").cast(pl.String)).drop_nulls("text")
