"""Tables that outgrow memory, as they are read: some rows at a time, held to the rules of the whole."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.schemas.declare import Table, frame, schema
from truerate.core.schemas.disk import LARGEST_GROUP, height, read_parquet, taken_of, validate

PART = "part"
GROUP = 1_000  # rows that are skipped together where a query wants none of them


def read_in_parts(
    table: type[Table],
    path: str | Path,
    *,
    columns: Collection[str] | None = None,
    rows: pl.Expr | None = None,
    n_at_once: int = LARGEST_GROUP,
) -> Iterator[pl.DataFrame]:
    """Yield what `load` reads, `n_at_once` rows at a time, filtered by `rows`; one empty part of an empty
    file. Raises TruerateError as `load`: for a part before it is given, and at the end for values of unique
    columns in two parts.
    """
    taken = taken_of(table, columns)
    single = [name for name in taken or schema(table) if table.fields()[name][1].unique]
    ends: dict[str, list[tuple[Any, Any]]] = {name: [] for name in single}
    read_parquet(path, columns=taken, rows=pl.lit(False))  # says what is wrong with a file
    for start in range(0, max(1, height(path)), n_at_once):
        part = read_parquet(path, columns=taken, rows=rows, part=(start, n_at_once))
        yield validate(table, part, where=str(path), columns=taken)
        for name in single if part.height else ():
            ends[name].append((part[name].min(), part[name].max()))
    for name, of_column in ends.items():
        if any(first[1] >= second[0] for first, second in pairwise(of_column)):
            met = read_parquet(path, columns=(name,), rows=rows)[name]
            if met.is_duplicated().any():
                raise TruerateError(f"{path}: not a {table.__name__} table: column {name!r} is not unique")


def load_in_parts(
    table: type[Table],
    path: str | Path,
    each: Callable[[pl.DataFrame], pl.DataFrame],
    *,
    columns: Collection[str] | None = None,
    rows: pl.Expr | None = None,
    n_at_once: int = LARGEST_GROUP,
) -> pl.DataFrame:
    """Return what `each` makes of the parts of a table (`read_in_parts`), concatenated."""
    parts = read_in_parts(table, path, columns=columns, rows=rows, n_at_once=n_at_once)
    return pl.concat([each(part) for part in parts])


@contextmanager
def set_apart(
    table: type[Table],
    paths: Sequence[str | Path],
    *,
    parts: pl.DataFrame,
    rows: pl.Expr | None = None,
    columns: Collection[str] | None = None,
    within: str | None = None,
    n_at_once: int = LARGEST_GROUP,
) -> Iterator[dict[str, pl.LazyFrame]]:
    """The saved tables' rows (filtered by `rows`) split by a column `parts` and names `part`, as queries over
    scratch files that last as long as the block; with `within` rows of one value of it lie together. Raises
    TruerateError as `load`.
    """
    (key,) = (name for name in parts.columns if name != PART)
    names = sorted(parts[PART].unique())
    with TemporaryDirectory(prefix="truerate-parts-") as scratch:
        written: dict[str, list[Path]] = {name: [] for name in names}
        for path in paths:
            for data in read_in_parts(table, path, columns=columns, rows=rows, n_at_once=n_at_once):
                joined = data.join(parts, on=key, how="inner", maintain_order="left")
                for (name,), rows_of_part in joined.group_by(PART, maintain_order=True):
                    file = Path(scratch) / f"{names.index(name):05}-{len(written[str(name)]):05}.parquet"
                    kept = rows_of_part.drop(PART)
                    kept = kept if within is None else kept.sort(within, maintain_order=True)
                    kept.write_parquet(file, compression="lz4", row_group_size=GROUP)
                    written[str(name)].append(file)
        empty = frame(table).select(taken_of(table, columns) or pl.all()).lazy()
        yield {name: pl.scan_parquet(files) if files else empty for name, files in written.items()}
