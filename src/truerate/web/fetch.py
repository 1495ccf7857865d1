"""Fetching pages: many at once, politely, within limits, each once.

Every hop of a redirect is checked anew: its host (`hosts.Guard`), the list of login hosts, and robots.txt, which is read once per host.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.robotparser import RobotFileParser

import aiohttp
from yarl import URL

from truerate.params import Fetch
from truerate.web.guard import Guard, GuardedResolver, RefusedAddress
from truerate.web.hosts import host_of, is_within, matches
from truerate.web.outcomes import Outcome, Page
from truerate.web.store import PageStore, limits

WINDOW = 1024  # pages in hand at once: those that wait for their host's turn do not hold up the others
HTML = ("text/html", "application/xhtml+xml", "")
MOVED = (301, 302, 303, 307, 308)
ATTEMPTS = 2  # at one address where the connection breaks
CHUNK = 65536


@dataclass(frozen=True)
class Clock:
    """The time and how it passes; tests bring their own."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request gave: a page's parts, or where to go on (`location`)."""

    status: int
    content_type: str
    charset: str | None
    body: bytes = b""
    location: str | None = None


class Dropped(Exception):
    """A page that is not kept, with its outcome and what exactly was met (never a time, a port or another thing that chance decides)."""

    def __init__(self, outcome: Outcome, detail: str, status: int | None = None):
        super().__init__(detail)
        self.outcome, self.detail, self.status = outcome, detail, status


