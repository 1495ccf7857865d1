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
from truerate.llm.transport.error_status import judge_error
from truerate.llm.transport.verdict import end, is_broken, is_unknown

WHOLE = [
    "stop",
    "STOP",
    "end_turn",
    "endTurn",
    "eos",
    "eos_token",
    "tool_calls",
    "FinishReason.STOP",
    "COMPLETE",
    None,
]
BROKEN = [
    "error",
    "insufficient_system_resource",
    "network_error",
    "abort",
    "cancelled",
    "of a later server",
    "",
]
CUT = ["length", "max_tokens", "MAX_TOKENS", "model_context_window_exceeded", "max_output_tokens"]
FILTERED = ["content_filter", "sensitive", "SAFETY", "RECITATION", "refusal"]
MANY_WORDS = "word " * 400


def letters(layout) -> dict[str, int]:
    """The number of dead letters by reason."""
    with Store(layout.store) as store:
        return dict(dead_letters(store)["reason"].value_counts().iter_rows())


def test_only_listed_words_end_a_whole_reply():
    assert [word for word in WHOLE if is_broken(word) or end(word) in ("length", "content_filter")] == []
    assert [word for word in BROKEN if not is_broken(word)] == []
    assert {end(word) for word in CUT} == {"length"}
    assert {end(word) for word in FILTERED} == {"content_filter"}
    assert [word for word in BROKEN if is_unknown(word)] == ["of a later server", ""]


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


def test_an_unknown_end_is_told_once(at, capsys):
    ask([asking("fine"), *(asking(f"{n} [[finish x1 wandered_off]]") for n in range(4))], at(), label="x")
    told = capsys.readouterr().err
    assert told.count("ended with finish_reason 'wandered_off'") == 1 and "4 replies" in told


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


def test_refusals_without_an_end_stop_a_run_that_was_answered_before(at, stub, capsys):
    layout = at()
    stub.stub.outage = ("429", lambda n: n > 5)
    with pytest.raises(EndpointError, match=r"refusals in a row, for .* s, without an answer between"):
        ask([asking(f"r{n}") for n in range(200)], layout, label="x")
    assert stub.n_calls < 120 and letters(layout) == {}
    assert "asked to wait" not in capsys.readouterr().err


def test_a_request_beyond_the_limit_per_minute_is_dead_at_once(at, stub):
    layout = at()
    requests = [asking(f"{n} [[tpm]]") for n in range(8)] + [asking(f"fine {n}") for n in range(8)]
    begun = time.monotonic()
    replies = ask(requests, layout, label="x")
    assert letters(layout) == {"context_length": 8} and sum(reply.status == "ok" for reply in replies) == 8
    assert stub.n_calls == 16 and time.monotonic() - begun < 10


@pytest.mark.parametrize("fault", ["502", "drop", "empty", "broken"])
def test_an_outage_kills_no_request(at, stub, fault):
    """Of 300 requests, 8 under way, the calls 40 to 100 fail: none is dead, none that was answered is paid twice."""
    layout = at(llm={"backoff_s": [0.001, 0.02]})
    stub.stub.outage = (fault, lambda n: 40 < n <= (55 if fault in ("empty", "broken") else 100))
    replies = ask([asking(f"r{n}") for n in range(300)], layout, label="x")
    assert letters(layout) == {} and all(reply.status == "ok" for reply in replies)
    assert stub.n_calls <= 300 + 75


@pytest.mark.parametrize("fault", ["broken", "empty", "null"])
def test_replies_of_which_none_is_whole_end_the_run(at, stub, fault):
    layout = at(llm={"max_attempts": 5})
    stub.stub.outage = (fault, lambda n: n > 10)
    with pytest.raises(EndpointError, match="in a row, and none of them whole"):
        ask([asking(f"r{n}") for n in range(100)], layout, label="x")
    assert stub.n_calls < 10 + 40 and letters(layout) == {}


def test_an_endpoint_that_stays_away_ends_the_run_in_one_line(at, stub):
    layout = at(llm={"outage_s": 0.3, "backoff_s": [0.001, 0.02]})
    stub.stub.outage = ("502", lambda n: n > 20)
    with pytest.raises(EndpointError, match=r"no whole reply for .* s \(`llm.outage_s`\)"):
        ask([asking(f"r{n}") for n in range(100)], layout, label="x")
    assert letters(layout) == {}
    stub.stub.outage = None
    replies = ask([asking(f"r{n}") for n in range(100)], layout, label="y")
    assert all(reply.status == "ok" for reply in replies) and sum(reply.is_stored for reply in replies) == 20


def test_one_request_that_fails_alone_dies_of_its_own(at, stub):
    layout = at()
    replies = ask([asking("[[500]]"), *(asking(f"r{n}") for n in range(60))], layout, label="x")
    assert letters(layout) == {"server_error": 1} and sum(reply.status == "ok" for reply in replies) == 60
    assert stub.n_calls in (60 + 3, 60 + 3 + 1)


def test_a_large_error_page_is_a_fault_of_the_server(at, stub):
    layout = at(llm={"timeout_s": 60})
    replies = ask([asking("[[bomb-500 x1]]"), asking("fine")], layout, label="x")
    assert [reply.status for reply in replies] == ["ok", "ok"] and stub.n_calls == 3


TOO_LONG = [
    "The input (2010 tokens) is longer than the model's context length (1500 tokens).",
    "You passed 2010 input tokens and requested 64 output tokens. However, the model's context length is only 1500 tokens",
    "The input token count (2010) exceeds the maximum number of tokens allowed (1500).",
    '{"error": {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds the available context size"}}',
    "prompt is too long: 2010 tokens > 1500 maximum",
    "`inputs` tokens + `max_new_tokens` must be <= 1500. Given: 2010 `inputs` tokens and 64 `max_new_tokens`",
    "too many tokens: total number of tokens in the prompt cannot exceed 1500",
    "Input is too long for requested model.",
    "Prompt contains 2010 tokens and 0 draft tokens, too large for model with 1500 maximum context length",
]
NOT_TOO_LONG = [
    "max_tokens is too large: 9000. This model supports at most 4096 completion tokens",
    "temperature: 3 is too large, at most 2",
    "Unsupported parameter: 'stop' is not supported with this model.",
]


@pytest.mark.parametrize("said", TOO_LONG)
def test_a_prompt_that_is_too_long_is_known_in_the_words_of_several_servers(said):
    verdict = judge_error(400, said, {})
    assert (verdict.action, verdict.reason) == ("dead", "context_length")


@pytest.mark.parametrize("said", NOT_TOO_LONG)
def test_what_is_refused_otherwise_is_no_prompt_that_is_too_long(said):
    assert judge_error(400, said, {}).reason == "rejected"
