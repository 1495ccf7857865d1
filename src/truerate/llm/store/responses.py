"""The response store: one SQLite file per host that every job reads and writes, so that no reply is paid for
twice.

Replies are found by the SHA-256 of their request, which lies beside them. Beside the file, `<file>.d/` holds
what belongs to running processes (their locks, the launched servers) and how many calls are booked.
Write-ahead logging needs all processes on one host.
"""

import asyncio
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson

from truerate.core.errors import StoreError
from truerate.core.process.terminal import say
from truerate.core.store.keyed_store import KeyedStore, Kind
from truerate.core.store.onehost import hold
from truerate.llm.transport.verdict import end, is_broken, is_cut

FORMAT = 1
EXPORT = "truerate llm export FILE"
BOOKED = "booked.json"  # in the folder beside a store
CHUNK = 500  # keys per SELECT
ADDRESS = "address"  # the endpoint's, beside a reply in `extra`, of a dead letter in `request`
# characters; a shorter reply is kept as it is, for unpacking it would take a third of the time of a hit
SHORT = 1000
PASSING = "rate_limited"  # reason of dead letters of which the next run asks again
PRAGMAS = """PRAGMA mmap_size = 268435456; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000;
          PRAGMA journal_size_limit = 67108864;
          """
# Rowid tables where rows are large: WITHOUT ROWID would triple the size of 1.5 KB values. `text` is TEXT, or
# a BLOB of zlib where it is long; `request` is the hashed JSON itself, squeezed.
TABLES = """
CREATE TABLE response (key BLOB PRIMARY KEY, text, finish TEXT, n_in INTEGER, n_out INTEGER, identity TEXT, at REAL,
                       request BLOB, extra BLOB);
CREATE TABLE dead     (key BLOB PRIMARY KEY, reason TEXT, detail TEXT, attempts INTEGER, identity TEXT, at REAL, request BLOB);
CREATE TABLE lease    (key BLOB PRIMARY KEY, owner INTEGER, identity TEXT, n_in INTEGER, n_out INTEGER, usd REAL) WITHOUT ROWID;
CREATE TABLE ledger   (day TEXT, kind TEXT, identity TEXT, calls INTEGER, n_bytes INTEGER, n_in INTEGER, n_out INTEGER, usd REAL,
                       PRIMARY KEY (day, kind, identity)) WITHOUT ROWID;
CREATE TABLE pace     (endpoint TEXT PRIMARY KEY, next_at REAL, paused_until REAL) WITHOUT ROWID;
"""
# Who asks now, and the batches that are under way; not in stores of earlier releases, which get them when they are opened.
HOLDERS = """
CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY, endpoint TEXT, want INTEGER, beat REAL, ttl REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batch (id INTEGER PRIMARY KEY, endpoint TEXT, address TEXT, model TEXT, remote TEXT, state TEXT,
                                  n INTEGER, at REAL, factor REAL, holder INTEGER) WITHOUT ROWID;
"""
Result = TypeVar("Result")


class StoredReply(NamedTuple):
    """A stored reply."""

    text: str
    finish: str | None
    n_in: int | None
    n_out: int | None


class DeadLetter(NamedTuple):
    """A request that was given up. `address`: of its endpoint, None in stores that know none."""

    reason: str
    detail: str
    attempts: int
    address: str | None = None


def is_final(
    answer: "StoredReply | DeadLetter", address: str, *, keeps_cut: bool, contents: list[str]
) -> bool:
    """Return whether an answer stands for a request with these texts at this address: whole replies, and dead
    letters of this address but for rate limits, and for cut texts where these are now kept.
    """
    if isinstance(answer, StoredReply):
        return not is_broken(answer.finish) and not is_cut(contents, answer.n_in)
    if answer.reason == PASSING:
        return False
    return answer.address in (None, address) and not (
        keeps_cut and answer.reason == "length" and answer.detail
    )


