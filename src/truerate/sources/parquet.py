"""Rows of Parquet files: what the Hub keeps of data sets whose publishers wrote JSON Lines."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import polars as pl

from truerate.core.errors import listed
from truerate.sources.cuts import Cut
from truerate.sources.rows import BadRow, Reason

SUFFIX = ".parquet"
SLICE = 512  # rows that are Python objects at a time
PART_BYTES = 64_000_000  # of a file whose rows are decoded together


def parquet_rows(
    content: bytes | Path, *, columns: tuple[str, ...] = (), needed: tuple[str, ...] = ()
) -> Cut:
    """Rows of a Parquet file, of the columns named (all where none are); fields that are null are absent, at
    any depth. Of a file that is larger than PART_BYTES so many rows are decoded at a time.

    Parquet gives each row and each object of a column the fields of all others, so a null says no more than
    that. A file that is none, or has not the columns that are needed, makes BadRow at once; one that is damaged
    further on where the damage is met.
    """
    present = columns_of(content)
    if absent := [name for name in needed if name not in present]:
        raise BadRow(Reason.MISSING_FIELD, f"no column {absent[0]!r}; found: {listed(present)}")
    number = 0
    for data in _decoded(content, [name for name in present if name in columns or not columns]):
        for part in data.iter_slices(SLICE):
            for values in part.iter_rows(named=True):
                number += 1
                yield number, lambda values=values: _stated(values)


def columns_of(content: bytes | Path) -> list[str]:
    """The names of a Parquet file's columns, of which no row is read. Raises BadRow where it is none."""
    with _is_parquet():
        return list(pl.read_parquet_schema(_buffered(content)))


def named(folder: Path, file: str) -> list[str]:
    """A file below a folder, else the Parquet file of its name, whole or in shards."""
    if (folder / file).is_file():
        return [file]
    stem = PurePosixPath(file.removesuffix(".zst")).with_suffix("")
    shards = re.compile(rf"{re.escape(stem.name)}(-\d+-of-\d+)?{re.escape(SUFFIX)}")
    paths = (folder / stem.parent).glob(f"*{SUFFIX}")
    return sorted(path.relative_to(folder).as_posix() for path in paths if shards.fullmatch(path.name))


def _decoded(content: bytes | Path, columns: list[str]) -> Iterator[pl.DataFrame]:
    """The rows of a file, as many at a time as there are on average in PART_BYTES of it."""
    n_bytes = len(content) if isinstance(content, bytes) else content.stat().st_size
    with _is_parquet():
        query = pl.scan_parquet(_buffered(content)).select(columns)
        n_rows = query.select(pl.len()).collect().item()
    at_once = max(1, n_rows * PART_BYTES // max(1, n_bytes))
    for start in range(0, n_rows, at_once):
        with _is_parquet():
            data = query.slice(start, at_once).collect()
        yield data


def _buffered(content: bytes | Path) -> io.BytesIO | Path:
    return io.BytesIO(content) if isinstance(content, bytes) else content


@contextmanager
def _is_parquet() -> Iterator[None]:
    """What polars says of a file that it cannot read, as a BadRow."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadRow(Reason.UNPARSABLE, f"not Parquet: {' '.join(str(error).split())[:200]}") from None


def _stated(value: object) -> object:
    """A value without the fields that are null."""
    if isinstance(value, dict):
        return {key: _stated(entry) for key, entry in value.items() if entry is not None}
    return [_stated(entry) for entry in value] if isinstance(value, list) else value
