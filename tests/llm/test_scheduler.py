"""Faults of an endpoint and what becomes of the run: try again, give up, stop."""

import time

import pytest

from llm.asked import asking
from truerate.config.layout import Layout
from truerate.core.errors import BudgetError, EndpointError, SettingsError, TruerateError
from truerate.llm.ask import ask
from truerate.llm.stats import dead_letters, retry_dead, stats
from truerate.llm.store.responses import Store

# kind -> the reason of its dead letter when it never ends
RETRIED = {
    "429": "rate_limited", "500": "server_error", "503": "server_error", "408": "timeout", "409": "not_ready", "425": "not_ready",
    "drop": "connection", "truncated": "bad_json", "html": "html", "error-200": "not_a_completion", "not-completion": "not_a_completion",
    "list": "not_a_completion", "no-choices": "no_choices", "null": "empty", "empty": "empty",
    "bad-chunk": "bad_http", "bad-status": "bad_http", "long-header": "bad_http", "bad-gzip": "bad_http", "deep": "bad_json",
    "deep-error": "server_error",
}  # fmt: skip
DEAD = {
    "refusal": "refusal", "filter": "content_filter", "filter-400": "content_filter", "context": "context_length", "400": "rejected",
    "422": "rejected", "length": "length", "length-empty": "length",
}  # fmt: skip


def answering(layout: Layout) -> Layout:
    """The layout, once its endpoint has answered for the model: from then on a request that fails is a fault
    of its own.
    """
    ask([asking("first")], layout, label="first")
    return layout


@pytest.mark.parametrize("kind", RETRIED)
def test_transient_faults_are_retried(at, stub, kind):
    (reply,) = ask([asking(f"[[{kind} x2]]")], at(), label=kind)
    assert (reply.status, reply.text, stub.n_calls) == ("ok", f"echo: [[{kind} x2]]", 3)


@pytest.mark.parametrize(("kind", "reason"), RETRIED.items())
def test_transient_faults_that_stay_become_dead_letters(at, stub, kind, reason):
    """After the tries a tiny request tells whether it is the endpoint. It may meet the connection that the fault before
    it closes, and fail unseen: then its three tries are given back, twice at most.
    """
    layout = answering(at())
    (reply,) = ask([asking(f"[[{kind}]]")], layout, label=kind)
    n_tries = stub.n_calls - 2  # the first request, and the tiny one
    assert (reply.status, reply.reason, reply.text) == ("dead", reason, "") and 3 <= n_tries <= 9
    with Store(layout.store) as store:
        assert dead_letters(store).select("reason", "attempts", "prompt").rows() == [
            (reason, n_tries, f"[[{kind}]]")
        ]


@pytest.mark.parametrize(("kind", "reason"), DEAD.items())
def test_final_faults_become_dead_letters_at_once_and_are_remembered(at, stub, kind, reason):
    layout = answering(at())
    for is_stored in (False, True):
        (reply,) = ask([asking(f"[[{kind}]]")], layout, label=kind)
        assert (reply.status, reply.reason, reply.is_stored, stub.n_calls) == (
            "dead",
            reason,
            is_stored,
            1 + 1,
        )
    with Store(layout.store) as store:
        assert retry_dead(store, reason) == 1
    ask([asking(f"[[{kind}]]")], layout, label=kind)
    assert stub.n_calls == 1 + 2


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("401", "401.*endpoints.stub.api_key_env"),
        ("403", "403"),
        ("404", "model 'stub-model' is not there.*models.m.model"),
        ("quota", "top up"),
        ("error-200-401", "401"),
        ("key-echo", r"provided: \[key\]"),
    ],
)
def test_fatal_faults_end_the_run_in_one_line_and_leave_no_dead_letter(at, stub, kind, said):
    layout = at()
    with pytest.raises(EndpointError, match=said) as caught:
        ask([asking(f"[[{kind}]]")] + [asking(f"later {n}") for n in range(100)], layout, label=kind)
    assert "\n" not in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert stub.n_calls < 30  # nothing new goes out
    with Store(layout.store) as store:
        assert dead_letters(store).is_empty()
        assert (
            store.query("SELECT COUNT(*) FROM lease") == store.query("SELECT COUNT(*) FROM holder") == [(0,)]
        )


def test_replies_in_flight_are_kept_when_the_run_ends(at, stub):
    stub.stub.latency = 0.05
    layout = at()
    requests = [asking(f"first {n}") for n in range(7)]
    with pytest.raises(TruerateError):
        ask([asking("[[401]]"), *requests], layout, label="x")
    stub.stub.latency = 0
    assert all(reply.is_stored for reply in ask(requests, layout, label="y"))


