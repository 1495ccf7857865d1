"""Where requests are claimed before they are sent and settled after: leases, the ledger and the budget, one
transaction for many workers.

A claim says who pays for a request: the one process that holds its lease. A lease lasts until it is settled,
or until its holder is found dead (its process is gone, or was not heard of for `lease_s`); what a dead holder
had under way is booked as `lost`.
"""

import asyncio
import concurrent.futures
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial

from truerate.llm.keys import Target
from truerate.llm.request import Request
from truerate.llm.store import responses as stored
from truerate.llm.store.budget import Budget, BudgetLimits, Charge, book, bound, contents, price
from truerate.llm.store.lease_holder import LeaseHolder, is_alive
from truerate.llm.store.responses import (
    DeadLetter,
    Store,
    StoredReply,
    marks,
    packed,
    packed_text,
    with_address,
)
from truerate.llm.store.writer import Result
from truerate.llm.transport.prompt_cut import is_cut, n_words
from truerate.llm.transport.verdict import Verdict

LARGEST = 256  # claims per transaction
MORE_IN, MORE_OUT = 2_000_000, 200_000  # tokens that a server may count beyond ten times our bounds
# What a value that no column takes raises: texts that are no Unicode, numbers beyond 64 bits. Faults of the
# file itself are others.
UNWRITABLE = (
    UnicodeError,
    OverflowError,
    TypeError,
    ValueError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    sqlite3.DataError,
)


class Claim(Enum):
    """What becomes of a request that is to be sent, where it is not answered already."""

    MINE = "fits"  # send it
    BUSY = "busy"  # another process sends it
    WAIT = "later"  # what is under way may use up the budget
    STOP = "never"  # it could pass the budget


Outcome = StoredReply | DeadLetter | Claim | None  # of a claim; None where nothing was claimed


@dataclass(slots=True, eq=False)
class Job:
    """One request that is not answered yet, with the upper bounds of its cost."""

    key: bytes
    target: Target
    request: Request
    n_in: int = 0
    n_out: int = 0
    usd: float = 0.0
    attempts: int = 0
    delay: float = 0.0

    def __post_init__(self) -> None:
        self.n_in, self.n_out = bound(self.target, self.request)
        self.usd = price(self.target, self.n_in, self.n_out)

    @property
    def keeps_cut(self) -> bool:
        """Whether a reply that ends at its limit of tokens is kept."""
        return self.target.keeps_cut(self.request)

    def is_settled_by(self, answer: StoredReply | DeadLetter) -> bool:
        """Whether a stored answer stands for this request."""
        texts = contents(self.request)
        return stored.is_final(answer, self.target.address, keeps_cut=self.keeps_cut, contents=texts)

    def read_whole(self, verdict: Verdict) -> Verdict:
        """The verdict on a kept reply; dead if the server counted fewer prompt tokens, cached included, than
        words.
        """
        texts = contents(self.request)
        if verdict.action != "keep" or not is_cut(texts, verdict.n_in):
            return verdict
        n_in = (verdict.n_in or 0) + verdict.n_cached
        if not is_cut(texts, n_in):
            return replace(verdict, n_in=n_in)
        what = (
            f"the server counted {n_in:,} prompt tokens for {n_words(texts):,} words: it read a part of them"
        )
        return replace(verdict, action="dead", reason="prompt_cut", detail=what)

    def counted(self, verdict: Verdict) -> Verdict:
        """A verdict without token counts far beyond our bounds, which would use up a budget."""
        is_in = (verdict.n_in or 0) <= 10 * self.n_in + MORE_IN
        is_out = (verdict.n_out or 0) <= 10 * self.n_out + MORE_OUT
        if is_in and is_out:
            return verdict
        return replace(verdict, n_in=verdict.n_in if is_in else None, n_out=verdict.n_out if is_out else None)

    def charge(self, kind: str, n_in: int | None, n_out: int | None) -> Charge:
        """The charge of one call by the endpoint's own count, or by the bound where it gave none."""
        if n_in is None or n_out is None:
            kind, n_in, n_out = "uncounted" if kind == "reply" else kind, self.n_in, self.n_out
        return Charge(kind, self.target.identity, self.n_in, n_in, n_out, price(self.target, n_in, n_out))

    def lost(self) -> Charge:
        """The charge of a call that was sent and brought no answer."""
        return Charge("lost", self.target.identity, self.n_in, self.n_in, self.n_out, self.usd)


@dataclass(slots=True, eq=False)
class Settled:
    """The end of one claim: a reply, a dead letter, or neither."""

    job: Job
    answer: StoredReply | DeadLetter | None = None
    extra: bytes | None = None
    charges: list[Charge] = field(default_factory=list)


