"""Batches: the same rows as online at half the price, whatever the server does."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from stub import serving

from llm.asked import asking
from llm.batch_server import BatchStub
from llm.conftest import Running
from llm.forked import Forked
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.llm import commands
from truerate.llm.ask import ask, estimate
from truerate.llm.store.responses import Store

N = 12


@pytest.fixture
def stub():
    """A server with a batch API, in place of the one without."""
    server = BatchStub()
    with serving(server) as url:
        yield Running(server, url)


def batched(at, *, llm: dict | None = None, model: dict | None = None, **settings):
    """A layout whose endpoint is asked in batches without a pause between two looks."""
    return at(endpoint={"batch": {"poll_s": 0, **settings}}, llm=llm, model=model)


def asked(layout, n: int = N) -> list:
    return ask([asking(f"n {number}") for number in range(n)], layout, label="x")


def rows(
    layout, table: str = "response", columns: str = "key, text, finish, n_in, n_out, identity, request, extra"
):
    with Store(layout.store) as store:
        return store.query(f"SELECT {columns} FROM {table} ORDER BY 1")


def left(layout) -> list:
    """What no run may leave behind."""
    return [rows(layout, table, "*") for table in ("lease", "holder", "batch")]


def usd(layout) -> float:
    return sum(row[0] for row in rows(layout, "ledger", "usd"))


def test_replies_are_those_of_online_at_half_the_price(at, stub, tmp_path, monkeypatch):
    prompts = [
        asking("a"),
        asking("b", index=1),
        asking("[[length]]"),
        asking("[[refusal]]"),
        asking("[[400]]"),
    ]
    online = at()
    first = ask(prompts, online, label="x")
    stored = rows(online), rows(online, "dead", "key, reason, detail, attempts, identity, request")
    paid = usd(online)
    assert stub.stub.online == 5 and not stub.stub.batches
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "batched.sqlite"))
    layout = batched(at)
    assert estimate(prompts, layout).usd_high == estimate(prompts, at()).usd_high / 2
    layout = batched(at)
    assert ask(prompts, layout, label="x") == first
    assert (rows(layout), rows(layout, "dead", "key, reason, detail, attempts, identity, request")) == stored
    assert usd(layout) == paid / 2 and len(stub.stub.batches) == 1 and stub.stub.online == 5
    assert left(layout) == [[], [], []]
    again = ask(prompts, layout, label="x")
    assert all(reply.is_stored for reply in again) and len(stub.stub.batches) == 1


def test_files_are_parted_by_number_size_and_model(at, stub):
    stub.stub.most = 5
    assert len(asked(batched(at, max_requests=5))) == N
    assert sorted(map(stub.stub.n_requests, stub.stub.batches.values())) == [2, 5, 5]
    stub.stub.batches.clear()
    layout = batched(at, max_mb=0.001)  # a line has some 200 bytes, and one is larger than a file may be
    replies = ask([asking(f"m {number}") for number in range(8)] + [asking("m " * 600)], layout, label="x")
    assert [reply.status for reply in replies] == ["ok"] * 9 and stub.stub.online == 1
    assert len(stub.stub.batches) == 2 and left(layout) == [[], [], []]


@pytest.mark.parametrize("end", ["expired", "cancelled"])
@pytest.mark.parametrize("names_the_rest", [True, False])
def test_what_an_ended_batch_answered_is_read_and_only_the_rest_is_asked_again(at, stub, end, names_the_rest):
    server = stub.stub
    server.end, server.n_before_end, server.names_the_rest = end, 5, names_the_rest
    layout = batched(at, rounds=9)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert [server.n_requests(batch) for batch in server.batches.values()] == [12, 7, 2]
    assert max(server.calls.values()) == 1 and server.online == 0 and left(layout) == [[], [], []]
    assert usd(layout) == pytest.approx(N * 20e-6 / 2)


def test_after_so_many_rounds_the_rest_is_asked_online_at_the_full_price(at, stub):
    stub.stub.n_before_end = 5
    layout = batched(at, rounds=2)
    asked(layout)
    assert len(stub.stub.batches) == 2 and stub.stub.online == 2
    assert usd(layout) == pytest.approx(10 * 10e-6 + 2 * 20e-6)


def test_lines_that_failed_for_the_moment_are_asked_again(at, stub):
    prompts = [
        asking("a"),
        asking("[[500 x1]]"),
        asking("[[429 x1]]"),
        asking("[[empty x1]]"),
        asking("[[500]]"),
    ]
    layout = batched(at)
    replies = ask(prompts, layout, label="x")
    assert [reply.status for reply in replies] == ["ok"] * 4 + ["dead"] and replies[
        4
    ].reason == "server_error"
    assert [stub.stub.n_requests(batch) for batch in stub.stub.batches.values()] == [5, 4]
    assert left(layout) == [[], [], []]


def test_repeated_and_foreign_lines_count_once_and_not_at_all(at, stub, capfd):
    stub.stub.doubles = True
    stub.stub.more_lines = [
        b'{"custom_id": "abc"}',
        b'{"custom_id": "' + b"ab" * 32 + b'", "response": {}}',
        b"no JSON",
        b"[1]",
    ]
    layout = batched(at)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert rows(layout, "ledger", "kind, calls") == [("reply", N)] and left(layout) == [[], [], []]
    assert f"{N} lines twice, 4 lines of other requests" in capfd.readouterr().err


def failing(path: str, answer, *numbers: int, method: str = ""):
    """A server's trouble: these calls of a path, or all of them, get this answer."""

    def trouble(called: str, name: str, n: int):
        is_meant = name == path and called.startswith(method) and (n in numbers or not numbers)
        return answer if is_meant else None

    return trouble


