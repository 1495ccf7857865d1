"""What an error of an endpoint means: by its status, and by the codes and phrases that servers use."""

import json
import re
from collections.abc import Mapping
from typing import Any

from truerate.core.retry import may_pass
from truerate.llm.transport.resets import asked, resets_at
from truerate.llm.transport.verdict import Verdict, short

_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|billing_hard_limit"
    r"|insufficient[ _](?:account )?(?:balance|credits|funds)"
    r"|credit balance is too low|(?:used all|out of) (?:\w+ )?(?:available )?credits|(?:monthly"
    r"|account) spending limit"
    r"|exceeded your monthly|余额不足|欠费",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content_filter|content[ _]policy|content management policy|moderation|\bflagged\b|data_?inspection"
    r"|block_?reason\b",
    re.IGNORECASE,
)
# A prompt that is too long, as servers say it, quotation marks left out: OpenAI, Azure, vLLM, SGLang,
# llama.cpp, TGI, TensorRT-LLM, Ollama, LM Studio, Anthropic, Gemini, Bedrock, Cohere, Mistral, Together,
# Fireworks, Groq, DeepSeek, Moonshot, xAI, watsonx, Qwen, Zhipu.
_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|context_window_exceeded|string_above_max_length"
    r"|(?:max(?:imum)?|available|models?|total|supported|allowed) (?:model )?context[ _](?:length|size"
    r"|window|limit)"
    r"|context (?:length|size|window) (?:is only|of|is|exceeded|limit|overflow)|context window|exceed(?:s"
    r"|ed)? (?:the )?context"
    r"|(?:longer|larger|bigger|greater) than (?:the |this |its )?(?:models? )?(?:maximum )?context"
    r"|inputs? tokens \+ max_new_tokens|range of input length|maximum (?:prompt|input|sequence) length"
    r"|\b(?:prompt|input) token(?:s| count)\b.{0,40}?\bexceed|ContextWindowExceeded",
    re.IGNORECASE,
)
# the same in words that settings, and limits of a reply, are refused in too
_LONG = re.compile(
    r"\b(?:input|prompt|context|messages?|request|sequence|text|conversation|inputs|tokens)\b(?:[^.:;{}]"
    r"|: ?\d){0,60}?"
    r"(?<!took )(?<!taking )\btoo (?:long|large|big)\b(?! to (?!process))"
    r"|too many (?:\w+ ){0,3}tokens|inputs must have less than"
    r"|\b(?:token count|tokens?|prompt|inputs?|length)\b(?:[^:;{}]|: ?\d){0,60}?\bexceed(?:s|ed)? (?:the "
    r"|its |this |your )?"
    r"(?:max\w*|model|limit|allowed|configured|number|total|tokens?|server)"
    r"|\brequest exceed(?:s|ed)? (?:the )?(?:models? |max\w* )(?:token|size|length|context)"
    r"|\b(?:prompt|inputs?|sequence|messages?)\b.{0,40}?\blonger than\b.{0,60}?\b(?:max\w*|model|seq\w*"
    r"|allowed|tokens)"
    r"|reduce the length of (?:the |your )?(?:input|prompt|messages?|either)|max_(?:seq_len|input_len"
    r"|model_len|prompt_length|input_length)"
    r"|超长|超过.{0,12}(?:最大|上下文|长度|限制)",
    re.IGNORECASE,
)
_OF_REPLY = re.compile(
    r"max_(?:completion_|new_|output_)?tokens\b.{0,30}?(?:too large|exceed|must be|greater|larger|at most)"
    r"|(?:completion|output) tokens",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"\\?[`'\"*]")
# of what a server calls too long with a 5xx: only then it is no fault of its own
_OF_PROMPT = re.compile(r"\b(?:prompt|inputs?|context)\b|超", re.IGNORECASE)
_KEY = re.compile(
    r"api[ _-]?key (?:is )?(?:not valid|not found|invalid|incorrect|expired)|API_KEY_INVALID"
    r"|(?:invalid|incorrect|expired)[ _](?:x[_-])?api[ _-]?key",
    re.IGNORECASE,
)
# names of errors, by which some servers say with another status, or with 200, what others say by one
_NAMED = {
    "authentication_error": 401, "invalid_api_key": 401, "permission_error": 403, "billing_error": 402, "not_found_error": 404,
    "model_not_found": 404, "request_too_large": 413, "rate_limit_error": 429, "rate_limit_exceeded": 429,
    "resource_exhausted": 429, "overloaded_error": 529, "unavailable": 503,
}  # fmt: skip
_MODEL = re.compile(
    r"model_not_found|model .{0,80}(?:does not exist|not found)|is pinned to|invalid model name"
    r"|unknown model|no such model",
    re.IGNORECASE,
)
# a limit per minute that one request alone is beyond: OpenAI, Groq, Azure
_TOO_LARGE = re.compile(r"request too large|request_too_large|request is too large", re.IGNORECASE)
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
    """Whether a rate refusal says that the request alone is beyond the limit."""
    numbers = _LIMIT.search(body), _REQUESTED.search(body)
    if numbers[0] and numbers[1]:
        limit, requested = (int(number[1].replace(",", "")) for number in numbers if number)
        return requested > limit
    return bool(_TOO_LARGE.search(body))


def _is_too_long(body: str, *, is_server: bool = False) -> bool:
    """Whether a refusal says that the prompt is too long; a server fault must name the prompt."""
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
