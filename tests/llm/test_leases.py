"""Claims and settlements, as single transactions: paid once, never more than the limit at once, fairly shared,
and freed by death.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from llm.asked import TARGET, asking
from llm.forked import Forked
from truerate.llm.store.budget import BudgetLimits, Charge
from truerate.llm.store.jobs import Claim, Job, Settled
from truerate.llm.store.leases import (
    Holder,
    Leases,
    claim,
    commit,
    expire,
    fair_share,
    register,
    room,
    settle,
)
from truerate.llm.store.responses import DeadLetter, Store, StoredReply

FREE = BudgetLimits(None, None)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        yield store


def job(text: str = "x") -> Job:
    return Job(TARGET.key(asking(text)), TARGET, asking(text))


@contextmanager
def living(store: Store, *, limit: int = 8, ttl: float = 30.0) -> Iterator[Holder]:
    """A holder whose process, this one, runs."""
    holder = Holder.new(store, "e", limit)
    lock = holder.lock()
    store.write(partial(register, holder=holder, ttl=ttl))
    yield holder
    holder.unlock(lock)


@pytest.fixture
def one(store) -> Iterator[Holder]:
    with living(store) as holder:
        yield holder


@pytest.fixture
def two(store) -> Iterator[Holder]:
    with living(store) as holder:
        yield holder


def outcome(store: Store, holder: Holder, job: Job, limits: BudgetLimits = FREE) -> object:
    return store.write(partial(claim, holder=holder, jobs=[job], limits=limits))[job.key]


def test_a_claim_is_one_owners_until_it_is_settled(store, one, two):
    assert outcome(store, one, job()) is Claim.MINE
    assert outcome(store, two, job()) is Claim.BUSY
    assert outcome(store, one, job()) is Claim.BUSY
    kept = StoredReply("text", "stop", 1, 2)
    store.write(
        partial(settle, holder=one, settled=[Settled(job(), kept, charges=[job().charge("reply", 1, 2)])])
    )
    assert outcome(store, two, job()) == kept
    assert store.find([job().key]) == {job().key: kept}


def test_settling_and_claiming_again_in_one_transaction(store, one):
    outcome(store, one, job())
    again = partial(
        commit, holder=one, settled=[Settled(job(), charges=[job().lost()])], jobs=[job()], limits=FREE
    )
    assert store.write(again) == {job().key: Claim.MINE}
    assert store.query("SELECT kind, calls FROM ledger") == [("lost", 1)]


def test_dead_letters_answer_claims(store, one):
    outcome(store, one, job())
    store.write(partial(settle, holder=one, settled=[Settled(job(), DeadLetter("refusal", "no", 1))]))
    assert outcome(store, one, job()) == DeadLetter("refusal", "no", 1, job().target.address)


def test_a_desk_that_closes_claims_nothing_more_and_writes_what_came(store):
    kept = StoredReply("text", "stop", 1, 2)

    async def leave() -> None:
        async with Leases(store, "e", 8, limits=FREE, ttl=30.0) as leases:
            assert await leases.claim_next(None, job("one")) is Claim.MINE
            leases.claim_next(
                Settled(job("one"), kept, charges=[job("one").charge("reply", 1, 2)]), job("two")
            )  # its worker is cancelled here
        await store.do(lambda link: None)

    asyncio.run(leave())
    assert store.query("SELECT COUNT(*) FROM lease") == store.query("SELECT COUNT(*) FROM holder") == [(0,)]
    assert store.find([job("one").key, job("two").key]) == {job("one").key: kept}
    assert store.query("SELECT kind, calls FROM ledger") == [("reply", 1)]


def hold(send: Callable, path: Path) -> None:
    """Hold four leases of a store until killed."""
    with Store(path) as store, living(store, limit=4) as holder:
        for n in range(4):
            outcome(store, holder, job(f"held {n}"))
        send("held")
        time.sleep(60)


@pytest.fixture
def other(tmp_path) -> Iterator[Forked]:
    """Another process that holds four leases of the store."""
    process = Forked(hold, tmp_path / "r.sqlite")
    assert process.receive() == "held"
    yield process
    process.kill()


def test_leases_of_a_dead_process_are_broken_at_once_and_its_part_of_the_limit_is_free(other, store):
    with living(store, limit=4) as mine:
        assert outcome(store, mine, job("held 0")) is Claim.BUSY
        assert outcome(store, mine, job("new")) is Claim.FULL
        other.kill()
        assert outcome(store, mine, job("held 0")) is Claim.BUSY  # finds it dead …
        assert outcome(store, mine, job("held 0")) is Claim.MINE  # … and takes over
        assert outcome(store, mine, job("new")) is Claim.MINE
    assert store.query("SELECT kind, calls, n_in, n_out FROM ledger") == [("lost", 4, 4 * (6 + 32), 4 * 50)]
    assert len(list(store.folder.glob("run-*"))) == 0


def test_leases_of_a_holder_that_runs_and_says_nothing_are_broken_after_their_time(store, one):
    with living(store, ttl=0.05) as silent:
        outcome(store, silent, job())
        deadline = time.monotonic() + 5
        while outcome(store, one, job()) is not Claim.MINE:
            assert time.monotonic() < deadline


def test_leases_without_a_holder_are_broken(store, one):
    outcome(store, Holder.new(store, "e", 8), job())
    assert outcome(store, one, job()) is Claim.BUSY
    assert outcome(store, one, job()) is Claim.MINE


@pytest.mark.parametrize(
    ("limit", "others", "share"),
    [
        (8, [], 8),
        (8, [8], 4),
        (8, [2], 6),
        (8, [8, 8], 2),
        (8, [1, 8], 3),
        (1, [5, 5], 1),
        (4, [0, 0], 4),
        (9, [3, 9], 3),
    ],
)
def test_fair_share(limit, others, share):
    assert fair_share(limit, others) == share


def free(store: Store, holder: Holder, want: int) -> int:
    return store.write(partial(room, holder=holder, want=want))


def test_two_users_share(store):
    with living(store, limit=4) as one:
        assert free(store, one, 4) == 4
        assert {outcome(store, one, job(f"{n}")) for n in range(4)} == {Claim.MINE}
        with living(store, limit=4) as two:
            assert free(store, two, 4) == 0  # all are taken, but the first now gets no more
            assert outcome(store, two, job("a")) is Claim.FULL
            for n in range(2):
                again = partial(
                    commit, holder=one, settled=[Settled(job(f"{n}"))], jobs=[job(f"{n + 4}")], limits=FREE
                )
                assert store.write(again) == {job(f"{n + 4}").key: Claim.FULL}
            assert (free(store, one, 4), free(store, two, 4)) == (0, 2)
            assert {outcome(store, two, job(f"two {n}")) for n in range(2)} == {Claim.MINE}
            assert outcome(store, two, job("two 3")) is Claim.FULL
        store.write(partial(expire, folder=store.folder))
        assert free(store, one, 4) == 4


def test_runs_at_other_endpoints_share_nothing(store, one):
    other = Holder(7, "another", 1, store.folder)
    store.write(partial(register, holder=other, ttl=30.0))
    assert {outcome(store, one, job(f"{n}")) for n in range(8)} == {Claim.MINE}
    assert outcome(store, other, job("x")) is Claim.MINE


def test_the_budget_decides_claims(store, one):
    # bound of a call: (1 + 32) * 1 + 50 * 2 = 133 millionths of a dollar, 83 tokens
    limits = BudgetLimits(0.000300, None)
    assert outcome(store, one, job("a"), limits) is Claim.MINE
    assert outcome(store, one, job("b"), limits) is Claim.MINE  # 266 held
    assert outcome(store, one, job("c"), limits) is Claim.WAIT  # 399 if both cost their bound
    store.write(
        partial(
            settle,
            holder=one,
            settled=[
                Settled(job("a"), StoredReply("t", None, 1, 1), charges=[job("a").charge("reply", 1, 1)])
            ],
        )
    )
    assert outcome(store, one, job("c"), limits) is Claim.MINE  # 3 spent, 266 held
    dear = Settled(job("b"), StoredReply("t", None, 1, 1), charges=[Charge("reply", "m", 1, 1, 1, 0.000200)])
    store.write(partial(settle, holder=one, settled=[dear]))
    assert outcome(store, one, job("d"), limits) is Claim.STOP  # 203 spent, 133 needed


def test_the_budget_in_tokens(store, one):
    assert outcome(store, one, job("a"), BudgetLimits(None, 82)) is Claim.STOP
    assert outcome(store, one, job("a"), BudgetLimits(None, 83)) is Claim.MINE
    assert outcome(store, one, job("b"), BudgetLimits(None, 83)) is Claim.WAIT


def test_a_clock_set_back_keeps_nobody_waiting(store, one):
    """The heartbeat of a holder that hangs, written a day ahead: it counts from now on, so that its leases end
    after its time, and those of one that lives do not.
    """
    with living(store, ttl=0.0) as ahead:
        assert outcome(store, ahead, job()) is Claim.MINE
        store.write(lambda link: link.execute("UPDATE holder SET beat = beat + 86400 WHERE ttl = 0"))
        outcome(store, one, job())  # busy, and the heartbeat is taken for one of now
        assert outcome(store, one, job()) is Claim.MINE
