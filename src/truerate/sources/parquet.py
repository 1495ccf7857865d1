"""Rows of Parquet files: what the Hub keeps of data sets whose publishers wrote JSON Lines."""

import io
from pathlib import Path

import polars as pl

from truerate.core.errors import listed
from truerate.sources.rows import BadRow, Cut, Reason

SUFFIX = ".parquet"
SLICE = 512  # rows that are Python objects at a time


def parquet_rows(raw: bytes, *, columns: tuple[str, ...] = (), needed: tuple[str, ...] = ()) -> Cut:
    """Rows of a Parquet file, of the columns named (all where none are); fields that are null are absent, at
    any depth.

    Parquet gives each row and each object of a column the fields of all others, so a null says no more than
    that. A file that is none, or has not the columns that are needed, makes BadRow at once.
    """
    try:
        present = pl.read_parquet_schema(io.BytesIO(raw))
        absent = [name for name in needed if name not in present]
        if absent:
            raise BadRow(Reason.MISSING_FIELD, f"no column {absent[0]!r}; found: {listed(present)}")
        data = pl.read_parquet(
            io.BytesIO(raw), columns=[name for name in present if name in columns or not columns]
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadRow(Reason.UNPARSABLE, f"not Parquet: {' '.join(str(error).split())[:200]}") from None
    number = 0
    for part in data.iter_slices(SLICE):
        for values in part.iter_rows(named=True):
            number += 1
            yield number, lambda values=values: _stated(values)


def columns_of(path: Path) -> list[str]:
    """The names of a Parquet file's columns, of which no row is read. Raises BadRow where it is none."""
    try:
        return list(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadRow(Reason.UNPARSABLE, f"not Parquet: {' '.join(str(error).split())[:200]}") from None


def _stated(value: object) -> object:
    """A value without the fields that are null."""
    if isinstance(value, dict):
        return {key: _stated(one) for key, one in value.items() if one is not None}
    return [_stated(one) for one in value] if isinstance(value, list) else value
