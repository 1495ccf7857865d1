"""Fetching pages: many at once, politely, within limits, each once; what may pass is retried, also by the
next run.

Every hop of a redirect is checked: its host (`guard.Guard`), the list of login hosts, and robots.txt, read
once per host.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable

import aiohttp
from protego import Protego
from yarl import URL

from truerate.config import Fetch
from truerate.core.errors import TruerateError
from truerate.core.process.terminal import announced_wait, say
from truerate.web.asking import Asker, Dropped, ended
from truerate.web.guard import Guard, GuardedResolver, host_of, is_within
from truerate.web.outcomes import RULES, Outcome, Page
from truerate.web.pauses import Clock, Pauses
from truerate.web.rendering import Renderer
from truerate.web.store import PageStore, limits

WINDOW = 1024  # pages in hand at once: those that wait for their host's turn do not hold up the others
HOPS = 5  # redirects that are followed to a host's rules at least (RFC 9309, 2.3.1.2)
_AGENT = re.compile(r"^([^\S\r\n]*user[- ]?agent[^\S\r\n]*:[^\S\r\n]*)([^\r\n]*)", re.I | re.M)
_TOKEN = re.compile(r"[A-Za-z_-]+")


class Fetcher:
    """An asynchronous context that fetches into a page store under a scope, perhaps through a `proxy`."""

    def __init__(
        self,
        settings: Fetch,
        store: PageStore,
        *,
        proxy: str | None = None,
        scope: str = "",
        clock: Clock | None = None,
    ):
        self.settings, self.store, self.proxy, self.scope = settings, store, proxy, scope
        self.clock = clock or Clock()
        self.guard = Guard(settings.allowed_private, settings.allowed_ports)
        self.limits = limits(settings)
        self.pauses = Pauses(settings, store, self.clock)
        self._renderer: Renderer | None = None
        self._service_session: aiohttp.ClientSession | None = None
        self._robots: dict[str, asyncio.Task[Page]] = {}
        self._rules: dict[str, Rules] = {}

    async def __aenter__(self) -> "Fetcher":
        # A proxy resolves the names itself; its own address is the user's choice.
        resolver = None if self.proxy else GuardedResolver(self.guard)
        at_once = {"limit": self.settings.concurrency, "use_dns_cache": False}
        accepted = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=resolver, **at_once),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": self.settings.user_agent, "Accept": accepted},
            timeout=aiohttp.ClientTimeout(total=None),  # every request has its own
        )
        self._asker = Asker(self.settings, self._session, self.pauses, proxy=self.proxy, clock=self.clock)
        if self.settings.service:  # its address is the user's choice, so nothing guards it
            self._service_session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
            try:
                self._renderer = Renderer(self.settings, self._service_session, self.pauses, clock=self.clock)
            except TruerateError:
                await self.__aexit__()
                raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await ended(list(self._robots.values()))
        await self._session.close()
        if self._service_session:
            await self._service_session.close()

    async def fetch_all(
        self, urls: Iterable[str], *, on_page: Callable[[str], object] = lambda url: None
    ) -> None:
        """Put the pages of all addresses into the store; those that it holds for good are not fetched.

        `on_page` is called with each address. Raises SettingsError where hosts would not learn whom to turn
        to.
        """
        missing = [url for url in dict.fromkeys(urls) if self.store.is_open(self.scope, url, self.limits)]
        if missing and not self.proxy:
            self.settings.demand_contact()
        self.pauses.expect(missing)
        if self._renderer:
            self._renderer.expect(len(missing))
        waiting, lost = iter(missing), Counter()

        async def work() -> None:
            for url in waiting:
                page = await self.fetch(url)
                lost.update([page.outcome.value] if page.is_transient else [])
                on_page(url)

        with announced_wait(f"{len(missing):,} pages are being fetched"):
            tasks = [asyncio.ensure_future(work()) for _ in range(min(WINDOW, len(missing)))]
            try:
                await asyncio.gather(*tasks)
            finally:  # the first error ends the others
                await ended(tasks)
        if lost:
            why = ", ".join(f"{n:,} {reason}" for reason, n in sorted(lost.items()))
            what = f"{lost.total():,} of {len(missing):,} pages did not come for faults that may pass ({why})"
            say(f"{what}; `truerate web retry` has the next build ask again")

    async def fetch(self, url: str, *, is_robots: bool = False) -> Page:
        """One page, from the store or the web; never raises for what a page or host does."""
        stored = self.store.page(self.scope, url, self.limits)
        if stored and not stored.is_transient:
            return stored
        return self.store.keep(self.scope, await self._page(url, is_robots=is_robots), self.limits)

    async def _page(self, url: str, *, is_robots: bool) -> Page:
        """A page, its outcome being that of the last hop."""
        here = url
        try:
            left, visited = self.settings.timeout_s, set()
            n_hops = max(self.settings.max_redirects, HOPS if is_robots else 0)
            for _ in range(n_hops + 1):
                here = plain(here)
                if here in visited:
                    raise Dropped(Outcome.REDIRECTS, "in a circle")
                visited.add(here)
                await self._check(here, is_robots=is_robots)
                if self._renderer and not is_robots:  # rules are plain text, and cost nothing
                    answer = await self._renderer.ask(here)
                else:
                    answer, left = await self._asker.ask(here, left, any_type=is_robots)
                if answer.final_url and plain(answer.final_url) != here:
                    here = plain(answer.final_url)
                    await self._check(here, is_robots=is_robots)
                if answer.location is None:
                    content = (answer.status, answer.content_type, answer.charset, answer.body)
                    return Page(url, Outcome.OK, "", here, *content)
                here = _joined(here, answer.location)
            raise Dropped(Outcome.REDIRECTS, f"more than {n_hops}")
        except Dropped as dropped:
            where = f" at {here}" if here != url else ""
            return Page(url, dropped.outcome, dropped.detail + where, here, dropped.status)

    async def _check(self, url: str, *, is_robots: bool) -> None:
        """Raise Dropped where an address may not be asked."""
        host = host_of(url)
        if URL(url).scheme not in ("http", "https"):
            raise Dropped(Outcome.ERROR, "neither http nor https")
        if refusal := self.guard.host(host) or self.guard.port(host, URL(url).port):
            raise Dropped(Outcome.REFUSED_ADDRESS, refusal)
        if is_within(host, self.settings.login_hosts):
            raise Dropped(Outcome.LOGIN_HOST, host)
        if self.settings.robots and not is_robots:
            await self._heed_robots(url)

    async def _heed_robots(self, url: str) -> None:
        """Raise Dropped if robots.txt disallows it (RFC 9309: no file allows all, a failing host none)."""
        address = str(URL(url).origin() / "robots.txt")
        if address not in self._robots:
            self._robots[address] = asyncio.create_task(self.fetch(address, is_robots=True))
        page = await asyncio.shield(self._robots[address])
        if page.outcome in (Outcome.TIMEOUT, Outcome.ERROR, Outcome.REFUSED_ADDRESS):
            raise Dropped(page.outcome, f"{RULES}{page.detail}")
        if page.outcome is Outcome.OK:
            if address not in self._rules:
                self._rules[address] = Rules(page.body, self.settings.user_agent)
            rules = self._rules[address]
            if not rules.allows(url):
                raise Dropped(Outcome.ROBOTS, "disallowed")
            self.pauses.ask(host_of(url), rules.delay)
        elif page.outcome is Outcome.TOO_LARGE or page.is_transient:
            raise Dropped(Outcome.ROBOTS, f"{RULES}{page.detail}")


def plain(url: str) -> str:
    """An address as it is sent: without fragment and user name. Raises Dropped if it cannot be parsed."""
    try:
        address = URL(url).with_fragment(None)
        if not address.absolute or not address.raw_host:
            raise ValueError("no host")
        return str(address.with_user(None))
    except ValueError:
        raise Dropped(Outcome.ERROR, "no address that can be read") from None


def _joined(here: str, location: str) -> str:
    try:
        target = URL(here).join(URL(location))
        if target.scheme in ("http", "https"):
            return str(target)
    except ValueError:
        pass
    raise Dropped(Outcome.REDIRECTS, "to nowhere")


# ---- robots.txt (RFC 9309), read by Protego: wildcards, the longest rule, merged groups, Crawl-delay -------
class Rules:
    """The rules of one host for one user agent. A body that is no text of rules allows everything."""

    def __init__(self, body: bytes, user_agent: str):
        self._token = product_token(user_agent)
        text = body.decode("utf-8", "replace").removeprefix("\ufeff")
        self._rules = Protego.parse(_AGENT.sub(self._whole_name, text))

    def _whole_name(self, line: re.Match[str]) -> str:
        """A line that names a group by its product token (2.2.1): ours also with a release behind it, but not
        one that is only the beginning of ours, which Protego takes for a match.
        """
        name, ours = product_token(line[2]).lower(), self._token.lower()
        if name == ours:
            return line[1] + ours
        return f"{line[1]}/{line[2]}" if ours.startswith(name) else line[0]

    def allows(self, url: str) -> bool:
        """Return whether an address may be asked: the longest rule that fits it decides, Allow wins a tie."""
        return self._rules.can_fetch(url, self._token)

    @property
    def delay(self) -> float:
        """Seconds that the host asks for between two requests (Crawl-delay, no part of the RFC), else 0."""
        return max(0.0, self._rules.crawl_delay(self._token) or 0.0)


def product_token(user_agent: str) -> str:
    """The product token of a user agent (RFC 9309, 2.2.1): its leading letters, `_` and `-`; else `*`."""
    match = _TOKEN.match(user_agent.strip())
    return match[0] if match else "*"
