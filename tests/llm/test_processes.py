"""Several processes on one store: paid once, never too many at once, nothing lost by a kill."""

import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from llm.asked import asking
from llm.forked import Forked
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.llm.ask import ask
from truerate.llm.store.responses import Store

N = 300


def asks(send: Callable, params: Path, n: int) -> None:
    """Send the number of replies, or the error."""
    try:
        send(len(ask([asking(f"n {n:04}") for n in range(n)], Layout.load(params), label="x")))
    except TruerateError as error:
        send(str(error))


@pytest.fixture
def asker(tmp_path):
    """Starts processes that ask the first n of the same prompts."""
    running = []

    def start(n: int = N) -> Forked:
        running.append(Forked(asks, tmp_path / "params.yaml", n))
        return running[-1]

    yield start
    for process in running:
        process.kill()


def test_two_processes_pay_once_and_keep_the_limit(at, stub, asker):
    stub.stub.latency = 0.01
    layout = at(endpoint={"concurrency": 5})
    one, two = asker(), asker()
    assert one.rest() == two.rest() == [N]
    assert max(stub.stub.calls.values()) == 1
    assert stub.n_calls == N
    assert stub.stub.most_under_way <= 5
    with Store(layout.store) as store:
        assert (
            store.query("SELECT COUNT(*) FROM lease") == store.query("SELECT COUNT(*) FROM holder") == [(0,)]
        )


def test_two_processes_share_a_budget(at, stub, asker):
    # a call is bound by (6 + 32) * 1 + 50 * 2 = 138 millionths and costs 20
    layout = at(llm={"budget_usd": 0.002})
    one, two = asker(), asker()
    assert "budget: llm.budget_usd = 0.002" in one.receive()
    assert "budget: llm.budget_usd = 0.002" in two.receive()
    with Store(layout.store) as store:
        ((usd,),) = store.query("SELECT SUM(usd) FROM ledger")
    assert 0.002 - 0.000138 < usd <= 0.002
    assert stub.n_calls == round(usd / 0.000020)


def test_killed_runs_lose_at_most_what_was_under_way(at, stub, asker):
    stub.stub.latency = 0.01
    layout, pick = at(endpoint={"concurrency": 6}), random.Random(5)
    for _ in range(2):
        seen = stub.n_calls + pick.randrange(20, 80)
        process = asker()
        while stub.n_calls < seen:
            assert process.is_running()
        process.kill()
    replies = ask([asking(f"n {n:04}") for n in range(N)], layout, label="x")
    assert [reply.text for reply in replies] == [f"echo: n {n:04}" for n in range(N)]
    assert stub.n_calls <= N + 2 * 6
    assert max(stub.stub.calls.values()) <= 3
    with Store(layout.store) as store:
        booked = dict(store.query("SELECT kind, SUM(calls) FROM ledger GROUP BY kind"))
        assert store.query("SELECT COUNT(*) FROM lease") == [(0,)]
    assert booked["reply"] == N
    assert stub.n_calls <= N + booked.get("lost", 0)


def test_an_interrupted_run_leaves_no_lease(at, stub, asker):
    stub.stub.latency = 0.05
    layout = at()
    process = asker()
    while stub.n_calls < 20:
        assert process.is_running()
    process.kill(signal.SIGINT)
    with Store(layout.store) as store:
        assert (
            store.query("SELECT COUNT(*) FROM lease") == store.query("SELECT COUNT(*) FROM holder") == [(0,)]
        )
        booked = dict(store.query("SELECT kind, SUM(calls) FROM ledger GROUP BY kind"))
        ((n_kept,),) = store.query("SELECT COUNT(*) FROM response")
    assert booked == {"reply": n_kept}  # what was under way was waited for
    assert n_kept >= 20


def test_a_short_run_is_not_starved_by_a_long_one(at, stub, asker):
    stub.stub.latency = 0.02
    layout = at(endpoint={"concurrency": 4})
    long = asker(1000)
    while stub.n_calls < 8:
        assert long.is_running()
    ask([asking(f"short {n}") for n in range(20)], layout, label="x")
    assert long.is_running()
