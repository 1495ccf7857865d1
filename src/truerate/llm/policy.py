"""What an answer of an endpoint means: keep it, try again, give the request up, or stop the run. Bytes and exceptions in, verdict out.

Bodies are judged here and not by the client library, which hands on HTML as a string and errors with status 200 as empty completions.
"""

import email.utils
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import orjson

from truerate.text import clean

Action = Literal["keep", "retry", "dead", "fatal"]
# Retried, at most `llm.max_attempts` times; the last one then names the dead letter (`unreachable` stops the run instead).
RETRIED = (
    "rate_limited", "server_error", "not_ready", "timeout", "connection", "unreachable",
    "bad_json", "html", "not_a_completion", "no_choices", "empty",
)  # fmt: skip
DEAD = ("refusal", "content_filter", "context_length", "length", "rejected")
FATAL = ("unauthorised", "forbidden", "wrong_model", "quota")
REASONS = (*RETRIED, *DEAD, *FATAL)

_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing_hard_limit|insufficient (?:balance|credits)", re.IGNORECASE)
_FILTER = re.compile(r"content_filter|content_policy_violation|content management policy", re.IGNORECASE)
_CONTEXT = re.compile(r"context_length_exceeded|maximum context length|context window|prompt is too long", re.IGNORECASE)
_MODEL = re.compile(r"model_not_found|model .{0,80}(?:does not exist|not found)", re.IGNORECASE)
# Names of exceptions in the chain below the client's own: its aiohttp transport reports a dropped connection as a timeout.
_UNREACHABLE = {"ConnectionTimeoutError", "ClientConnectorError", "ClientConnectorDNSError", "ConnectionRefusedError", "ConnectError"}
_DROPPED = {"ServerDisconnectedError", "ClientOSError", "ConnectionResetError", "ClientPayloadError", "ReadError", "RemoteProtocolError"}
_TIMEOUT = {"TimeoutError", "APITimeoutError", "SocketTimeoutError", "ServerTimeoutError", "ReadTimeout"}
_SECRET = re.compile(r"\b(?:sk|pk)-[A-Za-z0-9_\-*.]{6,}|\bBearer \S+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with an answer, and what it brought.

    `delay` is what the server asked to wait, in seconds. `is_charged`: it may have cost something although it gave no usage.
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


def judge(status: int, headers: Mapping[str, str], body: bytes, *, accept_length: bool = False) -> Verdict:
    """The verdict on an HTTP answer."""
    if 200 <= status < 300:
        return _judge_body(body, accept_length)
    return _judge_error(status, body.decode("utf-8", "replace"), retry_after(headers))


def _judge_error(status: int, said: str, delay: float | None = None) -> Verdict:
    """The verdict on an error status, by its number and by the codes and phrases that endpoints use."""
    detail = f"{status}: {_message(said)}"
    if status == 402 or (status in (403, 429) and _QUOTA.search(said)):
        return Verdict("fatal", "quota", detail)
    if status == 429:
        return Verdict("retry", "rate_limited", detail, delay)
    if status in (408, 409, 425) or status >= 500:
        reason = "server_error" if status >= 500 else "timeout" if status == 408 else "not_ready"
        return Verdict("retry", reason, detail, delay)
    if status in (401, 403):
        return Verdict("fatal", "unauthorised" if status == 401 else "forbidden", detail)
    if status == 404 or _MODEL.search(said):
        return Verdict("fatal", "wrong_model", detail)
    if status < 400:
        return Verdict("retry", "not_a_completion", detail)
    reason = "content_filter" if _FILTER.search(said) else "context_length" if _CONTEXT.search(said) else "rejected"
    return Verdict("dead", reason, detail)


def _judge_body(body: bytes, accept_length: bool) -> Verdict:
    """The verdict on what came with a success status."""
    try:
        found = orjson.loads(body)
    except ValueError:
        try:
            found = json.loads(body)  # takes the lone surrogates that orjson refuses
        except ValueError:
            reason = "html" if body.lstrip()[:1] == b"<" else "bad_json"
            return Verdict("retry", reason, _short(body.decode("utf-8", "replace")), is_charged=reason == "bad_json")
    if not isinstance(found, dict):
        return Verdict("retry", "not_a_completion", _short(str(found)))
    if error := found.get("error"):
        return _judge_error_body(error)
    choices = found.get("choices")
    if not isinstance(choices, list):
        return Verdict("retry", "not_a_completion", _short(str(found)))
    n_in, n_out = _usage(found.get("usage"))
    if not choices:
        return Verdict("retry", "no_choices", n_in=n_in, n_out=n_out, is_charged=True)
    return _judge_choice(choices[0], n_in, n_out, accept_length)


def _judge_choice(choice: object, n_in: int | None, n_out: int | None, accept_length: bool) -> Verdict:
    """The verdict on the first choice of a completion."""
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | None):
        return Verdict("retry", "not_a_completion", _short(str(choice)), n_in=n_in, n_out=n_out, is_charged=True)
    finish, text = choice.get("finish_reason"), clean(message.get("content") or "")
    used = {"finish": finish if isinstance(finish, str) else None, "n_in": n_in, "n_out": n_out, "is_charged": True}
    if finish == "content_filter":
        return Verdict("dead", "content_filter", **used)
    if message.get("refusal"):
        return Verdict("dead", "refusal", _short(str(message["refusal"])), **used)
    if finish == "length" and not (accept_length and text.strip()):
        return Verdict("dead", "length", _short(text), **used)
    more = {name: value for name, value in (("tool_calls", message.get("tool_calls")), ("logprobs", choice.get("logprobs"))) if value}
    if not text.strip() and "tool_calls" not in more:
        return Verdict("retry", "empty", **used)
    return Verdict("keep", text=text, extra=orjson.dumps(more) if more else None, **used)


