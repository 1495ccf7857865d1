"""Rows of a release that outgrow memory: in a scratch folder, in the order of their ids, read some at a time."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core.schemas import LARGEST_GROUP, Table, height, save_in_parts, scan

GROUP = 2_000  # rows, of whatever length, that are read together


class Stored:
    """Rows of a config in a Parquet file; of them `height`, `schema` and `columns` are known as of a frame's."""

    def __init__(self, path: Path) -> None:
        self.path, self.height = path, height(path)
        self.schema = pl.Schema(pl.read_parquet_schema(path))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.schema.names()

    @cached_property
    def n_bytes(self) -> int:
        """`bytes_in_memory`."""
        return bytes_in_memory(self)

    def slice(self, start: int, n: int) -> pl.DataFrame:
        """So many of the rows, from one on."""
        return pl.scan_parquet(self.path).slice(start, n).collect()

    def parts(self) -> Iterator[pl.DataFrame]:
        """All rows, GROUP at a time."""
        return (self.slice(start, GROUP) for start in range(0, self.height, GROUP))


Rows = pl.DataFrame | Stored


def stored(query: pl.LazyFrame, path: Path) -> Stored:
    """The rows of a query, written as they come."""
    path.parent.mkdir(parents=True, exist_ok=True)
    query.sink_parquet(path, compression="lz4", row_group_size=GROUP)
    return Stored(path)


def in_order(table: type[Table], paths: Sequence[str | Path], *, key: str, path: Path) -> pl.LazyFrame:
    """The rows of tables that `save` wrote as one table in the order of a `key`, of each key the first, as a query.

    Where they lie in more than one file, or in another order, they are written so at `path` first.
    """
    held = [path for path in paths if height(path)]
    if len(held) <= 1:
        query = scan(table, held)
        keys = query.select(key).collect().to_series()
        if keys.is_sorted() and keys.n_unique() == len(keys):
            return query
    save_in_parts(table, held, path, key=key, n=LARGEST_GROUP, group=LARGEST_GROUP)
    return scan(table, [path])


# ---- sizes -------------------------------------------------------------------------------------------------
class Size(NamedTuple):
    """What a column, or a part of a nested one, takes: values, bytes and bits of them, and whether any is null."""

    n: int
    n_bytes: int
    n_bits: int
    has_null: bool

    def plus(self, other: "Size") -> "Size":
        """That of both together."""
        return Size(
            self.n + other.n,
            self.n_bytes + other.n_bytes,
            self.n_bits + other.n_bits,
            self.has_null or other.has_null,
        )

    def whole(self) -> int:
        """In bytes, with one bit per value where any is null."""
        return self.n_bytes + ceil(self.n_bits / 8) + (ceil(self.n / 8) if self.has_null else 0)


def bytes_in_memory(data: Rows) -> int:
    """How large rows are as an Arrow table of plain types: what `datasets` calls `num_bytes`. The same on every machine
    and in whatever parts they are read.
    """
    whole: list[Size] | None = None
    for part in data.parts() if isinstance(data, Stored) else [data]:
        sizes = [size for column in part.iter_columns() for size in _sizes(column)]
        whole = sizes if whole is None else [one.plus(other) for one, other in zip(whole, sizes, strict=True)]
    return sum(size.whole() for size in whole or ())


def _sizes(column: pl.Series) -> list[Size]:
    """Values, a 32-bit offset for each string and list; of a nested column its own and those of its parts."""
    n, dtype, has_null = len(column), column.dtype, column.null_count() > 0
    if isinstance(dtype, pl.List):
        inner = column.explode(empty_as_null=False, keep_nulls=False)
        return [Size(n, 4 * n, 0, has_null), *_sizes(inner)]
    if isinstance(dtype, pl.Struct):
        fields = (size for field in dtype.fields for size in _sizes(column.struct.field(field.name)))
        return [Size(n, 0, 0, has_null), *fields]
    if dtype == pl.String:
        return [Size(n, 4 * n + int(column.str.len_bytes().sum()), 0, has_null)]
    if dtype == pl.Boolean:
        return [Size(n, 0, n, has_null)]
    return [Size(n, n * (4 if dtype in (pl.Int32, pl.Float32) else 8), 0, has_null)]
