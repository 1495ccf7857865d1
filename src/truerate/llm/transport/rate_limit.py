"""How fast an endpoint takes requests: its own wish to wait, a limit per minute, and fewer at once after it
was asked too much.

Pauses and the limit per minute hold over all processes of the store.
"""

import random
import sqlite3
import time
from functools import partial

from truerate.config import Endpoint
from truerate.core.store.keyed_store import next_turn
from truerate.llm.transport.failures import asks_to_wait
from truerate.llm.transport.run import Run

LONGEST_S = 900.0  # an endpoint that asks to wait longer ends the run
TICK_S = 0.05


class RateLimiter:
    """The queue before one endpoint, as one run sees it."""

    def __init__(self, run: Run, name: str, endpoint: Endpoint):
        self.run, self.name, self.rpm = run, name, endpoint.rpm
        self._most = self._at_once = float(endpoint.concurrency)
        self._paused_until = 0.0
        self._is_down = self._is_slow = False
        self._n_out = 0
        self.why = ""  # what the pause is for

    @property
    def limit(self) -> int:
        """Requests that may be under way at once: halved by each pause, one more after so many replies."""
        return int(self._at_once)

    def quicken(self) -> None:
        """A reply came. After an outage the number under way doubles from reply to reply, up to half of the
        most.
        """
        if self._at_once < self._most:
            self._is_slow = self._is_slow and self._at_once < self._most / 2
            self._at_once = min(self._most, self._at_once + (1 if self._is_slow else 1 / self._at_once))

    def recover(self) -> None:
        """The endpoint, which was down, answers again."""
        self._is_slow, self._is_down = self._is_slow or self._is_down, False

    def look(self) -> None:
        """See whether another process was asked to wait."""
        for (until,) in self.run.store.query("SELECT paused_until FROM pace WHERE endpoint = ?", [self.name]):
            if (
                until <= time.time() + LONGEST_S
            ):  # a later one was written by a clock that has been set back since
                if until > self._paused_until:
                    self._paused_until, self.why = until, "another process backs off"

    def left(self) -> float:
        """The remaining seconds of a pause; one that ends later than any may is of a clock set back since,
        and over.
        """
        left = self._paused_until - time.time()
        if left > LONGEST_S:
            self._paused_until = left = 0.0
        return left

    async def gate(self) -> None:
        """Wait until one request may go out or the run ends: to a down endpoint one at a time."""
        while not self.run.over.is_set():
            if (wait := self.left()) > 0:
                await self.run.rest(wait + random.uniform(0, min(1.0, wait)))
            elif self._is_down and self._n_out:
                await self.run.rest(TICK_S)
            else:
                break
        self._n_out += 1
        if self.rpm:
            booking = partial(
                book_start, endpoint=self.name, interval=60.0 / self.rpm, n_waiting=int(self._most)
            )
            start = await self.run.store.do(booking)
            if (wait := start - time.time()) > 0:
                await self.run.rest(wait)

    def done(self) -> None:
        """A request that went out came back."""
        self._n_out -= 1

    async def pause(self, seconds: float, why: str, *, is_down: bool = False) -> None:
        """Hold the queue back, here and in other processes. `is_down`: one request at a time until a reply
        comes.
        """
        if seconds > LONGEST_S:
            self.run.fail(asks_to_wait(self.name, seconds))
            return
        now = time.time()
        if now >= self._paused_until:  # a new pause, not another answer to what was sent before it
            self._at_once = 1.0 if is_down else max(1.0, self._at_once / 2)
        self._is_down = self._is_down or is_down
        if now + seconds > self._paused_until:
            self._paused_until, self.why = now + seconds, why
            await self.run.store.do(partial(book_pause, endpoint=self.name, until=now + seconds))


def book_start(link: sqlite3.Connection, *, endpoint: str, interval: float, n_waiting: int) -> float:
    """The next free moment of an endpoint, `interval` seconds after the last; a later one is of a clock set
    back.
    """
    furthest = interval * (n_waiting + 1)
    return next_turn(
        lambda sql, values: link.execute(sql, values).fetchall(),
        "endpoint",
        endpoint,
        pause_s=interval,
        now=time.time(),
        furthest_s=furthest,
        unset=["paused_until"],
    )


def book_pause(link: sqlite3.Connection, *, endpoint: str, until: float) -> None:
    """Tell all processes that an endpoint wants no request before `until`."""
    link.execute(
        "INSERT INTO pace VALUES (?, 0, ?) ON CONFLICT DO UPDATE SET paused_until = MAX(paused_until, "
        "excluded.paused_until)",
        [endpoint, until],
    )
