"""A config as Parquet files: at most so many rows in each, the same rows always the same bytes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil

import polars as pl

from truerate.hub.release import Config

FOLDER = "data/"
ROWS_PER_GROUP = (
    10_000  # of one file: who wants the first rows need not read them all; the bytes depend on it
)


@dataclass(frozen=True)
class Shard:
    """One Parquet file of a config's split: its path in the repository, its bytes and their SHA-256."""

    config: str
    split: str
    path: str
    content: bytes
    n_rows: int

    @property
    def sha256(self) -> str:
        """The checksum of the file, in hex."""
        return hashlib.sha256(self.content).hexdigest()


def shards_of(config: Config, *, rows_per_shard: int) -> list[Shard]:
    """The files of a config, split by split: `data/<config>/<split>-00000-of-00002.parquet`, …; a split
    without rows has none.
    """
    return [
        shard
        for split, data in config.splits.items()
        for shard in _split_shards(config.name, split, data, rows_per_shard)
    ]


def _split_shards(config: str, split: str, data: pl.DataFrame, rows: int) -> list[Shard]:
    n = ceil(data.height / rows)
    parts = [data.slice(place * rows, rows) for place in range(n)]
    paths = [f"{FOLDER}{config}/{split}-{place:05d}-of-{n:05d}.parquet" for place in range(n)]
    return [
        Shard(config, split, path, parquet(part), part.height)
        for path, part in zip(paths, parts, strict=True)
    ]


def parquet(data: pl.DataFrame) -> bytes:
    """A frame as the bytes of a Parquet file (zstd, no statistics): equal rows give equal bytes, however they
    came together.
    """
    buffer = BytesIO()
    whole = data.rechunk().select(
        pl.all().gather(pl.int_range(data.height))
    )  # a slice drags along what lies beside it in lists
    whole.write_parquet(buffer, compression="zstd", statistics=False, row_group_size=ROWS_PER_GROUP)
    return buffer.getvalue()


def glob_of(config: str, split: str) -> str:
    """The pattern that finds a split's files and no other's."""
    return f"{FOLDER}{config}/{split}-*.parquet"


def bytes_in_memory(data: pl.DataFrame) -> int:
    """How large a frame is as an Arrow table of plain types: what `datasets` calls `num_bytes`. The same on
    every machine.
    """
    return sum(_column_bytes(column) for column in data.iter_columns())


def _column_bytes(column: pl.Series) -> int:
    """Values, a 32-bit offset for each string and list, and one bit per row where something is null."""
    n, dtype = len(column), column.dtype
    mask = ceil(n / 8) if column.null_count() else 0
    if isinstance(dtype, pl.List):
        return mask + 4 * n + _column_bytes(column.explode(empty_as_null=False, keep_nulls=False))
    if isinstance(dtype, pl.Struct):
        return mask + sum(_column_bytes(column.struct.field(field.name)) for field in dtype.fields)
    if dtype == pl.String:
        return mask + 4 * n + int(column.str.len_bytes().sum())
    return mask + (ceil(n / 8) if dtype == pl.Boolean else n * (4 if dtype in (pl.Int32, pl.Float32) else 8))


def n_bytes(shards: Sequence[Shard]) -> int:
    """The size of files together."""
    return sum(len(shard.content) for shard in shards)
