"""How a reply ended: whole by a list of words; all others are cut, filtered or broken off."""

import json

import pytest

from llm.asked import asking
from truerate.llm.ask import ask
from truerate.llm.store.responses import Store
from truerate.llm.transport.policy import judge
from truerate.llm.transport.verdict import is_broken, is_unknown

WHOLE = [
    "stop", "STOP", "end_turn", "endTurn", "eos", "eos_token", "stop_sequence", "COMPLETE", "tool_calls", "tool_use",
    "function_call", "FinishReason.STOP", "FINISH_REASON_STOP", None, "", {"type": "stop"},
]  # fmt: skip
CUT = [
    "length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length", "model_context_window_exceeded", "ERROR_LIMIT",
    "token_limit", {"type": "length", "length": 5}, "token_limit_reached", "length_exceeded", "MaxTokens", ["length"],
    {"reason": "max_tokens"},
]  # fmt: skip
FILTERED = [
    "content_filter", "content-filter", "CONTENT_FILTERED", "sensitive", "SAFETY", "RECITATION", "refusal", "BLOCKLIST",
    "PROHIBITED_CONTENT", "SPII", "guardrail_intervened", "ERROR_TOXIC",
    "contentFilter", "policy_violation", "safety_stop", "IMAGE_SAFETY",
]  # fmt: skip
BROKEN = [
    "error", "insufficient_system_resource", "network_error", "abort", "aborted", "cancelled", "timeout", "OTHER", "load",
    "no_such_word", "of a later server", "stop_error", "preempted", "not_finished", {"type": "abort", "message": "x"},
]  # fmt: skip


def verdict(word: object, text: str = "Yes, the y"):
    choice = {"message": {"content": text}, "finish_reason": word}
    return judge(200, {}, json.dumps({"choices": [choice]}).encode())


@pytest.mark.parametrize(
    ("words", "action", "reason"),
    [(WHOLE, "keep", ""), (CUT, "dead", "length"), (FILTERED, "dead", "content_filter"), (BROKEN, "retry", "server_error")],
)  # fmt: skip
def test_each_word_has_one_meaning(words, action, reason):
    assert {(str(word), verdict(word).action, verdict(word).reason) for word in words} == {
        (str(word), action, reason) for word in words
    }


def test_a_router_that_calls_whole_what_its_provider_does_not_is_not_believed():
    found = {"message": {"content": "Yes, the y"}, "finish_reason": "stop"}
    for native, reason in (
        ("SAFETY", "content_filter"), ("MAX_TOKENS", "length"), ("network_error", "server_error"), ("end_turn", ""), ("odd", ""),
    ):  # fmt: skip
        body = {"choices": [found | {"native_finish_reason": native}]}
        assert judge(200, {}, json.dumps(body).encode()).reason == reason
    for word in ("stop", None):  # an error beside a text that broke off, as routers hand it on
        choice = found | {"finish_reason": word, "error": {"code": 502, "message": "Provider returned error"}}
        assert judge(200, {}, json.dumps({"choices": [choice]}).encode()).reason == "server_error"


def test_a_word_on_no_list_alone_is_unknown():
    assert is_unknown("no_such_word") and is_unknown("") and is_broken("")
    assert not any(is_unknown(word) for word in ("network_error", "ABORT", "stop", "SAFETY", "length"))


@pytest.mark.parametrize("word", ["network_error", "insufficient_system_resource", "abort", "weird"])
def test_a_reply_that_broke_off_is_asked_again_and_counted(at, stub, word, capsys):
    layout = at()
    replies = ask(
        [asking("fine"), asking(f"[[finish x2 {word}]]"), asking(f"[[finish {word}]]")], layout, label="x"
    )
    assert [(reply.status, reply.reason) for reply in replies] == [
        ("ok", None),
        ("ok", None),
        ("dead", "server_error"),
    ]
    assert stub.n_calls - (1 + 3 + 3) in (0, 1)  # a probe, where both that failed did so last
    told = f"endpoint 'stub': 5 replies ended with finish_reason '{word}'"
    assert capsys.readouterr().err.count(told) == (word == "weird")
    assert all(
        reply.is_stored for reply in ask([asking("fine"), asking(f"[[finish {word}]]")], layout, label="y")
    )


STORED = {  # word of a reply that an earlier build kept -> what becomes of it, and calls
    "stop": ("ok", None, 0),
    "model_context_window_exceeded": ("dead", "length", 0),
    "sensitive": ("dead", "content_filter", 0),
    "network_error": ("ok", None, 1),
}


@pytest.mark.parametrize("word", STORED)
def test_a_reply_of_an_earlier_build_is_read_by_the_same_rule(at, stub, word):
    layout = at()
    ask([asking("fine")], layout, label="x")
    with Store(layout.store) as store:
        store.write(lambda link: link.execute("UPDATE response SET finish = ?, text = 'Yes, the y'", [word]))
    (reply,) = ask([asking("fine")], layout, label="y")
    assert (reply.status, reply.reason, stub.n_calls - 1) == STORED[word]
    assert "Yes, the y" not in reply.text or word == "stop"
    assert ask([asking("fine")], layout, label="z")[0].is_stored
    assert stub.n_calls - 1 == STORED[word][2]
