"""What an answer of an endpoint means: keep it, try again, give the request up, or stop the run. Bytes in,
verdict out.

Bodies are judged here and not by the client library, which hands on HTML as a string and errors with status
200 as empty completions. No body raises: what cannot be read is a verdict too.
"""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from truerate.core.invisible import is_blank
from truerate.core.lenient import loads
from truerate.core.text import clean
from truerate.llm.retrieved import kept
from truerate.llm.transport.error_status import judge_error, judge_error_body
from truerate.llm.transport.verdict import (
    FILTER,
    LENGTH,
    THOUGHT_ONLY,
    Verdict,
    end,
    is_broken,
    is_unknown,
    is_whole,
    pattern,
    short,
)

_FORM = pattern("form")
_REPLY = re.compile(rb'"(?:content|text|generated_text|response)"\s*:')
_BLOCKED = re.compile(rb'"filtered"\s*:\s*true')  # of a prompt, where no choice follows: Azure

_THOUGHT = ("reasoning_content", "reasoning")  # fields of a message in which servers keep thought apart
_CACHED = (
    "cached_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "prompt_cache_hit_tokens",
    "cache_read_tokens", "cache_write_tokens", "cache_creation_tokens",
)  # fmt: skip
MOST_TOKENS = 10**9  # of one call; a larger count is no count
# What broken data can raise in the reading of it, beside what is looked for.
_BROKEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def judge(status: int, headers: Mapping[str, str], body: bytes, *, accept_length: bool = False) -> Verdict:
    """The verdict on an HTTP answer."""
    try:
        if 200 <= status < 300:
            return _judge_body(body, headers, accept_length)
        return judge_error(status, body.decode("utf-8", "replace"), headers)
    except _BROKEN as error:
        return _unreadable(status, error)


def judge_line(status: int, value: object, line: bytes, *, accept_length: bool = False) -> Verdict:
    """The verdict on an answer whose JSON stood in this line of a file, with the status that it had."""
    try:
        if 200 <= status < 300:
            return _judge_value(value, line, {}, accept_length)
        return judge_error(status, orjson.dumps(value).decode(), {})
    except _BROKEN as error:
        return _unreadable(status, error)


def _unreadable(status: int, error: Exception) -> Verdict:
    is_success = 200 <= status < 300
    what = f"{status}: a body that cannot be read ({type(error).__name__})"
    reason = "not_a_completion" if is_success else "server_error"
    return Verdict("retry", reason, what, is_charged=is_success)


def refuses_form(verdict: Verdict) -> bool:
    """Return whether a refusal is that of structured output, by the names that servers give its field."""
    return verdict.reason == "rejected" and bool(_FORM.search(verdict.detail))


def _judge_body(body: bytes, headers: Mapping[str, str], accept_length: bool) -> Verdict:
    """The verdict on what came with a success status."""
    try:
        value = loads(body)
    except (ValueError, RecursionError):
        reason = "html" if body.lstrip()[:1] == b"<" else "bad_json"
        return Verdict("retry", reason, _shown(body), is_charged=reason == "bad_json")
    return _judge_value(value, body, headers, accept_length)


def _judge_value(value: object, body: bytes, headers: Mapping[str, str], accept_length: bool) -> Verdict:
    """The verdict on the JSON of a body that came with a success status."""
    if not isinstance(value, dict):
        return Verdict("retry", "not_a_completion", _shown(body))
    choices = value.get("choices")
    if error := value.get("error"):
        return judge_error_body({"error": error}, headers)
    if not isinstance(choices, list):
        if _REPLY.search(body):  # of another protocol: its text says nothing of an error
            return Verdict("retry", "not_a_completion", _shown(body))
        return judge_error_body(value, headers)
    usage = value.get("usage")
    n_in, n_out, n_cached = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"), _cached(usage)
    if not choices:
        if _BLOCKED.search(body):
            return Verdict("dead", "content_filter", _shown(body), n_in=n_in, n_out=n_out, is_charged=True)
        what = "the completion has no choices"
        return Verdict("retry", "no_choices", what, n_in=n_in, n_out=n_out, is_charged=True)
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    text = _text(message.get("content")) if isinstance(message, dict) else None
    if text is None:
        return Verdict("retry", "not_a_completion", _shown(body), n_in=n_in, n_out=n_out, is_charged=True)
    source = {name: _name(value.get(name)) for name in ("model", "system_fingerprint")}
    source |= kept(choice["message"], choice, value)
    if thought := clean(_thought(choice["message"])):
        source["thought"] = thought
    used = {"n_in": n_in, "n_out": n_out, "n_cached": n_cached, "is_charged": True, "is_answered": True}
    return _judge_choice(choice, text, source, used, accept_length)


