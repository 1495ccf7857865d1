"""The page store: one SQLite file beside the response store, so that no page is fetched and no query asked
twice.

Rows are found by `scope` and address or query. A scope names what answers: empty for the web, the identity of
an endpoint where pages come through one, so that a changed simulated web never meets its old pages.
"""

import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import orjson

from truerate.config import Fetch
from truerate.config.layout import Layout
from truerate.core.errors import StoreError
from truerate.core.keys import digest
from truerate.core.onehost import refuse_network
from truerate.core.terminal import say, told
from truerate.web.outcomes import Outcome, Page

FORMAT = 1
NAME = "pages.sqlite"
PRAGMAS = "PRAGMA busy_timeout = 60000; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;"
TABLES = """
CREATE TABLE page   (scope TEXT, url TEXT, limits TEXT, outcome TEXT, detail TEXT, final_url TEXT, status INTEGER, content_type TEXT,
                     charset TEXT, fetched TEXT, sha256 TEXT, body BLOB, PRIMARY KEY (scope, url));
CREATE TABLE search (scope TEXT, query TEXT, n INTEGER, asked TEXT, results BLOB, PRIMARY KEY (scope, query, n));
CREATE TABLE pace   (host TEXT PRIMARY KEY, next_at REAL) WITHOUT ROWID;
"""
BUSY_S = 60.0  # another process may hold the file for so long
COLUMNS = "url, outcome, detail, final_url, status, content_type, charset, body, fetched, sha256"
# Outcomes that hang on the limits in params: they hold only under the limits under which they were met.
LIMITED = tuple(
    map(Outcome, ("too-large", "timeout", "redirects", "refused-address", "robots", "login-host", "error"))
)


