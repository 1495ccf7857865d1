"""Anthropic's and Gemini's own protocols, online and in batches: the same replies as of OpenAI's."""

import pytest
from stub import serving

from llm.asked import asking
from llm.conftest import Running
from llm.other_apis import AnthropicStub, GeminiStub
from llm.test_batch import LOOK, failing, left, rows, usd
from truerate.core.errors import TruerateError
from truerate.llm.ask import ask
from truerate.llm.request import Request

SERVERS = {"anthropic": AnthropicStub, "gemini": GeminiStub}


@pytest.fixture(params=SERVERS)
def api(request):
    return request.param


@pytest.fixture
def stub(api):
    server = SERVERS[api]()
    with serving(server) as url:
        yield Running(server, url)


def layout(at, api: str, *, batch: dict | None = None, **more):
    settings = None if batch is None else {"poll_s": 0, **batch}
    return at(endpoint={"api": api, "batch": settings}, llm={"max_attempts": 5}, **more)


PROMPTS = [
    Request(
        "m",
        ({"role": "system", "content": "Be short."}, {"role": "user", "content": "one"}),
        {"max_tokens": 9, "seed": 3, "stop": "\n"},
    ),
    Request("m", tuple({"role": role, "content": role} for role in ("user", "assistant", "user")), {"max_tokens": 9, "top_p": 0.5}),
    asking("[[length]]"),
    asking("[[500 x1]]"),
    asking("fine"),
]  # fmt: skip


def test_a_reply_is_read_and_counted_as_those_of_openai(at, stub, api):
    replies = ask(PROMPTS, layout(at, api), label="x")
    assert [reply.text for reply in replies] == [
        "echo: one",
        "echo: user",
        "",
        "echo: [[500 x1]]",
        "echo: fine",
    ]
    assert [reply.reason for reply in replies] == [None, None, "length", None, None]
    assert {(reply.n_tokens_in, reply.n_tokens_out) for reply in replies if reply.status == "ok"} == {(10, 5)}
    assert {reply.thought for reply in replies if reply.status == "ok"} == {"so"}
    assert {reply.served for reply in replies} >= {"claude-x" if api == "anthropic" else "gemini-x"}


def test_settings_go_where_the_protocol_has_them(at, stub, api):
    extra = (
        {"thinking": {"type": "enabled"}}
        if api == "anthropic"
        else {"generationConfig": {"thinkingConfig": {"thinkingBudget": 9}}}
    )
    ask(PROMPTS[:1], layout(at, api, model={"extra_body": extra}), label="x")
    seen = stub.stub.last
    assert seen["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "one"},
    ]
    if api == "anthropic":
        assert (seen["max_tokens"], seen["stop_sequences"], seen["thinking"]) == (
            9,
            ["\n"],
            {"type": "enabled"},
        )
    else:
        assert (seen["maxOutputTokens"], seen["stopSequences"], seen["seed"]) == (9, ["\n"], 3)
        assert seen["thinkingConfig"] == {"thinkingBudget": 9}


def test_batches_give_the_rows_of_online_at_half_the_price(at, stub, api, tmp_path, monkeypatch):
    first = ask(PROMPTS, layout(at, api), label="x")
    stored, dead = rows(layout(at, api)), rows(layout(at, api), "dead", "key, reason, detail")
    n_online, stub.stub.calls = stub.stub.online, type(stub.stub.calls)()
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "batched.sqlite"))
    batched = layout(at, api, batch={"rounds": 3})
    assert ask(PROMPTS, batched, label="x") == first
    assert rows(batched) == stored and rows(batched, "dead", "key, reason, detail") == dead
    assert stub.stub.online == n_online and len(stub.stub.batches) == 2 and left(batched) == [[], [], []]
    assert usd(batched) == pytest.approx(len(PROMPTS) * 10e-6)


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_what_an_ended_batch_answered_is_read_first(at, stub, api, end):
    server = stub.stub
    server.end, server.n_before_end = end, 3
    assert (
        len(ask([asking(f"n {n}") for n in range(7)], layout(at, api, batch={"rounds": 9}), label="x")) == 7
    )
    assert [server.n_requests(batch) for batch in server.batches.values()] == [7, 4, 1]
    assert max(server.calls.values()) == 1 and server.online == 0


def test_a_late_batch_is_cancelled(at, stub, api):
    stub.stub.never_ends, stub.stub.n_before_end = True, 3
    batched = layout(at, api, batch={"deadline_h": 0})
    assert len(ask([asking(f"n {n}") for n in range(7)], batched, label="x")) == 7
    assert stub.stub.online == 4 and left(batched) == [[], [], []]


def test_a_batch_that_was_made_without_a_word_is_found_again(at, stub, api):
    """Also beside batches of others: as large, and of no name where the protocol keeps none."""
    server = stub.stub
    path = "/messages/batches" if api == "anthropic" else "/models/stub-model:batchGenerateContent"
    server.trouble = failing(path, "after-drop", 1, method="POST")
    others = iter([True, False])
    begun = server.begun

    def with_another(id, lines, **more):
        batch = begun(id, lines, **more)
        if next(others, False):
            more = {**more, "name": "of another"} if more else {}
            begun(f"{id}0", [(key[::-1], body) for key, body in lines], **more)
            server.paid.clear()
            server.paid.update(key for key, _ in lines)
        return batch

    server.begun = with_another
    batched = layout(at, api, batch={})
    assert {reply.status for reply in ask([asking(f"n {n}") for n in range(7)], batched, label="x")} == {"ok"}
    assert max(server.paid.values()) == 1 and len(server.paid) == 7 and server.online == 0
    assert left(batched) == [[], [], []]


def test_a_refused_key_ends_the_run(at, stub, api):
    stub.stub.trouble = failing(
        LOOK if api == "gemini" else "/messages/batches/batch", (403, {}, b'{"error": {"message": "no"}}')
    )
    with pytest.raises(TruerateError, match="forbidden"):
        ask([asking("a")], layout(at, api, batch={}), label="x")
