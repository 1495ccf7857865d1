"""An endpoint that has answered nothing for a model: its refusals are no replies, and end the run."""

from dataclasses import replace

import pytest

from llm.asked import asking
from truerate.config.layout import Layout
from truerate.core.errors import EndpointError, TruerateError
from truerate.llm.ask import ask
from truerate.llm.request import Request
from truerate.llm.stats import dead_letters
from truerate.llm.store.responses import Store
from truerate.llm.structured import verdict

REFUSING = [
    "400",
    "422",
    "500",
    "html",
    "truncated",
    "not-completion",
    "no-choices",
    "bad-status",
    "bad-chunk",
]


def letters(layout: Layout) -> list[tuple[str, str]]:
    """Prompt and reason of every dead letter; no lease may be left."""
    with Store(layout.store) as store:
        assert (
            store.query("SELECT COUNT(*) FROM lease") == store.query("SELECT COUNT(*) FROM holder") == [(0,)]
        )
        return sorted(dead_letters(store).select("prompt", "reason").rows())


@pytest.mark.parametrize("kind", REFUSING)
def test_a_step_of_few_requests_that_are_all_refused_ends_the_run(at, stub, kind):
    layout = at(llm={"max_attempts": 1})
    for n_runs in (1, 2):  # again at every run: nothing was stored
        with pytest.raises(
            TruerateError,
            match=r"'m' \('stub-model' at endpoint 'stub', .* has answered nothing: 3 requests refused",
        ):
            ask([asking(f"[[{kind}]] {n}") for n in range(3)], layout, label=kind)
        assert (stub.n_calls, letters(layout)) == (3 * n_runs, [])


def test_no_more_than_twenty_are_refused_beside_those_under_way(at, stub):
    layout = at(endpoint={"concurrency": 4})
    with pytest.raises(
        TruerateError, match="has answered nothing: 2[0-3] requests refused, the last as rejected: 400"
    ):
        ask([asking(f"[[400]] {n}") for n in range(500)], layout, label="x")
    assert 20 <= stub.n_calls <= 23 and letters(layout) == []


def test_a_setting_that_a_model_refuses_is_named_with_what_leaves_it_out(at, stub):
    stub.stub.refused = ("temperature",)
    with pytest.raises(
        EndpointError, match=r"; `drop: \[temperature\]` in models.m of params.yaml leaves it out"
    ):
        ask([asking("one", temperature=0.0)], at(), label="x")
    assert (
        ask([asking("one", temperature=0.0)], at(model={"drop": ["temperature"]}), label="x")[0].status
        == "ok"
    )


def test_a_second_setting_is_named_beside_what_is_left_out_already(at, stub):
    stub.stub.refused = ("temperature", "top_p")
    with pytest.raises(EndpointError, match=r"`drop: \[temperature, top_p\]` in models.m"):
        ask([asking("one", temperature=0.0, top_p=1.0)], at(model={"drop": ["temperature"]}), label="x")
    layout = at(model={"drop": ["temperature", "top_p"]})
    assert ask([asking("one", temperature=0.0, top_p=1.0)], layout, label="x")[0].status == "ok"


TEMPLATES = {  # of chat templates that know no system message: Gemma's, Mistral's, and a server's own words
    "System role not supported": True,
    "Conversation roles must alternate user/assistant/user/assistant/...": True,
    "This model does not support system messages": True,
    "Only user, assistant and tool roles are supported, got system.": False,
}


@pytest.mark.parametrize("words", TEMPLATES)
def test_a_template_without_system_messages_is_named_with_the_setting(at, stub, words):
    stub.stub.no_system = words
    messages = ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "one"})
    request = Request("m", messages, {"temperature": 0.0, "max_tokens": 50})
    with pytest.raises(EndpointError, match=r"has answered nothing: 1 requests refused") as ended:
        ask([request], at(), label="x")
    is_named = "`has_system: false` in models.m of params.yaml" in str(ended.value)
    assert is_named or not TEMPLATES[words]
    (reply,) = ask([request], at(model={"has_system": False}), label="x")
    assert reply.text == "echo: Be brief.\n\none" and stub.stub.last["messages"][0]["role"] == "user"


def test_structured_output_that_breaks_a_server_is_thought_of(at, stub):
    """A server that says nothing of it but 500."""
    request = replace(asking("[[500]]"), form=verdict())
    layout = at(model={"structured": "json_schema"}, llm={"max_attempts": 1})
    with pytest.raises(EndpointError, match=r"set models\.m\.structured to null"):
        ask([request], layout, label="x")
    with pytest.raises(EndpointError, match=r"has answered nothing") as ended:
        ask([request], at(llm={"max_attempts": 1}), label="x")
    assert "structured" not in str(ended.value)


