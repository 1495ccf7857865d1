"""The only way tables touch disk: checked on write and on read, the same rows always the same bytes."""

import errno
import json
import os
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.process.system_errors import full_disks, system_error
from truerate.core.schemas.declare import Table, schema

LARGEST_GROUP = 50_000  # rows of a table that are decoded at once where some of them are read
STORED: dict[str, Any] = {"compression": "zstd", "statistics": False}


def validate(
    table: type[Table], data: pl.DataFrame, *, where: str, columns: tuple[str, ...] | None = None
) -> pl.DataFrame:
    """The frame if it keeps the table's declaration, else TruerateError with pandera's first broken rule."""
    if table.is_kept_by(data, columns):
        return data
    from pandera.errors import SchemaError, SchemaErrors

    try:
        table.to_schema(columns).validate(data)
    except (SchemaError, SchemaErrors) as error:
        line = " ".join(str(error).split())[:300]
        raise TruerateError(f"{where}: not a {table.__name__} table: {line}") from None
    return data


def save(table: type[Table], data: pl.DataFrame, path: str | Path) -> None:
    """Validate and write as Parquet (zstd, deterministic bytes), atomically."""
    path = Path(path)
    validate(table, data, where=str(path))
    write_parquet(data, path)


def load(
    table: type[Table],
    path: str | Path,
    *,
    rows: pl.Expr | None = None,
    columns: Collection[str] | None = None,
) -> pl.DataFrame:
    """Read and validate the table, or its `rows` and columns alone. Raises TruerateError if that fails."""
    taken = taken_of(table, columns)
    data = read_parquet(path, rows=rows, columns=taken)
    return validate(table, data, where=str(path), columns=taken)


def taken_of(table: type[Table], columns: Collection[str] | None) -> tuple[str, ...] | None:
    """Named columns of a table, in the order declared; None (all that a file has) where none are named."""
    return None if columns is None else tuple(name for name in schema(table) if name in columns)


def scan(table: type[Table], paths: Sequence[str | Path]) -> pl.LazyFrame:
    """Rows of files of `write` as a query. Raises TruerateError for an unreadable file or another schema."""
    for path in paths:
        _of_types(table, read_parquet(path, rows=pl.lit(False)), path, "run `dvc repro`")
    if not paths:
        return pl.DataFrame(schema=schema(table)).lazy()
    return pl.concat([pl.scan_parquet(path) for path in paths])


def height(path: str | Path) -> int:
    """Return how many rows a table on disk has; none of them is read."""
    return int(pl.scan_parquet(path).select(pl.len()).collect().item())


def write(table: type[Table], data: pl.DataFrame, path: str | Path) -> None:
    """Write what only the next rules read, its names and types checked (see `read`), as `save` does."""
    write_parquet(_of_types(table, data, path, "correct the step that gives it"), Path(path))


def read(table: type[Table], path: str | Path) -> pl.DataFrame:
    """Read a file of `write` or `save`, checking names and types alone. Raises TruerateError."""
    return _of_types(table, read_parquet(path), path, "run `dvc repro`")


def _of_types(table: type[Table], data: pl.DataFrame, path: str | Path, then: str) -> pl.DataFrame:
    """The frame if it has the table's names and types; `then` ends the error."""
    if data.schema != (expected := schema(table)):
        others = [name for name in {**expected, **data.schema} if expected.get(name) != data.schema.get(name)]
        what = f"other columns or types: {', '.join(others)}" if others else "its columns in another order"
        raise TruerateError(f"{path}: not a {table.__name__} table: {what}; {then}")
    return data


def write_parquet(data: pl.DataFrame, path: Path) -> None:
    """Write a frame atomically; equal rows give equal bytes."""
    places = pl.int_range(data.height, eager=True)
    # a slice drags along what lies beside it in lists; column by column, for no two copies of a table
    data = pl.DataFrame([column.rechunk().gather(places) for column in data.iter_columns()])
    put(path, lambda scratch: data.write_parquet(scratch, **STORED, row_group_size=LARGEST_GROUP))


def put(path: str | Path, written: Callable[[Path], None]) -> None:
    """Write a file beside its place, then move it there. Raises OSError where the system refuses it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        written(scratch)
        os.replace(scratch, path)
    except Exception as error:
        if refused := system_error(error, path):
            raise refused from None
        if isinstance(error, pl.exceptions.PolarsError) and full_disks(str(path.parent)):
            raise OSError(
                errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)
            ) from None  # polars names a part of the file
        raise
    finally:
        with suppress(OSError):  # of a write that failed
            scratch.unlink(missing_ok=True)


def read_json(path: str | Path) -> dict[str, Any]:
    """Read what a step wrote as JSON beside its tables. Raises TruerateError if absent or no JSON."""
    try:
        values: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
        return values
    except FileNotFoundError:
        raise TruerateError(f"reading {str(path)!r}: it is not there; run `dvc repro`") from None
    except ValueError as error:
        raise TruerateError(f"reading {str(path)!r}: {error}; delete it and run `dvc repro`") from None


def read_parquet(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    rows: pl.Expr | None = None,
    part: tuple[int, int | None] = (0, None),
) -> pl.DataFrame:
    """Read a Parquet file, or columns, rows or a `part` (first row, number). Raises TruerateError."""
    try:
        if rows is not None or part != (0, None):
            query = pl.scan_parquet(path).slice(*part)
            query = query if rows is None else query.filter(rows)
            return (query if columns is None else query.select(columns)).collect()
        return pl.read_parquet(path, columns=None if columns is None else list(columns))
    except FileNotFoundError:
        raise TruerateError(f"reading {str(path)!r}: it is not there; run `dvc repro`") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TruerateError(
            f"reading {str(path)!r}: {str(error).splitlines()[0]}; delete it and run `dvc repro`"
        ) from None