LOOK, RESULTS = "/batches/batch", "/files/file/content"
ERROR, HTML = (500, {}, b"oh"), (200, {}, b"<html>")
LOST = {
    "an upload that brings an error": failing("/files", ERROR, 1, 2),
    "an upload without a reply": failing("/files", "drop", 1, 2),
    "a batch that is made although it says no": failing("/batches", "after", 1),
    "a batch that is made without a reply": failing("/batches", "after-drop", 1),
    "looks that fail": failing(LOOK, ERROR, 2, 3, 5, 6, 7),
    "looks without a reply": failing(LOOK, "drop", 1, 3, 5),
    "looks that bring no JSON": failing(LOOK, HTML, 1, 2, 3),
    "looks that bring another thing": failing(LOOK, (200, {}, b'{"object": "list"}'), 1, 2),
    "a batch that is not there yet": failing(LOOK, (404, {}, b"{}"), 1, 2, 3),
    "results that cannot be had at first": failing(RESULTS, ERROR, 1, 2),
}


@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
def test_lost_calls_of_the_batch_api_lose_nothing(at, stub, fault):
    stub.stub.trouble = fault
    layout = batched(at, llm={"max_attempts": 5})
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert len(stub.stub.batches) == 1 and stub.n_calls == N and stub.stub.online == 0
    assert left(layout) == [[], [], []]


def test_results_that_break_off_are_read_from_there(at, stub):
    stub.stub.drops_midway = True
    layout = batched(at)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert stub.n_calls == N and rows(layout, "ledger", "kind, calls") == [("reply", N)]


@pytest.mark.parametrize("ends", [True, False], ids=["cancelled", "never"])
def test_a_batch_past_its_deadline_is_cancelled_and_its_rest_asked_online(at, stub, ends, capfd):
    server = stub.stub
    server.never_ends, server.ends_when_cancelled, server.n_before_end = True, ends, 4
    layout = batched(at, deadline_h=0)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert server.requests["POST", "/batches/batch/cancel"] == 1
    assert server.online == (8 if ends else 12) and left(layout) == [[], [], []]
    kinds = dict(rows(layout, "ledger", "kind, calls"))
    assert kinds == ({"reply": 12} if ends else {"reply": 12, "lost": 12})  # what never ended counts as paid
    assert "it is cancelled" in capfd.readouterr().err


