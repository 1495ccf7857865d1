"""Tables that outgrow memory, as they are written: their rows come slice by slice, wait on disk, and are put
together sorted, part by part.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

import polars as pl

from truerate.core.schemas.declare import Table, frame
from truerate.core.schemas.disk import (
    STORED,
    height,
    put,
    read,
    read_parquet,
    save,
    scan,
    validate,
    write,
    write_parquet,
)
from truerate.core.schemas.parts import read_in_parts

PART_ROWS = 2_000  # rows of texts of any length that are in memory together
ROW_GROUP = 500  # of a file of such texts
WAITING = 50_000  # rows of slices that are put together before they go to disk
KEYS = 200_000  # keys that parts are cut by; of more rows one in so many


class Gathered:
    """Rows of tables that come in slices, on disk in a folder until all have come (`save_in_parts`)."""

    def __init__(self, tables: Mapping[str, type[Table]], folder: str | Path) -> None:
        self.tables, self.folder = tables, Path(folder)
        self.paths: dict[str, list[Path]] = {}
        self._waiting: dict[str, list[pl.DataFrame]] = {}

    def keep(self, rows: Mapping[str, pl.DataFrame]) -> None:
        """Take some rows of tables, by the names of these."""
        for name, data in rows.items():
            self.paths.setdefault(name, [])
            waiting = self._waiting.setdefault(name, [])
            waiting.append(data)
            if sum(part.height for part in waiting) >= WAITING:
                self._put(name)

    def files(self) -> dict[str, list[Path]]:
        """The files with the rows of each table, in order; none of a table without rows."""
        for name in self._waiting:
            self._put(name)
        return self.paths

    def scan(self, name: str) -> pl.LazyFrame:
        """The rows of a table that came, as a query."""
        return scan(self.tables[name], self.files().get(name, []))

    def _put(self, name: str) -> None:
        data = pl.concat(self._waiting[name]) if self._waiting[name] else pl.DataFrame()
        self._waiting[name] = []
        if data.height:
            path = self.folder / f"{name}-{len(self.paths[name]):05}.parquet"
            write(self.tables[name], data, path)
            self.paths[name].append(path)


def save_in_parts(
    table: type[Table],
    paths: Sequence[str | Path],
    path: str | Path,
    *,
    key: str,
    n: int = PART_ROWS,
    group: int = ROW_GROUP,
    keeps_first: bool = True,
) -> None:
    """`save` for the rows of files of `write`, sorted by a text `key`; of rows of one key the first, or
    (without `keeps_first`) an error. About `n` rows are in memory: parts are cut by key and validated. Row
    groups have `group` rows.
    """
    starts = _starts(table, paths, key, n) if paths else []
    if not starts:
        few = pl.concat([frame(table), *(read(table, path) for path in paths)])
        save(table, _in_order(few, key, keeps_first), path)
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=Path(path).parent, prefix=".parts-") as folder:
        parts = [Path(folder) / f"{number_of_part:05}" for number_of_part in range(len(starts) + 1)]
        for number, file in enumerate(paths):
            for number_of_part, start in enumerate(range(0, height(file), max(n, group))):
                rows = read_parquet(file, part=(start, max(n, group)))
                _cut(rows, starts, key, parts, name=f"{number:05}-{number_of_part:05}")
        for part in parts:
            pieces = pl.concat([pl.read_parquet(piece) for piece in sorted(part.iterdir())])
            rmtree(part)
            write_parquet(validate(table, _in_order(pieces, key, keeps_first), where=str(path)), part)
        whole = pl.concat([pl.scan_parquet(part) for part in parts])
        put(path, lambda scratch: whole.sink_parquet(scratch, **STORED, row_group_size=group))


def save_query(table: type[Table], query: pl.LazyFrame, path: str | Path, *, group: int = ROW_GROUP) -> None:
    """Write and validate the rows of a query as they come, in row groups of `group` rows."""

    def written(scratch: Path) -> None:
        query.sink_parquet(scratch, **STORED, row_group_size=group)
        for _ in read_in_parts(table, scratch, n_at_once=PART_ROWS):
            pass

    put(path, written)


def _starts(table: type[Table], paths: Sequence[str | Path], key: str, n: int) -> list[str]:
    """The keys with which the second part of about `n` rows begins, the third, and so on."""
    scan(table, paths)  # says which file is none of the table
    every = max(1, sum(map(height, paths)) // KEYS)
    drawn = [
        pl.scan_parquet(path).select(key).collect().to_series().sort().gather_every(every) for path in paths
    ]
    keys = pl.concat(drawn).unique().sort()
    return keys.gather_every(max(1, n // every)).to_list()[1:]


def _cut(data: pl.DataFrame, starts: Sequence[str], key: str, parts: Sequence[Path], *, name: str) -> None:
    """Write the rows between the keys `starts` each to a file in the folder of its part."""
    places = pl.Series(starts, dtype=pl.String).search_sorted(data[key], side="right")
    for (part_number,), rows in data.group_by(places.alias("place"), maintain_order=True):
        parts[int(part_number)].mkdir(exist_ok=True)
        rows.drop("place", strict=False).write_parquet(parts[int(part_number)] / name, **STORED)


def _in_order(data: pl.DataFrame, key: str, keeps_first: bool) -> pl.DataFrame:
    return (data.unique(key, keep="first", maintain_order=True) if keeps_first else data).sort(key)
