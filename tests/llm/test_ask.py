"""Asking many: order, the store, repeats, what is sent, and what is recorded."""

import pytest

from llm.asked import asking
from truerate.core.errors import TruerateError
from truerate.llm.ask import ask, estimate, recorded
from truerate.llm.request import Request


def test_replies_come_in_order_and_are_paid_once(at, stub):
    layout, requests = at(), [asking(f"number {n}") for n in range(50)]
    first = ask(requests, layout, label="first")
    assert [reply.text for reply in first] == [f"echo: number {n}" for n in range(50)]
    assert not any(reply.is_stored for reply in first)
    again = ask(requests + [asking("one more")], layout, label="again")
    assert [reply.is_stored for reply in again] == [True] * 50 + [False]
    assert [reply.text for reply in again[:50]] == [reply.text for reply in first]
    assert stub.n_calls == 51


def test_equal_requests_are_asked_once_and_sample_indexes_apart(at, stub):
    replies = ask([asking("same"), asking("same"), asking("same", index=1)], at(), label="same")
    assert stub.n_calls == 2
    assert replies[0] == replies[1]
    assert replies[0].key != replies[2].key


def test_no_requests(at):
    assert ask([], at(), label="none") == []
    assert estimate([], at()).n_calls == 0


def test_cost_and_tokens_are_the_endpoints_count(at):
    (reply,) = ask([asking("a")], at(), label="a")
    assert (reply.n_tokens_in, reply.n_tokens_out, reply.finish_reason) == (10, 5, "stop")
    assert reply.cost_usd == pytest.approx((10 * 1.0 + 5 * 2.0) / 1e6)


def test_what_is_sent(at, stub):
    layout = at(
        model={
            "params": {"temperature": 0.5},
            "extra_body": {"top_k": 3},
            "drop": ["top_p"],
            "max_tokens_field": "max_completion_tokens",
        }
    )
    ask([asking("x", top_p=0.9, seed=4)], layout, label="x")
    message = {"role": "user", "content": "x"}
    expected = {
        "model": "stub-model",
        "messages": [message],
        "temperature": 0.5,
        "seed": 4,
        "max_completion_tokens": 50,
        "top_k": 3,
    }
    assert stub.stub.last == expected
    assert stub.stub.headers["authorization"] == "Bearer none"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"temperature": 0.0}, "no `max_tokens`"),
        ({"max_tokens": 5, "best_of": 2}, "best_of"),
        ({"max_tokens": 5, "n": 3}, "n = 3"),
    ],
)
def test_requests_that_cannot_be_sent(at, params, said):
    with pytest.raises(TruerateError, match=said):
        ask([Request("m", ({"role": "user", "content": "x"},), params)], at(), label="x")


def test_broken_unicode_neither_stops_nor_reaches_anyone(at, stub):
    (reply,) = ask([asking("caf\ud800 \x00\u202e[[surrogate]]")], at(), label="x")
    assert stub.stub.last["messages"][0]["content"] == "caf? [[surrogate]]"
    assert reply.text == "caf?!"


def test_requests_can_be_replayed(at):
    layout = at()
    (reply,) = ask([asking("hello", index=2)], layout, label="x")
    (dead,) = ask([asking("[[refusal]]")], layout, label="y")
    found = recorded([reply.key, dead.key, "00" * 32], layout)
    assert found.keys() == {reply.key, dead.key}
    request, answer = found[reply.key]
    assert request == {
        "v": 1,
        "identity": "stub-model",
        "messages": [{"role": "user", "content": "hello"}],
        "params": {"temperature": 0.0, "max_tokens": 50},
        "sample_index": 2,
    }
    assert answer == {
        "status": "ok",
        "text": "echo: hello",
        "finish_reason": "stop",
        "n_tokens_in": 10,
        "n_tokens_out": 5,
    }
    assert found[dead.key][1] == {"status": "dead", "reason": "refusal", "text": ""}


def test_estimate_brackets_and_learns(at):
    layout, requests = at(), [asking(f"question {n} " + "x" * 40) for n in range(20)]
    before = estimate(requests, layout)
    assert (before.n_calls, before.n_stored) == (20, 0)
    # prompt bound: 51 or 52 bytes + 16 * (1 message + 1), completion 50
    assert before.tokens_high == sum(len(f"question {n} ") + 40 + 32 + 50 for n in range(20))
    assert 0 < before.tokens_low < before.tokens_high
    ask(requests[:10], layout, label="half")
    after = estimate(requests, layout)
    assert (after.n_calls, after.n_stored) == (10, 10)
    assert after.tokens_low == pytest.approx(10 * 15, rel=0.05)  # what the endpoint counts: 10 + 5
    assert after.usd_low == pytest.approx(10 * 20e-6, rel=0.05)
    assert after.usd_low < after.usd_high


def test_a_plain_line_at_start_and_end(at, capsys):
    layout = at()
    ask([asking(f"n {n}") for n in range(3)], layout, label="recognise")
    ask([asking(f"n {n}") for n in range(4)], layout, label="recognise")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "recognise: 3 requests, 0 stored, 3 to ask"
    assert lines[1].startswith("recognise: done: 3 answered, $")
    assert lines[2] == "recognise: 4 requests, 3 stored, 1 to ask"