class Store(KeyedStore):
    """An open response store; reads in the calling thread, writes in one thread that starts with the first
    write.
    """

    KIND = Kind("response store", FORMAT, TABLES + HOLDERS, pragmas=PRAGMAS, page_size=8192, export=EXPORT)

    def __init__(self, path: Path, *, is_read_only: bool = False):
        """As any store; one that is written to has a folder beside it."""
        super().__init__(path, is_read_only=is_read_only)
        if not self.is_read_only:
            with self.explained():
                self.folder.mkdir(mode=0o700, exist_ok=True)
                self._link.executescript(HOLDERS)
        self._refuse_loss()

    def close(self) -> None:
        """Finish all writes and let go of the file."""
        if "_writer" in self.__dict__:
            self._writer.submit(self._writing_link.close)
            self._writer.shutdown()
        super().close()

    def hold(self) -> None:
        """Say that this host uses the file now. Raises TruerateError where another host does."""
        hold(self.folder, f"response store {str(self.path)!r}")

    def note_calls(self) -> None:
        """Write beside the file how many calls are booked: without its -wal it opens as an older one."""
        calls = json.dumps(self._booked())
        with self.explained():
            (self.folder / BOOKED).write_text(calls, "utf-8")

    def _booked(self) -> tuple[int, int | None]:
        """The number of this store, and the calls in its ledger, which never become fewer; None where a count
        is spoiled.
        """
        ((number,),) = self.query("PRAGMA application_id")
        ((calls, n_spoiled),) = self.query(
            "SELECT CAST(TOTAL(calls) AS INTEGER), COUNT(*) - COUNT(calls) FROM ledger"
        )
        return number, None if n_spoiled else calls

    def _refuse_loss(self) -> None:
        """Raise StoreError where calls that were booked are not in the file any more; of one that is read
        alone say so.
        """
        mark = self.folder / BOOKED
        try:
            number, noted = json.loads(mark.read_text("utf-8"))
        except (OSError, ValueError, TypeError):
            return
        store_number, calls = self._booked()
        if store_number != number or calls is None or noted is None or calls >= noted:
            return
        line = (
            f"response store {str(self.path)!r} lacks {noted - calls:,} of {noted:,} calls that were booked "
            f"in it: its -wal "
            f"file was taken away, or an older copy lies in its place; put that back, or delete "
            f"{str(mark)!r} to go on "
            "without them (their replies are asked and paid again)"
        )
        if not self.is_read_only:
            super().close()
            raise StoreError(line)
        say(line)

    @property
    def folder(self) -> Path:
        """What belongs to the processes that use this store."""
        return self.path.with_name(self.path.name + ".d")

    @cached_property
    def _writer(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, "response-store")

    @cached_property
    def _writing_link(self) -> sqlite3.Connection:
        return self.connected()

    def submit(self, operation: Callable[[sqlite3.Connection], Result]) -> Future[Result]:
        """Run an operation as one transaction of the thread that writes; its result comes after the commit."""
        return self._writer.submit(self._commit, operation)

    def _commit(self, operation: Callable[[sqlite3.Connection], Result]) -> Result:
        link = self._writing_link
        link.execute("BEGIN IMMEDIATE")
        try:
            result = operation(link)
            link.execute("COMMIT")
        except BaseException:  # raised again, once nothing is left half written
            if link.in_transaction:
                link.execute("ROLLBACK")
            raise
        return result

    def write(self, operation: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run one operation and wait for its commit."""
        with self.explained():
            return self.submit(operation).result()

    async def do(self, operation: Callable[[sqlite3.Connection], Result]) -> Result:
        """The same without blocking the event loop. What was begun is written, also if the caller is
        cancelled.
        """
        with self.explained():
            return await asyncio.shield(asyncio.wrap_future(self.submit(operation)))

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a SELECT."""
        return self.read(lambda link: link.execute(sql, values).fetchall())

    def each(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT, one after another."""
        with self.explained():
            yield from self._link.execute(sql, values)

    def find(self, keys: Sequence[bytes]) -> dict[bytes, StoredReply | DeadLetter]:
        """Those of the keys that are answered, with a reply or as dead letters."""

        def answers(link: sqlite3.Connection) -> dict[bytes, StoredReply | DeadLetter]:
            answer_by_key: dict[bytes, StoredReply | DeadLetter] = {}
            for some in chunks(keys):
                answer_by_key.update(stored_replies(link, some))
            for some in chunks([key for key in keys if key not in answer_by_key]):
                answer_by_key.update(dead_letters(link, some))
            return answer_by_key

        return self.read(answers)

    def beside(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Yield what stands beside the text of a reply, as `unpacked` reads it, of those keys with something
        beside it.
        """
        for some in chunks(keys):
            rows = self.query(f"SELECT key, extra FROM response WHERE key IN ({marks(some)})", some)
            yield from ((key, extra) for key, extra in rows if extra)

    def requests(self, keys: Sequence[bytes]) -> dict[bytes, tuple[dict[str, Any], dict[str, Any]]]:
        """The recorded request and reply of each answered key, as dictionaries."""
        pairs = {}
        replies = "SELECT key, request, extra, text, finish, n_in, n_out FROM response WHERE key IN ({})"
        letters = "SELECT key, request, reason FROM dead WHERE key IN ({})"
        with self.explained():
            for some in chunks(keys):
                for key, request, reason in self.query(letters.format(marks(some)), some):
                    letter = {"status": "dead", "reason": reason, "text": ""}
                    pairs[key] = (_without_address(request), letter)
                for key, request, extra, text, finish, *counts in self.query(
                    replies.format(marks(some)), some
                ):
                    reply = {"status": "ok", "text": plain(text), "finish_reason": end(finish)}
                    reply |= dict(zip(("n_tokens_in", "n_tokens_out"), counts, strict=True))
                    pairs[key] = (unpacked(request), reply | (_without_address(extra) if extra else {}))
        return pairs


def _without_address(packed: bytes) -> dict[str, Any]:
    return {name: value for name, value in unpacked(packed).items() if name != ADDRESS}


def stored_replies(link: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, StoredReply]:
    """The stored replies among at most CHUNK keys."""
    rows = link.execute(
        f"SELECT key, text, finish, n_in, n_out FROM response WHERE key IN ({marks(keys)})", keys
    )
    return {
        key: StoredReply(text if type(text) is str else plain(text), end(finish), n_in, n_out)
        for key, text, finish, n_in, n_out in rows
    }


def dead_letters(link: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, DeadLetter]:
    """The dead letters among at most CHUNK keys."""
    rows = link.execute(
        f"SELECT key, reason, detail, attempts, request FROM dead WHERE key IN ({marks(keys)})", keys
    )
    return {
        key: DeadLetter(reason, detail, attempts, _address_of(request))
        for key, reason, detail, attempts, request in rows
    }


def _address_of(request: bytes) -> str | None:
    """The address beside a dead letter's request, None where there is none or the request cannot be read."""
    try:
        return unpacked(request).get(ADDRESS)
    except (zlib.error, ValueError, TypeError, AttributeError):
        return None


def chunks(keys: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """The keys in lists of at most CHUNK."""
    return (keys[start : start + CHUNK] for start in range(0, len(keys), CHUNK))


def marks(values: Sequence[Any]) -> str:
    """The placeholders of a list of values."""
    return ",".join("?" * len(values))


def packed(data: bytes) -> bytes:
    """zlib level 1 with a window of 8 KB: the default's size without 45 µs of clearing memory."""
    squeezer = zlib.compressobj(1, zlib.DEFLATED, 13, 6)
    return squeezer.compress(data) + squeezer.flush()


def with_address(data: bytes | None, address: str) -> bytes:
    """A JSON object with the endpoint's address in it, for tables without a column of it."""
    return orjson.dumps({ADDRESS: address, **(orjson.loads(data) if data else {})})


def packed_text(text: str) -> str | bytes:
    """A text as the store holds it."""
    return text if len(text) < SHORT else packed(text.encode())


def plain(text: str | bytes) -> str:
    """The text of what `packed_text` gave."""
    return text if isinstance(text, str) else zlib.decompress(text).decode()


def unpacked(data: bytes) -> dict[str, Any]:
    """The JSON of what `packed` gave."""
    value: dict[str, Any] = orjson.loads(zlib.decompress(data))
    return value
