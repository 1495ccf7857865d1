"""The rows of a release, in memory or on disk, as Parquet files: equal rows always give equal bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core.schemas import LARGEST_GROUP, Table, height, save_in_parts, scan
from truerate.hub.licences import Licence
from truerate.hub.release import sha256, size_of

GROUP = 2_000  # rows of a file, of whatever length, that are read together
FOLDER = "data/"
# of one file: who wants the first rows need not read them all; the bytes depend on it
ROWS_PER_GROUP = 10_000
# in memory, of rows that stay on disk, so that one file of them is in memory at a time
BYTES_PER_SHARD = 200_000_000


# ---- rows that outgrow memory ------------------------------------------------------------------------------
class Stored:
    """Rows of a config in a Parquet file, with `height`, `schema` and `columns` as of a frame."""

    def __init__(self, path: Path) -> None:
        self.path, self.height = path, height(path)
        self.schema = pl.Schema(pl.read_parquet_schema(path))
        self.columns = self.schema.names()

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
    """Return a query of the rows of tables that `save` wrote, in the order of a `key`, of each key the first;
    where they lie in several files, or in another order, they are written so at `path` first.
    """
    filled = [path for path in paths if height(path)]
    if len(filled) <= 1:
        query = scan(table, filled)
        keys = query.select(key).collect().to_series()
        if keys.is_sorted() and keys.n_unique() == len(keys):
            return query
    save_in_parts(table, filled, path, key=key, n=LARGEST_GROUP, group=LARGEST_GROUP)
    return scan(table, [path])


# ---- sizes -------------------------------------------------------------------------------------------------
class Size(NamedTuple):
    """The size of a column, or a part of a nested one: values, bytes and bits, whether any is null."""

    n: int
    n_bytes: int
    n_bits: int
    has_null: bool

    @property
    def whole(self) -> int:
        """In bytes, with one bit per value where any is null."""
        return self.n_bytes + ceil(self.n_bits / 8) + (ceil(self.n / 8) if self.has_null else 0)


def bytes_in_memory(data: Rows) -> int:
    """The bytes of rows as an Arrow table of plain types (`num_bytes` of `datasets`), on every machine, in
    whatever parts.
    """
    parts = data.parts() if isinstance(data, Stored) else [data]
    sizes_by_part = [[size for column in part.iter_columns() for size in _sizes(column)] for part in parts]
    return sum(Size(*map(sum, zip(*sizes, strict=True))).whole for sizes in zip(*sizes_by_part, strict=True))


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


# ---- configs and their files -------------------------------------------------------------------------------
@dataclass(frozen=True)
class Config:
    """One config of a data set: tables of one kind and licence, by split, none of them empty; on disk if they
    outgrow memory.

    `description` says in one sentence what a row is. `has_texts` is False where the source allows ids and
    labels alone, and `why` says so where not all configs are alike in it.
    """

    name: str
    splits: Mapping[str, Rows]
    licence: Licence
    description: str
    has_texts: bool = True
    why: str = ""
    is_default: bool = False

    @property
    def schema(self) -> Mapping[str, pl.DataType]:
        """Its columns, the same in each of its splits."""
        return next(iter(self.splits.values())).schema

    @property
    def n_rows(self) -> int:
        """The number of rows over all splits."""
        return sum(data.height for data in self.splits.values())

    @property
    def is_labelled(self) -> bool:
        """Whether its rows are labelled texts."""
        return "is_hallucinated" in self.schema

    @property
    def bears_texts(self) -> bool:
        """Whether its rows bear words of a source or a model, not only ids, labels and numbers."""
        return self.has_texts and not {"text", "question", "response"}.isdisjoint(self.schema)


@dataclass(frozen=True)
class Shard:
    """One Parquet file of a config's split: its path in the repository, its bytes or where they lie."""

    config: str
    split: str
    path: str
    content: bytes | Path
    n_rows: int

    @property
    def sha256(self) -> str:
        """The checksum of the file, in hex."""
        return sha256(self.content)

    @property
    def n_bytes(self) -> int:
        """The size of the file."""
        return size_of(self.content)


def shards_of(config: Config, *, rows_per_shard: int) -> list[Shard]:
    """The files of a config: `data/<config>/<split>-00000-of-00002.parquet`, …; none of an empty split."""
    shards = []
    for split, data in config.splits.items():
        rows = rows_per_shard
        if isinstance(data, Stored):
            rows = min(rows, max(1, BYTES_PER_SHARD * data.height // max(1, data.n_bytes)))
        n = ceil(data.height / rows)
        for number in range(n):
            part = data.slice(number * rows, rows)
            content: bytes | Path = parquet(part)
            if isinstance(data, Stored) and isinstance(content, bytes):
                file = data.path.with_name(f"{data.path.stem}-{number:05d}.parquet")
                file.write_bytes(content)
                content = file
            path = f"{FOLDER}{config.name}/{split}-{number:05d}-of-{n:05d}.parquet"
            shards.append(Shard(config.name, split, path, content, part.height))
    return shards


def parquet(data: pl.DataFrame) -> bytes:
    """A frame as Parquet (zstd, no statistics): equal rows give equal bytes, however they were joined."""
    buffer = BytesIO()
    # a slice drags along what lies beside it in lists
    whole = data.rechunk().select(pl.all().gather(pl.int_range(data.height)))
    whole.write_parquet(buffer, compression="zstd", statistics=False, row_group_size=ROWS_PER_GROUP)
    return buffer.getvalue()


def glob_of(config: str, split: str) -> str:
    """The pattern that finds a split's files and no other's."""
    return f"{FOLDER}{config}/{split}-*.parquet"
