"""Searching the web at a service whose form is data (`config.services`), each query once, at its pace."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

import aiohttp

from truerate.config import Search
from truerate.core.errors import EndpointError, TruerateError
from truerate.core.process.terminal import announced_wait
from truerate.core.redaction import Redactor, secret
from truerate.core.retry import Backoff, may_pass, seconds_asked
from truerate.web.guard import host_of
from truerate.web.pauses import Clock
from truerate.web.queue import Over, Queue, Refused
from truerate.web.search_form import Call, Left, error_words
from truerate.web.store import PageStore

CONCURRENCY = 8
BACKOFF = Backoff(tries=4, first=0.5, largest=8.0, longest=900.0)  # at one query where the search fails
TIMEOUT_S = 30.0
# What a refusal says where the sum bought or granted is used up, and where requests only came too fast.
_QUOTA = re.compile(r"dailyLimit|quotaExceeded|per day\b|insufficient|billing", re.IGNORECASE)
_RATE = re.compile(r"rateLimit|per minute\b|per second\b|too many requests", re.IGNORECASE)


class Searcher:
    """Asks one search address. `scope` names what answers, `url` is the whole address."""

    def __init__(
        self,
        settings: Search,
        store: PageStore,
        *,
        url: str,
        scope: str = "",
        backoff_s: float = BACKOFF.first,
        clock: Clock | None = None,
    ):
        """Raises TruerateError where the environment lacks the key or engine that the settings name."""
        self.settings, self.store, self.url, self.scope = settings, store, url, scope
        self.backoff_s, self.clock = backoff_s, clock or Clock()
        variables = {"key": settings.key_env, "engine": settings.engine_env}
        named = {name: variable for name, variable in variables.items() if variable}
        secrets = {name: secret(var, "searching", f"the search's {name}") for name, var in named.items()}
        self._secrets_mask = Redactor([secrets["key"]] if "key" in secrets else [])
        self._call = Call(settings.service, settings.n_results, **secrets)

    def stored(self, query: str) -> list[dict] | None:
        """Return what the store holds for a query."""
        return self.store.results(self.scope, query, self.settings.n_results)

    async def search_all(self, queries: Sequence[str]) -> None:
        """Put the results of all queries into the store; those that it holds are not asked.

        Raises TruerateError where the search answers no more (quota, key, address), or not soon (rate,
        outage): what came until then stays stored, and the next run goes on from there.
        """
        missing = [query for query in dict.fromkeys(queries) if self.stored(query) is None]
        if not missing:
            return
        waiting, errors = iter(missing), []
        what = f"searching at {host_of(self.url)!r}"
        self._queue = Queue(what, len(missing), backoff_s=self.backoff_s, clock=self.clock)

        async def work(session: aiohttp.ClientSession) -> None:
            """Search for what still waits, until nothing does or a fault ends it for all workers."""
            for query in waiting:
                try:
                    results = await self._search(session, query)
                except Over:
                    return
                except TruerateError as stop:
                    errors.append(stop)
                    self._queue.over.set()
                    return
                self.store.keep_results(self.scope, query, self.settings.n_results, results)

        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT_S)) as session:
            with announced_wait(f"{len(missing):,} queries at {host_of(self.url)!r}"):
                await asyncio.gather(*(work(session) for _ in range(min(CONCURRENCY, len(missing)))))
        if errors:
            n_left, n_all = sum(self.stored(query) is None for query in missing), len(missing)
            came = f"{n_all - n_left} of {n_all} new queries were answered and stay stored, {n_left} are left"
            raise type(errors[0])(f"{errors[0]}; {came}")

    async def _search(self, session: aiohttp.ClientSession, query: str) -> list[dict]:
        """The results of one query. Raises TruerateError where the search gives none."""
        backoff = replace(BACKOFF, first=self.backoff_s)
        answer = await self._queue.answer(lambda: self._ask(session, query), backoff)
        if isinstance(answer, Refused):
            raise self._stop(answer, query)
        return answer

    async def _ask(self, session: aiohttp.ClientSession, query: str) -> "list[dict] | Refused":
        """One request in its turn: the results, or why there are none."""
        await self._turn()
        at = self.clock.now()
        how = {"allow_redirects": False, **self._call.of(query)}
        try:
            async with session.request(self.settings.service.method, self.url, **how) as response:
                status, body, headers = response.status, await response.read(), response.headers
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return Refused(type(error).__name__, at, passes=True, is_outage=True)
        body = self._secrets_mask.body(body, is_error=status != 200)
        if status == 200:
            results = self._call.read(body)
            if isinstance(results, str):
                return Refused(results, at, passes=True)
            self._queue.answered()
            return results[: self.settings.n_results]
        failure = f"status {status} {self._secrets_mask.text(error_words(body))[:160]}".rstrip()
        left = Left.of(headers)
        is_quota = status in (403, 429) and bool(left.is_quota or _QUOTA.search(failure))
        if is_quota or status in (402, *self.settings.service.quota):
            return Refused(failure, at, is_quota=True)
        is_rate = status == 429 or (status == 403 and _RATE.search(failure) is not None)
        seconds = seconds_asked(headers.get("Retry-After"), self.clock.now())
        if seconds is None and is_rate:
            seconds = left.reset_s
        if advice := self.settings.service.advice.get(status):
            failure = f"{failure}: {advice}"
        passes, is_for_all = may_pass(status), is_rate or (may_pass(status) and bool(seconds))
        about = {"passes": is_rate or passes, "is_for_all": is_for_all, "is_outage": passes and not is_rate}
        return Refused(failure, at, wait=seconds, **about)

    async def _turn(self) -> None:
        """Wait for the next request's turn, over all processes, where a pace is set."""
        if self.settings.rpm is not None:
            now = self.clock.now()
            turn = self.store.next_turn(f"search at {host_of(self.url)}", 60.0 / self.settings.rpm, now)
            if turn > now:
                await self._queue.rest(turn - now)

    def _stop(self, refusal: Refused, query: str) -> TruerateError:
        """Return why no more can be searched, without the key that the address held."""
        setting = "`search` of the board's track in params.yaml"
        what = f"{refusal.reason}; see to {setting}, then run again"
        if refusal.is_quota:
            what = f"the quota is used up ({refusal.reason}); run again when it is renewed"
        elif refusal.is_outage:
            what = f"{refusal.reason}; is it up, and {setting} its address? then run again"
        return EndpointError(f"searching for {query!r} at {host_of(self.url)!r}: {what}")


def address(settings: Search, base: str | None) -> str | None:
    """The whole address to request: `url` itself, or its path at an endpoint's origin; None without `url`."""
    if settings.url is None:
        return None
    if base is None:
        return settings.url
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc}{settings.url}"