class Fetcher:
    """Fetches into a page store under a scope, through `proxy` where there is one. Use it as an asynchronous context."""

    def __init__(self, settings: Fetch, store: PageStore, *, proxy: str | None = None, scope: str = "", clock: Clock | None = None):
        self.settings, self.store, self.proxy, self.scope = settings, store, proxy, scope
        self.clock = clock or Clock()
        self.guard = Guard(settings.allowed_private)
        self.limits = limits(settings)
        self._robots: dict[str, asyncio.Task[Page]] = {}
        self._slots = asyncio.Semaphore(settings.concurrency)

    async def __aenter__(self) -> "Fetcher":
        # A proxy resolves the names itself; its own address is the user's choice.
        resolver = None if self.proxy else GuardedResolver(self.guard)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=resolver, limit=self.settings.concurrency, use_dns_cache=False),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": self.settings.user_agent, "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"},
            timeout=aiohttp.ClientTimeout(total=None),  # every request has its own
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._robots.values():
            task.cancel()
        await asyncio.gather(*self._robots.values(), return_exceptions=True)
        await self._session.close()

    async def fetch_all(self, urls: Iterable[str], *, on_page: Callable[[str], object] = lambda url: None) -> None:
        """Put the pages of all addresses into the store; those that it holds are not fetched. `on_page` is told of each that came."""
        missing = [url for url in dict.fromkeys(urls) if self.store.page(self.scope, url, self.limits) is None]
        waiting = iter(missing)

        async def work() -> None:
            for url in waiting:
                await self.fetch(url)
                on_page(url)

        await _together(work() for _ in range(min(WINDOW, len(missing))))

    async def fetch(self, url: str) -> Page:
        """One page, from the store or the web; never raises for what a page or host does."""
        stored = self.store.page(self.scope, url, self.limits)
        return stored or self.store.keep(self.scope, await self._page(url), self.limits)

    async def _page(self, url: str, *, is_robots: bool = False) -> Page:
        """A page, its outcome being that of the last hop."""
        here = url
        try:
            left, seen = self.settings.timeout_s, set()
            for _ in range(self.settings.max_redirects + 1):
                here = plain(here)
                if here in seen:
                    raise Dropped(Outcome.REDIRECTS, "in a circle")
                seen.add(here)
                await self._check(here, is_robots=is_robots)
                answer, left = await self._ask(here, left, any_type=is_robots)
                if answer.location is None:
                    return Page(url, Outcome.OK, "", here, answer.status, answer.content_type, answer.charset, answer.body)
                here = _joined(here, answer.location)
            raise Dropped(Outcome.REDIRECTS, f"more than {self.settings.max_redirects}")
        except Dropped as dropped:
            where = f" at {here}" if here != url else ""
            return Page(url, dropped.outcome, dropped.detail + where, here, dropped.status)

    async def _check(self, url: str, *, is_robots: bool) -> None:
        """Raise Dropped where an address may not be asked."""
        host = host_of(url)
        if URL(url).scheme not in ("http", "https"):
            raise Dropped(Outcome.ERROR, "neither http nor https")
        if refusal := self.guard.host(host):
            raise Dropped(Outcome.REFUSED_ADDRESS, refusal)
        if is_within(host, self.settings.login_hosts):
            raise Dropped(Outcome.LOGIN_HOST, host)
        if self.settings.robots and not is_robots:
            await self._heed_robots(url)

    async def _heed_robots(self, url: str) -> None:
        """Raise Dropped where the host's robots.txt does not allow an address (RFC 9309: none there allows all, a failing host nothing)."""
        address = str(URL(url).origin() / "robots.txt")
        if address not in self._robots:
            self._robots[address] = asyncio.create_task(self._robots_page(address))
        page = await asyncio.shield(self._robots[address])
        if page.outcome in (Outcome.TIMEOUT, Outcome.ERROR, Outcome.REFUSED_ADDRESS):
            raise Dropped(page.outcome, f"robots.txt: {page.detail}")
        if page.outcome is Outcome.OK:
            if not _rules(page.body).can_fetch(self.settings.user_agent, url):
                raise Dropped(Outcome.ROBOTS, "disallowed")
        elif page.outcome is Outcome.TOO_LARGE or (page.status or 0) >= 500:
            raise Dropped(Outcome.ROBOTS, f"robots.txt: {page.detail}")

    async def _robots_page(self, address: str) -> Page:
        stored = self.store.page(self.scope, address, self.limits)
        return stored or self.store.keep(self.scope, await self._page(address, is_robots=True), self.limits)

    async def _ask(self, url: str, left: float, *, any_type: bool) -> tuple[Answer, float]:
        """One request in its host's turn, tried again where the connection breaks; the answer and the seconds that are left."""
        for attempt in range(ATTEMPTS):
            await self._turn(host_of(url))
            async with self._slots:  # waiting for a free one does not count against the page's time
                since = time.monotonic()
                try:
                    async with asyncio.timeout(left):
                        answer = await self._request(url, any_type=any_type)
                    return answer, max(0.001, left - (time.monotonic() - since))
                except TimeoutError:
                    raise Dropped(Outcome.TIMEOUT, f"not within {self.settings.timeout_s:g} s") from None
                except aiohttp.ClientConnectorDNSError as error:
                    if isinstance(error.os_error, RefusedAddress):
                        raise Dropped(Outcome.REFUSED_ADDRESS, str(error.os_error)) from None
                    raise Dropped(Outcome.ERROR, "the host is not known") from None
                except (aiohttp.ClientError, OSError, ValueError) as error:
                    if attempt + 1 == ATTEMPTS or not isinstance(error, aiohttp.ClientConnectionError | aiohttp.ClientPayloadError):
                        raise Dropped(Outcome.ERROR, type(error).__name__) from None
        raise AssertionError("the last attempt returns or raises")

    async def _turn(self, host: str) -> None:
        """Wait until the host may be asked again, by whatever process asked it last."""
        if not self.settings.per_host_s or matches(host, self.settings.unlimited_hosts):
            return
        now = self.clock.now()
        turn = self.store.next_turn(host, self.settings.per_host_s, now)
        if turn > now:
            await self.clock.sleep(turn - now)

    async def _request(self, url: str, *, any_type: bool) -> Answer:
        """Send one request and read its reply up to the limit. Raises Dropped for what a reply alone decides."""
        async with self._session.get(URL(url, encoded=True), proxy=self.proxy, allow_redirects=False) as response:
            kind, charset = response.headers.get("Content-Type", ""), None
            kind = kind.partition(";")[0].strip().lower()
            try:
                charset = response.charset
            except (ValueError, LookupError):
                pass
            if response.status in MOVED and (location := response.headers.get("Location")):
                return Answer(response.status, kind, charset, location=location)
            if response.status != HTTPStatus.OK:
                raise Dropped(Outcome.STATUS, str(response.status), response.status)
            if not any_type and kind not in HTML:
                raise Dropped(Outcome.NOT_HTML, kind[:80], response.status)
            return Answer(response.status, kind, charset, await self._body(response))

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        """The body; Dropped as soon as it passes the limit, however much more there would be."""
        largest = self.settings.max_bytes
        if (response.content_length or 0) > largest:
            raise Dropped(Outcome.TOO_LARGE, f"more than {largest:,} bytes", response.status)
        body = bytearray()
        async for chunk in response.content.iter_chunked(CHUNK):
            body += chunk
            if len(body) > largest:
                response.close()
                raise Dropped(Outcome.TOO_LARGE, f"more than {largest:,} bytes", response.status)
        return bytes(body)


def plain(url: str) -> str:
    """An address as it is sent: without fragment and without the name of a user. Raises Dropped where it cannot be read."""
    try:
        found = URL(url).with_fragment(None)
        if not found.absolute or not found.raw_host:
            raise ValueError("no host")
        return str(found.with_user(None))
    except ValueError:
        raise Dropped(Outcome.ERROR, "no address that can be read") from None


def _joined(here: str, location: str) -> str:
    try:
        found = URL(here).join(URL(location))
    except ValueError:
        raise Dropped(Outcome.REDIRECTS, "to nowhere") from None
    if found.scheme not in ("http", "https"):
        raise Dropped(Outcome.REDIRECTS, "to nowhere")
    return str(found)


def _rules(body: bytes) -> RobotFileParser:
    rules = RobotFileParser()
    rules.parse(body.decode("utf-8", "replace").removeprefix("\ufeff").splitlines())
    return rules


async def _together(work: Iterable[Awaitable[None]]) -> None:
    """All at once; the first error ends the others and is raised."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
