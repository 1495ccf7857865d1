"""A queue before a service: while it refuses for its rate all wait, and one at a time tries again."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from truerate.core.errors import EndpointError
from truerate.core.process.terminal import LONG_S, say, say_wait
from truerate.core.retry import Backoff
from truerate.web.asking import ended
from truerate.web.pauses import Clock

# Refusals for the rate, and an outage: so many one after another end the run, 7 minutes at the least where no
# wait is asked for, and so does no answer for longer than `longest`.
BACKOFF = Backoff(tries=21, first=0.5, largest=60.0, longest=900.0)

T = TypeVar("T")


class Over(Exception):
    """The run has ended while somebody waited."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a request gave no results, and when it was sent. `passes`: it may do better in a while.

    `is_for_all`: every other request would fare alike now, and `wait` is the seconds that the service asks to
    wait, if it does. `is_outage`: no service was there; all wait if others have been answered before.
    """

    reason: str
    at: float
    passes: bool = False
    is_for_all: bool = False
    is_quota: bool = False
    is_outage: bool = False
    wait: float | None = None


class Queue:
    """Who asks, of so many, may do so when nobody waits out a pause."""

    def __init__(self, what: str, n_all: int, *, backoff_s: float, clock: Clock, things: str = "queries"):
        self.what, self.n_all, self.clock, self.things = what, n_all, clock, things
        self.backoff = replace(BACKOFF, first=backoff_s)
        self.over = asyncio.Event()
        self._gate = asyncio.Lock()  # held by the one who waits out a pause
        self._answered_at, self._n_answered, self._n_refused, self._is_said = clock.now(), 0, 0, False

    async def answer(self, ask: Callable[[], Awaitable[T | Refused]], backoff: Backoff) -> T | Refused:
        """Return what asking gives, or the last refusal. A refusal for the rate, and an outage of a service
        that has answered, are waited out by all; other faults that may pass are retried by `backoff`.

        Raises Over, and TruerateError where waiting would be too long.
        """
        async with self._gate:
            self._check()
        for attempt in range(1, backoff.tries + 1):
            answer = await ask()
            if isinstance(answer, Refused) and self._holds_all(answer):
                async with self._gate:
                    self._check()
                    while isinstance(answer, Refused) and self._holds_all(answer):
                        await self._wait(answer)
                        answer = await ask()
            if not isinstance(answer, Refused) or not answer.passes:
                break
            if not backoff.is_spent(attempt):
                await self.rest(backoff.full_jitter(attempt))
        return answer

    def _holds_all(self, refusal: Refused) -> bool:
        """Return whether all wait: for the rate, or for the end of an outage of a service that answered
        before.
        """
        return refusal.is_for_all or (refusal.is_outage and self._n_answered > 0)

    def answered(self) -> None:
        """An answer came."""
        self._answered_at, self._n_refused, self._is_said = self.clock.now(), 0, False
        self._n_answered += 1

    async def rest(self, seconds: float) -> None:
        """Let time pass. Raises Over as soon as the run has ended."""
        tasks = [asyncio.ensure_future(self.clock.sleep(seconds)), asyncio.ensure_future(self.over.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await ended(tasks)
        self._check()

    async def _wait(self, refusal: Refused) -> None:
        """Wait out a refusal. Raises TruerateError where that would be too long, or was in vain too often."""
        now = self.clock.now()
        if refusal.at < self._answered_at and self._n_answered:
            return  # another has seen the end of that pause
        self._n_refused += 1
        drawn = self.backoff.equal_jitter(self._n_refused)
        wait = drawn if refusal.wait is None else max(0.0, refusal.at + refusal.wait - now) + min(drawn, 1.0)
        whole = now + wait - self._answered_at
        if self.backoff.is_too_long(whole) or self.backoff.is_spent(self._n_refused):
            asks = f", asks to wait {refusal.wait:,.0f} s" if refusal.wait else ""
            does = "it is still not there" if refusal.is_outage else "it goes on to refuse"
            raise EndpointError(f"{self.what}: {does} ({refusal.reason}{asks}); run again later")
        if whole > LONG_S and not self._is_said:
            self._is_said = True
            does = "it does not answer" if refusal.is_outage else "it asks to slow down"
            what = f"{self.what}: {does}; {self._n_answered:,} of {self.n_all:,} {self.things} are answered"
            say_wait(wait, what) if wait > LONG_S else say(f"still waiting: {what}")
        await self.rest(wait)

    def _check(self) -> None:
        if self.over.is_set():
            raise Over
