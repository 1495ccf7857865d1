"""Verdicts on single answers that the runs do not reach."""

import json
import time
from email.utils import formatdate

import aiohttp
import httpx2
import openai
import pytest
from aiohttp.http_exceptions import TransferEncodingError

from truerate.llm.transport.client import judge_exception
from truerate.llm.transport.policy import judge
from truerate.llm.transport.resets import retry_after
from truerate.llm.transport.verdict import REASONS

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": formatdate(NOW + 90, usegmt=True)}, 90.0),
        ({"retry-after": formatdate(NOW - 90, usegmt=True)}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2.0),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after(httpx2.Headers(headers), NOW) == seconds


def test_retry_after_is_by_the_clock():
    assert 58 < retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)}) <= 60


@pytest.mark.parametrize(
    ("status", "body", "action", "reason"),
    [
        (402, b"{}", "fatal", "quota"),
        (403, b'{"error": "insufficient_quota"}', "fatal", "quota"),
        (400, b'{"error": {"message": "The model `x` does not exist"}}', "fatal", "wrong_model"),
        (301, b"", "retry", "not_a_completion"),
        (413, b"", "dead", "rejected"),
        (529, b"overloaded", "retry", "server_error"),
        (200, b"", "retry", "bad_json"),
        (200, b"null", "retry", "not_a_completion"),
        (200, b'{"error": {"code": "insufficient_quota"}}', "fatal", "quota"),
        (200, b'{"error": {"code": 503}}', "retry", "server_error"),
        (200, b'{"error": {"code": "context_length_exceeded"}}', "dead", "context_length"),
        (200, b'{"choices": [null]}', "retry", "not_a_completion"),
        (200, b'{"choices": [{"message": {"content": 5}}]}', "retry", "not_a_completion"),
        (200, b'{"choices": [{"message": {"content": "x"}, "finish_reason": 3}]}', "keep", ""),
    ],
)
def test_judge(status, body, action, reason):
    verdict = judge(status, {}, body)
    assert (verdict.action, verdict.reason) == (action, reason)
    assert reason in (*REASONS, "")


def completion(message: dict, **choice: object) -> bytes:
    return json.dumps({"choices": [{"message": message, **choice}]}).encode()


@pytest.mark.parametrize(
    ("said", "action", "reason", "finish"),
    [
        ("model_length", "dead", "length", "length"),  # Mistral: the model's own limit
        ("max_tokens", "dead", "length", "length"),
        ("MAX_TOKENS", "dead", "length", "length"),
        ("SAFETY", "dead", "content_filter", "content_filter"),
        ("error", "retry", "server_error", "error"),  # a router whose upstream broke off in the reply
        ("end_turn", "keep", "", "end_turn"),
        ("stop", "keep", "", "stop"),
    ],
)
def test_the_end_of_a_reply_is_read_in_the_words_of_several_servers(said, action, reason, finish):
    verdict = judge(200, {}, completion({"content": "Yes, the y"}, finish_reason=said))
    assert (verdict.action, verdict.reason, verdict.finish) == (action, reason, finish)
    cut = judge(200, {}, completion({"content": "Yes, the y"}, finish_reason=said), accept_length=True)
    assert (cut.action == "keep") == (action == "keep" or reason == "length")


def test_what_a_router_says_of_its_upstream_is_told():
    body = completion({"content": "Ye"}, finish_reason="error", error={"code": 502, "message": "gone"})
    assert "gone" in judge(200, {}, body).detail


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_reply_that_was_cut_in_thought_kept_apart_is_told_so(field, text):
    body = completion({"content": text, field: "Is it Yes?"}, finish_reason="length")
    for accept_length in (False, True):
        verdict = judge(200, {}, body, accept_length=accept_length)
        assert (verdict.action, verdict.reason, verdict.detail) == ("dead", "thought_only", "Is it Yes?")
    whole = judge(200, {}, completion({"content": text, field: "Is it Yes?"}, finish_reason="stop"))
    assert (whole.action, whole.reason, whole.detail) == ("retry", "empty", "Is it Yes?")


def test_thought_is_no_text_in_whatever_part_it_comes():
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "No?"}]},
        {"type": "reasoning", "text": "No?"},
        {"type": "text", "text": "Yes"},
        {"text": "."},
    ]
    assert judge(200, {}, completion({"content": parts}, finish_reason="stop")).text == "Yes."


@pytest.mark.parametrize(
    "usage", ["null", "[]", '{"prompt_tokens": -1, "completion_tokens": true}', '{"prompt_tokens": "5"}']
)
def test_usage_that_counts_nothing(usage):
    verdict = judge(200, {}, f'{{"choices": [{{"message": {{"content": "x"}}}}], "usage": {usage}}}'.encode())
    assert (verdict.action, verdict.n_in, verdict.n_out) == ("keep", None, None)


def test_tool_calls_and_logprobs_are_kept():
    verdict = judge(
        200,
        {},
        b'{"choices": [{"message": {"content": null, "tool_calls": [1]}, "logprobs": {"content": []}}]}',
    )
    assert (verdict.action, verdict.text) == ("keep", "")
    assert verdict.extra == b'{"tool_calls":[1],"logprobs":{"content":[]}}'


def test_details_are_one_short_line():
    verdict = judge(500, {}, ("a\nb " * 500).encode())
    assert "\n" not in verdict.detail and len(verdict.detail) < 220


def test_exceptions_are_known_by_the_classes_of_the_packages():
    class Unknown(aiohttp.ClientConnectorError):
        """A kind of refused connection that a later release may bring."""

        def __init__(self):
            OSError.__init__(self, "no route")

        __str__ = OSError.__str__

    lost = openai.APIConnectionError(message="gone", request=httpx2.Request("POST", "http://x"))
    lost.__cause__ = aiohttp.ServerDisconnectedError()
    assert judge_exception(Unknown()).reason == "unreachable"
    assert judge_exception(lost).reason == "connection"
    assert judge_exception(TransferEncodingError("chunk")).reason == "bad_http"
    assert judge_exception(aiohttp.ServerTimeoutError()).reason == "timeout"
    unsent = aiohttp.ClientConnectionResetError("Cannot write to closing transport")
    assert (judge_exception(unsent).reason, judge_exception(unsent).is_charged) == ("connection", False)


def test_exceptions_are_known_by_their_causes():
    refused = OSError("no")
    refused.__cause__ = ConnectionRefusedError("refused")
    assert judge_exception(refused).reason == "unreachable"
    assert judge_exception(TimeoutError()).reason == "timeout"
    assert judge_exception(ConnectionResetError("reset")).reason == "connection"
