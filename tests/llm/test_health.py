"""An endpoint that is away for a while kills no request; one that stays away ends the run in one line."""

import time

import pytest

from llm.asked import asking
from truerate.core.errors import EndpointError
from truerate.llm.ask import ask
from truerate.llm.stats import dead_letters, stats
from truerate.llm.store.responses import Store

SOON = {"backoff_s": [0.005, 0.04], "max_attempts": 3}


def letters(layout) -> list[tuple[str, str]]:
    """Prompt and reason of every dead letter; no lease may be left."""
    with Store(layout.store) as store:
        assert store.query("SELECT COUNT(*) FROM lease") == [(0,)]
        return sorted(dead_letters(store).select("prompt", "reason").rows())


@pytest.mark.parametrize(
    "kind", ["502", "503", "504", "500", "drop", "429", "not-completion", "empty", "broken"]
)
def test_an_outage_kills_nothing_and_nothing_that_was_answered_is_paid_twice(at, stub, kind):
    """Each request has three tries, of a few milliseconds: sixty faults in a row would kill twenty. Twenty
    refusals for the rate, or replies that are paid for, would end the run.
    """
    n_faults = 60 if kind in ("502", "503", "504", "500", "drop") else 15
    stub.stub.outage = kind, lambda n: 40 < n <= 40 + n_faults
    layout = at(llm=SOON, endpoint={"concurrency": 8})
    requests = [asking(f"n {n}") for n in range(120)]
    assert {reply.status for reply in ask(requests, layout, label="x")} == {"ok"} and letters(layout) == []
    assert stub.n_calls <= 120 + n_faults + 15
    assert all(reply.is_stored for reply in ask(requests, layout, label="y"))


def test_one_request_at_a_time_finds_out_whether_it_is_well_again(at, stub):
    """Of twenty faults the first burst has eight at most, and as many may follow before the pause holds."""
    under_way = []
    stub.stub.latency = 0.01

    def is_out(n: int) -> bool:
        if 130 < n <= 140:
            under_way.append(stub.stub.under_way)
        return 100 < n <= 140

    stub.stub.outage = "502", is_out
    ask([asking(f"n {n}") for n in range(300)], at(llm=SOON, endpoint={"concurrency": 8}), label="x")
    assert set(under_way) == {1}


def test_an_endpoint_that_stays_away_ends_the_run_and_the_next_one_goes_on(at, stub):
    stub.stub.outage = "502", lambda n: n > 50
    requests = [asking(f"n {n}") for n in range(200)]
    layout = at(llm=SOON | {"outage_s": 0.5}, endpoint={"concurrency": 8})
    since = time.monotonic()
    with pytest.raises(
        EndpointError,
        match=r"no whole reply for \d s \(`llm.outage_s`\): .* tries in a row failed, the last as server_error: 502",
    ) as ended:
        ask(requests, layout, label="x")
    assert time.monotonic() - since < 20 and "\n" not in str(ended.value)
    assert letters(layout) == []
    stub.stub.outage = None
    assert {reply.status for reply in ask(requests, layout, label="y")} == {"ok"}
    with Store(layout.store) as store:
        assert stats(store)["n_replies"].sum() == 200


@pytest.mark.parametrize("n_poisoned", [1, 2, 12])
def test_poisoned_requests_die_whatever_their_number(at, stub, n_poisoned):
    """At the end they are all that is left: a tiny request tells that the endpoint is well."""
    layout = at(llm=SOON, endpoint={"concurrency": 4})
    poisoned = [asking(f"[[500]] {n}") for n in range(n_poisoned)]
    replies = ask([*poisoned, *(asking(f"n {n}") for n in range(40))], layout, label="x")
    assert [reply.status for reply in replies] == ["dead"] * n_poisoned + ["ok"] * 40
    assert [reason for _, reason in letters(layout)] == ["server_error"] * n_poisoned
    n_calls = stub.n_calls
    assert n_poisoned > 1 or n_calls in (40 + 3, 40 + 3 + 1)  # a probe, if nothing was answered between
    ask(poisoned, layout, label="y")
    assert stub.n_calls == n_calls


@pytest.mark.parametrize("kind", ["broken", "null", "empty", "no-choices", "no-body"])
@pytest.mark.parametrize("has_answered", [False, True])
def test_replies_none_of_which_is_whole_end_the_run(at, stub, kind, has_answered):
    layout = at(llm={"max_attempts": 5}, endpoint={"concurrency": 4})
    if has_answered:
        ask([asking("fine")], layout, label="first")
    stub.stub.outage = kind, lambda n: n > 1 or not has_answered
    with pytest.raises(EndpointError, match="replies in a row, and none of them whole, the last as "):
        ask([asking(f"n {n}") for n in range(200)], layout, label="x")
    assert stub.n_calls <= 20 + 12 and letters(layout) == []