def _text(content: object) -> str | None:
    """The text of a message: as it is, or its text parts joined without thought; empty or None if there is
    none.
    """
    if isinstance(content, list):
        parts = [part.get("text") if _is_text(part) else part for part in content]
        return clean("".join(part for part in parts if isinstance(part, str)))
    return clean(content or "") if isinstance(content, str | None) else None


def _is_text(part: object) -> bool:
    """Return whether a part of a message is its text; a part without a type is."""
    return isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")


def _thought(message: Mapping[str, Any]) -> str:
    """Return what a server says apart from the text that the model thought; empty where it says nothing."""
    return next(
        (thought for name in _THOUGHT if isinstance(thought := message.get(name), str) and thought.strip()),
        "",
    )


def _end(choice: Mapping[str, Any]) -> str | None:
    """The server's word for a reply's end, or None; routers tell the provider's in `native_finish_reason`."""
    word = choice.get("finish_reason")
    word = word.get("type", word.get("reason")) if isinstance(word, dict) else word
    word = _name(word[0] if isinstance(word, list) and word else word)
    native = _name(choice.get("native_finish_reason"))
    is_worse = native and is_whole(word) and not is_whole(native) and not is_unknown(native)
    return native if is_worse else word


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
    used: dict[str, Any],
    accept_length: bool,
) -> Verdict:
    """The verdict on a completion's first choice with this text. `source`: what answered; `used`: common
    fields.
    """
    message, word = choice["message"], _end(choice)
    finish = end(word)
    used = used | {"finish": finish, "served": source["model"]}
    if is_broken(finish) or choice.get("error"):
        error = f": {short(str(choice['error']))}" if choice.get("error") else ""
        return Verdict("retry", "server_error", f"the reply broke off, finish_reason {word!r}{error}", **used)
    if finish == FILTER:
        return Verdict("dead", "content_filter", f"finish_reason {word!r}", **used)
    if refused := message.get("refusal") or _refusal(message.get("content")):
        return Verdict("dead", "refusal", short(str(refused)), **used)
    thought = _thought(message)
    if finish == LENGTH and thought and is_blank(text):
        return Verdict("dead", THOUGHT_ONLY, short(thought), **used)
    if finish == LENGTH and not (accept_length and not is_blank(text)):
        return Verdict("dead", "length", short(text), **used)
    beside = {name: message.get(name) for name in ("tool_calls", *_THOUGHT)} | {
        "logprobs": choice.get("logprobs")
    }
    more = {name: value for name, value in (beside | source).items() if value}
    if is_blank(text) and "tool_calls" not in more:
        return Verdict("retry", "empty", short(thought) or "the message has no text", **used)
    return Verdict("keep", text=text, extra=_dumped(more), **used)


def _dumped(more: dict[str, Any]) -> bytes | None:
    """The JSON of what stands beside a text; None if there is nothing or it is too deep to be written."""
    try:
        return orjson.dumps(more) if more else None
    except TypeError:
        return None


def _count(usage: object, name: str) -> int | None:
    """A count of tokens, None where the endpoint gave none that can be one."""
    count = usage.get(name) if isinstance(usage, dict) else None
    is_count = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MOST_TOKENS
    return count if is_count else None


def _cached(usage: object) -> int:
    """The prompt tokens that a server read from its cache, which some leave out of `prompt_tokens`."""
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    counts = [_count(usage, name) for name in _CACHED] + [_count(details, name) for name in _CACHED]
    return sum(count or 0 for count in counts)


def _shown(body: bytes) -> str:
    """The beginning of a body, for a person."""
    return short(body[:1000].decode("utf-8", "replace")) or "an empty body"
