"""The page store: one SQLite file beside the response store, so that no page is fetched and no query asked
twice.

Rows are found by `scope` and address or query. A scope names what answers: empty for the web, else the
identity of an endpoint, so that a changed simulated web never meets its old pages.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import orjson

from truerate.config import Fetch
from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.store.keyed_store import KeyedStore, Kind, next_turn
from truerate.web.guard import PORTS
from truerate.web.outcomes import Outcome, Page

FORMAT = 1
NAME = "pages.sqlite"
# a turn at a host is never further ahead: a clock that was put back must not stop it for good
LONGEST_S = 3600.0
TABLES = """
CREATE TABLE page   (scope TEXT, url TEXT, limits TEXT, outcome TEXT, detail TEXT, final_url TEXT,
                     status INTEGER, content_type TEXT, charset TEXT, fetched TEXT, sha256 TEXT, body BLOB,
                     PRIMARY KEY (scope, url));
CREATE TABLE search (scope TEXT, query TEXT, n INTEGER, asked TEXT, results BLOB,
                     PRIMARY KEY (scope, query, n));
CREATE TABLE pace   (host TEXT PRIMARY KEY, next_at REAL) WITHOUT ROWID;
"""
PATIENCE_MS = 5000  # of a statement while another process holds the file; then it is said, and waited on
COLUMNS = "url, outcome, detail, final_url, status, content_type, charset, body, fetched, sha256"
# Outcomes that hang on the limits in params: they hold only under the limits under which they were met.
LIMITED = tuple(map(Outcome, "too-large timeout redirects refused-address robots login-host error".split()))


class PageStore(KeyedStore):
    """An open page store; every write is committed at once."""

    KIND = Kind("page store", FORMAT, TABLES)

    def __init__(self, path: Path, *, is_read_only: bool = False):
        """As any store."""
        super().__init__(path, is_read_only=is_read_only)
        self._link.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")

    @classmethod
    def of(cls, config: Layout, *, is_read_only: bool = False) -> "PageStore":
        """The page store beside a layout's response store."""
        return cls(config.store.with_name(f"{config.store.stem}-{NAME}"), is_read_only=is_read_only)

    def page(self, scope: str, url: str, limits: str) -> Page | None:
        """The stored page of an address, None without one or where other limits decided what became of it."""
        rows = self.run(f"SELECT {COLUMNS}, limits FROM page WHERE scope = ? AND url = ?", (scope, url))
        if not rows:
            return None
        *row, stored = rows[0]
        row[1], row[7] = Outcome(row[1]), zlib.decompress(row[7]) if row[7] else b""
        if row[1] is Outcome.TIMEOUT and row[7]:  # it came, and took too long to read: see `slow`
            row[1], row[2] = Outcome.OK, ""
        return None if row[1] in LIMITED and stored != limits else Page(*row)

    def is_open(self, scope: str, url: str, limits: str) -> bool:
        """Return whether a run asks for an address: nothing is known of it, or only what may have passed."""
        stored = self.page(scope, url, limits)
        return stored is None or stored.is_transient

    def keep(self, scope: str, page: Page, limits: str) -> Page:
        """Store a page with its date and digest; return it as it lies there, which another process may have
        stored first.

        What may pass gives way only to what does not: asked in vain once more, a page is dropped for the
        same.
        """
        body = zlib.compress(page.body, 6) if page.body else None
        today = datetime.now(UTC).date().isoformat()
        came = (page.outcome, page.detail, page.final_url, page.status, page.content_type, page.charset)
        values = (scope, page.url, limits, *came, today, sha256(page.body).hexdigest(), body)
        with self.whole():
            stored = self.page(scope, page.url, limits)
            if stored and (page.is_transient or not stored.is_transient):
                return stored
            self.run(f"INSERT OR REPLACE INTO page VALUES ({', '.join('?' * len(values))})", values)
            written = self.page(scope, page.url, limits)
            assert written is not None  # by the line above
            return written

    def slow(self, scope: str, url: str, limits: str) -> str | None:
        """The detail of a page that took too long to read under these limits; None for another."""
        where = "scope = ? AND url = ? AND outcome = ? AND limits = ? AND body IS NOT NULL"
        rows = self.run(f"SELECT detail FROM page WHERE {where}", (scope, url, Outcome.TIMEOUT, limits))
        return rows[0][0] if rows else None

    def keep_slow(self, scope: str, url: str, limits: str, detail: str) -> None:
        """Note that a fetched page took too long to read under `reading_limits`; keep its body."""
        where = "scope = ? AND url = ? AND body IS NOT NULL"
        values = (Outcome.TIMEOUT, limits, detail, scope, url)
        self.run(f"UPDATE page SET outcome = ?, limits = ?, detail = ? WHERE {where}", values)

    def pages(self) -> Iterator[tuple[str, Page]]:
        """Yield every page with its scope, bodiless; one too slow to read is a timeout with a status."""
        bare = COLUMNS.replace("body", "x''")
        for scope, url, outcome, *more in self.run(f"SELECT scope, {bare} FROM page ORDER BY url, scope", ()):
            yield scope, Page(url, Outcome(outcome), *more)

    def forget(self, scope: str, urls: Iterable[str]) -> int:
        """Forget what became of addresses; how many pages that were."""
        sql = "DELETE FROM page WHERE scope = ? AND url = ? RETURNING 1"
        with self.whole():
            return sum(len(self.run(sql, (scope, url))) for url in dict.fromkeys(urls))

    def results(self, scope: str, query: str, n: int) -> list[dict] | None:
        """The stored results of a query, None where it was never answered."""
        sql = "SELECT results FROM search WHERE scope = ? AND query = ? AND n = ?"
        rows = self.run(sql, (scope, query, n))
        return orjson.loads(zlib.decompress(rows[0][0])) if rows else None

    def keep_results(self, scope: str, query: str, n: int, results: Sequence[dict]) -> None:
        """Store the results of a query, also where there are none."""
        today = datetime.now(UTC).date().isoformat()
        packed = zlib.compress(orjson.dumps(list(results)))
        self.run("INSERT OR REPLACE INTO search VALUES (?, ?, ?, ?, ?)", (scope, query, n, today, packed))

    def queries(self) -> list[tuple[str, str]]:
        """The queries whose results are stored, each with its scope, by query."""
        return self.run("SELECT DISTINCT scope, query FROM search ORDER BY query, scope", ())

    def forget_query(self, scope: str, query: str) -> int:
        """Forget the results of a query, however many were asked for; 1 where there were any, else 0."""
        sql = "DELETE FROM search WHERE scope = ? AND query = ? RETURNING 1"
        return int(bool(self.run(sql, (scope, query))))

    def next_turn(self, host: str, pause_s: float, now: float) -> float:
        """Take the next turn at a host, over all processes: when it is, in the seconds of `now`."""
        limits_s = {"furthest_s": LONGEST_S, "beyond_s": LONGEST_S}
        return next_turn(self.run, "host", host, pause_s=pause_s, now=now, **limits_s)


def limits(settings: Fetch) -> str:
    """Names what of the settings can decide that a page is dropped while it is fetched."""
    names = {*"timeout_s max_bytes max_redirects user_agent robots allowed_private login_hosts".split()}
    if frozenset(settings.allowed_ports) != frozenset(PORTS):
        names |= {"allowed_ports"}  # what was stored when there were no others stays
    return digest(limits=settings.model_dump(mode="json", include=names))


def reading_limits(settings: Fetch) -> str:
    """Names what of the settings can decide that a page that came takes too long to be read."""
    return digest(limits=settings.model_dump(mode="json", include={"timeout_s", "extract"}))
