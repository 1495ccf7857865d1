"""What an error of an endpoint means: by its status, and by the codes and phrases that servers use (`words.yaml`)."""

import json
import re
from collections.abc import Mapping
from typing import Any

from truerate.core.retry import may_pass
from truerate.llm.transport.resets import asked, resets_at
from truerate.llm.transport.verdict import WORDS, Verdict, pattern, short

_QUOTA, _FILTER, _KEY, _MODEL = map(pattern, ("quota", "content_filter", "key", "wrong_model"))
_CONTEXT, _LONG, _OF_REPLY, _OF_PROMPT = map(pattern, ("context", "long", "of_reply", "of_prompt"))
_TOO_LARGE = pattern("too_large")
_NAMED: dict[str, int] = WORDS["named"]
_QUOTES = re.compile(r"\\?[`'\"*]")
_LIMIT = re.compile(r"\blimit(?: is| of)?\W{1,3}(\d[\d,]*)", re.IGNORECASE)
_REQUESTED = re.compile(r"\brequested\W{1,3}(\d[\d,]*)", re.IGNORECASE)


def judge_error(status: int, body: str, headers: Mapping[str, str]) -> Verdict:
    """The verdict on an error status with this body."""
    body = _unescaped(body)
    detail = f"{status}: {message(body) or 'without a word'}"
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(body)):
        return Verdict("fatal", "quota", detail, resets_at=resets_at(headers, body))
    if status == 429:
        if is_never_to_pass(body):
            return Verdict("dead", "context_length", detail)
        return Verdict("retry", "rate_limited", detail, asked(headers, body), resets_at(headers, body))
    if may_pass(status) or status == 409 or status >= 600:  # beyond 599 endpoints number faults of their own
        reason = "server_error" if status >= 500 else "timeout" if status == 408 else "not_ready"
        if reason == "server_error" and _is_too_long(body, is_server=True):
            return Verdict("dead", "context_length", detail)
        return Verdict("retry", reason, detail, asked(headers, body))
    if status in (401, 403, 407) or (status == 400 and _KEY.search(body)):
        return Verdict("fatal", "unauthorised" if status in (400, 401) else "forbidden", detail)
    if status == 413 and (is_never_to_pass(body) or _is_too_long(body)):
        return Verdict("dead", "context_length", detail)
    if status == 404 or _MODEL.search(body):
        return Verdict("fatal", "wrong_model", detail)
    if status < 400:
        where = "it points elsewhere: write the right address as `base_url`"
        return Verdict("retry", "not_a_completion", f"{detail} ({where})")
    reason = (
        "content_filter" if _FILTER.search(body) else "context_length" if _is_too_long(body) else "rejected"
    )
    return Verdict("dead", reason, detail)


def judge_error_body(body: Mapping[str, Any], headers: Mapping[str, str]) -> Verdict:
    """The verdict on an error with a success status: by the status or name inside it, else a retry."""
    text = json.dumps(body, ensure_ascii=False)
    fields = error if isinstance(error := body.get("error", body), dict) else {}
    for value in (fields.get(name) for name in ("code", "status", "type")):
        code = (
            int(value)
            if isinstance(value, str) and value.isdecimal()
            else _NAMED.get(str(value).lower(), value)
        )
        if isinstance(code, int) and 400 <= code < 600:
            return judge_error(code, text, headers)
    if _QUOTA.search(text):
        return Verdict("fatal", "quota", message(text))
    if _FILTER.search(text) or _is_too_long(text):
        return judge_error(400, text, headers)
    return Verdict("retry", "not_a_completion", message(text))


def is_never_to_pass(body: str) -> bool:
    """Return whether a rate refusal says that the request alone is beyond the limit."""
    numbers = _LIMIT.search(body), _REQUESTED.search(body)
    if numbers[0] and numbers[1]:
        limit, requested = (int(number[1].replace(",", "")) for number in numbers if number)
        return requested > limit
    return bool(_TOO_LARGE.search(body))


def _is_too_long(body: str, *, is_server: bool = False) -> bool:
    """Return whether a refusal says that the prompt is too long; a server fault must name the prompt."""
    plain = _QUOTES.sub("", body)
    if _CONTEXT.search(plain):
        return True
    match = _LONG.search(plain)
    if match is None or _OF_REPLY.search(plain):
        return False
    return not is_server or bool(_OF_PROMPT.search(match[0]))


def _unescaped(body: str) -> str:
    """A JSON body with its letters instead of their escapes; any other body as it is."""
    try:
        return json.dumps(json.loads(body), ensure_ascii=False)
    except (ValueError, RecursionError):
        return body


def message(body: str) -> str:
    """The endpoint's own words in an error body, on one line, without keys."""
    try:
        value = json.loads(body)
        value = value[0] if isinstance(value, list) and value else value
        error = value.get("error") or value.get("detail") or value.get("message")
        body = str((error.get("message") if isinstance(error, dict) else error) or body)
    except (ValueError, AttributeError, RecursionError):
        pass
    return short(body)