def test_the_limit_under_its_other_name_is_named_with_the_setting(at, stub):
    """The stub says as OpenAI does: `max_tokens` is not supported, use `max_completion_tokens`."""
    stub.stub.refused = ("max_tokens",)
    with pytest.raises(
        EndpointError, match="; set `max_tokens_field: max_completion_tokens` in models.m of params.yaml"
    ):
        ask([asking("one", max_tokens=9)], at(), label="x")
    layout = at(model={"max_tokens_field": "max_completion_tokens"})
    assert ask([asking("one", max_tokens=9)], layout, label="x")[0].status == "ok"


def test_refusals_become_dead_letters_once_the_endpoint_answers(at, stub):
    layout = at(endpoint={"concurrency": 1})
    requests = [*(asking(f"[[400]] {n}") for n in range(5)), asking("fine"), asking("[[400]] last")]
    replies = ask(requests, layout, label="x")
    assert [reply.status for reply in replies] == [*["dead"] * 5, "ok", "dead"]
    assert [reason for _, reason in letters(layout)] == ["rejected"] * 6
    assert stub.n_calls == 7
    assert all(reply.is_stored for reply in ask(requests, layout, label="y"))


def test_an_answer_under_way_saves_a_run_with_twenty_refusals(at, stub):
    """The one good request is slow: twenty refusals are there before it."""
    layout = at(endpoint={"concurrency": 8})
    requests = [asking("[[slow 0.3]]"), *(asking(f"[[400]] {n}") for n in range(40))]
    replies = ask(requests, layout, label="x")
    assert [reply.status for reply in replies] == ["ok", *["dead"] * 40]
    assert stub.n_calls == 41


def test_a_completion_is_an_answer_however_badly_formed_its_text(at):
    layout = at(llm={"max_attempts": 1})
    replies = ask([asking("[[empty]]"), asking("[[400]]")], layout, label="x")
    assert [reply.reason for reply in replies] == ["empty", "rejected"]


def test_what_a_single_request_brings_upon_itself_is_an_outcome_and_no_answer(at):
    layout = at()
    replies = ask([asking("[[context]]"), asking("[[filter-400]]")], layout, label="x")
    assert [reply.reason for reply in replies] == ["context_length", "content_filter"]
    with pytest.raises(EndpointError, match="has answered nothing: 1 requests refused"):
        ask([asking("[[context]] more"), asking("[[400]]")], layout, label="x")
    assert [reason for _, reason in letters(layout)] == ["context_length", "context_length", "content_filter"]


def test_an_endpoint_that_has_answered_before_goes_on_with_one_bad_reply(at):
    layout = at(llm={"max_attempts": 1})
    ask([asking("fine")], layout, label="x")
    assert ask([asking("[[bad-status]]")], layout, label="y")[0].reason == "bad_http"


def test_aliases_are_held_apart(at, stub):
    layout = at()
    models = {**layout.p.models, "n": layout.p.models["m"].model_copy(update={"model": "stub-wrong"})}
    both = Layout(layout.p.model_copy(update={"models": models}))
    with pytest.raises(TruerateError, match="model 'n' .* has answered nothing: 2 requests refused"):
        ask(
            [
                asking("fine"),
                asking("[[400]] a", model="n"),
                asking("[[400]] b", model="n"),
                asking("[[400]] c"),
            ],
            both,
            label="x",
        )
    assert letters(both) == [("[[400]] c", "rejected")]


def test_dead_letters_are_asked_again_where_the_alias_points_elsewhere(at, stub):
    layout = at(endpoint={"base_url": f"{stub.url}/"})
    ask([asking("fine"), asking("[[400]]"), asking("[[refusal]]")], layout, label="x")
    assert (stub.n_calls, ask([asking("[[400]]")], layout, label="same place")[0].is_stored) == (3, True)
    elsewhere = at(endpoint={"base_url": stub.url.replace("127.0.0.1", "localhost")})
    replies = ask([asking("fine"), asking("[[400]]"), asking("[[refusal]]")], elsewhere, label="moved")
    assert [reply.is_stored for reply in replies] == [True, False, False]
    assert stub.n_calls == 5


def test_a_model_that_is_asked_by_a_wrong_name_is_told_at_once(at, stub):
    with pytest.raises(TruerateError, match="model 'stub-model' is not there.*Server is pinned to"):
        ask([asking(f"[[pinned]] {n}") for n in range(100)], at(), label="x")
    assert stub.n_calls < 30


@pytest.mark.parametrize("budget", [{"budget_usd": 0.0005}, {"budget_tokens": 300}])
def test_a_budget_that_has_room_for_few_does_not_hold_refusals_up(at, stub, budget):
    with pytest.raises(TruerateError, match="has answered nothing|budget"):
        ask([asking(f"[[400]] {n}") for n in range(50)], at(llm=budget), label="x")
    assert stub.n_calls <= 50
