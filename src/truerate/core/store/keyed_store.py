"""One SQLite file that all processes of a host share: what the stores of replies and of pages have in common.

A store is opened, made, locked and explained here; its tables and what stands in them are its own.
Write-ahead logging needs all processes on one host, so a file on a network file system is refused.
"""

import fcntl
import os
import secrets
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from truerate.core.errors import StoreError
from truerate.core.process.terminal import announced_wait, say
from truerate.core.store.onehost import refuse_network
from truerate.core.store.salvage import is_damage, salvaged

Read = TypeVar("Read")

BUSY_S = 60.0  # another process may hold the file for so long
PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_S * 1000:.0f}; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;"
)
DAMAGED = (
    "the file is damaged: write what can be read of it with `{export}`, then move it away, with its "
    "-wal and -shm"
)
HINTS = {  # what to do about faults of the file, by words of their messages
    "full": "free space",
    "no space": "free space",
    "not a database": "the file is something else or damaged: move it away",
    "locked": "another process has held it for a minute: see what it does",
    "disk i/o": "see to its disk",
    "readonly": "fix its rights",
    "read-only": "fix its rights",
    "permission": "fix its rights",
    "not permitted": "fix its rights",
    "unable to open": "fix its rights",
    "directory": "fix its path",
    "file exists": "fix its path",
}  # any other is damage: of pages, of the tables that should be there, of the letters in a row


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of store: name, format, table script, `pragmas`, `page_size` of new files, `export` command."""

    name: str
    format: int
    tables: str
    pragmas: str = ""
    page_size: int = 4096
    export: str = ""


class KeyedStore:
    """An open store. `_link` is the connection of the thread that opened it, in autocommit."""

    KIND: ClassVar[Kind]

    def __init__(self, path: Path, *, is_read_only: bool = False):
        """Open the store, making it if absent. Raises StoreError for an unreadable or foreign file. With
        `is_read_only` an existing file is opened for reading, even where nobody may write.
        """
        self.path = Path(path)
        self._is_waiting_announced = self._is_salvaged = False
        self.is_read_only = is_read_only and self.path.is_file() and self.path.stat().st_size > 0
        if self.is_read_only:
            with self.explained():
                self._link = self._connected_to_read()
            return
        refuse_network(self.path, self.KIND.name)
        with self.explained(), announced_wait(self._held_by_another):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._prepare()
            self._link = self.connected()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._link.close()

    def connected(self) -> sqlite3.Connection:
        """A connection as all processes open it: autocommit, transactions are begun by hand."""
        # A reader's connection is closed by another thread than its own, after it.
        link = sqlite3.connect(
            self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False, cached_statements=512
        )
        link.executescript(PRAGMAS + self.KIND.pragmas)
        return link

    def run(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of one statement; waits while another process holds the file, with a message."""
        until = time.monotonic() + BUSY_S
        with self.explained():
            while True:
                try:
                    return self._link.execute(sql, values).fetchall()
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                        raise
                if not self._is_waiting_announced:
                    self._is_waiting_announced = True
                    say(f"still waiting: {self._held_by_another}")

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Several statements as one."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:  # raised again, once nothing is left half written
            self.run("ROLLBACK")
            raise
        self.run("COMMIT")

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Faults of the file as one line."""
        try:
            yield
        except (sqlite3.Error, OSError, zlib.error, UnicodeDecodeError) as error:
            is_row = isinstance(error, zlib.error | UnicodeDecodeError)
            fault = "a row of it is malformed" if is_row else str(error)
            damaged = (
                DAMAGED.format(export=self.KIND.export)
                if self.KIND.export
                else "the file is damaged: move it away, with its -wal and -shm"
            )
            hint = next((hint for part, hint in HINTS.items() if part in fault.casefold()), damaged)
            what = f"{self.KIND.name} {str(self.path)!r}: {fault}; {hint}"
            raise StoreError(f"{what}, or name another place in TRUERATE_STORE") from error

    @property
    def _held_by_another(self) -> str:
        return f"another process holds the {self.KIND.name} {str(self.path)!r}"

    def _connected_to_read(self) -> sqlite3.Connection:
        """A read-only connection; to the file as it lies there if even the log's index is not writable."""
        for options in ("mode=ro", "mode=ro&immutable=1"):
            address = f"{self.path.absolute().as_uri()}?{options}"
            link = sqlite3.connect(
                address, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
            try:
                self._is_made(link)
                return link
            except sqlite3.OperationalError as error:
                link.close()
                fault = error
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                return self._salvaged(link, error)
        raise fault

    def read(self, reader: Callable[[sqlite3.Connection], Read]) -> Read:
        """Return what `reader` makes of the open file; of a damaged read-only one, of its readable rows."""
        with self.explained():
            try:
                return reader(self._link)
            except sqlite3.DatabaseError as error:
                if not (self.is_read_only and is_damage(error)) or self._is_salvaged:
                    raise
                self._link = self._salvaged(self._link, error)
            return reader(self._link)

    def _salvaged(self, link: sqlite3.Connection, error: sqlite3.DatabaseError) -> sqlite3.Connection:
        """A copy of the rows of a damaged file that can still be read. Raises `error` where none can."""
        try:
            copy, counts = salvaged(link, self.KIND.tables)
        except sqlite3.DatabaseError:
            raise error from None
        finally:
            link.close()
        self._is_salvaged = True
        rows = ", ".join(f"{n:,} of `{table}`" for table, n in counts.items() if n)
        say(
            f"{self.KIND.name} {str(self.path)!r} is damaged ({error}); rows that can still be read: "
            f"{rows or 'none'};"
            f" {DAMAGED.format(export=self.KIND.export).partition(': ')[2]}"
        )
        return copy

    def _is_made(self, link: sqlite3.Connection) -> bool:
        """Return whether the file holds the tables, False if empty. Raises StoreError for another format."""
        (version,) = link.execute("PRAGMA user_version").fetchone()
        if version == self.KIND.format:
            return True
        if version or link.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
            what = (
                f"{self.KIND.name} {str(self.path)!r}: of format {version}; this version reads "
                f"{self.KIND.format}"
            )
            raise StoreError(f"{what}; name another place in TRUERATE_STORE")
        return False

    def _prepare(self) -> None:
        """Make the tables of a new store, one process alone; refuse a file of another format."""
        with locked(self.path.parent):
            link = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)
            try:
                if self._is_made(link):
                    return
                link.executescript(f"PRAGMA page_size = {self.KIND.page_size}; PRAGMA journal_mode = WAL;")
                # a number of its own, by which what lies beside a store is told to be of it
                script = (
                    f"{self.KIND.tables} PRAGMA user_version = {self.KIND.format}; PRAGMA "
                    f"application_id = {secrets.randbits(31)};"
                )
                link.executescript(f"BEGIN IMMEDIATE; {script} COMMIT;")
            finally:
                link.close()