def test_a_server_with_little_room_gets_one_batch_after_another(at, stub):
    stub.stub.room = 4
    layout = batched(at)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    sizes = [stub.stub.n_requests(batch) for batch in stub.stub.batches.values()]
    assert sizes == [12, 6, 3, 3, 3, 3] and stub.n_calls == N and left(layout) == [[], [], []]


REFUSED = {
    "no such thing": (failing("/files", (404, {}, b"{}")), "took no batch"),
    "a wrong key": (failing("/batches", (401, {}, b"{}")), "took no batch"),
    "a key that is taken away": (failing(LOOK, (401, {}, b"{}")), "unauthorised"),
    "never well": (failing("/files", ERROR), "500: oh"),
    "a pause of days": (failing("/files", (429, {"retry-after": "90000"}, b"")), "429"),
}


@pytest.mark.parametrize(("fault", "words"), REFUSED.values(), ids=REFUSED)
def test_a_server_that_takes_no_batch_ends_the_run_in_one_line(at, stub, fault, words):
    stub.stub.trouble = fault
    layout = batched(at)
    with pytest.raises(TruerateError, match=words):
        asked(layout)
    stub.stub.trouble = lambda *_: None
    assert {reply.status for reply in asked(layout)} == {"ok"} and stub.n_calls == N
    assert left(layout) == [[], [], []]


def test_a_refused_file_is_told_with_the_servers_words(at, stub):
    stub.stub.refuses_files = "model not supported"
    with pytest.raises(
        TruerateError, match="refused a batch of 12 requests: .*model not supported.*batch: false"
    ):
        asked(batched(at))


def test_all_lines_refused_is_a_fault_of_the_settings(at, stub):
    stub.stub.refused = ("max_tokens",)
    layout = batched(at)
    with pytest.raises(TruerateError, match="max_tokens_field: max_completion_tokens"):
        ask([asking(f"n {number}") for number in range(30)], layout, label="x")
    assert rows(layout, "dead", "*") == [] and left(layout) == [[], [], []]


def test_a_budget_counts_batches_at_their_price(at, stub):
    # a call is bound by half of 38 + 100 millionths, 12 by 828; they cost 120
    layout = batched(at, llm={"budget_usd": 0.000828})
    assert len(asked(layout)) == N
    with pytest.raises(TruerateError, match="budget: llm.budget_usd"):
        ask([asking(f"more {number:05}") for number in range(80)], layout, label="x")
    assert usd(layout) <= 0.000828 and left(layout) == [[], [], []]


def test_what_a_budget_has_no_room_for_at_once_goes_into_later_batches(at, stub):
    layout = batched(at, llm={"budget_usd": 0.0005})
    assert len(asked(layout)) == N
    assert len(stub.stub.batches) > 1 and usd(layout) == pytest.approx(N * 10e-6)


# ---- runs that end while a batch is under way --------------------------------------------------------------
def interrupted(layout, server, n: int = N) -> None:
    """A run that ends for a fault while its batch is under way."""
    server.trouble = failing(LOOK, (401, {}, b"{}"))
    with pytest.raises(TruerateError, match="unauthorised"):
        asked(layout, n)
    server.trouble = failing("", None)


def test_a_batch_of_an_earlier_run_is_taken_over_and_nothing_is_sent_again(at, stub):
    layout = batched(at)
    interrupted(layout, stub.stub)
    assert [row[2] for row in rows(layout, "batch", "address, state, remote")] == ["batch-0"]
    stub.stub.states = []
    # whatever the batch was sent by, the next run reads it: one without batches, for a part of the requests
    some = ask([asking("n 3"), asking("n 4"), asking("new")], at(), label="x")
    assert {reply.status for reply in some} == {"ok"} and stub.stub.online == 1
    assert rows(layout, "batch", "state") == [("completed",)] and len(rows(layout, "lease", "key")) == 10
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert len(stub.stub.batches) == 1 and max(stub.stub.calls.values()) == 1
    assert left(layout) == [[], [], []] and usd(layout) == pytest.approx(12 * 10e-6 + 20e-6)


