"""A wiki's MediaWiki API, used as its hosts ask: one request after another, with a pause and a contact.

A request is retried, after the time that the server names, where it lags behind (`maxlag`), is too busy (429,
5xx) or breaks the connection.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote, urljoin

import aiohttp
from yarl import URL

from truerate.core.errors import EndpointError, SettingsError, TruerateError
from truerate.core.lenient import loads
from truerate.core.process.terminal import announced_wait, say_wait
from truerate.core.retry import Backoff, may_pass, seconds_asked
from truerate.core.text import clean
from truerate.web.asking import CHUNK, MOVED
from truerate.web.guard import Guard, GuardedResolver, RefusedAddress, host_of
from truerate.web.pauses import Clock

API = "https://{lang}.wikipedia.org/w/api.php"
# One request is under way at a time, so the ceilings are waited whole: there is nobody to keep apart.
BACKOFF = Backoff(tries=6, first=1.0, largest=16.0, longest=120.0)
TIMEOUT_S = 60.0
MAX_BYTES = 50_000_000
# what a server may be behind before it is left in peace (the value that the wikis' hosts recommend)
LAG_S = 5
BATCH = 50
MOVES = 3  # that are followed, one after another
BUSY_CODES = ("maxlag", "ratelimited", "readonly")
# Error codes of one page, not of the request: no such title or revision, or one that nobody may read.
ABSENT = (
    "missingtitle", "invalidtitle", "pagecannotexist", "nosuchpageid", "nosuchrevid", "permissiondenied",
    "missingcontent-revid",
)  # fmt: skip


class Absent(Exception):
    """A page or revision that the wiki does not give, with the API's code."""


class Site(NamedTuple):
    """A wiki's depth (None if unknown) and the address of its pages, with `$1` for the title."""

    depth: float | None
    pages: str

    def address(self, title: str) -> str:
        """The address of a page."""
        return self.pages.replace("$1", quote(title.replace(" ", "_"), safe="/:,;()!*'~-._"))


