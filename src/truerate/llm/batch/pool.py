"""The requests of one endpoint in batches, at a part of the price; what batches leave open is asked online.

A batch is written down with the leases of its requests before anything is sent, and its name at the server
before it is looked at. A run that ends, however it ends, leaves it under way; the next run that asks for one
of its requests takes it over.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import count

from truerate.config.models import Batch as Settings
from truerate.core.errors import EndpointError
from truerate.core.process.terminal import say
from truerate.llm.batch.forms import Form, Status
from truerate.llm.batch.remote import CallFailed, Remote
from truerate.llm.store import batches as stored
from truerate.llm.store.batches import Batch
from truerate.llm.store.budget import SPENT
from truerate.llm.store.jobs import Claim, Job, Outcome, Settled
from truerate.llm.store.leases import settle
from truerate.llm.store.responses import DeadLetter, StoredReply
from truerate.llm.transport import failures
from truerate.llm.transport.run import Run
from truerate.llm.transport.verdict import Verdict, short
from truerate.llm.transport.workers import WorkerPool

CHUNK = 500  # replies per transaction
PATIENCE = (
    10  # looks at a batch that was cancelled, or that its server no longer shows, before it is given up
)
_CROWDED = re.compile("token_limit_exceeded|enqueued|too many", re.IGNORECASE)


class BatchPool(WorkerPool):
    """The jobs of one endpoint that are asked in batches first."""

    def __init__(self, run: Run, name: str, jobs: list[Job], key: str):
        super().__init__(run, name, [], key)
        self.waiting = jobs  # for a batch
        self.under_way: list[Batch] = []
        self.settings = self.endpoint.batch or Settings()
        self.most = self.settings.max_requests
        self.is_crowded = False  # the server takes one batch after another
        self._looks: Counter[int] = Counter()  # in vain, at a batch that was cancelled or is gone
        self._failing: dict[
            int, tuple[float, int]
        ] = {}  # since when, and how often, a batch cannot be looked at

    async def _send_all(self) -> None:
        """All in batches, then what these left open one by one."""
        self.remote = Remote(self.client, Form.of(self.endpoint.api), self.settings.window)
        while (self.waiting or self.under_way) and not self._is_over():
            await self._open()
            for batch in list(self.under_way):
                await self._look(batch)
            if self.waiting or self.under_way:
                await self.run.rest(self.settings.poll_s)
        await super()._send_all()

    def _ask_online(self, job: Job) -> None:
        job.pay(1.0)
        job.attempts = 0
        self.queue.append(job)

    # ---- sending -------------------------------------------------------------------------------------------
    async def _open(self) -> None:
        """Claim what waits, in new batches; what others have is taken over or waits on."""
        jobs, self.waiting = self.waiting, []
        busy: list[Job] = []
        stopped: list[Job] = []
        if not self.endpoint.batch:
            return await self._take_over(jobs)
        for part, lines in self._files(jobs):
            if self._is_over() or (self.is_crowded and self.under_way):
                self.waiting += part
                continue
            batch = Batch.new(part[0])
            outcomes = await self.run.store.do(
                partial(
                    stored.open_batch,
                    batch=batch,
                    holder=self.leases.holder,
                    jobs=part,
                    limits=self.leases.limits,
                )
            )
            for job in part:
                await self._sort(job, outcomes[job.key], busy, stopped)
            if batch.jobs:
                await self._submit(
                    batch, [line for job, line in zip(part, lines, strict=True) if job.key in batch.jobs]
                )
        if busy:
            await self._take_over(busy)
        if stopped and not self.under_way:
            spent = self.run.store.query(SPENT)[0]
            self.run.fail(failures.over_budget(stopped[0], self.leases.limits, spent))
        self.waiting += stopped

    async def _sort(self, job: Job, outcome: Outcome, busy: list[Job], stopped: list[Job]) -> None:
        """Put a job where its claim's outcome wants it."""
        if isinstance(outcome, StoredReply | DeadLetter):
            await self._note(job, is_answered=isinstance(outcome, StoredReply))
            self._hand_on(job, outcome, True)
        elif outcome is Claim.BUSY:
            busy.append(job)
        elif outcome is Claim.STOP:
            stopped.append(job)
        elif outcome is not Claim.MINE:
            self.waiting.append(job)

    def _files(self, jobs: list[Job]) -> Iterator[tuple[list[Job], list[bytes]]]:
        """The jobs with their lines, in files of one model within the limits; what is too large for a file is
        asked online.
        """
        most_bytes = int(self.settings.max_mb * 1e6)
        by_model: dict[str, list[Job]] = {}
        for job in jobs:
            by_model.setdefault(job.target.model, []).append(job)
        for some in by_model.values():
            part: list[Job] = []
            lines: list[bytes] = []
            size = 0
            for job in some:
                line = self.remote.form.line(job.key.hex(), job.target.body(job.target.payload(job.request)))
                if len(line) > most_bytes:
                    self._ask_online(job)
                    continue
                if part and (len(part) >= self.most or size + len(line) > most_bytes):
                    yield part, lines
                    part, lines, size = [], [], 0
                part.append(job)
                lines.append(line)
                size += len(line)
            if part:
                yield part, lines

    async def _submit(self, batch: Batch, lines: list[bytes], *, is_unsure: bool = False) -> None:
        """Send a batch; `is_unsure`: it may have been sent before, so the server is asked for it first."""
        status: Status | None = None
        for tried in count(1):
            try:
                status = await self.remote.find(batch) if is_unsure else None
                if status is None:
                    batch.state, is_unsure = stored.SENDING, True
                    await self.run.store.do(partial(stored.begin, batch=batch))
                    status = await self.remote.create(batch, lines)
                break
            except CallFailed as failed:
                verdict = failed.verdict
                delay = self.backoff.full_jitter(tried) if verdict.delay is None else verdict.delay
                is_over = self.backoff.is_spent(tried) or self.backoff.is_too_long(delay) or self._is_over()
                if verdict.action != "retry" or is_over:
                    return await self._not_sent(batch, verdict)
                await self.run.rest(delay)
        assert status is not None
        batch.remote, batch.state = status.id, status.state
        await self.run.store.do(partial(stored.note_state, batch=batch))
        self.under_way.append(batch)
        every = f"it is looked at every {self.settings.poll_s:g} s, and cancelled after {self.settings.deadline_h:g} h"
        self._say(batch, f"{len(batch.jobs):,} requests to {batch.model!r} are sent; {every}")

    async def _not_sent(self, batch: Batch, verdict: Verdict) -> None:
        """End the run for a batch that the server did not take; one that it may have taken stays written
        down.
        """
        if verdict.action != "retry":
            await self.run.store.do(partial(stored.give_back, batch=batch))
        what = f"endpoint {self.name!r} ({self.address.url}) took no batch of {batch.n:,} requests: {verdict.detail}"
        hint = f"`endpoints.{self.name}.batch: false` asks online, at the full price"
        self.run.fail(EndpointError(f"{what}; {hint}; {failures.KEPT}"))

    async def _take_over(self, jobs: list[Job]) -> None:
        """Look after batches that have some of the jobs and that nobody looks after; the others wait on, or
        are asked online where this endpoint has no batches any more.
        """
        batches = await self.run.store.do(partial(stored.take_over, jobs=jobs, holder=self.leases.holder))
        in_batches: set[bytes] = set()
        for batch, is_mine in batches:
            in_batches |= batch.jobs.keys()
            for job in batch.jobs.values():
                job.pay(batch.factor)
            if batch.address != batch.present_address:
                self.run.fail(failures.batch_elsewhere(batch.tag, batch.address, len(batch.jobs)))
            elif not is_mine:
                self.waiting += batch.jobs.values()
            elif batch.remote:
                self.under_way.append(batch)
                self._say(batch, f"{len(batch.jobs):,} requests of an earlier run are waited for")
            else:
                await self._submit(batch, self._lines(batch), is_unsure=batch.state == stored.SENDING)
        for job in jobs:
            if job.key not in in_batches:
                self.waiting.append(job) if self.endpoint.batch else self._ask_online(job)

    # ---- looking -------------------------------------------------------------------------------------------
    async def _look(self, batch: Batch) -> None:
        """Look at a batch once: read it if it has ended, cancel it if it is late."""
        assert batch.remote is not None  # it is under way
        sent_to = self.address.url
        try:
            status = await self.remote.look(batch.remote)
            self._failing.pop(batch.id, None)
            if status.state != batch.state:
                batch.state = status.state
                await self.run.store.do(partial(stored.note_state, batch=batch))
            if status.is_ended:
                await self._read(batch, status)
            elif time.time() - batch.at > 3600 * self.settings.deadline_h:
                await self._cancel(batch, status)
        except CallFailed as failed:
            await self._not_seen(batch, failed.verdict, sent_to)

    async def _cancel(self, batch: Batch, status: Status) -> None:
        """Cancel a late batch; give it up if it does not end then."""
        self._looks[batch.id] += 1
        if self._looks[batch.id] == 1:
            self._say(
                batch, f"{batch.state} after {self.settings.deadline_h:g} h (`deadline_h`): it is cancelled"
            )
            await self.remote.cancel(status.id)
        elif self._looks[batch.id] > PATIENCE:
            await self._read(batch, status, is_given_up=True)

    async def _not_seen(self, batch: Batch, verdict: Verdict, sent_to: str) -> None:
        """A look failed: the run ends if that lasts; a batch that is not there any more is given up."""
        since, n = self._failing.get(batch.id, (time.monotonic(), 0))
        self._failing[batch.id] = since, n + 1
        away_s = time.monotonic() - since
        if verdict.action == "retry":
            if verdict.reason in ("unreachable", "connection"):
                is_gone = verdict.reason == "unreachable"
                self.client.move(await self.address.find_again(sent_to, is_gone=is_gone))
            if away_s > self.llm.outage_s:
                self.run.fail(failures.is_away(self.name, self.address.url, verdict, n + 1, away_s))
        elif verdict.action == "fatal" and verdict.reason != "wrong_model":
            job = next(iter(batch.jobs.values()))
            self.run.fail(failures.fatal(job.target, self.endpoint, self.address.url, verdict))
        elif n >= PATIENCE:
            await self._read(batch, Status(batch.remote or "", "gone", is_ended=True), is_given_up=True)

    # ---- reading -------------------------------------------------------------------------------------------
    async def _read(self, batch: Batch, status: Status, *, is_given_up: bool = False) -> None:
        """Settle what a batch answered, and queue again what it left open. Raises CallFailed; what was read
        until then is stored.
        """
        n = len(batch.jobs) + len(batch.answered)
        verdicts, odd = await self._store_replies(batch, status)
        if self.run.over.is_set():
            return
        is_whole = n == batch.n  # else some of its lines are those of another run
        if is_whole and odd["of other requests"] and not odd.pop("of its requests", 0):
            return await self._mistaken(batch)
        if status.error and not (batch.answered or verdicts):
            return await self._refused(batch, status)
        left = [job for key, job in batch.jobs.items() if key not in verdicts]
        settled = []
        for key, verdict in verdicts.items():
            settled.append(await self._settled(batch, key, verdict))
            if verdict.action == "retry":
                left.append(settled[-1].job)
        if is_given_up:  # nobody knows what it will cost
            settled += [Settled(job, charges=[job.lost()]) for job in batch.jobs.values()]
        await self._store(batch, settled)
        await self._close(batch, status, left, is_given_up=is_given_up)
        notes = "".join(f", {number:,} lines {what}" for what, number in odd.items())
        self._say(
            batch,
            f"{status.state}: {n - len(left):,} of {n:,} requests are settled{notes if is_whole else ''}",
        )

    async def _store_replies(self, batch: Batch, status: Status) -> tuple[dict[bytes, Verdict], Counter[str]]:
        """Store the replies of a batch as they are read; the verdicts on other requests that it asked, and the
        numbers of lines that are of no use.
        """
        verdicts: dict[bytes, Verdict] = {}
        odd: Counter[str] = Counter()
        settled: list[Settled] = []
        try:
            async with aclosing(self.remote.results(status)) as lines:
                async for line in lines:
                    key, verdict = self.remote.form.result(line, batch.jobs)
                    if key is None or key not in batch.jobs:
                        odd["twice" if key in batch.answered else "of other requests"] += 1
                        continue
                    odd["of its requests"] += 1
                    if verdict and verdict.action == "keep":
                        settled.append(await self._settled(batch, key, verdict))
                    elif verdict:
                        verdicts[key] = verdict
                    if len(settled) >= CHUNK:
                        settled = await self._store(batch, settled)
                    if self.run.over.is_set():
                        break
        finally:
            await self._store(batch, settled)
        return {key: verdict for key, verdict in verdicts.items() if key in batch.jobs}, odd

    async def _mistaken(self, batch: Batch) -> None:
        """A batch whose results are of other requests alone: not ours where its server keeps no names, so ours
        is looked for again; else the run ends, for nobody knows what was answered.
        """
        self.under_way.remove(batch)
        batch.others.add(batch.remote or "")
        if self.remote.form.spec["list"]["tag"]:
            what = f"endpoint {self.name!r}: batch {batch.tag} ({batch.remote}) has results of other requests alone"
            hint = f"`truerate llm batches --forget {batch.tag}` has its {batch.n:,} requests asked anew"
            self.run.fail(EndpointError(f"{what}; {hint}; {failures.KEPT}"))
        else:
            await self._submit(batch, self._lines(batch), is_unsure=True)

    def _lines(self, batch: Batch) -> list[bytes]:
        """The lines of a batch's requests."""
        line = self.remote.form.line
        return [
            line(key.hex(), job.target.body(job.target.payload(job.request)))
            for key, job in batch.jobs.items()
        ]

    async def _settled(self, batch: Batch, key: bytes, verdict: Verdict) -> Settled:
        """The end of a request by a line of results; neither answer nor dead letter where it is to be asked
        again.
        """
        job = batch.jobs.pop(key)
        batch.answered.add(key)
        job.attempts += 1
        verdict, charges, kept = await self._weigh(job, verdict)
        if kept:
            return kept
        return (
            Settled(job, charges=charges)
            if verdict.action == "retry"
            else self._give_up(job, verdict, charges)
        )

    async def _store(self, batch: Batch, settled: list[Settled]) -> list[Settled]:
        """Commit what is settled and hand it on; an empty list."""
        owner = replace(self.leases.holder, id=batch.id)
        for start in range(0, len(settled), CHUNK):
            some = settled[start : start + CHUNK]
            await self.run.store.do(partial(settle, holder=owner, settled=some))
            self.run.store.note_calls()
            for entry in some:
                if entry.answer:
                    self._hand_on(entry.job, entry.answer, False)
        return []

    async def _close(self, batch: Batch, status: Status, left: list[Job], *, is_given_up: bool) -> None:
        """Free what a batch left open, and ask it again: in another batch, or online if enough were tried."""
        self.under_way.remove(batch)
        batch.state = status.state
        await self.run.store.do(partial(stored.give_back, batch=batch, keys=batch.jobs.keys()))
        is_late = is_given_up or self._looks[batch.id] > 0
        for job in left:
            job.attempts += job.key in batch.jobs  # else the line that it had has counted
            if is_late or job.attempts >= self.settings.rounds or not self.endpoint.batch:
                self._ask_online(job)
            else:
                job.pay(job.target.factor)
                self.waiting.append(job)

    async def _refused(self, batch: Batch, status: Status) -> None:
        """A batch that was not begun: sent again in halves where the server has no room for so many requests
        at once, else the run ends.
        """
        self.under_way.remove(batch)
        await self.run.store.do(partial(stored.give_back, batch=batch, keys=batch.jobs.keys()))
        if not _CROWDED.search(status.error) or (batch.n == 1 and not self.under_way):
            what = f"endpoint {self.name!r} ({self.address.url}) refused a batch of {batch.n:,} requests"
            hint = f"`endpoints.{self.name}.batch: false` asks online, at the full price"
            self.run.fail(EndpointError(f"{what}: {short(status.error)}; {hint}; {failures.KEPT}"))
            return
        if not self.under_way:
            self.most = max(1, batch.n // 2)
        self.is_crowded = True
        self.waiting += batch.jobs.values()
        self._say(batch, f"the server has no room for {batch.n:,} requests at once: {short(status.error)}")

    def _say(self, batch: Batch, what: str) -> None:
        say(f"endpoint {self.name!r}: batch {batch.remote or batch.tag}: {what}")
