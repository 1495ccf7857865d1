"""Print the progress of a long step (a bar on a terminal, else a line at its start and one at its end) and
its waits.
"""

import sys
import time
from typing import TYPE_CHECKING

from truerate.config import Endpoint
from truerate.core.process.terminal import LONG_S, say
from truerate.llm.transport.launch import EndpointAddress
from truerate.llm.transport.rate_limit import RateLimiter

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


class Progress:
    """Counts the answers of one step, on stderr."""

    def __init__(self, label: str, *, n_requests: int, n_stored: int):
        self.label, self.n_requests, self.n_stored = label, n_requests, n_stored
        self.n_asked = self.n_dead = 0
        self.usd = 0.0
        self._bar: Bar | None = None

    def __enter__(self) -> "Progress":
        self._since = time.monotonic()
        n_new = self.n_requests - self.n_stored
        print(
            f"{self.label}: {self.n_requests:,} requests, {self.n_stored:,} stored, {n_new:,} to ask",
            file=sys.stderr,
            flush=True,
        )
        if n_new and sys.stderr.isatty():
            self._open_bar(n_new)
        return self

    def _open_bar(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self.label, total=total)

    def advance(self, *, is_dead: bool, usd: float) -> None:
        """One more answer."""
        self.n_asked += 1
        self.n_dead += is_dead
        self.usd += usd
        if self._bar:
            self._bar.advance(self._task)

    def __exit__(self, kind: type | None, *_: object) -> None:
        if self._bar:
            self._bar.stop()
        if self.n_requests == self.n_stored:
            return
        dead = f", {self.n_dead:,} of them dead letters (`truerate llm dead`)" if self.n_dead else ""
        word = "stopped" if kind else "done"
        seconds = time.monotonic() - self._since
        print(
            f"{self.label}: {word}: {self.n_asked:,} answered{dead}, ${self.usd:.4g}, {seconds:.1f} s",
            file=sys.stderr,
            flush=True,
        )


class Waits:
    """Print what is waited for after LONG_S seconds without an answer, then after twice as long."""

    def __init__(self, address: EndpointAddress, endpoint: Endpoint, limiter: RateLimiter, timeout_s: float):
        self._address, self._endpoint, self._limiter = address, endpoint, limiter
        self._timeout_s = timeout_s
        self._since = time.monotonic()
        self._after: dict[str, float] = {}  # kind of wait -> seconds without an answer after which it is told

    def moved(self) -> None:
        """An answer came."""
        self._since = time.monotonic()

    def look(self, n_under_way: int, n_queued: int, *, n_resting: int, n_elsewhere: int) -> None:
        """Print what is waited for, if it is time; `n_resting` retry soon, `n_elsewhere` are another
        process's.
        """
        waited = time.monotonic() - self._since
        if waited < LONG_S:
            return
        kind, what = self._reason(n_under_way, n_queued, n_resting, n_elsewhere)
        if waited >= self._after.get(kind, LONG_S):
            self._after[kind] = 2 * waited
            say(f"endpoint {self._address.name!r}: no answer for {waited:.0f} s: {what}")

    def _reason(self, n_under_way: int, n_queued: int, n_resting: int, n_elsewhere: int) -> tuple[str, str]:
        """A kind of wait, and what a person is told of it."""
        if (left := self._limiter.left()) > 0:
            return "pause", f"{self._limiter.why}, {left:.0f} s more"
        if n_under_way:
            longest = f"each has {self._timeout_s:g} s (`timeout_s`)"
            return "replies", f"{n_under_way:,} under way at {self._address.url}; {longest}"
        if n_queued:
            return "slots", f"other processes use all {self._endpoint.concurrency} places at it"
        if n_resting:
            return "retries", f"{n_resting:,} requests failed and are tried again in a moment"
        return "others", f"another process has {n_elsewhere:,} of the requests under way"
