"""What one endpoint's requests wait for, said when nothing has come for a while."""

import time

from truerate.config import Endpoint
from truerate.core.process.terminal import LONG_S, say
from truerate.llm.transport.address import EndpointAddress
from truerate.llm.transport.rate_limit import RateLimiter


class Waits:
    """Prints what is waited for after LONG_S seconds without an answer, then after twice as long, and so on."""

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