def test_a_cut_reply_is_kept_where_params_say_so(at):
    (reply,) = ask([asking("[[length]]")], at(model={"accept_length": True}), label="x")
    assert (reply.status, reply.text, reply.finish_reason) == ("ok", "a start of", "length")
    (reply,) = ask([asking("[[length-empty]]")], at(model={"accept_length": True}), label="x")
    assert (reply.status, reply.reason) == ("dead", "length")


def test_a_hanging_endpoint_times_out(at, stub):
    (reply,) = ask([asking("[[hang x1]]")], at(llm={"timeout_s": 0.2}), label="x")
    assert (reply.status, stub.n_calls) == ("ok", 2)
    (reply,) = ask([asking("[[hang]]")], at(llm={"timeout_s": 0.1, "max_attempts": 2}), label="x")
    assert (reply.status, reply.reason) == ("dead", "timeout")


def test_an_endpoint_that_is_down_ends_the_run(at, stub):
    with pytest.raises(EndpointError, match="is down.*start the server or correct endpoints.stub.base_url"):
        ask([asking("x")], at(endpoint={"base_url": "http://127.0.0.1:9/v1"}), label="x")


def test_a_missing_key_variable_ends_the_run_before_anything_is_sent(at, stub, monkeypatch):
    layout = at(endpoint={"api_key_env": "STUB_KEY"})
    with pytest.raises(SettingsError, match="variable STUB_KEY is not set"):
        ask([asking("x")], layout, label="x")
    monkeypatch.setenv("STUB_KEY", "abc")
    ask([asking("x")], layout, label="x")
    assert stub.stub.headers["authorization"] == "Bearer abc"
    monkeypatch.delenv("STUB_KEY")
    assert ask([asking("x")], layout, label="stored replies need no key")[0].is_stored


@pytest.mark.parametrize(
    ("kind", "arg", "least"), [("429", "0.3", 0.3), ("429-ms", "300", 0.3), ("429-date", "2", 0.5)]
)
def test_a_server_delay_holds_the_whole_queue_back(at, stub, kind, arg, least):
    requests = [asking(f"[[{kind} x1 {arg}]]")] + [asking(f"other {n}") for n in range(20)]
    since = time.monotonic()
    replies = ask(requests, at(endpoint={"concurrency": 1}), label="x")
    assert time.monotonic() - since >= least
    assert [reply.status for reply in replies] == ["ok"] * 21
    assert stub.n_calls == 22


def test_an_endpoint_that_wants_very_long_ends_the_run(at):
    with pytest.raises(EndpointError, match="asks to wait 7,200 s"):
        ask([asking("[[429 x1 7200]]")], at(), label="x")


def test_requests_per_minute_are_spaced(at, stub):
    ask([asking(f"n {n}") for n in range(6)], at(endpoint={"rpm": 600}), label="x")
    times = sorted(stub.stub.times)
    assert times[-1] - times[0] >= 0.45  # 5 gaps of 0.1 s


def test_an_endpoint_that_takes_less_than_params_say_gets_less(at, stub):
    stub.stub.capacity, stub.stub.latency = 3, 0.005
    replies = ask(
        [asking(f"n {n}") for n in range(150)],
        at(llm={"max_attempts": 5}, endpoint={"concurrency": 32}),
        label="x",
    )
    assert [reply.status for reply in replies] == ["ok"] * 150
    assert stub.n_calls < 300


def test_an_endpoint_that_answers_nothing_ends_the_run(at, stub):
    stub.stub.latency = 0.02  # longer than the waits between tries
    requests = [asking(f"[[500]] {n}") for n in range(200)]
    with pytest.raises(
        TruerateError,
        match="model 'm' .* has answered nothing: 2[0-3] requests refused, the last as server_error: 500",
    ):
        ask(requests, layout := at(endpoint={"concurrency": 4}), label="x")
    assert stub.n_calls < len(requests)  # it ended before each was tried even once
    with Store(layout.store) as store:
        assert dead_letters(store).is_empty()
        assert store.query("SELECT COUNT(*) FROM lease") == [(0,)]


