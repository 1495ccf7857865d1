"""The request of one address, its retries where a fault may pass, and what its host asks to wait."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp
from yarl import URL

from truerate.config import Fetch
from truerate.core.retry import Backoff, may_pass, seconds_asked
from truerate.web.guard import RefusedAddress, host_of
from truerate.web.outcomes import Outcome
from truerate.web.pauses import Clock, Pauses

HTML = ("text/html", "application/xhtml+xml", "")
MOVED = (301, 302, 303, 307, 308)
# at one address in one run, where a fault may pass
BACKOFF = Backoff(tries=4, first=0.5, largest=8.0, longest=120.0)
# pages of a host that were given up one after another: then each of its further pages has one try
HOPELESS = 3
CHUNK = 65536


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request returned: a page, or its redirect (`location`); `final_url`: followed by a service."""

    status: int
    content_type: str
    charset: str | None
    body: bytes = b""
    location: str | None = None
    final_url: str | None = None


class Dropped(Exception):
    """A page that is not kept: its outcome and a detail without times, ports or other things of chance."""

    def __init__(self, outcome: Outcome, detail: str, status: int | None = None):
        super().__init__(detail)
        self.outcome, self.detail, self.status = outcome, detail, status


class Passing(Dropped):
    """A page that did not come for what may pass; `wait` is what its host asks to wait, in seconds."""

    wait: float | None = None


class Asker:
    """Sends requests through a session, so many at once; remembers hosts that fail or refuse."""

    def __init__(
        self,
        settings: Fetch,
        session: aiohttp.ClientSession,
        pauses: Pauses,
        *,
        proxy: str | None,
        clock: Clock,
    ):
        self.settings, self.session, self.pauses = settings, session, pauses
        self.proxy, self.clock = proxy, clock
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._refusing: dict[str, Passing] = {}  # host -> that it asked for a longer pause than a run waits
        self._given_up: Counter[str] = Counter()  # host -> its pages that were given up one after another

    async def ask(self, url: str, left: float, *, any_type: bool) -> tuple[Answer, float]:
        """Return the answer to a request in its host's turn, retried, and the seconds left of the page's.

        Raises Dropped where the address gives none.
        """
        host, attempt = host_of(url), 0
        while True:
            heeded = await self.pauses.turn(host)
            try:
                async with self._slots:  # waiting for a free one does not count against the page's time
                    if refusal := self._refusing.get(host):
                        raise refusal
                    if self.pauses.until(host) > heeded:  # since then the host has asked for more
                        continue
                    attempt, since = attempt + 1, time.monotonic()
                    try:
                        answer = await self._once(url, left, any_type=any_type)
                    finally:
                        left -= time.monotonic() - since
                self._given_up.pop(host, None)
                return answer, max(0.001, left)
            except Passing as fault:
                is_late = (
                    fault.outcome is Outcome.TIMEOUT and attempt > 1
                )  # a lost connection is tried once more
                is_over = fault is self._refusing.get(host) or is_late or left <= 0
                if is_over or attempt >= self._tries(host):
                    self._given_up[host] += 1
                    raise
                if fault.outcome is not Outcome.TIMEOUT:  # that was a wait
                    await self._pause(host, fault, attempt)
            except Dropped:  # so it is there
                self._given_up.pop(host, None)
                raise

    def _tries(self, host: str) -> int:
        return BACKOFF.tries if self._given_up[host] < HOPELESS else 1

    async def _pause(self, host: str, fault: Passing, attempt: int) -> None:
        """Wait before the next try. Raises the fault if its host asks for a longer pause than a run waits."""
        if BACKOFF.is_too_long(fault.wait):
            self._refusing[host] = fault
            raise fault
        wait = BACKOFF.full_jitter(attempt)
        if fault.wait is not None or fault.status == HTTPStatus.TOO_MANY_REQUESTS:
            # that is asked of all who ask this host
            self.pauses.hold(host, max(wait, BACKOFF.beyond(fault.wait or 0.0)))
        else:
            await self.clock.sleep(wait)

    async def _once(self, url: str, left: float, *, any_type: bool) -> Answer:
        """Send one request within what is left of the page's time. Raises Dropped, or Passing."""
        try:
            async with asyncio.timeout(left):
                return await self._request(url, any_type=any_type)
        except TimeoutError:
            raise Passing(Outcome.TIMEOUT, f"not within {self.settings.timeout_s:g} s") from None
        except aiohttp.ClientConnectorDNSError as error:
            if isinstance(error.os_error, RefusedAddress):
                raise Dropped(Outcome.REFUSED_ADDRESS, str(error.os_error)) from None
            raise Passing(Outcome.ERROR, "the host is not known") from None
        except ValueError as error:
            # of the address, or a certificate that does not fit: no better in a second
            raise Dropped(Outcome.ERROR, type(error).__name__) from None
        except (aiohttp.ClientError, OSError) as error:
            raise Passing(Outcome.ERROR, type(error).__name__) from None

    async def _request(self, url: str, *, any_type: bool) -> Answer:
        """Send one request and read its reply up to the limit. Raises Dropped where the reply decides so, and
        TimeoutError where nothing comes for half of a page's time: so a lost connection leaves time for another.
        """
        quiet = aiohttp.ClientTimeout(
            sock_connect=self.settings.timeout_s / 2, sock_read=self.settings.timeout_s / 2
        )
        how = {"proxy": self.proxy, "allow_redirects": False, "timeout": quiet}
        async with self.session.get(URL(url, encoded=True), **how) as response:
            status = response.status
            kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            try:
                charset = response.charset
            except (ValueError, LookupError):
                charset = None
            if status in MOVED and (location := response.headers.get("Location")):
                return Answer(status, kind, charset, location=location)
            if may_pass(status):
                fault = Passing(Outcome.STATUS, str(status), status)
                fault.wait = seconds_asked(response.headers.get("Retry-After"), self.clock.now())
                raise fault
            if status != HTTPStatus.OK:
                raise Dropped(Outcome.STATUS, str(status), status)
            if not any_type and kind not in HTML:
                raise Dropped(Outcome.NOT_HTML, kind[:80], status)
            body = await read_body(response, self.settings.max_bytes)
            return Answer(status, kind, charset, body)


async def read_body(response: aiohttp.ClientResponse, largest: int) -> bytes:
    """Read the body; raises Dropped as soon as it exceeds `largest` bytes."""
    too_large = Dropped(Outcome.TOO_LARGE, f"more than {largest:,} bytes", response.status)
    if (response.content_length or 0) > largest:
        raise too_large
    body = bytearray()
    async for chunk in response.content.iter_chunked(CHUNK):
        body += chunk
        if len(body) > largest:
            response.close()
            raise too_large
    return bytes(body)


async def ended(tasks: Sequence[asyncio.Future]) -> None:
    """End what is still under way."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
