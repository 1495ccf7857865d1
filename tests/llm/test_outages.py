"""Broken-off replies, prompts read in part, quotas and outages, over loopback: no fragment counts as a reply, nothing
dies of a fault of the endpoint, and a second run repays nothing.
"""

import time

import pytest

from llm.asked import asking
from truerate.core.errors import EndpointError
from truerate.llm import ask
from truerate.llm.stats import dead_letters
from truerate.llm.store.responses import Store

MANY_WORDS = "word " * 400


def letters(layout) -> dict[str, int]:
    """The number of dead letters by reason."""
    with Store(layout.store) as store:
        return dict(dead_letters(store)["reason"].value_counts().iter_rows())


@pytest.mark.parametrize("word", ["insufficient_system_resource", "network_error", "abort"])
def test_a_reply_that_broke_off_is_asked_again(at, stub, word):
    layout = at()
    replies = ask(
        [asking("fine"), asking(f"[[finish x1 {word}]]"), asking(f"[[finish {word}]]")], layout, label="x"
    )
    assert [reply.status for reply in replies] == ["ok", "ok", "dead"]
    n_calls = stub.n_calls
    assert n_calls in (
        1 + 2 + 3,
        1 + 2 + 3 + 1,
    )  # and a tiny one, if nothing was answered between the last two
    assert sum(letters(layout).values()) == 1
    assert all(
        reply.is_stored for reply in ask([asking("fine"), asking(f"[[finish {word}]]")], layout, label="y")
    )
    assert stub.n_calls == n_calls


def test_a_fragment_that_an_earlier_release_stored_is_asked_again(at, stub):
    layout = at()
    ask([asking("a"), asking("b")], layout, label="x")
    with Store(layout.store) as store:
        store.write(
            lambda link: link.execute(
                "UPDATE response SET finish = 'network_error', text = 'echo' WHERE rowid = 1"
            )
        )
    replies = ask([asking("a"), asking("b")], layout, label="y")
    assert sorted(reply.text for reply in replies) == ["echo: a", "echo: b"]
    assert sorted(reply.is_stored for reply in replies) == [False, True] and stub.n_calls == 3


def test_a_prompt_that_was_read_in_part_has_no_reply(at, stub, capsys):
    """The server counts 75 tokens of 401 words; 20 of 5 words are a whole count, and so are 26 beside 400 cached."""
    layout = at()
    counts = {"long": 75, "short": 20}
    stub.stub.more_usage = lambda request: {
        "prompt_tokens": counts["long" if len(request["messages"][-1]["content"]) > 500 else "short"],
        "completion_tokens": 1,
    }
    replies = ask([asking(MANY_WORDS + "one"), asking("a prompt of five words")], layout, label="x")
    assert [(reply.status, reply.reason) for reply in replies] == [("dead", "prompt_cut"), ("ok", None)]
    told = capsys.readouterr().err
    assert (
        "1 prompts of model 'm' were read only in part: the server counted 75 prompt tokens for 401 words"
        in told
    )
    stub.stub.more_usage = lambda request: {
        "prompt_tokens": 26,
        "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 400},
    }
    assert ask([asking(MANY_WORDS + "two")], layout, label="x")[0].status == "ok"


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": None}, {"prompt_tokens": 0}, {"prompt_tokens": 10}]
)
def test_a_count_that_counts_nothing_cuts_no_prompt(at, stub, usage):
    stub.stub.usage = usage or False
    assert ask([asking(MANY_WORDS)], at(), label="x")[0].status == "ok"


def test_a_quota_ends_the_run_with_the_time_of_its_reset(at, stub):
    """From the tenth call on every one is refused, until tomorrow: one line, nothing dead, and the next run, which
    needs no flag, asks what is left.
    """
    layout = at()
    reset = int((time.time() + 86400) * 1000)
    stub.stub.error_headers = {"X-RateLimit-Reset": str(reset)}
    stub.stub.outage = ("429", lambda n: n > 9)
    requests = [asking(f"r{n}") for n in range(40)]
    with pytest.raises(EndpointError) as ended:
        ask(requests, layout, label="x")
    assert time.strftime("%Y-%m-%d %H:%M", time.gmtime(reset / 1000)) in str(ended.value)
    assert stub.n_calls < 9 + 30 and letters(layout) == {}
    stub.stub.outage = None
    replies = ask(requests, layout, label="y")
    assert all(reply.status == "ok" for reply in replies) and sum(reply.is_stored for reply in replies) == 9


def test_a_request_beyond_the_limit_per_minute_is_dead_at_once(at, stub):
    layout = at()
    requests = [asking(f"{n} [[tpm]]") for n in range(8)] + [asking(f"fine {n}") for n in range(8)]
    begun = time.monotonic()
    replies = ask(requests, layout, label="x")
    assert letters(layout) == {"context_length": 8} and sum(reply.status == "ok" for reply in replies) == 8
    assert stub.n_calls == 16 and time.monotonic() - begun < 10