def test_refusals_in_a_row_end_the_run_with_the_time_of_the_reset(at, stub, capsys):
    stub.stub.outage = "429", lambda n: n > 15
    stub.stub.error_headers = {"x-ratelimit-reset": f"{(time.time() + 5 * 3600) * 1000:.0f}"}
    layout = at(llm=SOON, endpoint={"concurrency": 4})
    requests = [asking(f"n {n}") for n in range(60)]
    with pytest.raises(
        EndpointError, match=r"refusals in a row, .*: 429: .*; run again after 20\d\d-.* UTC, in 5\.0 h"
    ):
        ask(requests, layout, label="x")
    assert stub.n_calls < 40 and letters(layout) == []
    stub.stub.outage = None
    replies = ask(requests, layout, label="y")
    assert {reply.status for reply in replies} == {"ok"} and sum(reply.is_stored for reply in replies) == 15
    assert "asked to wait" not in capsys.readouterr().err


def test_refusals_that_name_no_time_end_the_run_too(at, stub, capsys):
    stub.stub.outage = "429", lambda n: n > 15
    with pytest.raises(
        EndpointError,
        match="refusals in a row, for .* s, without an answer between: 429: .*; run again later",
    ):
        ask(
            [asking(f"n {n}") for n in range(200)],
            layout := at(llm=SOON, endpoint={"concurrency": 8}),
            label="x",
        )
    assert stub.n_calls < 60 and letters(layout) == []
    assert "asked to wait" not in capsys.readouterr().err


def test_short_limits_that_come_again_end_no_run(at, stub):
    """Every tenth request passes; the others are told to wait a moment."""
    stub.stub.outage, stub.stub.error_headers = ("429", lambda n: n % 10 > 0), {"retry-after-ms": "3"}
    layout = at(llm=SOON | {"max_attempts": 20}, endpoint={"concurrency": 8})
    assert {reply.status for reply in ask([asking(f"n {n}") for n in range(30)], layout, label="x")} == {"ok"}


@pytest.mark.parametrize("kind", ["502", "503", "500", "drop", "429", "not-completion", "html"])
@pytest.mark.parametrize("n_left", [1, 2])
def test_an_outage_at_the_tail_of_a_run_kills_nothing(at, stub, kind, n_left):
    """Ten faults in a row, of one or two requests that have three tries each."""
    stub.stub.outage = kind, lambda n: 20 < n <= 30
    layout = at(llm=SOON, endpoint={"concurrency": 4})
    ask([asking(f"n {n}") for n in range(20)], layout, label="all but the last")
    replies = ask([asking(f"last {n}") for n in range(n_left)], layout, label="x")
    assert {reply.status for reply in replies} == {"ok"} and letters(layout) == []
    assert stub.n_calls > 30


@pytest.mark.parametrize("kind", ["502", "drop", "429", "empty", "broken"])
@pytest.mark.parametrize("n_left", [1, 2])
def test_an_endpoint_that_goes_away_before_the_last_requests_ends_the_run(at, stub, kind, n_left):
    stub.stub.outage = kind, lambda n: n > 20
    layout = at(llm=SOON | {"outage_s": 0.3}, endpoint={"concurrency": 4})
    ask([asking(f"n {n}") for n in range(20)], layout, label="all but the last")
    last = [asking(f"last {n}") for n in range(n_left)]
    for _ in range(2):
        with pytest.raises(EndpointError, match=r" in a row|no whole reply for ") as ended:
            ask(last, layout, label="x")
        assert "\n" not in str(ended.value) and "none became a dead letter" in str(ended.value)
        assert letters(layout) == []
    n_calls, stub.stub.outage = stub.n_calls, None
    assert {reply.status for reply in ask(last, layout, label="y")} == {"ok"}
    assert stub.n_calls == n_calls + n_left


def test_a_quota_that_only_asks_to_wait_ends_the_run_after_outage_s(at, stub):
    """Each refusal names a wait, so that none is blind, and no moment at which the quota begins anew."""
    stub.stub.outage, stub.stub.error_headers = ("429", lambda n: n > 15), {"retry-after-ms": "40"}
    layout = at(llm=SOON | {"outage_s": 0.4}, endpoint={"concurrency": 4})
    requests = [asking(f"n {n}") for n in range(60)]
    since = time.monotonic()
    with pytest.raises(EndpointError, match=r"refusals in a row, for \d s, .*: 429: .*; run again later"):
        ask(requests, layout, label="x")
    assert time.monotonic() - since < 20 and letters(layout) == []
    n_calls, stub.stub.outage = stub.n_calls, None
    assert {reply.status for reply in ask(requests, layout, label="y")} == {"ok"}
    assert stub.n_calls == n_calls + 60 - 15


def test_what_is_dead_for_the_rate_is_asked_again_by_the_next_run(at, stub):
    """The endpoint answers others, this one it refuses at each try: a limit that this request alone meets."""
    layout = at(llm=SOON)
    ask([asking("fine")], layout, label="first")
    assert ask([asking("[[429]]")], layout, label="x")[0].reason == "rate_limited"
    n_calls = stub.n_calls
    (reply,) = ask([asking("[[429]]")], layout, label="y")
    assert (reply.reason, reply.is_stored) == ("rate_limited", False) and stub.n_calls > n_calls
