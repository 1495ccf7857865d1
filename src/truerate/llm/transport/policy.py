"""What an answer of an endpoint means: keep it, try again, give the request up, or stop the run. Bytes in,
verdict out.

Bodies are judged here and not by the client library, which hands on HTML as a string and errors with status
200 as empty completions. No body raises: what cannot be read is a verdict too.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from truerate.core.lenient import loads
from truerate.core.retry import may_pass, seconds_asked
from truerate.core.text import clean
from truerate.llm.retrieved import kept

Action = Literal["keep", "retry", "dead", "fatal"]
# Retried, at most `llm.max_attempts` times; the last one then names the dead letter (`unreachable` stops the
# run instead).
RETRIED = (
    "rate_limited", "server_error", "not_ready", "timeout", "connection", "unreachable",
    "bad_http", "bad_json", "html", "not_a_completion", "no_choices", "empty",
)  # fmt: skip
DEAD = ("refusal", "content_filter", "context_length", "length", "rejected", "too_large", "unstorable")
FATAL = ("unauthorised", "forbidden", "wrong_model", "quota")
# a reply in which nothing but thought stands, or that was cut before anything else: no answer, though nothing
# is to be asked again
THOUGHT_ONLY = "thought_only"
REASONS = (*RETRIED, *DEAD, *FATAL, THOUGHT_ONLY)
# What a single request brings upon itself, as an outcome of its row; every other reason of a dead letter is a
# fault of the endpoint.
OUTCOMES = ("refusal", "content_filter", "context_length", "length", "empty", THOUGHT_ONLY)
FAULTS = tuple(reason for reason in (*RETRIED, *DEAD) if reason not in OUTCOMES)

_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|billing_hard_limit|insufficient (?:balance|credits)",
    re.IGNORECASE,
)
_FILTER = re.compile(r"content_filter|content_policy_violation|content management policy", re.IGNORECASE)
_CONTEXT = re.compile(
    r"context_length_exceeded|maximum context length|context window|prompt is too long|exceed_context_size|available context size",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model_not_found|model .{0,80}(?:does not exist|not found)|is pinned to|invalid model name|unknown model|no such model",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"response_format|json_schema|json schema|structured[ _]outputs?|guided_json|guided decoding",
    re.IGNORECASE,
)
# How servers say that a reply ended, where they do not say it in the protocol's own words: Mistral's
# `model_length`, and what proxies hand on of Anthropic's and Google's words.
_ENDS = {
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "safety": "content_filter",
    "recitation": "content_filter",
    "prohibited_content": "content_filter",
    "blocklist": "content_filter",
}
_BROKE = "error"  # a reply that broke off, as routers say: what came of it is no reply
_THOUGHT = ("reasoning_content", "reasoning")  # fields of a message in which servers keep thought apart
_SECRET = re.compile(r"\b(?:sk|pk)-[A-Za-z0-9_\-*.]{6,}|\bBearer \S+")


MOST_TOKENS = 10**9  # of one call; a larger count is no count
# What broken data can raise in the reading of it, beside what is looked for.
_BROKEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with an answer, and what it brought.

    `delay` is what the server asked to wait, in seconds. `is_charged`: it may have cost something although it
    gave no usage. `is_answered`: the endpoint gave a completion, however badly formed its text. `served`: the
    name of the model that says it answered.
    """

    action: Action
    reason: str = ""
    detail: str = ""
    delay: float | None = None
    text: str = ""
    finish: str | None = None
    n_in: int | None = None
    n_out: int | None = None
    extra: bytes | None = None
    is_charged: bool = False
    is_answered: bool = False
    served: str | None = None


def judge(status: int, headers: Mapping[str, str], body: bytes, *, accept_length: bool = False) -> Verdict:
    """The verdict on an HTTP answer."""
    try:
        if 200 <= status < 300:
            return _judge_body(body, accept_length)
        return _judge_error(status, body.decode("utf-8", "replace"), retry_after(headers))
    except _BROKEN as error:
        what = f"{status}: a body that cannot be read ({type(error).__name__})"
        return Verdict(
            "retry",
            "not_a_completion" if 200 <= status < 300 else "server_error",
            what,
            is_charged=200 <= status < 300,
        )


