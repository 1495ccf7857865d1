"""The store's replies as one Parquet file, to take them to another host and back."""

import sqlite3
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from truerate.core.errors import SourceError
from truerate.core.process.terminal import say
from truerate.core.schemas import write_parquet
from truerate.llm.store.responses import Store, chunks, packed, packed_text, plain

COLUMNS = {
    "key": pl.Binary, "request": pl.Binary, "text": pl.String, "finish": pl.String, "n_in": pl.Int64, "n_out": pl.Int64,
    "at": pl.Float64, "extra": pl.Binary,
}  # fmt: skip


def export(store: Store, path: str | Path) -> int:
    """Write every readable reply with its request, sorted by key; return how many."""
    rows = store.query("SELECT key, request, text, finish, n_in, n_out, at, extra FROM response ORDER BY key")
    columns = [row for row in map(_whole, rows) if row is not None]
    if len(columns) < len(rows):
        say(f"exporting {str(store.path)!r}: {len(rows) - len(columns):,} replies are damaged and left out")
    write_parquet(pl.DataFrame(columns, schema=COLUMNS, orient="row"), Path(path))
    return len(columns)


def _whole(row: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """A stored row as the file has it; None where its bytes are not those that were written."""
    key, request, text, *counts, extra = row
    try:
        body = zlib.decompress(request)
        unpacked = (key, body, plain(text), *counts, extra and zlib.decompress(extra))
    except (zlib.error, TypeError, UnicodeDecodeError):
        return None
    return unpacked if sha256(body).digest() == key else None


def import_(store: Store, path: str | Path) -> int:
    """Add the replies of an exported file; how many were new. Raises TruerateError, adding none, for another
    file, or a reply whose key is not the hash of its request.
    """
    try:
        replies = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise SourceError(
            f"importing {str(path)!r}: {str(error).splitlines()[0]}; it must come from `truerate llm export`"
        ) from None
    if dict(replies.schema) != COLUMNS:
        raise SourceError(f"importing {str(path)!r}: columns {replies.columns}; expected {list(COLUMNS)}")
    rows = [_row(row, number, path) for number, row in enumerate(replies.iter_rows(named=True), 1)]

    def add(link: sqlite3.Connection) -> int:
        sql = "INSERT OR IGNORE INTO response VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        return sum(link.executemany(sql, some).rowcount for some in chunks(rows))

    return store.write(add)


def _row(row: dict[str, Any], number: int, path: str | Path) -> tuple[Any, ...]:
    """One row of the file as a row of the store."""
    where = f"importing {str(path)!r}: row {number}"
    if row["request"] is None or row["text"] is None or sha256(row["request"]).digest() != row["key"]:
        raise SourceError(
            f"{where}: its key is not the SHA-256 of its request, or it has no text; export it again"
        )
    try:
        identity = orjson.loads(row["request"])["identity"]
    except (ValueError, KeyError, TypeError):
        raise SourceError(f"{where}: its request names no model identity; export it again") from None
    extra = packed(row["extra"]) if row["extra"] else None
    return (
        row["key"], packed_text(row["text"]), row["finish"], row["n_in"], row["n_out"], identity, row["at"], packed(row["request"]), extra,
    )  # fmt: skip