class Wiki:
    """One wiki. `url` is its api.php, wherever it moves to (`moved`); `pause_s` lies between two requests."""

    def __init__(
        self, session: aiohttp.ClientSession, url: str, *, pause_s: float, clock: Clock | None = None
    ):
        self.session, self.url, self.pause_s, self.clock = session, url, pause_s, clock or Clock()
        self.is_first, self.n_moves = True, 0

    async def site(self) -> Site:
        """Return its depth and the form of its pages' addresses. Raises TruerateError."""
        reply = await self.ask(action="query", meta="siteinfo", siprop="general|statistics")
        answer = reply.get("query", {})
        general, counts = answer.get("general", {}), answer.get("statistics", {})
        server, path = str(general.get("server", "")), str(general.get("articlepath", ""))
        if "$1" not in path or not server:
            raise self._stopped("a reply without the wiki's own address")
        return Site(depth_of(counts), ("https:" if server.startswith("//") else "") + server + path)

    async def random(self) -> AsyncIterator[dict]:
        """Yield articles drawn at random, each once: objects with `title`, `lastrevid`, `length` (bytes)."""
        drawn = {"generator": "random", "grnnamespace": "0", "grnfilterredir": "nonredirects"}
        async for page in self._pages(prop="info", grnlimit=str(BATCH), **drawn):
            yield page

    async def _pages(self, **asked: str) -> AsyncIterator[dict]:
        """Yield the pages of a query, as many replies as it takes."""
        goes_on: dict | None = {}
        while goes_on is not None:
            reply = await self.ask(action="query", **asked, **goes_on)
            for page in reply.get("query", {}).get("pages", []):
                yield page
            goes_on = reply.get("continue")

    async def rendered(self, *, title: str | None = None, revision: int | None = None) -> dict:
        """Return a page as it is shown (`title`, `pageid`, `revid`, `text`, `templates`, `categories`,
        `properties`): a revision, or a title's newest, redirects followed. The API's plain extracts are of
        the newest revision alone.

        Raises Absent where there is no such page, TruerateError where the API gives none.
        """
        which = {"oldid": str(revision)} if revision else {"page": title, "redirects": "1"}
        more = {"disableeditsection": "1", "disablelimitreport": "1", "disabletoc": "1"}
        properties = "text|revid|templates|categories|properties"
        page = (await self.ask(action="parse", prop=properties, **which, **more)).get("parse")
        if isinstance(page, dict) and all(isinstance(page.get(name), str) for name in ("title", "text")):
            return page
        raise self._stopped("a reply without a page")

    async def names_elsewhere(self, titles: Sequence[str]) -> dict[str, list[str]]:
        """Return the titles of pages in other wikis by language code (`langlinks`), redirects followed."""
        asked = {"prop": "langlinks", "lllimit": "max", "redirects": "1"}
        titles_by_lang: dict[str, list[str]] = defaultdict(list)
        for start in range(0, len(titles), BATCH):
            async for page in self._pages(titles="|".join(titles[start : start + BATCH]), **asked):
                for link in page.get("langlinks", []):
                    titles_by_lang[str(link.get("lang"))].append(str(link.get("title", "")))
        return dict(titles_by_lang)

    async def ask(self, **asked: str) -> dict:
        """One request and its reply, again where the server is busy. Raises Absent and TruerateError."""
        wait, last = 0.0 if self.is_first else self.pause_s, ""
        self.is_first = False
        for tried in range(1, BACKOFF.tries + 1):
            if wait:
                say_wait(wait, f"{host_of(self.url)!r}: {last}")
                await self.clock.sleep(wait)
            try:
                with announced_wait(f"a reply of {host_of(self.url)!r}"):
                    status, headers, body = await self._get(asked)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                if isinstance(refused := getattr(error, "os_error", None), RefusedAddress):
                    advice = "allow it with --allow-private, or correct --api"
                    raise self._stopped(str(refused), advice) from None
                wait, last = BACKOFF.ceiling(tried), type(error).__name__
                continue
            if status in MOVED:
                self._move(headers.get("Location", ""))
                return await self.ask(**asked)
            reply = self._reply(status, headers, body)
            if isinstance(reply, dict):
                return reply
            last, wait = reply, self._wait(headers, tried)
        raise self._stopped(f"{last}, {BACKOFF.tries} times", "run again later, or correct --api")

    async def _get(self, asked: dict[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        shape = {"format": "json", "formatversion": "2", "maxlag": str(LAG_S)}
        async with (
            asyncio.timeout(TIMEOUT_S),
            self.session.get(self.url, params=shape | asked, allow_redirects=False) as response,
        ):
            body = bytearray()
            async for chunk in response.content.iter_chunked(CHUNK):
                body += chunk
                if len(body) > MAX_BYTES:
                    raise self._stopped(f"a reply of more than {MAX_BYTES:,} bytes")
            return response.status, response.headers, bytes(body)

    def _reply(self, status: int, headers, body: bytes) -> dict | str:
        """Return what came: the API's reply, or in words why to try again."""
        if may_pass(status):
            return f"status {status}"
        try:
            reply = loads(body)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            kind = headers.get("Content-Type", "").partition(";")[0] or "something"
            raise self._stopped(f"status {status} with {kind}, not the JSON of MediaWiki's API")
        error = reply.get("error")
        if error is None and status == 200:
            return reply
        words = error if isinstance(error, dict) else {}
        code, message = str(words.get("code", "")), str(words.get("info", ""))
        if code in BUSY_CODES:
            return code
        if code in ABSENT:
            raise Absent(code)
        raise self._stopped(" ".join(f"status {status}: {code} {clean(message)}".split())[:200])

    def _move(self, location: str) -> None:
        """Ask at another address from now on. Raises TruerateError where it is of another family of hosts."""
        url = moved(self.url, location)
        self.n_moves += 1
        if url is None or self.n_moves > MOVES:
            raise self._stopped(f"it has moved to {location[:200]!r}")
        self.url = url

    def _wait(self, headers, tried: int) -> float:
        """Return the seconds until the next try. Raises TruerateError if the server asks for too many."""
        named = seconds_asked(headers.get("Retry-After"), self.clock.now())
        if BACKOFF.is_too_long(named):
            raise self._stopped(f"it asks to come back in {named:,.0f} s", "run again then")
        return BACKOFF.ceiling(tried) if named is None else max(named, self.pause_s)

    def _stopped(self, what: str, then: str = "correct --api") -> TruerateError:
        return EndpointError(f"asking the MediaWiki API at {self.url!r}: {what}; {then}")


def session(contact: str, guard: Guard) -> aiohttp.ClientSession:
    """A session that says who asks, takes gzip, and connects to addresses that the guard lets pass."""
    if not contact.strip() or not (contact.isascii() and contact.isprintable()):
        problem = "is no e-mail address or page where the wiki's hosts can reach you"
        raise SettingsError(f"fetching articles: --contact {contact!r} {problem}")
    agent = f"truerate ({contact.strip()}) aiohttp/{aiohttp.__version__}"
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(resolver=GuardedResolver(guard), limit=1),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": agent, "Accept-Encoding": "gzip"},
        timeout=aiohttp.ClientTimeout(total=None),  # every request has its own
    )


def checked(api: str, lang: str, guard: Guard) -> str:
    """The API's address for a language. Raises TruerateError where it cannot be asked."""
    url, where = api.replace("{lang}", lang), f"fetching articles: --api {api!r}"
    try:
        scheme = URL(url).scheme
    except ValueError:
        scheme = ""
    if scheme not in ("http", "https") or not host_of(url):
        raise SettingsError(f"{where} is no web address; {{lang}} stands for the language, as in {API}")
    if refusal := guard.host(host_of(url)):
        raise SettingsError(f"{where}: {refusal}; allow it with --allow-private, or correct it")
    return url


def moved(url: str, location: str) -> str | None:
    """Return where an api.php has moved to; None unless it is one on the same or a sibling host, as safe."""
    try:
        old, new = URL(url), URL(urljoin(url, location)).with_query(None).with_fragment(None)
    except ValueError:
        return None
    is_as_safe = new.scheme == "https" or new.scheme == old.scheme == "http"
    if not location or not is_as_safe or not new.path.endswith("/api.php"):
        return None
    mine, theirs = host_of(url), host_of(str(new))
    family = mine.partition(".")[2]
    is_beside = "." in family and not mine[-1:].isdigit() and theirs.partition(".")[2] == family
    is_same = theirs == mine and old.port == new.port
    return str(new) if is_same or (is_beside and new.port in (80, 443)) else None


def depth_of(counts: dict) -> float | None:
    """Wikipedia's depth: edits/articles × others/articles × (1 − articles/pages); None if any is absent."""
    edits, articles, pages = (counts.get(name) for name in ("edits", "articles", "pages"))
    if not all(isinstance(n, int) and n > 0 for n in (edits, articles, pages)):
        return None
    return round(edits / articles * (pages - articles) / articles * (1 - articles / pages), 2)
