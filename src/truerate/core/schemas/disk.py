"""The only way tables touch disk: validated on write and on read, the same rows always the same bytes."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.schemas.declare import Table, schema


def validate(table: type[Table], data: pl.DataFrame, *, where: str) -> pl.DataFrame:
    """The frame itself if it keeps the table's rules, else TruerateError with the first broken rule."""
    if table.holds(data):
        return data
    from pandera.errors import SchemaError, SchemaErrors

    try:
        validated: pl.DataFrame = table.to_schema().validate(data)
        return validated
    except (SchemaError, SchemaErrors) as error:
        line = " ".join(str(error).split())[:300]
        raise TruerateError(f"{where}: not a {table.__name__} table: {line}") from None


def save(table: type[Table], data: pl.DataFrame, path: str | Path) -> None:
    """Validate and write as Parquet (zstd, deterministic bytes), atomically."""
    path = Path(path)
    validate(table, data, where=str(path))
    write_parquet(data, path)


def load(table: type[Table], path: str | Path) -> pl.DataFrame:
    """Read and validate. Raises TruerateError where the file is missing, unreadable or breaks a rule."""
    return validate(table, read_parquet(path), where=str(path))


def read(table: type[Table], path: str | Path) -> pl.DataFrame:
    """Read what an earlier stage validated, its names and types checked. Raises TruerateError where they or
    the file are not right.
    """
    data = read_parquet(path)
    if data.schema != schema(table):
        raise TruerateError(f"{path}: not a {table.__name__} table: its columns are others; run `dvc repro`")
    return data


def write_parquet(data: pl.DataFrame, path: Path) -> None:
    """Write a frame atomically: a reader sees the old file or the new one, never half of it; equal rows give
    equal bytes.
    """
    data = data.rechunk().select(
        pl.all().gather(pl.int_range(data.height))
    )  # a slice drags along what lies beside it in lists
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        data.write_parquet(scratch, compression="zstd", statistics=False)
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)  # what is left of a write that failed


def read_json(path: str | Path) -> dict[str, Any]:
    """Read what a step wrote as JSON beside its tables; TruerateError where there is none or it is no JSON."""
    try:
        values: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
        return values
    except FileNotFoundError:
        raise TruerateError(f"reading {str(path)!r}: it is not there; run `dvc repro`") from None
    except ValueError as error:
        raise TruerateError(f"reading {str(path)!r}: {error}; delete it and run `dvc repro`") from None


def read_parquet(path: str | Path, *, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read one Parquet file, or some of its columns; TruerateError where there is none or it is no Parquet."""
    try:
        return pl.read_parquet(path, columns=None if columns is None else list(columns))
    except FileNotFoundError:
        raise TruerateError(f"reading {str(path)!r}: it is not there; run `dvc repro`") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TruerateError(
            f"reading {str(path)!r}: {str(error).splitlines()[0]}; delete it and run `dvc repro`"
        ) from None
