"""Prompts that a server read only in part, by its own count of their tokens."""

import pytest

from llm.asked import asking
from truerate.llm.ask import ask, estimate
from truerate.llm.stats import retry_dead
from truerate.llm.store.responses import Store
from truerate.llm.transport.verdict import is_cut, n_words

LONG = "The gate of the harbour stands open on day 7. " * 190  # 1,900 words


def counting(n: int | None, **more):
    """A server that counts each prompt by a word rule, and a long one as `n` tokens."""

    def usage(request: dict) -> dict:
        said = request["messages"][-1]["content"]
        n_in = n if len(said.split()) > 1000 else len(said.split()) + 3
        return {"prompt_tokens": n_in, "completion_tokens": 1, **more}

    return usage


def test_a_verdict_on_a_prompt_that_was_cut_is_none(at, stub, capsys):
    stub.stub.more_usage = counting(752)
    layout = at()
    requests = [asking(LONG + "a"), asking("short"), asking(LONG + "b")]
    replies = ask(requests, layout, label="x")
    assert [(reply.status, reply.reason) for reply in replies] == [
        ("dead", "prompt_cut"),
        ("ok", None),
        ("dead", "prompt_cut"),
    ]
    line = (
        "2 prompts of model 'm' were read only in part: the server counted 752 prompt tokens for 1,901 words"
    )
    assert line in capsys.readouterr().err
    assert all(reply.is_stored for reply in ask(requests, layout, label="y")) and stub.n_calls == 3
    stub.stub.more_usage = counting(2600)  # the server's context has grown
    with Store(layout.store) as store:
        assert retry_dead(store, "prompt_cut") == 2
    assert [reply.status for reply in ask(requests, layout, label="z")] == ["ok"] * 3


@pytest.mark.parametrize(
    "usage",
    [
        None,  # no usage at all
        {},
        {"prompt_tokens": 0},
        {"prompt_tokens": None},
        {"prompt_tokens": 10},  # a constant that some servers write
        {"prompt_tokens": 20, "prompt_tokens_details": {"cached_tokens": 2580}},
        {"prompt_tokens": 20, "cache_read_input_tokens": 2000, "cache_creation_input_tokens": 580},
    ],
)
def test_counts_that_say_nothing_of_the_whole_prompt(at, stub, usage, capsys):
    if usage is None:
        stub.stub.usage = False
    else:
        stub.stub.more_usage = lambda request: {"completion_tokens": 1, **usage}
    layout = at()
    assert ask([asking(LONG)], layout, label="x")[0].status == "ok"
    assert "in part" not in capsys.readouterr().err
    assert ask([asking(LONG)], layout, label="y")[0].is_stored and stub.n_calls == 1


def test_a_reply_of_an_earlier_build_to_a_cut_prompt_is_asked_again_once(at, stub):
    layout = at()
    ask([asking(LONG)], layout, label="x")
    with Store(layout.store) as store:
        store.write(lambda link: link.execute("UPDATE response SET n_in = 752"))
    assert estimate([asking(LONG)], layout).n_calls == 1
    stub.stub.more_usage = counting(752)
    for n_calls in (2, 2):
        assert ask([asking(LONG)], layout, label="y")[0].reason == "prompt_cut"
        assert stub.n_calls == n_calls


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("one two  three\n\nfour", 4),
        ("a - b = c", 3),  # what holds no letter and no digit may be part of a token
        ("港は1700年に建てられた。" * 50, 1),
        ("राम ने शहर बनाया", 4),
        ("", 0),
    ],
)
def test_words_of_a_prompt(text, least):
    assert n_words([text]) == least


def test_a_count_of_as_many_tokens_as_words_is_no_cut():
    words = ["harbour " * 500]
    assert is_cut(words, 499) and not is_cut(words, 500)
    assert not is_cut(["港" * 3000], 900)  # several characters in a token
    assert not is_cut(["a " * 500], 250)  # servers that count four characters as a token
