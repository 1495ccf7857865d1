"""Whether failures are those of a request or of its endpoint: what failed in a row, with no whole reply
between.

Few requests that fail while others are answered are at fault themselves and die after `llm.max_attempts`
tries. Where several different ones fail in a row it is the endpoint: nothing dies, the queue is held back for
longer from try to try, one request at a time finds out whether it is well again, and a run of which nothing
comes for `llm.outage_s`, or whose tries are paid for or refused for the rate twenty times over, ends in one
line. A tiny request of its own tells the two apart where requests that used up their tries are all that is
left: where it fails too, it is the endpoint, were there but one request.
"""

import asyncio
import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from truerate.core.errors import TruerateError
from truerate.core.retry import Backoff
from truerate.llm.keys import LIMITS
from truerate.llm.store.budget import Charge
from truerate.llm.store.jobs import Job
from truerate.llm.transport import failures
from truerate.llm.transport.rate_limit import LONGEST_S, RateLimiter
from truerate.llm.transport.verdict import Verdict

if TYPE_CHECKING:
    from truerate.llm.transport.client import Client

SUSPECT = 3  # different requests that failed in a row: from here on it may be the endpoint
MOST = 20  # tries in a row that are paid for, or pauses in a row after refusals that name no time
LATE_S = 2  # pauses in a row before a whole reply after which an outage is one: its failures count against no request
GIVEN_BACK = (
    2  # times that tries of one request are given back since a probe failed: it may be what fells the server
)
PROBE = ({"role": "user", "content": "Reply with the word Yes."},)
PROBE_TOKENS = 16
_UNPAID = ("timeout", "connection", "bad_http", "unreachable", "html")  # of which nobody knows what they cost


class Health:
    """How one endpoint does, as one run sees it."""

    def __init__(self, limiter: RateLimiter, backoff: Backoff, outage_s: float):
        self.limiter, self.backoff, self.outage_s = limiter, backoff, outage_s
        self.n_whole = 0  # whole replies of this run
        self._probing = asyncio.Lock()
        self._n_given_back: Counter[bytes] = Counter()
        self._clear()

    def _clear(self) -> None:
        self._tries: dict[bytes, tuple[Job, int]] = {}
        self._n_paid = self._n_blind = self._n_pauses = 0
        self._probed_at = -1  # count of pauses at which the last probe failed
        self._since = time.monotonic()

    @property
    def is_suspect(self) -> bool:
        """Whether the endpoint may be at fault: several requests failed, or one and a tiny probe."""
        return len(self._tries) >= SUSPECT or self._probed_at >= 0

    def is_in_doubt(self, job: Job) -> bool:
        """Return whether a request out of tries may have met an outage: no whole reply between its last two."""
        n_tries = self._tries.get(job.key, (job, 0))[1]
        return self.is_suspect or n_tries >= min(2, self.backoff.tries)

    def passed(self) -> None:
        """The endpoint gave a whole reply, or refused a request for what stands in it."""
        self.n_whole += 1
        if self._tries:
            self._recover(is_outage=self._n_pauses >= LATE_S)

    def _recover(self, *, is_outage: bool = False) -> None:
        """The endpoint answers: what failed while a probe failed too counts against no request."""
        for key, (job, n_tries) in self._tries.items():
            if is_outage or (self._probed_at >= 0 and self._n_given_back[key] < GIVEN_BACK):
                self._n_given_back[key] += not is_outage
                job.attempts -= n_tries
        self._clear()
        self.limiter.recover()

    def failed(self, job: Job, verdict: Verdict) -> None:
        """A try failed for what may pass."""
        if not self._tries:
            self._since = time.monotonic()
        _, n_tries = self._tries.get(job.key, (job, 0))
        self._tries[job.key] = job, n_tries + 1
        self._n_paid += verdict.is_charged and verdict.reason not in _UNPAID

    def end_of_run(self, verdict: Verdict, url: str) -> TruerateError | None:
        """The error that ends the run if the endpoint has been away for too long, else None."""
        name = self.limiter.name
        n_tries = sum(n for _, n in self._tries.values())
        away_s = time.monotonic() - self._since
        if verdict.reason == "rate_limited" and self._n_pauses >= LATE_S:
            is_far = (verdict.resets_at or 0) - time.time() > LONGEST_S and verdict.delay is None
            if is_far or self._n_blind >= MOST or away_s > self.outage_s:
                return failures.used_up(name, url, verdict, n_tries, away_s)
        if self.is_suspect and self._n_paid >= MOST:
            return failures.nothing_whole(name, url, verdict, n_tries)
        if self.is_suspect and away_s > self.outage_s:
            return failures.is_away(name, url, verdict, n_tries, away_s)
        return None

    async def pause(self, verdict: Verdict) -> None:
        """Hold the queue back: as long as the server asks, until its limit resets, else longer each time."""
        is_refused = verdict.reason == "rate_limited"
        seconds, why = verdict.delay, "it asked to wait"
        left = (verdict.resets_at or 0) - time.time()
        if seconds is None and 0 < left <= LONGEST_S:
            seconds, why = left, "it says that its limit begins anew then"
        is_new = self.limiter.left() <= 0
        self._n_pauses += is_new
        if seconds is None:
            if not is_new:
                return
            self._n_blind += is_refused
            seconds, why = self.backoff.equal_jitter(self._n_pauses), f"backing off after {verdict.reason}"
        elif seconds <= LONGEST_S:
            seconds = seconds + self.backoff.full_jitter(1) * 0.1
        is_down = self.is_suspect and (not is_refused or self._n_pauses >= SUSPECT)
        await self.limiter.pause(seconds, why, is_down=is_down)

    async def is_alive(self, job: Job, client: "Client", charges: list[Charge]) -> bool:
        """Return whether a tiny request with these settings is answered, once per pause; adds its charge."""
        async with self._probing:
            if not self._tries:  # a whole reply came by now
                return True
            if self._probed_at == self._n_pauses:
                return False
            limits = {name: PROBE_TOKENS for name in LIMITS if name in job.request.params}
            probe = replace(job.request, messages=PROBE, params={**job.request.params, **limits}, form=None)
            body = job.target.body(job.target.payload(probe))
            verdict = await client.send(body, model=job.target.model, accept_length=True)
            if verdict.n_in is not None and verdict.n_out is not None:
                charges.append(job.charge("waste", verdict.n_in, verdict.n_out))
            if verdict.action in ("keep", "dead"):
                self._recover()
                return True
            self._probed_at = self._n_pauses
            return False
