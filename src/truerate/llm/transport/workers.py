"""The workers that ask one endpoint in one run, each with the lease of one request.

A worker claims a request, sends it, settles it and claims the next in one transaction; a reply is handed on
after the commit. So what is sent and not committed is never more than the endpoint's concurrency, and that is
all a killed run can pay for twice.
"""

import asyncio
import time
from collections import deque

from truerate.core.errors import TruerateError
from truerate.core.process.terminal import announced_wait
from truerate.core.retry import Backoff
from truerate.llm.store.budget import SPENT, BudgetLimits, Charge
from truerate.llm.store.jobs import Claim, Job, Outcome, Settled
from truerate.llm.store.leases import Leases
from truerate.llm.store.responses import DeadLetter, StoredReply
from truerate.llm.transport import failures
from truerate.llm.transport.health import Health
from truerate.llm.transport.launch import EndpointAddress
from truerate.llm.transport.policy import refuses_form
from truerate.llm.transport.progress import Waits
from truerate.llm.transport.rate_limit import LONGEST_S, RateLimiter
from truerate.llm.transport.refusals import Refusals, most_refused
from truerate.llm.transport.run import Run
from truerate.llm.transport.verdict import OUTCOMES, RETRIED, Verdict

TICK_S = 0.05
POLLS_S = (0.02, 0.5)  # first and longest wait until a request of another process is looked at again


