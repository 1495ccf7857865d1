"""The clock of the web, and the pauses that hosts are given."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from truerate.config import Fetch
from truerate.core.process.terminal import LONG_S, say_wait
from truerate.web.guard import host_of, matches
from truerate.web.store import PageStore

LONGEST_S = 30.0  # a longer Crawl-delay is heard as this: hosts write days into it to keep search engines out


@dataclass(frozen=True)
class Clock:
    """The time and how it passes; tests bring their own."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class Pauses:
    """Turns at hosts: the pause between two requests over all processes, and what a host asks to wait."""

    def __init__(self, settings: Fetch, store: PageStore, clock: Clock):
        self.settings, self.store, self.clock = settings, store, clock
        self._until: dict[str, float] = {}  # host -> when it may be asked again, by its own wish
        self._asked: dict[str, float] = {}  # host -> seconds between two requests, by its robots.txt
        self._left: Counter[str] = Counter()
        self._announced: set[str] = set()  # hosts of which it was said that their pages take long

    def expect(self, urls: Iterable[str]) -> None:
        """Pages that are about to be fetched, so that a long wait can say how long it is."""
        self._left = Counter(map(host_of, urls))

    def hold(self, host: str, seconds: float) -> None:
        """Leave a host in peace for so long, whatever page of it comes next."""
        before, until = self.until(host), self.clock.now() + seconds
        if until > before + LONG_S:  # not for every page that meets the same pause
            say_wait(seconds, f"{host!r} asks to come back later")
        self._until[host] = max(before, until)

    def ask(self, host: str, seconds: float) -> None:
        """Leave so long between two requests, as robots.txt asks (Crawl-delay), LONGEST_S at most."""
        self._asked[host] = min(seconds, LONGEST_S)

    def until(self, host: str) -> float:
        """The moment until which a host asked to be left in peace; 0 where it never did."""
        return self._until.get(host, 0.0)

    async def turn(self, host: str) -> float:
        """Wait until a host may be asked again; return the moment of its own request that was respected."""
        now, until = self.clock.now(), self.until(host)
        start = max(now, until)
        pause = max(self.settings.per_host_s, self._asked.get(host, 0.0))
        if pause and not matches(host, self.settings.unlimited_hosts):
            start = self.store.next_turn(host, pause, start)
            whole = max(start - now, self._left[host] * pause)
            if whole > LONG_S and host not in self._announced:
                self._announced.add(host)
                pages = f"{self._left[host]:,} pages of {host!r}"
                say_wait(whole, f"{pages}, one each {pause:g} s (fetch.per_host_s)")
        if start > now:
            await self.clock.sleep(start - now)
        return until