def test_one_endpoint_that_fails_lets_the_other_finish_what_it_has_sent(at, stub):
    from truerate.llm.transport import client  # noqa: F401 - or the other server has failed before the client is loaded, and nothing is sent

    stub.stub.latency = 2.0
    layout = at()
    failing = {
        "other": layout.p.endpoints["stub"].model_copy(
            update={"base_url": None, "launch": "sh -c 'sleep 1; exit 3' {port}"}
        )
    }
    models = {"o": layout.p.models["m"].model_copy(update={"endpoint": "other"})}
    both = layout.p.model_copy(
        update={"endpoints": {**layout.p.endpoints, **failing}, "models": {**layout.p.models, **models}}
    )
    with pytest.raises(EndpointError, match="endpoint 'other': launch"):
        ask([asking("a"), asking("b", model="o")], Layout(both), label="x")
    assert ask([asking("a")], layout, label="x")[0].is_stored


def test_no_more_than_concurrency_are_under_way(at, stub):
    stub.stub.latency = 0.005
    ask([asking(f"n {n}") for n in range(60)], at(endpoint={"concurrency": 3}), label="x")
    assert stub.stub.most_under_way == 3


def test_calls_without_a_kept_reply_are_booked(at):
    layout = at(llm={"max_attempts": 2})
    ask(
        [
            asking("fine"),
            asking("[[refusal]]"),
            asking("[[empty x1]]"),
            asking("[[drop x1]]"),
            asking("[[500 x1]]"),
        ],
        layout,
        label="x",
    )
    with Store(layout.store) as store:
        booked = dict(store.query("SELECT kind, SUM(calls) FROM ledger GROUP BY kind"))
        (row,) = stats(store).to_dicts()
    assert booked == {"reply": 4, "waste": 2, "lost": 1}
    assert (row["n_replies"], row["n_dead"], row["n_calls"], row["n_lost"]) == (4, 1, 7, 1)


def test_the_budget_stops_before_it_is_passed_and_goes_on_when_raised(at, stub):
    stub.stub.latency = 0.001
    requests = [asking(f"n {n:03}") for n in range(200)]
    # one call: bound (5 + 32) * 1 + 50 * 2 = 137 millionths, cost 20 millionths
    layout = at(llm={"budget_usd": 0.001})
    with pytest.raises(BudgetError, match=r"budget: llm.budget_usd = 0.001; \$0.000"):
        ask(requests, layout, label="x")
    with Store(layout.store) as store:
        ((usd,),) = store.query("SELECT SUM(usd) FROM ledger")
        assert store.query("SELECT COUNT(*) FROM lease") == [(0,)]
    assert 0.001 - 0.000137 < usd <= 0.001
    n_first = stub.n_calls
    with pytest.raises(BudgetError, match="budget"):
        ask(requests, layout, label="again")
    assert stub.n_calls == n_first
    assert len(ask(requests, at(llm={"budget_usd": 1.0}), label="raised")) == 200
    assert stub.n_calls == 200


def test_a_budget_in_tokens(at, stub):
    layout = at(llm={"budget_tokens": 300})
    with pytest.raises(BudgetError, match="budget: llm.budget_tokens = 300"):
        ask([asking(f"n {n:03}") for n in range(50)], layout, label="x")
    # a call is bound by 87 tokens and takes 15: the last one goes out with at most 213 spent
    assert stub.n_calls == 213 // 15 + 1


def test_replies_without_usage_are_booked_at_their_bound(at, stub):
    stub.stub.usage = False
    layout = at()
    (reply,) = ask([asking("x")], layout, label="x")
    assert (reply.n_tokens_in, reply.n_tokens_out, reply.cost_usd) == (None, None, 0.0)
    with Store(layout.store) as store:
        assert store.query("SELECT kind, n_in, n_out FROM ledger") == [("uncounted", 1 + 32, 50)]


def test_a_request_beyond_the_limit_per_minute_is_dead_at_once(at, stub):
    layout = at()
    requests = [asking(f"{n} [[tpm]]") for n in range(8)] + [asking(f"fine {n}") for n in range(8)]
    begun = time.monotonic()
    replies = ask(requests, layout, label="x")
    with Store(layout.store) as store:
        assert dead_letters(store)["reason"].to_list() == ["context_length"] * 8
    assert sum(reply.status == "ok" for reply in replies) == 8
    assert stub.n_calls == 16 and time.monotonic() - begun < 10


def test_a_large_error_page_is_a_fault_of_the_server(at, stub):
    layout = at(llm={"timeout_s": 60})
    replies = ask([asking("[[bomb-500 x1]]"), asking("fine")], layout, label="x")
    assert [reply.status for reply in replies] == ["ok", "ok"] and stub.n_calls == 3
