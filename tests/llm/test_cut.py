"""Replies that end at their limit of tokens, and other things that a reply lacks or says of its server."""

from dataclasses import replace

import pytest

from llm.asked import asking
from truerate.core.errors import EndpointError
from truerate.llm.ask import ask
from truerate.llm.generation import Prompted, facts, generation
from truerate.llm.store.responses import Store


def kept(text: str):
    return replace(asking(text), keeps_cut=True)


def test_a_cut_reply_is_kept_where_its_request_says_so(at):
    first, second = ask([kept("[[length]]"), asking("[[length]] x")], at(), label="x")
    assert (first.status, first.text, first.finish_reason) == ("ok", "a start of", "length")
    assert (second.status, second.text, second.reason) == ("dead", "", "length")


@pytest.mark.parametrize("accepts", [True, False])
def test_the_models_entry_stands_above_the_request(at, accepts):
    layout = at(model={"accept_length": accepts})
    replies = ask([kept("[[length]]"), asking("[[length]] x")], layout, label="x")
    assert [reply.status for reply in replies] == ["ok" if accepts else "dead"] * 2


def test_a_kept_reply_is_dead_where_it_is_no_longer_wanted_and_the_other_way_round(at, stub):
    layout = at()
    assert ask([kept("[[length]] a")], layout, label="x")[0].status == "ok"
    assert ask([asking("[[length]] a")], layout, label="x")[0].reason == "length"
    assert stub.n_calls == 1
    assert ask([asking("[[length]] b")], layout, label="x")[0].reason == "length"
    (again,) = ask([kept("[[length]] b")], layout, label="x")  # its text was not kept: paid for anew
    assert (again.status, stub.n_calls) == ("ok", 3)


def test_a_reply_of_thought_alone_that_was_cut_stays_dead(at, stub):
    """Asked again at every run it would be paid for at every run."""
    layout = at()
    for _ in range(2):
        assert ask([kept("[[length-empty]]")], layout, label="x")[0].reason == "length"
    assert stub.n_calls == 1


def test_settings_that_a_server_refuses_end_the_run_though_it_answered_others(at, stub):
    ask([asking("fine")], at(), label="x")
    stub.stub.refused = ("reasoning_effort",)
    layout = at(model={"params": {"reasoning_effort": "low"}})
    with pytest.raises(
        EndpointError, match="has answered nothing: 2[0-9] requests refused, .*reasoning_effort"
    ):
        ask([asking(f"{n}") for n in range(100)], layout, label="x")
    with Store(layout.store) as store:
        assert store.query("SELECT COUNT(*) FROM dead") == [(0,)]


def test_effort_and_budget_of_thought_are_sent_and_in_the_key(at, stub):
    params = {"reasoning_effort": "low", "thinking": {"type": "enabled", "budget_tokens": 100}, "stop": ["#"]}
    layout = at(model={"params": params, "max_tokens_field": "max_completion_tokens"})
    first = ask([asking("x")], layout, label="x")[0]
    assert {**stub.stub.last, **params, "max_completion_tokens": 50} == stub.stub.last
    assert first.key != ask([asking("x")], at(), label="x")[0].key


def test_an_endpoint_may_have_a_timeout_of_its_own(at):
    layout = at(llm={"timeout_s": 0.1, "max_attempts": 1}, endpoint={"timeout_s": 5})
    assert ask([asking("[[slow 0.4]]")], layout, label="x")[0].status == "ok"
    layout = at(endpoint={"timeout_s": 0.1}, llm={"max_attempts": 1})
    replies = ask([asking("fine"), asking("[[slow 0.5]]")], layout, label="x")
    assert replies[1].reason == "timeout"


def test_log_probabilities_that_were_left_out_are_told(at, capsys):
    ask([asking("a"), asking("b")], at(model={"params": {"logprobs": True}}), label="x")
    assert (
        "`logprobs` were asked for, and endpoint 'stub' left them out of 2 replies" in capsys.readouterr().err
    )
    ask([asking("c")], at(), label="x")
    assert "left them out" not in capsys.readouterr().err


def test_another_model_than_the_one_asked_stands_in_the_row(at, stub):
    stub.stub.more = {"model": "loaded.gguf"}
    layout = at()
    for _ in range(2):  # also of a reply that is stored
        (reply,) = ask([asking("x")], layout, label="x")
        assert reply.served == "loaded.gguf"
    row = generation(Prompted(asking("x"), "i", "write"), reply)
    assert facts(row)["served"] == "loaded.gguf"
    stub.stub.more = {"model": "stub-model"}
    assert ask([asking("y")], layout, label="x")[0].served is None