Waiting = tuple[Settled | None, Job | None, asyncio.Future[Outcome]]


class Leases:
    """The claims and settlements of one run, gathered while the transaction before is being written."""

    def __init__(self, store: Store, limits: BudgetLimits, ttl: float):
        self.store, self.limits, self.ttl = store, limits, ttl
        self.holder = LeaseHolder.mine()
        self._waiting: list[Waiting] = []
        self._is_writing = False

    async def open(self) -> None:
        """Register this run and free what dead ones held. Raises TruerateError if another host uses the
        store.
        """
        self.store.hold()
        await self.do(partial(heartbeat, holder=self.holder, ttl=self.ttl))
        await self.do(expire)

    async def heartbeat(self) -> None:
        """Say that this run still lives."""
        self.store.hold()
        await self.do(partial(heartbeat, holder=self.holder, ttl=self.ttl))

    async def close(self) -> None:
        """Write what came and release all claims; those under way are lost."""
        waiting, self._waiting = self._waiting, []
        if settled := [entry for entry, _, _ in waiting if entry]:
            self.store.submit(
                partial(commit, holder=self.holder, settled=settled, jobs=[], limits=self.limits)
            )
        await asyncio.shield(self.do(partial(release, holders=[self.holder.id])))

    async def do(self, operation: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run one operation on the store."""
        with self.store.explained():
            return await asyncio.wrap_future(self.store.submit(operation))

    def claim_next(self, settled: Settled | None, job: Job | None) -> asyncio.Future[Outcome]:
        """Settle one request and claim the next; the future gives the claim's outcome once both are
        committed.
        """
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((settled, job, future))
        if not self._is_writing:
            self._is_writing = True
            asyncio.get_running_loop().call_soon(self._write)
        return future

    def _write(self) -> None:
        batch, self._waiting = self._waiting[:LARGEST], self._waiting[LARGEST:]
        settled = [entry for entry, _, _ in batch if entry]
        jobs = [
            job for _, job, future in batch if job and not future.done()
        ]  # a cancelled worker would never give its claim back
        operation = partial(commit, holder=self.holder, settled=settled, jobs=jobs, limits=self.limits)
        loop = asyncio.get_running_loop()
        future = self.store.submit(operation)
        future.add_done_callback(lambda done: loop.call_soon_threadsafe(self._deliver, batch, done))

    def _deliver(self, batch: list[Waiting], done: concurrent.futures.Future[dict[bytes, Outcome]]) -> None:
        if self._waiting:
            self._write()
        else:
            self._is_writing = False
        outcomes: dict[bytes, Outcome] = {}
        error: Exception | None = None
        try:
            with self.store.explained():
                outcomes = done.result()
                if any(entry.charges for entry, _, _ in batch if entry):
                    self.store.note_calls()
        except Exception as raised:  # whatever it is, each that waits is told
            error = raised
        for _, job, future in batch:
            if future.done():  # its worker was cancelled
                continue
            if error:
                future.set_exception(error)
            else:
                future.set_result(outcomes[job.key] if job else None)


def commit(
    link: sqlite3.Connection,
    *,
    holder: LeaseHolder,
    settled: list[Settled],
    jobs: list[Job],
    limits: BudgetLimits,
) -> dict[bytes, Outcome]:
    """Write what is settled, then decide on each claim: a StoredReply or DeadLetter
    where it is answered by now, else a Claim."""
    if settled:
        settle(link, holder, settled)
    return claim(link, holder, jobs, limits) if jobs else {}


def settle(link: sqlite3.Connection, holder: LeaseHolder, settled: list[Settled]) -> None:
    """Store answers, book charges, free leases; an unwritable one becomes a dead letter alone."""
    link.execute("SAVEPOINT settled")
    try:
        _settle(link, holder, settled)
    except UNWRITABLE as error:
        link.execute("ROLLBACK TO settled")
        if len(settled) == 1:
            (bad,) = settled
            bad.answer, bad.extra, bad.charges = (
                DeadLetter("unstorable", type(error).__name__, bad.job.attempts),
                None,
                [bad.job.lost()],
            )
            _settle(link, holder, settled)
        else:
            for entry in settled:
                settle(link, holder, [entry])
    link.execute("RELEASE settled")


def _settle(link: sqlite3.Connection, holder: LeaseHolder, settled: list[Settled]) -> None:
    now = time.time()
    replies, letters, charges = [], [], []
    for entry in settled:
        charges += entry.charges
        if entry.answer is None:
            continue
        target, key = entry.job.target, entry.job.key
        request = target.payload(entry.job.request)
        if isinstance(entry.answer, StoredReply):
            text, finish, n_in, n_out = entry.answer
            extra = packed(with_address(entry.extra, target.address))
            replies.append(
                (key, packed_text(text), finish, n_in, n_out, target.identity, now, packed(request), extra)
            )
        else:
            reason, detail, attempts, _ = entry.answer
            letters.append(
                (
                    key,
                    reason,
                    detail,
                    attempts,
                    target.identity,
                    now,
                    packed(with_address(request, target.address)),
                )
            )
    link.executemany("INSERT OR IGNORE INTO response VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", replies)
    link.executemany(
        "DELETE FROM dead WHERE key = ?", [(reply[0],) for reply in replies]
    )  # answered in the end
    link.executemany("INSERT OR REPLACE INTO dead VALUES (?, ?, ?, ?, ?, ?, ?)", letters)
    keys = [entry.job.key for entry in settled]
    link.execute(f"DELETE FROM lease WHERE owner = ? AND key IN ({marks(keys)})", [holder.id, *keys])
    book(link, charges, today(now))


def claim(
    link: sqlite3.Connection, holder: LeaseHolder, jobs: list[Job], limits: BudgetLimits
) -> dict[bytes, Outcome]:
    """The outcome of each claim; leases are made for those that are MINE."""
    keys = [job.key for job in jobs]
    by_key = {job.key: job for job in jobs}
    replies = stored.stored_replies(link, keys)
    answers: dict[bytes, StoredReply | DeadLetter] = {**stored.dead_letters(link, keys), **replies}
    outcomes: dict[bytes, Outcome] = {
        key: answer for key, answer in answers.items() if by_key[key].is_settled_by(answer)
    }
    for (key,) in link.execute(f"SELECT key FROM lease WHERE key IN ({marks(keys)})", keys).fetchall():
        outcomes.setdefault(key, Claim.BUSY)
    budget = Budget(link, limits)
    granted = []
    for job in jobs:
        if job.key not in outcomes:
            outcomes[job.key] = Claim(budget.reserve(job.usd, job.n_in + job.n_out))
            if outcomes[job.key] is Claim.MINE:
                granted.append((job.key, holder.id, job.target.identity, job.n_in, job.n_out, job.usd))
    # a stored reply that does not stand gives way to the one that is asked for now
    link.executemany("DELETE FROM response WHERE key = ?", [row[:1] for row in granted if row[0] in replies])
    link.executemany("INSERT INTO lease VALUES (?, ?, ?, ?, ?, ?)", granted)
    if any(outcome in (Claim.BUSY, Claim.WAIT) for outcome in outcomes.values()):
        expire(link)  # what stands in the way may belong to a dead process: the next try finds it gone
    return outcomes


def heartbeat(link: sqlite3.Connection, *, holder: LeaseHolder, ttl: float) -> None:
    """Write that a holder lives now."""
    row = (holder.id, holder.host, holder.pid, holder.started, time.time(), ttl)
    link.execute("INSERT OR REPLACE INTO owner VALUES (?, ?, ?, ?, ?, ?)", row)


def expire(link: sqlite3.Connection) -> int:
    """Break the leases of dead holders; their number. A heartbeat in the future (a clock set back) counts as
    now.
    """
    now = time.time()
    link.execute("UPDATE owner SET beat = ?1 WHERE beat > ?1", [now])
    rows = link.execute("SELECT id, host, pid, started, beat, ttl FROM owner").fetchall()
    gone = [
        row[0] for row in rows if not is_alive(LeaseHolder(*row[:4]), heartbeat=row[4], ttl=row[5], now=now)
    ]
    gone += [
        id
        for (id,) in link.execute(
            "SELECT DISTINCT owner FROM lease WHERE owner NOT IN (SELECT id FROM owner)"
        )
    ]
    release(link, holders=gone)
    return len(gone)


def release(link: sqlite3.Connection, *, holders: list[int]) -> None:
    """Book what holders had under way as lost, and forget them."""
    if not holders:
        return
    rows = link.execute(
        f"SELECT identity, n_in, n_out, usd FROM lease WHERE owner IN ({marks(holders)})", holders
    ).fetchall()
    book(
        link,
        [Charge("lost", identity, n_in, n_in, n_out, usd) for identity, n_in, n_out, usd in rows],
        today(time.time()),
    )
    link.execute(f"DELETE FROM lease WHERE owner IN ({marks(holders)})", holders)
    link.execute(f"DELETE FROM owner WHERE id IN ({marks(holders)})", holders)


def today(now: float) -> str:
    """The ledger's day, UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime(now))