def _judge_error(status: int, said: str, delay: float | None = None) -> Verdict:
    """The verdict on an error status, by its number and by the codes and phrases that endpoints use."""
    detail = f"{status}: {_message(said)}"
    if status == 402 or (status in (403, 429) and _QUOTA.search(said)):
        return Verdict("fatal", "quota", detail)
    if status == 429:
        return Verdict("retry", "rate_limited", detail, delay)
    if may_pass(status) or status == 409 or status >= 600:  # beyond 599 endpoints number faults of their own
        reason = "server_error" if status >= 500 else "timeout" if status == 408 else "not_ready"
        return Verdict("retry", reason, detail, delay)
    if status in (401, 403):
        return Verdict("fatal", "unauthorised" if status == 401 else "forbidden", detail)
    if status == 404 or _MODEL.search(said):
        return Verdict("fatal", "wrong_model", detail)
    if status < 400:
        return Verdict(
            "retry",
            "not_a_completion",
            f"{detail} (it points elsewhere: write the right address as `base_url`)",
        )
    reason = (
        "content_filter"
        if _FILTER.search(said)
        else "context_length"
        if _CONTEXT.search(said)
        else "rejected"
    )
    return Verdict("dead", reason, detail)


def refuses_form(verdict: Verdict) -> bool:
    """Whether a refusal is that of structured output, by the names that servers give its field."""
    return verdict.reason == "rejected" and bool(_FORM.search(verdict.detail))


def _judge_body(body: bytes, accept_length: bool) -> Verdict:
    """The verdict on what came with a success status."""
    try:
        found = loads(body)
    except (ValueError, RecursionError):
        reason = "html" if body.lstrip()[:1] == b"<" else "bad_json"
        return Verdict(
            "retry", reason, short(body[:1000].decode("utf-8", "replace")), is_charged=reason == "bad_json"
        )
    if not isinstance(found, dict):
        return Verdict("retry", "not_a_completion", _shown(body))
    if error := found.get("error"):
        return _judge_error_body(error)
    choices = found.get("choices")
    if not isinstance(choices, list):
        return Verdict("retry", "not_a_completion", _shown(body))
    n_in, n_out = _usage(found.get("usage"))
    if not choices:
        return Verdict("retry", "no_choices", n_in=n_in, n_out=n_out, is_charged=True)
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    text = _text(message.get("content")) if isinstance(message, dict) else None
    if text is None:
        return Verdict("retry", "not_a_completion", _shown(body), n_in=n_in, n_out=n_out, is_charged=True)
    source = {name: _name(found.get(name)) for name in ("model", "system_fingerprint")}
    source |= kept(choice["message"], choice, found)
    return _judge_choice(choice, text, source, n_in, n_out, accept_length)


def _text(content: object) -> str | None:
    """The text of a message: as it is, or the parts of kind text joined, those of thought left out; empty
    where there is none, None where it is something else.
    """
    if isinstance(content, list):
        parts = [part.get("text") if _is_text(part) else part for part in content]
        return clean("".join(part for part in parts if isinstance(part, str)))
    return clean(content or "") if isinstance(content, str | None) else None


def _is_text(part: object) -> bool:
    """Whether a part of a message is its text; a part without a type is."""
    return isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")


def _thought(message: Mapping[str, Any]) -> str:
    """What a server says apart from the text that the model thought; empty where it says nothing."""
    return next(
        (said for name in _THOUGHT if isinstance(said := message.get(name), str) and said.strip()), ""
    )


def _end(choice: Mapping[str, Any]) -> str | None:
    """How a reply ended, in the protocol's own words."""
    said = _name(choice.get("finish_reason"))
    return _ENDS.get((said or "").lower(), said)