class PageStore:
    """An open page store; every write is committed at once."""

    def __init__(self, path: Path):
        """Open, and make if there is none. Raises TruerateError where the file cannot be opened or is
        something else.
        """
        self.path = Path(path)
        refuse_network(self.path, "page store")
        with self._explained(), told(f"another process holds the page store {str(self.path)!r}"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # A reader's connection is closed by another thread than its own, after it.
            self._link = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
            self._link.executescript(PRAGMAS)
            self._prepare()
            self._link.execute(
                "PRAGMA busy_timeout = 5000"
            )  # then it is said what is waited for, and waited for again: `_run`
        self._is_told = False

    @classmethod
    def of(cls, at: Layout) -> "PageStore":
        """The page store beside a layout's response store."""
        return cls(at.store.with_name(f"{at.store.stem}-{NAME}"))

    def __enter__(self) -> "PageStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._link.close()

    def page(self, scope: str, url: str, limits: str) -> Page | None:
        """The stored page of an address, None where there is none or what became of it was due to other limits."""
        rows = self._run(f"SELECT {COLUMNS}, limits FROM page WHERE scope = ? AND url = ?", (scope, url))
        if not rows:
            return None
        *row, stored = rows[0]
        row[1], row[7] = Outcome(row[1]), zlib.decompress(row[7]) if row[7] else b""
        if row[1] is Outcome.TIMEOUT and row[7]:  # it came, and took too long to read: see `slow`
            row[1], row[2] = Outcome.OK, ""
        return None if row[1] in LIMITED and stored != limits else Page(*row)

    def is_open(self, scope: str, url: str, limits: str) -> bool:
        """Whether a run asks for an address: nothing is known of it, or only what may have passed."""
        stored = self.page(scope, url, limits)
        return stored is None or stored.is_transient

    def keep(self, scope: str, page: Page, limits: str) -> Page:
        """Store a page with its date and digest; gives it as it lies there, which is what another process
        stored first.

        What may pass gives way to what does not, and not to more of its kind: asked in vain once more, a page
        is dropped for the same.
        """
        body = zlib.compress(page.body, 6) if page.body else None
        today = datetime.now(UTC).date().isoformat()
        values = (
            scope,
            page.url,
            limits,
            page.outcome,
            page.detail,
            page.final_url,
            page.status,
            page.content_type,
            page.charset,
            today,
        )
        marks = ", ".join("?" * 12)
        with self._whole():
            stored = self.page(scope, page.url, limits)
            if stored and (page.is_transient or not stored.is_transient):
                return stored
            self._run(
                f"INSERT OR REPLACE INTO page VALUES ({marks})",
                (*values, sha256(page.body).hexdigest(), body),
            )
            written = self.page(scope, page.url, limits)
            assert written is not None  # by the line above
            return written

    def slow(self, scope: str, url: str, limits: str) -> str | None:
        """What stands of a page that took too long to be read under these limits; None where it did not, or
        was not read.
        """
        sql = "SELECT detail FROM page WHERE scope = ? AND url = ? AND outcome = ? AND limits = ? AND body IS NOT NULL"
        rows = self._run(sql, (scope, url, Outcome.TIMEOUT, limits))
        return rows[0][0] if rows else None

    def keep_slow(self, scope: str, url: str, limits: str, detail: str) -> None:
        """Remember of a page that came that it took too long to be read under these limits
        (`reading_limits`); its body stays.
        """
        sql = "UPDATE page SET outcome = ?, limits = ?, detail = ? WHERE scope = ? AND url = ? AND body IS NOT NULL"
        self._run(sql, (Outcome.TIMEOUT, limits, detail, scope, url))

    def pages(self) -> Iterator[tuple[str, Page]]:
        """What became of every page, with its scope and without its body; one that took too long to be read
        is a timeout with a status.
        """
        bare = COLUMNS.replace("body", "x''")
        for scope, url, outcome, *more in self._run(
            f"SELECT scope, {bare} FROM page ORDER BY url, scope", ()
        ):
            yield scope, Page(url, Outcome(outcome), *more)

    def forget(self, scope: str, urls: Iterable[str]) -> int:
        """Forget what became of addresses; how many pages that were."""
        sql = "DELETE FROM page WHERE scope = ? AND url = ? RETURNING 1"
        with self._whole():
            return sum(len(self._run(sql, (scope, url))) for url in dict.fromkeys(urls))

    def results(self, scope: str, query: str, n: int) -> list[dict] | None:
        """The stored results of a query, None where it was never answered."""
        rows = self._run(
            "SELECT results FROM search WHERE scope = ? AND query = ? AND n = ?", (scope, query, n)
        )
        return orjson.loads(zlib.decompress(rows[0][0])) if rows else None

    def keep_results(self, scope: str, query: str, n: int, results: Sequence[dict]) -> None:
        """Store the results of a query, also where there are none."""
        today = datetime.now(UTC).date().isoformat()
        packed = zlib.compress(orjson.dumps(list(results)))
        self._run("INSERT OR REPLACE INTO search VALUES (?, ?, ?, ?, ?)", (scope, query, n, today, packed))

    def next_turn(self, host: str, pause_s: float, now: float) -> float:
        """Take the next turn at a host, over all processes: when it is, in the seconds of `now`."""
        sql = (
            "INSERT INTO pace VALUES (?1, ?3 + ?2) ON CONFLICT (host) DO UPDATE SET next_at = MIN(MAX(next_at, ?3), ?3 + ?4) + ?2"
            " RETURNING next_at"
        )
        longest = 3600.0  # a clock that was put back must not stop a host for good
        return self._run(sql, (host, pause_s, now, longest))[0][0] - pause_s

    def _prepare(self) -> None:
        (found,) = self._link.execute("PRAGMA user_version").fetchone()
        if found == FORMAT:
            return
        if found:
            what = f"page store {str(self.path)!r}: of format {found}; this version reads {FORMAT}"
            raise StoreError(f"{what}; name another place in TRUERATE_STORE")
        self._link.executescript("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE;")
        if self._link.execute("PRAGMA user_version").fetchone()[0] == 0:
            for line in TABLES.strip().split(";\n"):
                self._link.execute(line)
            self._link.execute(f"PRAGMA user_version = {FORMAT}")
        self._link.execute("COMMIT")

    def _run(self, sql: str, values: Sequence) -> list[tuple]:
        """The rows of one statement; a file that another process holds is waited for, and after 5 s that is
        said.
        """
        until = time.monotonic() + BUSY_S
        with self._explained():
            while True:
                try:
                    return self._link.execute(sql, values).fetchall()
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                        raise
                if not self._is_told:
                    self._is_told = True
                    say(f"still waiting: another process holds the page store {str(self.path)!r}")

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Several statements as one."""
        self._run("BEGIN IMMEDIATE", ())
        try:
            yield
        except BaseException:
            self._run("ROLLBACK", ())
            raise
        self._run("COMMIT", ())

    @contextmanager
    def _explained(self):
        """Faults of the file as one line."""
        try:
            yield
        except (sqlite3.Error, OSError, zlib.error) as error:
            hint = "free space or fix its rights, or name another place in TRUERATE_STORE"
            raise StoreError(f"page store {str(self.path)!r}: {error}; {hint}") from error


def limits(settings: Fetch) -> str:
    """Names what of the settings can decide that a page is dropped while it is fetched."""
    names = {
        "timeout_s",
        "max_bytes",
        "max_redirects",
        "user_agent",
        "robots",
        "allowed_private",
        "login_hosts",
    }
    return digest(limits=settings.model_dump(mode="json", include=names))


def reading_limits(settings: Fetch) -> str:
    """Names what of the settings can decide that a page that came takes too long to be read."""
    return digest(limits=settings.model_dump(mode="json", include={"timeout_s", "extract"}))
