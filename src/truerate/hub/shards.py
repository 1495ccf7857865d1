"""A config as Parquet files: at most so many rows in each, the same rows always the same bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil
from pathlib import Path

import polars as pl

from truerate.hub.release import Config
from truerate.hub.stored import Rows, Stored
from truerate.hub.sums import sha256, size_of

FOLDER = "data/"
ROWS_PER_GROUP = (
    10_000  # of one file: who wants the first rows need not read them all; the bytes depend on it
)
BYTES_PER_SHARD = (
    200_000_000  # in memory, of rows that stay on disk, so that one file of them is in memory at a time
)


@dataclass(frozen=True)
class Shard:
    """One Parquet file of a config's split: its path in the repository, its bytes or where they lie, and their SHA-256."""

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
    return [
        shard
        for split, data in config.splits.items()
        for shard in _split_shards(config.name, split, data, rows_per_shard)
    ]


def _split_shards(config: str, split: str, data: Rows, rows: int) -> list[Shard]:
    if isinstance(data, Stored):
        rows = min(rows, max(1, BYTES_PER_SHARD * data.height // max(1, data.n_bytes)))
    n, found = ceil(data.height / rows), []
    for place in range(n):
        path = f"{FOLDER}{config}/{split}-{place:05d}-of-{n:05d}.parquet"
        part = data.slice(place * rows, rows)
        content: bytes | Path = parquet(part)
        if isinstance(data, Stored) and isinstance(content, bytes):
            own = data.path.with_name(f"{data.path.stem}-{place:05d}.parquet")
            own.write_bytes(content)
            content = own
        found.append(Shard(config, split, path, content, part.height))
    return found


def parquet(data: pl.DataFrame) -> bytes:
    """A frame as Parquet (zstd, no statistics): equal rows give equal bytes, however they were joined."""
    buffer = BytesIO()
    whole = data.rechunk().select(
        pl.all().gather(pl.int_range(data.height))
    )  # a slice drags along what lies beside it in lists
    whole.write_parquet(buffer, compression="zstd", statistics=False, row_group_size=ROWS_PER_GROUP)
    return buffer.getvalue()


def glob_of(config: str, split: str) -> str:
    """The pattern that finds a split's files and no other's."""
    return f"{FOLDER}{config}/{split}-*.parquet"


def n_bytes(shards: Sequence[Shard]) -> int:
    """The size of files together."""
    return sum(shard.n_bytes for shard in shards)
