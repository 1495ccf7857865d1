"""Claims and settlements, as single transactions."""

import asyncio
import os
import subprocess
import sys
import time
from functools import partial

import pytest

from llm.asked import TARGET, asking
from truerate.llm.store.budget import BudgetLimits, Charge
from truerate.llm.store.lease_holder import LeaseHolder, host, is_alive, started
from truerate.llm.store.leases import Claim, Job, Leases, Settled, claim, commit, heartbeat, settle
from truerate.llm.store.responses import DeadLetter, Store, StoredReply

FREE = BudgetLimits(None, None)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        yield store


def job(text: str = "x") -> Job:
    return Job(TARGET.key(asking(text)), TARGET, asking(text))


def lives(store: Store, holder: LeaseHolder, ttl: float = 30.0) -> LeaseHolder:
    store.write(partial(heartbeat, holder=holder, ttl=ttl))
    return holder


def outcome(store: Store, holder: LeaseHolder, one: Job, limits: BudgetLimits = FREE) -> object:
    return store.write(partial(claim, holder=holder, jobs=[one], limits=limits))[one.key]


def test_a_claim_is_one_owners_until_it_is_settled(store):
    one, two = lives(store, LeaseHolder.mine()), lives(store, LeaseHolder.mine())
    assert outcome(store, one, job()) is Claim.MINE
    assert outcome(store, two, job()) is Claim.BUSY
    assert outcome(store, one, job()) is Claim.BUSY
    kept = StoredReply("text", "stop", 1, 2)
    store.write(
        partial(settle, holder=one, settled=[Settled(job(), kept, charges=[job().charge("reply", 1, 2)])])
    )
    assert outcome(store, two, job()) == kept
    assert store.find([job().key]) == {job().key: kept}


def test_settling_and_claiming_again_in_one_transaction(store):
    one = lives(store, LeaseHolder.mine())
    outcome(store, one, job())
    again = partial(
        commit, holder=one, settled=[Settled(job(), charges=[job().lost()])], jobs=[job()], limits=FREE
    )
    assert store.write(again) == {job().key: Claim.MINE}
    assert store.query("SELECT kind, calls FROM ledger") == [("lost", 1)]


def test_dead_letters_answer_claims(store):
    one = lives(store, LeaseHolder.mine())
    outcome(store, one, job())
    store.write(partial(settle, holder=one, settled=[Settled(job(), DeadLetter("refusal", "no", 1))]))
    assert outcome(store, one, job()) == DeadLetter("refusal", "no", 1, job().target.address)


def test_a_desk_that_closes_claims_nothing_more_and_writes_what_came(store):
    kept = StoredReply("text", "stop", 1, 2)

    async def leave() -> None:
        leases = Leases(store, FREE, ttl=30.0)
        await leases.open()
        assert await leases.claim_next(None, job("one")) is Claim.MINE
        leases.claim_next(
            Settled(job("one"), kept, charges=[job("one").charge("reply", 1, 2)]), job("two")
        )  # its worker is cancelled here
        await leases.close()
        await leases.do(lambda link: None)

    asyncio.run(leave())
    assert store.query("SELECT COUNT(*) FROM lease") == store.query("SELECT COUNT(*) FROM owner") == [(0,)]
    assert store.find([job("one").key, job("two").key]) == {job("one").key: kept}
    assert store.query("SELECT kind, calls FROM ledger") == [("reply", 1)]


def test_leases_of_a_dead_process_are_broken_at_once(store):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    gone = lives(store, LeaseHolder(7, host(), child.pid, started(child.pid)))
    assert outcome(store, gone, job()) is Claim.MINE
    mine = lives(store, LeaseHolder.mine())
    assert outcome(store, mine, job()) is Claim.BUSY
    child.kill()
    while started(child.pid) is not None:  # a zombie counts as dead before it is buried
        time.sleep(0.005)
    assert outcome(store, mine, job()) is Claim.BUSY  # finds it dead …
    assert outcome(store, mine, job()) is Claim.MINE  # … and takes over
    child.communicate()
    assert store.query("SELECT kind, calls, n_in, n_out FROM ledger") == [("lost", 1, 1 + 32, 50)]


def test_a_later_process_of_the_same_number_is_another():
    me = LeaseHolder.mine()
    assert is_alive(me, heartbeat=100.0, ttl=5.0, now=104.0)
    assert not is_alive(me, heartbeat=100.0, ttl=5.0, now=106.0)
    assert not is_alive(LeaseHolder(1, me.host, me.pid, me.started - 1), heartbeat=100.0, ttl=5.0, now=101.0)
    assert not is_alive(LeaseHolder(1, me.host, 2**22 + 5, 1), heartbeat=100.0, ttl=5.0, now=101.0)
    assert is_alive(LeaseHolder(1, "elsewhere", 2**22 + 5, 1), heartbeat=100.0, ttl=5.0, now=101.0)


def test_leases_of_a_silent_owner_are_broken_after_their_time(store):
    other = lives(store, LeaseHolder(9, "elsewhere", os.getpid(), 1), ttl=0.05)
    outcome(store, other, job())
    mine = lives(store, LeaseHolder.mine())
    deadline = time.monotonic() + 5
    while outcome(store, mine, job()) is not Claim.MINE:
        assert time.monotonic() < deadline


def test_leases_without_an_owner_are_broken(store):
    outcome(store, LeaseHolder.mine(), job())
    mine = lives(store, LeaseHolder.mine())
    assert outcome(store, mine, job()) is Claim.BUSY
    assert outcome(store, mine, job()) is Claim.MINE


def test_the_budget_decides_claims(store):
    # bound of a call: (1 + 32) * 1 + 50 * 2 = 133 millionths of a dollar, 83 tokens
    one = lives(store, LeaseHolder.mine())
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


def test_the_budget_in_tokens(store):
    one = lives(store, LeaseHolder.mine())
    assert outcome(store, one, job("a"), BudgetLimits(None, 82)) is Claim.STOP
    assert outcome(store, one, job("a"), BudgetLimits(None, 83)) is Claim.MINE
    assert outcome(store, one, job("b"), BudgetLimits(None, 83)) is Claim.WAIT


def test_a_clock_set_back_keeps_nobody_waiting(store):
    """The heartbeat of a holder in another container, written a day ahead: it counts from now on, so that its
    leases end after its time, and those of one that lives do not.
    """
    ahead = LeaseHolder(7, "another container", 1, 1)
    lives(store, ahead, ttl=0.0)
    assert outcome(store, ahead, job()) is Claim.MINE
    store.write(lambda link: link.execute("UPDATE owner SET beat = beat + 86400"))
    mine = lives(store, LeaseHolder.mine())
    outcome(store, mine, job())  # busy, and the heartbeat is taken for one of now
    assert outcome(store, mine, job()) is Claim.MINE
