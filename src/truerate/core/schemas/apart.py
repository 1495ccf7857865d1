"""Tables on disk parted by what their rows are about, so that the rows of one part are in memory together and never
those of all.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from truerate.core.schemas.declare import Table, schema
from truerate.core.schemas.disk import LARGEST_GROUP, read_parquet, validate

PART = "part"
GROUP = 1_000  # rows that are skipped together where a query wants none of them


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
    """The rows of tables that `save` wrote, those of which `rows` holds, by part, each as a query that reads them
    when it is collected: in the order of the files and of their rows; with `within` those of one value of this column
    lie together, some at a time, so that a query of one value reads few others. Every row is validated as `load` does it, and
    columns whose values may not repeat are held against all of a file; `n_at_once` rows are in memory together.

    `parts`: a column of the table that names one part per value, and `part`; rows of none are in no part. Parts lie
    in a scratch folder of the system (`TMPDIR`) until the block ends. Raises TruerateError as `load` does.
    """
    taken = tuple(name for name in schema(table) if columns is None or name in columns)
    (key,) = (name for name in parts.columns if name != PART)
    names = sorted(parts[PART].unique())
    with TemporaryDirectory(prefix="truerate-parts-") as scratch:
        written: dict[str, list[Path]] = {name: [] for name in names}
        for path in paths:
            for found in _checked(table, path, taken, rows, n_at_once):
                placed = found.join(parts, on=key, how="inner", maintain_order="left")
                for (name,), own in placed.group_by(PART, maintain_order=True):
                    place = Path(scratch) / f"{names.index(name):05}-{len(written[str(name)]):05}.parquet"
                    kept = own.drop(PART)
                    kept = kept if within is None else kept.sort(within, maintain_order=True)
                    kept.write_parquet(place, compression="lz4", row_group_size=GROUP)
                    written[str(name)].append(place)
        empty = pl.DataFrame(schema={name: schema(table)[name] for name in taken}).lazy()
        yield {name: pl.scan_parquet(files) if files else empty for name, files in written.items()}


def _checked(
    table: type[Table], path: str | Path, columns: tuple[str, ...], rows: pl.Expr | None, n_at_once: int
) -> Iterator[pl.DataFrame]:
    """The rows of one file, some at a time, each validated; at the end what must not repeat within the file."""
    single = [name for name in columns if table.fields()[name][1].unique]
    met: dict[str, list[pl.DataFrame]] = {name: [] for name in single}
    n_rows = read_parquet(path, columns=columns[:1]).height
    for start in range(0, max(n_rows, 1), n_at_once):
        found = read_parquet(path, columns=columns, rows=rows, part=(start, n_at_once))
        yield validate(table, found, where=str(path), columns=columns)
        for name in single:
            met[name].append(found.select(name))
    for name, values in met.items():
        validate(table, pl.concat(values), where=str(path), columns=(name,))
