"""Where requests are claimed before they are sent and settled after: leases, the ledger and the budget, one
transaction for many workers.

A claim says who pays for a request: the one process that holds its lease. The leases of an endpoint are what
is under way at it, over all processes: never more than its concurrency, of which each process gets its fair
part. A lease lasts until it is settled, or until its holder is found dead: the lock on its file is free, or
it was not heard of for `lease_s`. What a dead holder had under way is booked as `lost`.
"""

import asyncio
import fcntl
import os
import secrets
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from truerate.llm.store import responses as stored
from truerate.llm.store.budget import Budget, BudgetLimits, Charge, book
from truerate.llm.store.jobs import Claim, Job, Outcome, Settled
from truerate.llm.store.responses import (
    DeadLetter,
    Store,
    StoredReply,
    marks,
    packed,
    packed_text,
    with_address,
)

LARGEST = 256  # claims per transaction
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


Waiting = tuple[Settled | None, Job | None, asyncio.Future[Outcome]]


@dataclass(frozen=True, slots=True)
class Holder:
    """One run at one endpoint, which takes `limit` requests at once from all runs together. Its process locks
    a file in `folder`; the kernel frees the lock when the process dies.
    """

    id: int
    endpoint: str
    limit: int
    folder: Path

    @classmethod
    def new(cls, store: Store, endpoint: str, limit: int) -> "Holder":
        """A holder with a number of its own."""
        return cls(secrets.randbits(62), endpoint, limit, store.folder)

    def lock(self) -> int:
        """The open and locked file."""
        file = os.open(lock_path(self.folder, self.id), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        return file

    def unlock(self, file: int) -> None:
        """Remove and close the locked file."""
        lock_path(self.folder, self.id).unlink(missing_ok=True)
        os.close(file)


class Leases:
    """The claims and settlements of one run at one endpoint, as an asynchronous context; they are gathered
    while the transaction before is being written.
    """

    def __init__(self, store: Store, endpoint: str, limit: int, *, limits: BudgetLimits, ttl: float):
        self.store, self.limits, self.ttl = store, limits, ttl
        self.holder = Holder.new(store, endpoint, limit)
        self._waiting: list[Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Leases":
        """Register this run and free what dead ones held. Raises TruerateError if another host uses the
        store.
        """
        self._lock = self.holder.lock()
        try:
            await self._beat()
            await self.store.do(partial(clear, folder=self.store.folder))
        except BaseException:  # raised again: nobody has this holder's file then
            self.holder.unlock(self._lock)
            raise
        self._beating = asyncio.create_task(self._keep_beating())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Write what came and release all claims; those under way are lost."""
        self._beating.cancel()
        waiting, self._waiting = self._waiting, []
        if settled := [entry for entry, _, _ in waiting if entry]:
            self.store.submit(partial(settle, holder=self.holder, settled=settled))
        try:
            await self.store.do(partial(release, ids=[self.holder.id]))
        finally:
            self.holder.unlock(self._lock)

    async def _beat(self) -> None:
        """Say that this run lives."""
        self.store.hold()
        await self.store.do(partial(register, holder=self.holder, ttl=self.ttl))

    async def _keep_beating(self) -> None:
        while True:
            await asyncio.sleep(self.ttl / 3)
            await self._beat()

    async def room(self, want: int) -> int:
        """Publish how many requests this run could have under way; how many more it may claim now."""
        return await self.store.do(partial(room, holder=self.holder, want=want))

    def claim_next(self, settled: Settled | None, job: Job | None) -> asyncio.Future[Outcome]:
        """Settle one request and claim the next; the future gives the claim's outcome once both are
        committed.
        """
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((settled, job, future))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return future

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:LARGEST], self._waiting[LARGEST:]
            settled = [entry for entry, _, _ in batch if entry]
            # a cancelled worker would never give its claim back
            jobs = [job for _, job, future in batch if job and not future.done()]
            outcomes: dict[bytes, Outcome] = {}
            error = None
            try:
                outcomes = await self.store.do(
                    partial(commit, holder=self.holder, settled=settled, jobs=jobs, limits=self.limits)
                )
                if any(entry.charges for entry in settled):
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
        self._writing = None


def commit(
    link: sqlite3.Connection, *, holder: Holder, settled: list[Settled], jobs: list[Job], limits: BudgetLimits
) -> dict[bytes, Outcome]:
    """Write what is settled, then decide on each claim: a StoredReply or DeadLetter
    where it is answered by now, else a Claim."""
    if settled:
        settle(link, holder, settled)
    return claim(link, holder, jobs, limits) if jobs else {}


def settle(link: sqlite3.Connection, holder: Holder, settled: list[Settled]) -> None:
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


def _settle(link: sqlite3.Connection, holder: Holder, settled: list[Settled]) -> None:
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
    link: sqlite3.Connection,
    holder: Holder,
    jobs: Sequence[Job],
    limits: BudgetLimits,
    *,
    n_free: int | None = None,
) -> dict[bytes, Outcome]:
    """The outcome of each claim; leases are made for those that are MINE, at most `n_free`; None: as many as
    there is room for.
    """
    keys = [job.key for job in jobs]
    by_key = {job.key: job for job in jobs}
    replies = stored.stored_replies(link, keys)
    answers: dict[bytes, StoredReply | DeadLetter] = {**stored.dead_letters(link, keys), **replies}
    outcomes: dict[bytes, Outcome] = {
        key: answer for key, answer in answers.items() if by_key[key].is_settled_by(answer)
    }
    for (key,) in link.execute(f"SELECT key FROM lease WHERE key IN ({marks(keys)})", keys).fetchall():
        outcomes.setdefault(key, Claim.BUSY)
    budget, n_free = Budget(link, limits), room(link, holder=holder) if n_free is None else n_free
    granted: list[tuple[bytes, int, str, int, int, float]] = []
    for job in jobs:
        if job.key in outcomes:
            continue
        is_full = len(granted) >= n_free
        outcomes[job.key] = Claim.FULL if is_full else Claim(budget.reserve(job.usd, job.n_in + job.n_out))
        if outcomes[job.key] is Claim.MINE:
            granted.append((job.key, holder.id, job.target.identity, job.n_in, job.n_out, job.usd))
    # a stored reply that does not stand gives way to the one that is asked for now
    link.executemany("DELETE FROM response WHERE key = ?", [row[:1] for row in granted if row[0] in replies])
    link.executemany("INSERT INTO lease VALUES (?, ?, ?, ?, ?, ?)", granted)
    if any(outcome in (Claim.BUSY, Claim.FULL, Claim.WAIT) for outcome in outcomes.values()):
        expire(link, holder.folder)  # what is in the way may be a dead process's: gone at the next try
    return outcomes


def room(link: sqlite3.Connection, *, holder: Holder, want: int | None = None) -> int:
    """Return how many more requests a run may have under way at its endpoint, beside what the other runs have
    and could use; `want` is what it could use itself.
    """
    if want is not None:
        link.execute("UPDATE holder SET want = ? WHERE id = ?", [want, holder.id])
    others = link.execute(
        "SELECT id, want FROM holder WHERE endpoint = ? AND id != ?", [holder.endpoint, holder.id]
    ).fetchall()
    if not others:
        return holder.limit
    n_leases = dict(link.execute("SELECT owner, COUNT(*) FROM lease GROUP BY owner"))
    n_mine: int = n_leases.get(holder.id, 0)
    n_free: int = holder.limit - n_mine - sum(n_leases.get(other, 0) for other, _ in others)
    return min(n_free, fair_share(holder.limit, [n for _, n in others]) - n_mine)


def fair_share(limit: int, others: list[int]) -> int:
    """The max-min fair part of `limit` for one user beside others who could use so many each; at least 1.

    Nobody gets less than an equal part, unless he could not use it: then the rest is shared by those who can.
    """
    left = limit
    for n_served, other in enumerate(sorted(others)):
        part = left / (len(others) + 1 - n_served)
        if other >= part:
            return max(1, int(part))
        left -= other
    return max(1, left)


def register(link: sqlite3.Connection, *, holder: Holder, ttl: float) -> None:
    """Write that a run lives now."""
    link.execute(
        "INSERT INTO holder VALUES (?1, ?2, 0, ?3, ?4) ON CONFLICT DO UPDATE SET beat = ?3",
        [holder.id, holder.endpoint, time.time(), ttl],
    )


def expire(link: sqlite3.Connection, folder: Path) -> int:
    """Break the leases of dead holders, and of no batch, which outlives who sent it; their number. A
    heartbeat in the future (a clock set back) counts as now.
    """
    now = time.time()
    link.execute("UPDATE holder SET beat = ?1 WHERE beat > ?1", [now])
    holders = link.execute(
        "SELECT id, beat + ttl FROM holder UNION ALL"
        " SELECT DISTINCT owner, 0 FROM lease WHERE owner NOT IN (SELECT id FROM holder UNION SELECT id FROM batch)"
    ).fetchall()
    dead = [id for id, until in holders if until <= now or not _is_locked(folder, id)]
    release(link, ids=dead)
    return len(dead)


def clear(link: sqlite3.Connection, *, folder: Path) -> None:
    """Break the leases of dead holders, and forget batches that these had read to their end."""
    expire(link, folder)
    link.execute(
        "DELETE FROM batch WHERE id NOT IN (SELECT owner FROM lease)"
        " AND (holder IS NULL OR holder NOT IN (SELECT id FROM holder))"
    )


def release(link: sqlite3.Connection, *, ids: list[int]) -> None:
    """Book what holders had under way as lost, and forget them."""
    if not ids:
        return
    rows = link.execute(
        f"SELECT identity, n_in, n_out, usd FROM lease WHERE owner IN ({marks(ids)})", ids
    ).fetchall()
    lost = [Charge("lost", identity, n_in, n_in, n_out, usd) for identity, n_in, n_out, usd in rows]
    book(link, lost, today(time.time()))
    link.execute(f"DELETE FROM lease WHERE owner IN ({marks(ids)})", ids)
    link.execute(f"DELETE FROM holder WHERE id IN ({marks(ids)})", ids)


def lock_path(folder: Path, id: int) -> Path:
    """The file that a holder's process locks."""
    return folder / f"run-{id:016x}"


def _is_locked(folder: Path, id: int) -> bool:
    """Return whether the process of a holder runs; the file of a dead one is removed."""
    path = lock_path(folder, id)
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    path.unlink(missing_ok=True)
    return False


def today(now: float) -> str:
    """The ledger's day, UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime(now))
