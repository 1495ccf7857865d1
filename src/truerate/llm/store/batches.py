"""Batches that are under way, each the owner of the leases of its requests.

A batch stands here before it is sent, under a number of its own that the server is told where its protocol
has a place for it. So whoever dies, the next run finds the batch, at the server too, reads its replies and
pays for none of them again. Its leases end one by one as its requests are settled, or are given back where
they were not asked.
"""

import secrets
import sqlite3
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from truerate.llm.store.budget import BudgetLimits
from truerate.llm.store.jobs import Claim, Job, Outcome
from truerate.llm.store.leases import Holder, claim, expire, release
from truerate.llm.store.responses import Store, chunks, marks

NEW, SENDING = (
    "new",
    "sending",
)  # not sent; perhaps sent: the server knows. Any other state is the server's word
COLUMNS = "id, endpoint, address, model, remote, state, n, at, factor"


@dataclass(slots=True)
class Batch:
    """A file of requests to one model. `remote`: its name at the server, None until that has answered; `at`:
    when it was made, epoch seconds; `factor`: of the price; `jobs`: those of this run that have no answer yet; `answered`: the keys of
    those that had one in this run; `others`: batches at the server that are known to be others.
    """

    id: int
    endpoint: str
    address: str
    model: str
    remote: str | None = None
    state: str = NEW
    n: int = 0
    at: float = 0.0
    factor: float = 1.0
    jobs: dict[bytes, Job] = field(default_factory=dict)
    answered: set[bytes] = field(default_factory=set)
    others: set[str] = field(default_factory=set)

    @classmethod
    def new(cls, job: Job) -> "Batch":
        """An empty batch for requests like this one."""
        target = job.target
        at, factor = time.time(), target.factor
        return cls(secrets.randbits(62), target.endpoint, target.address, target.model, at=at, factor=factor)

    @property
    def present_address(self) -> str:
        """Where its jobs are asked now, which may not be where it was sent."""
        return next(iter(self.jobs.values())).target.address

    @property
    def tag(self) -> str:
        """What it is called where a server takes a name."""
        return f"truerate-{self.id:016x}"


def open_batch(
    link: sqlite3.Connection, *, batch: Batch, holder: Holder, jobs: Sequence[Job], limits: BudgetLimits
) -> dict[bytes, Outcome]:
    """The outcome of the claim of each job; those that are MINE are leased to the batch, which is made if
    there is one.
    """
    owner = replace(holder, id=batch.id)
    outcomes: dict[bytes, Outcome] = {}
    link.execute(
        f"INSERT INTO batch ({COLUMNS}, holder) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            batch.id,
            batch.endpoint,
            batch.address,
            batch.model,
            None,
            NEW,
            0,
            batch.at,
            batch.factor,
            holder.id,
        ],
    )
    for some in chunks(jobs):
        outcomes |= claim(link, owner, some, limits, n_free=len(some))
    batch.jobs = {job.key: job for job in jobs if outcomes[job.key] is Claim.MINE}
    batch.n = len(batch.jobs)
    if batch.jobs:
        link.execute("UPDATE batch SET n = ? WHERE id = ?", [batch.n, batch.id])
    else:
        link.execute("DELETE FROM batch WHERE id = ?", [batch.id])
    return outcomes


def note_state(link: sqlite3.Connection, *, batch: Batch) -> None:
    """Write the state and the server's name of a batch."""
    link.execute("UPDATE batch SET remote = ?, state = ? WHERE id = ?", [batch.remote, batch.state, batch.id])


def take_over(link: sqlite3.Connection, *, jobs: Sequence[Job], holder: Holder) -> list[tuple[Batch, bool]]:
    """The batches that have some of the jobs, with these, and whether they are this run's to look after now:
    those that nobody who lives looks after.
    """
    expire(link, holder.folder)
    batches: dict[int, Batch] = {}
    for some in chunks(jobs):
        by_key = {job.key: job for job in some}
        for key, *row in link.execute(
            f"SELECT key, {COLUMNS} FROM lease JOIN batch ON id = owner WHERE key IN ({marks(some)})",
            [*by_key],
        ):
            batches.setdefault(row[0], Batch(*row)).jobs[key] = by_key[key]
    return [(batch, _is_taken(link, batch, holder)) for batch in batches.values()]


def _is_taken(link: sqlite3.Connection, batch: Batch, holder: Holder) -> bool:
    free = "holder IS NULL OR holder = ?1 OR holder NOT IN (SELECT id FROM holder)"
    sql = f"UPDATE batch SET holder = ?1, at = MIN(at, ?2) WHERE id = ?3 AND address = ?4 AND ({free})"
    return link.execute(sql, [holder.id, time.time(), batch.id, batch.present_address]).rowcount > 0


def begin(link: sqlite3.Connection, *, batch: Batch) -> None:
    """Note that a batch is being sent with the jobs that it has now; what else it was to hold is freed."""
    keys = {key for (key,) in link.execute("SELECT key FROM lease WHERE owner = ?", [batch.id])}
    for some in chunks([*(keys - batch.jobs.keys())]):
        link.execute(f"DELETE FROM lease WHERE key IN ({marks(some)})", some)
    batch.n = len(batch.jobs)
    link.execute("UPDATE batch SET n = ? WHERE id = ?", [batch.n, batch.id])
    note_state(link, batch=batch)


def give_back(link: sqlite3.Connection, *, batch: Batch, keys: Collection[bytes] | None = None) -> None:
    """Free requests that a batch left open, None: all; it is forgotten once it has none."""
    if keys is None:
        link.execute("DELETE FROM lease WHERE owner = ?", [batch.id])
    for some in chunks([*(keys or ())]):
        link.execute(f"DELETE FROM lease WHERE owner = ? AND key IN ({marks(some)})", [batch.id, *some])
    left = "id NOT IN (SELECT owner FROM lease)"
    link.execute(f"DELETE FROM batch WHERE id = ? AND {left}", [batch.id])
    link.execute("UPDATE batch SET holder = NULL, state = ? WHERE id = ?", [batch.state, batch.id])


def lose(link: sqlite3.Connection, *, id: int) -> None:
    """Forget a batch; what it left open is booked as lost."""
    release(link, ids=[id])
    link.execute("DELETE FROM batch WHERE id = ?", [id])


def are_open(store: Store, jobs: Sequence[Job]) -> bool:
    """Return whether a batch has some of the jobs."""
    if not store.query("SELECT 1 FROM batch LIMIT 1"):
        return False
    sql = "SELECT 1 FROM lease JOIN batch ON id = owner WHERE key IN ({}) LIMIT 1"
    return any(store.query(sql.format(marks(some)), some) for some in chunks([job.key for job in jobs]))


def listed(store: Store) -> list[tuple[Any, ...]]:
    """Every batch that is under way, the oldest first: its columns, how many of its requests are open, and their bound of USD."""
    if not store.query("SELECT 1 FROM sqlite_master WHERE name = 'batch'"):  # of an earlier release
        return []
    open_ones = (
        "(SELECT COUNT(*) FROM lease WHERE owner = id), (SELECT TOTAL(usd) FROM lease WHERE owner = id)"
    )
    return store.query(f"SELECT {COLUMNS}, {open_ones} FROM batch ORDER BY at, id")