class WorkerPool:
    """The jobs of one endpoint, and those who work on them."""

    def __init__(self, run: Run, name: str, jobs: list[Job], key: str):
        self.run, self.name, self.key = run, name, key
        self.address = EndpointAddress(run.config, name)
        self.endpoint, self.llm = run.config.p.endpoints[name], run.config.p.llm
        self.queue = deque(jobs)
        self.later: list[tuple[float, Job]] = []  # what another process has, and when it is looked at again
        self.resting: list[tuple[float, Job]] = []  # what failed, and when it is tried again
        self.n_workers = 0
        limits, concurrency = BudgetLimits.of(self.llm), self.endpoint.concurrency
        self.leases = Leases(run.store, name, concurrency, limits=limits, ttl=self.llm.lease_s)
        self.rate_limiter = RateLimiter(run, name, self.endpoint)
        self.refusals = Refusals(run.store)
        self.timeout_s = self.endpoint.timeout_s or self.llm.timeout_s
        self.waits = Waits(self.address, self.endpoint, self.rate_limiter, self.timeout_s)
        self.backoff = Backoff(self.llm.max_attempts, *self.llm.backoff_s, longest=LONGEST_S)
        self.health = Health(self.rate_limiter, self.backoff, self.llm.outage_s)

    async def work(self) -> None:
        """Answer every job of the queue. An error ends the run for all pools, which wait for what they have
        sent.
        """
        client = None
        starting = asyncio.create_task(self.address.find())
        try:
            await asyncio.sleep(0)  # half a second of imports, in which a launched server starts
            from truerate.llm.transport.client import Client

            within = f"it has {self.endpoint.start_s:g} s (`start_s`)"
            with announced_wait(f"the server of endpoint {self.name!r} starts; {within}"):
                url = await starting
            limit = self.endpoint.concurrency
            self.client = client = Client(
                url, self.key, limit=limit, timeout_s=self.timeout_s, api=self.endpoint.api
            )
            self.waits.moved()  # nothing could be asked before
            async with self.leases:
                await self._send_all()
        except TruerateError as error:
            self.run.fail(error)
        finally:
            self.address.leave()
            if client:
                await client.close()

    async def _send_all(self) -> None:
        """Keep as many workers as there are leases and jobs, until all is done or the run ends."""
        workers: set[asyncio.Task[None]] = set()
        try:
            while workers or (self.queue or self.later or self.resting) and not self._is_over():
                await self._look_again()
                self.rate_limiter.look()
                n_waiting = 0 if self._is_over() else len(self.queue)
                want = min(len(workers) + n_waiting, self.rate_limiter.limit)
                n_new = min(want - len(workers), await self.leases.room(want))
                workers |= {asyncio.create_task(self._worker()) for _ in range(n_new)}
                self.n_workers = len(workers)
                self.waits.look(
                    len(workers), n_waiting, n_resting=len(self.resting), n_elsewhere=len(self.later)
                )
                if not workers:
                    await asyncio.sleep(POLLS_S[0])
                    continue
                done, workers = await asyncio.wait(workers, timeout=TICK_S)
                for error in filter(None, (worker.exception() for worker in done)):
                    if not isinstance(error, TruerateError):
                        raise error
                    self.run.fail(error)  # a fault of the store ends the run, not other calls
            if refused := self.refusals.left():  # with nothing answered: unsettled, no dead letters
                last = most_refused(refused)
                n_refused = sum(refusal.job.target.alias == last.job.target.alias for refusal in refused)
                self.run.fail(failures.refuses_all(last, self.address.url, n_refused))
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def _is_over(self) -> bool:
        """Return whether nothing new is to be sent: the run ends, or too much was refused and nothing
        answered.
        """
        return self.run.over.is_set() or self.refusals.is_full

    async def _worker(self) -> None:
        """Claim, send and settle one job after another, until there is none or fewer may be under way."""
        settled = None
        while True:
            is_enough = self._is_over() or self.n_workers > self.rate_limiter.limit
            job = self.queue.popleft() if self.queue and not is_enough else None
            outcome = await self._claim_next(settled, job) if settled or job else None
            if job and outcome is Claim.FULL:
                self.queue.appendleft(job)
                job = None
            if job is None:
                break
            settled = await self._follow(job, outcome)
        self.n_workers -= 1

    async def _claim_next(self, settled: Settled | None, job: Job | None) -> Outcome:
        """Settle one request and claim the next; what was settled is handed on."""
        outcome = await self.leases.claim_next(settled, job)
        if settled and settled.answer:
            self._hand_on(settled.job, settled.answer, False)
        return outcome

    def _hand_on(self, job: Job, answer: StoredReply | DeadLetter, is_stored: bool) -> None:
        """An answer for those who asked."""
        self.waits.moved()
        self.run.on_answer(job, answer, is_stored)

    async def _follow(self, job: Job, outcome: Outcome) -> Settled | None:
        """Do what a claim's outcome asks for; what is to be settled then."""
        if outcome is Claim.MINE:
            return await self._send(job)
        if outcome is Claim.STOP:
            self.run.fail(failures.over_budget(job, self.leases.limits, self.run.store.query(SPENT)[0]))
        elif isinstance(outcome, Claim):
            job.delay = min(max(POLLS_S[0], 2 * job.delay), POLLS_S[1])
            self.later.append((time.monotonic() + job.delay, job))
        elif outcome is not None:
            await self._note(job, is_answered=isinstance(outcome, StoredReply))
            self._hand_on(job, outcome, True)
        return None

    async def _note(self, job: Job, *, is_answered: bool) -> None:
        """Where the endpoint gave a completion, what it refused for the same alias before becomes dead
        letters.
        """
        for refused in self.refusals.answered(job.target) if is_answered else ():
            await self._claim_next(refused, None)

    async def _send(self, job: Job) -> Settled:
        """Try a claimed job: it is answered, given up, or to be tried again, or the run is over."""
        await self.rate_limiter.gate()
        try:
            if self.run.over.is_set():
                return Settled(job)
            sent_to = self.address.url
            body = job.target.body(job.target.payload(job.request))
            verdict = await self.client.send(body, model=job.target.model, accept_length=job.keeps_cut)
        finally:
            self.rate_limiter.done()
        job.attempts += 1
        verdict, charges, kept = await self._weigh(job, verdict)
        if kept:
            self.rate_limiter.quicken()
            return kept
        if verdict.action == "retry" and await self._is_to_retry(job, verdict, charges):
            if not self.run.over.is_set():
                await self._before_retry(job, verdict, sent_to)
            return Settled(job, charges=charges)
        return self._give_up(job, verdict, charges)

    async def _weigh(self, job: Job, verdict: Verdict) -> tuple[Verdict, list[Charge], Settled | None]:
        """The verdict on a call with what stands against it, what it is booked as, and its end if it is
        kept.
        """
        verdict = job.read_whole(job.counted(verdict))
        charges = _charges(job, verdict)
        if verdict.is_answered:
            await self._note(job, is_answered=True)
        if verdict.action in ("keep", "dead"):
            self.health.passed()
        if verdict.action == "keep":
            self.run.note(job, self.name, verdict)
            reply = StoredReply(verdict.text, verdict.finish, verdict.n_in, verdict.n_out)
            return verdict, charges, Settled(job, reply, verdict.extra, charges)
        self.run.note_fault(job, self.name, verdict)
        return verdict, charges, None

    async def _is_to_retry(self, job: Job, verdict: Verdict, charges: list[Charge]) -> bool:
        """Return whether to retry: while tries are left, or the endpoint is at fault; ends the run if that
        lasts too long.
        """
        self.health.failed(job, verdict)
        error = self.health.end_of_run(verdict, self.address.url)
        if error and not await self._is_alive(job, verdict, charges):
            self.run.fail(error)
            return True
        is_spent = self.backoff.is_spent(job.attempts)
        if not is_spent or not self.health.is_in_doubt(job):
            return not is_spent
        if verdict.reason == "rate_limited" and self.health.is_suspect:
            return True
        if not self._is_known(job, verdict):
            return False
        is_alive = await self._is_alive(job, verdict, charges)
        # tries that met an outage were given back by now
        return not is_alive or not self.backoff.is_spent(job.attempts)

    async def _is_alive(self, job: Job, verdict: Verdict, charges: list[Charge]) -> bool:
        """Return whether the endpoint, if it answered before, answers another request now."""
        return self._is_known(job, verdict) and await self.health.is_alive(job, self.client, charges)

    def _is_known(self, job: Job, verdict: Verdict) -> bool:
        """Return whether the endpoint has answered for this model before; if unreachable, in this run."""
        if verdict.reason == "unreachable":
            return self.health.n_whole > 0
        return self.refusals.has_answered(job)

    def _give_up(self, job: Job, verdict: Verdict, charges: list[Charge]) -> Settled:
        """A dead letter; none while the refusal is held or if the run ends for it."""
        if verdict.action == "fatal" or verdict.reason == "unreachable":
            self.run.fail(failures.fatal(job.target, self.endpoint, self.address.url, verdict))
            return Settled(job, charges=charges)
        if refuses_form(verdict) and (setting := _setting_of_form(job)):
            self.run.fail(failures.takes_no_form(job.target, self.address.url, verdict, setting))
            return Settled(job, charges=charges)
        given_up = Settled(job, DeadLetter(verdict.reason, verdict.detail, job.attempts), charges=charges)
        if verdict.reason in OUTCOMES or self.refusals.has_answered(job):
            return given_up
        self.refusals.hold(Settled(job, given_up.answer))
        return Settled(job, charges=charges)  # its lease goes back: a budget counts what is under way

    async def _before_retry(self, job: Job, verdict: Verdict, sent_to: str) -> None:
        """Queue a job again, with a pause for all if the endpoint fails, else after a delay; restarts a dead
        server.
        """
        if verdict.reason in ("unreachable", "connection"):
            self.client.move(await self.address.find_again(sent_to, is_gone=verdict.reason == "unreachable"))
        if verdict.delay is not None and self.backoff.is_too_long(verdict.delay):
            self.run.fail(failures.asks_to_wait(self.name, verdict.delay))
        elif verdict.reason == "rate_limited" or (self.health.is_suspect and self._is_known(job, verdict)):
            await self.health.pause(verdict)
            self.queue.append(job)
        else:
            delay = self.backoff.full_jitter(job.attempts) if verdict.delay is None else verdict.delay
            self.resting.append((time.monotonic() + delay, job))

    async def _look_again(self) -> None:
        """Queue what is to be retried, and what another process had unless it is answered."""
        now = time.monotonic()
        if self.resting:
            self.queue.extendleft(job for when, job in self.resting if when <= now)
            self.resting = [entry for entry in self.resting if entry[0] > now]
        due = [job for when, job in self.later if when <= now]
        if not due:
            return
        self.later = [entry for entry in self.later if entry[0] > now]
        answered = self.run.store.find([job.key for job in due])
        for job in due:
            if (answer := answered.get(job.key)) and job.is_settled_by(answer):
                await self._note(job, is_answered=isinstance(answer, StoredReply))
                self._hand_on(job, answer, True)
            else:
                self.queue.append(job)


def _setting_of_form(job: Job) -> str | None:
    """The setting by which a request asks for structured output, None where it does not."""
    alias = job.target.alias
    if job.request.form and job.target.structured:
        return f"models.{alias}.structured"
    if "response_format" in job.target.override:
        return f"models.{alias}.params.response_format"
    return None


def _charges(job: Job, verdict: Verdict) -> list[Charge]:
    """Return what one call is booked as."""
    if verdict.action == "keep":
        return [job.charge("reply", verdict.n_in, verdict.n_out)]
    if verdict.n_in is not None and verdict.n_out is not None:
        return [job.charge("waste", verdict.n_in, verdict.n_out)]
    if verdict.is_charged:
        return [job.lost() if verdict.reason in RETRIED else job.charge("waste", None, None)]
    return []