def next_turn(
    run: Callable[[str, Sequence[Any]], list[tuple[Any, ...]]],
    key: str,
    name: str,
    *,
    pause_s: float,
    now: float,
    furthest_s: float,
    beyond_s: float = 0.0,
    unset: Sequence[str] = (),
) -> float:
    """Take the next turn of `name` in a table `pace` (columns `key`, next_at) of all processes, in seconds of
    `now`; the one after it is `pause_s` later. A turn beyond `furthest_s` is of a clock set back since: then
    it is `beyond_s` from now. `unset`: further columns, which begin at 0.
    """
    columns, zeros = ", ".join([key, "next_at", *unset]), ", 0" * len(unset)
    taken = run(
        f"INSERT INTO pace ({columns}) VALUES (?1, ?3 + ?2{zeros}) ON CONFLICT ({key}) DO UPDATE SET "
        "next_at ="
        " CASE WHEN next_at > ?3 + ?4 THEN ?3 + ?5 ELSE MAX(next_at, ?3) END + ?2 RETURNING next_at",
        (name, pause_s, now, furthest_s, beyond_s),
    )
    turn_after: float = taken[0][0]
    return turn_after - pause_s


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock on a folder or file (never the store's own: closing it frees SQLite's locks)."""
    how = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT
    file = os.open(path, how | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)