def _refusal(content: object) -> object:
    """The refusal among the parts of a message, None where there is none."""
    parts = content if isinstance(content, list) else []
    return next((part["refusal"] for part in parts if isinstance(part, dict) and part.get("refusal")), None)


def _name(value: object) -> str | None:
    """A name that an endpoint gives, None where it gives none."""
    return short(value) if isinstance(value, str) and value.strip() else None


def _judge_choice(
    choice: dict[str, Any],
    text: str,
    source: dict[str, Any],
    n_in: int | None,
    n_out: int | None,
    accept_length: bool,
) -> Verdict:
    """The verdict on the first choice of a completion, whose message has this text. `source`: what the
    endpoint says answered.
    """
    message, finish = choice["message"], _end(choice)
    used = {
        "finish": finish,
        "n_in": n_in,
        "n_out": n_out,
        "is_charged": True,
        "is_answered": True,
        "served": source["model"],
    }
    if finish == _BROKE:
        return Verdict("retry", "server_error", short(str(choice.get("error") or "it broke off")), **used)
    if finish == "content_filter":
        return Verdict("dead", "content_filter", **used)
    if refused := message.get("refusal") or _refusal(message.get("content")):
        return Verdict("dead", "refusal", short(str(refused)), **used)
    thought = _thought(message)
    if finish == "length" and thought and not text.strip():
        return Verdict("dead", THOUGHT_ONLY, short(thought), **used)
    if finish == "length" and not (accept_length and text.strip()):
        return Verdict("dead", "length", short(text), **used)
    beside = {name: message.get(name) for name in ("tool_calls", *_THOUGHT)} | {
        "logprobs": choice.get("logprobs")
    }
    more = {name: value for name, value in (beside | source).items() if value}
    if not text.strip() and "tool_calls" not in more:
        return Verdict("retry", "empty", short(thought), **used)
    return Verdict("keep", text=text, extra=_dumped(more), **used)


def _dumped(more: dict[str, Any]) -> bytes | None:
    """What stands beside a text, None where nothing does or it is too deep to be written: the text is kept
    all the same.
    """
    try:
        return orjson.dumps(more) if more else None
    except TypeError:
        return None


def _judge_error_body(error: object) -> Verdict:
    """The verdict on `{"error": …}` that came with a success status: by the status inside it, else worth
    another try.
    """
    code = error.get("code") if isinstance(error, dict) else None
    said = json.dumps({"error": error})
    if isinstance(code, int) and 400 <= code < 600:
        return _judge_error(code, said)
    if _QUOTA.search(said):
        return Verdict("fatal", "quota", _message(said))
    if _FILTER.search(said) or _CONTEXT.search(said):
        return _judge_error(400, said)
    return Verdict("retry", "not_a_completion", _message(said))


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds that `retry-after-ms` or `retry-after` (a number of seconds or an HTTP date) ask to wait; None
    where they say nothing.
    """
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        if (asked := seconds_asked(headers.get(name), now)) is not None:
            return asked / scale
    return None


def _usage(usage: object) -> tuple[int | None, int | None]:
    """Prompt and completion tokens, None where the endpoint did not count."""
    counts = [
        usage.get(name) if isinstance(usage, dict) else None
        for name in ("prompt_tokens", "completion_tokens")
    ]
    is_count = [
        isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MOST_TOKENS
        for count in counts
    ]
    n_in, n_out = (count if is_one else None for count, is_one in zip(counts, is_count, strict=True))
    return n_in, n_out


def _message(said: str) -> str:
    """The endpoint's own words in an error body, on one line, without keys."""
    try:
        error = json.loads(said).get("error")
        said = str((error.get("message") if isinstance(error, dict) else error) or said)
    except (ValueError, AttributeError, RecursionError):
        pass
    return short(said)


def _shown(body: bytes) -> str:
    """The beginning of a body, for a person."""
    return short(body[:1000].decode("utf-8", "replace"))


def short(said: str) -> str:
    """At most 200 characters on one line, anything that looks like a key removed."""
    return _SECRET.sub("[key]", " ".join(clean(said).split()))[:200]
