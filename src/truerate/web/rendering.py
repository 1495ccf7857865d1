"""Pages from a service with a key: a page's own status decides what becomes of it, the service's what is
retried.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import aiohttp

from truerate.config import Fetch
from truerate.core.errors import EndpointError
from truerate.core.redaction import Redactor, secret
from truerate.core.retry import may_pass, seconds_asked
from truerate.web.asking import BACKOFF, HTML, Answer, Dropped, Passing, read_body
from truerate.web.guard import host_of
from truerate.web.outcomes import Outcome
from truerate.web.pauses import Clock, Pauses
from truerate.web.queue import Queue, Refused
from truerate.web.search_form import error_words, plain

ENDS = (401, 402, 403)  # of the service: its key or its sum, for every page alike
GONE = (404, 410)  # passed on from the page, without a header that says so
AWAY = (502, 503, 504)  # of the service: it is not there
TO_READ = 400  # characters of an error's words that are told


class Renderer:
    """Asks one service. One per run: all wait while it refuses for its rate or is away."""

    def __init__(self, settings: Fetch, session: aiohttp.ClientSession, pauses: Pauses, *, clock: Clock):
        """Raises SettingsError where the environment lacks the key that the settings name."""
        assert settings.service and settings.key_env
        self.settings, self.session, self.pauses, self.clock = settings, session, pauses, clock
        self.service = service = settings.service
        key = secret(settings.key_env, "fetching pages", "the fetch service's key")
        self._secrets_mask = Redactor([key])
        self._fixed = {name: plain(value) for name, value in service.fixed.items()}
        if service.key_query:
            self._fixed[service.key_query] = key
        self._headers = {service.key_header: service.key_prefix + key} if service.key_header else {}
        self._slots = asyncio.Semaphore(settings.concurrency)
        self.expect(0)

    def expect(self, n_pages: int) -> None:
        """So many pages are about to be asked for."""
        what = f"fetching pages at {host_of(self.service.url)!r}"
        self._queue = Queue(what, n_pages, backoff_s=BACKOFF.first, clock=self.clock, things="pages")

    async def ask(self, url: str) -> Answer:
        """Return a page. Raises Dropped, and EndpointError if the service gives no more, or not soon."""
        answer: Answer | Dropped | Refused = await self._queue.answer(lambda: self._ask(url), BACKOFF)
        if isinstance(answer, Dropped):
            raise answer
        if isinstance(answer, Refused):
            if answer.is_quota:
                advice = "is the key right, and is anything left of the plan? then run again"
                raise EndpointError(f"{self._queue.what}: {answer.reason}; {advice}")
            raise Passing(Outcome.ERROR, f"the fetch service: {answer.reason}")
        return answer

    async def _ask(self, url: str) -> Answer | Dropped | Refused:
        """One request in the turn of the page's host: the page, or why it or the service gives none."""
        await self.pauses.turn(host_of(url))
        async with self._slots:
            at = self.clock.now()
            try:
                async with asyncio.timeout(self.settings.timeout_s):
                    return await self._request(url, at)
            except TimeoutError:
                return Passing(Outcome.TIMEOUT, f"not within {self.settings.timeout_s:g} s")
            except Dropped as dropped:
                return dropped
            except (aiohttp.ClientError, OSError) as error:
                return Refused(type(error).__name__, at, passes=True, is_outage=True)

    async def _request(self, url: str, at: float) -> Answer | Dropped | Refused:
        params = {self.service.address: url, **self._fixed}
        how = {"params": params, "headers": self._headers, "allow_redirects": False}
        async with self.session.get(self.service.url, **how) as response:
            page_status = _status(response.headers.get(self.service.status or ""))
            if page_status is None and response.status in GONE:
                page_status = response.status
            if page_status is not None and page_status >= 400:
                self._queue.answered()
                kind = Passing if may_pass(page_status) else Dropped
                return kind(Outcome.STATUS, str(page_status), page_status)
            if response.status != 200:
                return await self._refusal(response, at)
            self._queue.answered()
            return await self._page(response)

    async def _page(self, response: aiohttp.ClientResponse) -> Answer | Dropped:
        kind, charset = _typed(response.headers, self.service.prefix)
        if kind not in HTML:
            return Dropped(Outcome.NOT_HTML, kind[:80], 200)
        body = await read_body(response, self.settings.max_bytes)
        final = response.headers.get(self.service.final or "")
        return Answer(200, kind, charset, body, final_url=final)

    async def _refusal(self, response: aiohttp.ClientResponse, at: float) -> Refused:
        """Return why the service gave no page, in words without the key."""
        status = response.status
        body = self._secrets_mask.body(await response.content.read(65536), is_error=True)
        failure = f"status {status} {self._secrets_mask.text(error_words(body))[:TO_READ]}".rstrip()
        refused = Refused(failure, at, is_quota=status in ENDS, passes=may_pass(status))
        wait = seconds_asked(response.headers.get("Retry-After"), self.clock.now())
        if status == 429 or (refused.passes and wait):
            return replace(refused, is_for_all=True, wait=wait)
        return replace(refused, is_outage=status in AWAY)


def _status(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) == 3 else None


def _typed(headers: Mapping[str, str], prefix: str) -> tuple[str, str | None]:
    """The page's own media type and charset: what the service says of them, else what its reply is."""
    header = headers.get(f"{prefix}Content-Type") or headers.get("Content-Type", "")
    kind, _, more = header.partition(";")
    name, _, charset = more.strip().partition("=")
    named = charset.strip("\"' ") if name.strip().lower() == "charset" else None
    return kind.strip().lower(), named or None