def test_a_batch_that_its_server_lost_is_asked_online_and_counts_as_paid(at, stub):
    layout = batched(at)
    interrupted(layout, stub.stub)
    stub.stub.batches.clear()
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert dict(rows(layout, "ledger", "kind, calls")) == {"lost": 12, "reply": 12} and stub.stub.online == 12
    assert left(layout) == [[], [], []]


def test_a_batch_that_was_sent_elsewhere_ends_the_run_until_it_is_forgotten(at, stub, capsys):
    layout = batched(at)
    interrupted(layout, stub.stub)
    moved = at(endpoint={"base_url": stub.url.replace("127.0.0.1", "localhost"), "batch": {"poll_s": 0}})
    with pytest.raises(
        TruerateError, match="12 requests are in batch truerate-.* sent to http://127.0.0.1.* --forget"
    ) as told:
        asked(moved)
    commands.batches(layout, as_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["endpoint"], row["state"], row["n_requests"], row["n_open"]) == ("stub", "validating", 12, 12)
    assert row["batch"] in str(told.value) and row["at_server"] == "batch-0"
    commands.batches(layout)
    assert row["batch"] in capsys.readouterr().out
    with pytest.raises(TruerateError, match="batch 'x' is not under way; under way: truerate-"):
        commands.batches(layout, forget="x")
    commands.batches(layout, forget=row["batch"])
    assert "12 open requests count as paid" in capsys.readouterr().out
    assert {reply.status for reply in asked(moved)} == {"ok"}
    commands.batches(layout)
    assert "no batch is under way" in capsys.readouterr().out and left(layout) == [[], [], []]


def asks(send: Callable, params: Path, n: int) -> None:
    """Send how many replies came, or the error."""
    try:
        send(len(asked(Layout.load(params), n)))
    except TruerateError as error:
        send(str(error))


def test_killed_runs_pay_nothing_twice(at, stub, tmp_path):
    layout, pick = batched(at, max_requests=20), random.Random(3)
    server, n_kills, n = stub.stub, 0, 100
    while n_kills < 5:
        n += 20  # each run has something new to ask
        assert n < 2000, "runs end before they can be killed"
        seen = server.requests.total() + pick.randrange(1, 12)
        process = Forked(asks, tmp_path / "params.yaml", n)
        while process.is_running() and server.requests.total() < seen:
            pass
        n_kills += process.is_running()
        process.kill()
    assert {reply.status for reply in asked(layout, n)} == {"ok"}
    assert len(server.paid) == n and max(server.paid.values()) == 1 and server.online == 0
    assert rows(layout, "ledger", "kind, calls") == [("reply", n)] and left(layout) == [[], [], []]


def test_two_processes_share_their_batches(at, stub, tmp_path):
    layout = batched(at, max_requests=10)
    one, two = (Forked(asks, tmp_path / "params.yaml", 60) for _ in range(2))
    assert one.rest() == two.rest() == [60]
    assert max(stub.stub.paid.values()) == 1 and left(layout) == [[], [], []]


def test_a_clock_that_jumps_a_day_forth_or_back_loses_nothing(at, stub):
    for hours, n_online in ((48, 12), (-48, 0)):
        layout = batched(at, model={"identity": f"m@{hours}"})
        interrupted(layout, stub.stub)
        with Store(layout.store) as store:
            store.write(
                lambda link, hours=hours: link.execute("UPDATE batch SET at = at - ?", [3600 * hours])
            )
        before, stub.stub.n_before_end = stub.stub.online, 0 if n_online else None
        assert {reply.status for reply in asked(layout)} == {"ok"}
        assert stub.stub.online - before == n_online and left(layout) == [[], [], []]


def test_a_batch_whose_last_reply_was_stored_by_a_killed_run_is_forgotten(at, stub):
    layout = batched(at)
    interrupted(layout, stub.stub)
    with Store(layout.store) as store:
        store.write(lambda link: link.execute("DELETE FROM lease"))
    ask([asking("new")], layout, label="x")
    assert left(layout) == [[], [], []]
