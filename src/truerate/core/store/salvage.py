"""The rows of a damaged SQLite file whose pages are whole, as a store of the same tables."""

import sqlite3

MOST_LOST = 20_000  # rows in turn: more than one page of the level above the rows leads to
DAMAGE = sqlite3.SQLITE_CORRUPT  # a file that is no database at all is somebody's other file


def is_damage(error: Exception) -> bool:
    """Return whether an error says that pages of the file are missing or altered."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF == DAMAGE


def salvaged(link: sqlite3.Connection, script: str) -> tuple[sqlite3.Connection, dict[str, int]]:
    """A temporary database with the tables of `script` and all readable rows of `link`, and their numbers by
    table. Raises sqlite3.DatabaseError if not even the schema can be read.
    """
    link.execute("PRAGMA writable_schema = ON")  # without it a file whose end is missing opens for nothing
    target = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    target.executescript(script)
    counts = {}
    tables = target.execute(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'"
    )
    for table, is_without_rowid in tables.fetchall():
        counts[table] = 0
        after = 0
        while True:
            try:
                for rowid, *values in _rows(link, table, None if is_without_rowid else after):
                    marks = ", ".join("?" * len(values))
                    target.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", values)
                    counts[table] += 1
                    after = rowid
                break
            except sqlite3.DatabaseError:
                next_after = None if is_without_rowid else _before_next(link, table, after)
                if next_after is None:
                    break
                after = next_after
    return target, counts


def _rows(link: sqlite3.Connection, table: str, after: int | None) -> sqlite3.Cursor:
    if after is None:
        return link.execute(f"SELECT 0, * FROM {table}")
    return link.execute(f"SELECT rowid, * FROM {table} WHERE rowid > ? ORDER BY rowid", [after])


def _before_next(link: sqlite3.Connection, table: str, after: int) -> int | None:
    """First number behind `after` from which on a row can be read; None where MOST_LOST in turn give none."""
    tried = range(after + 1, after + MOST_LOST)
    return next((number for number in tried if _is_readable(link, table, number)), None)


def _is_readable(link: sqlite3.Connection, table: str, after: int) -> bool:
    try:
        _rows(link, table, after).fetchone()
    except sqlite3.DatabaseError:
        return False
    return True