def _judge_error_body(error: object) -> Verdict:
    """The verdict on `{"error": …}` that came with a success status: by the status inside it, else worth another try."""
    code = error.get("code") if isinstance(error, dict) else None
    said = json.dumps({"error": error})
    if isinstance(code, int) and 400 <= code < 600:
        return _judge_error(code, said)
    if _QUOTA.search(said):
        return Verdict("fatal", "quota", _message(said))
    if _FILTER.search(said) or _CONTEXT.search(said):
        return _judge_error(400, said)
    return Verdict("retry", "not_a_completion", _message(said))


def judge_exception(error: BaseException) -> Verdict:
    """The verdict on a call without an answer. `unreachable`: no connection came about, so nothing can have been charged."""
    names = {type(link).__name__ for link in _causes(error)}
    detail = _short(str(next((link for link in reversed(list(_causes(error))) if str(link)), error)))
    if names & _UNREACHABLE:
        return Verdict("retry", "unreachable", detail)
    is_timeout = names & _TIMEOUT and not names & _DROPPED
    return Verdict("retry", "timeout" if is_timeout else "connection", detail, is_charged=True)


def _causes(error: BaseException | None):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds that `retry-after-ms` or `retry-after` (a number of seconds or an HTTP date) ask to wait; None where they say nothing."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            return max(0.0, float(value) / scale)
        except ValueError:
            pass
        try:
            then = email.utils.parsedate_to_datetime(value).timestamp()
        except ValueError:
            continue
        return max(0.0, then - (time.time() if now is None else now))
    return None


def _usage(usage: object) -> tuple[int | None, int | None]:
    """Prompt and completion tokens, None where the endpoint did not count."""
    counts = [usage.get(name) if isinstance(usage, dict) else None for name in ("prompt_tokens", "completion_tokens")]
    return tuple(count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None for count in counts)


def _message(said: str) -> str:
    """The endpoint's own words in an error body, on one line, without keys."""
    try:
        error = json.loads(said).get("error")
        said = str((error.get("message") if isinstance(error, dict) else error) or said)
    except (ValueError, AttributeError):
        pass
    return _short(said)


def _short(said: str) -> str:
    """At most 200 characters on one line, anything that looks like a key removed."""
    return _SECRET.sub("[key]", " ".join(clean(said).split()))[:200]
