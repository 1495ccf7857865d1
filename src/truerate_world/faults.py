"""Faults of a real endpoint, planted by flag; they depend on a body's digest and attempt, never on time."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import orjson

from truerate_world.http_server import Reply

CALL_KINDS = ("429", "5xx", "hang", "drop", "truncate", "empty", "refusal", "length", "quota", "html")
SEARCH_KINDS = ("search-quota", "search-rate")  # what meets searches of the web, and no call of a model
KINDS = CALL_KINDS + SEARCH_KINDS
_SERVER_ERRORS = (500, 502, 503, 504)


@dataclass(frozen=True)
class Fault:
    """One kind of failure: share of calls, and only the `first_n` attempts of each body (None: all)."""

    kind: str
    rate: float = 1.0
    first_n: int | None = None


def parse_fault(text: str) -> Fault:
    """`KIND[:rate][:first_n]` as a fault; ValueError with one line saying what is allowed."""
    kind, *rest = text.split(":")
    if kind not in KINDS or len(rest) > 2:
        raise ValueError(
            f"fault {text!r}: allowed is KIND[:rate][:first_n] with KIND one of {', '.join(KINDS)}"
        )
    try:
        rate = float(rest[0]) if rest and rest[0] else 1.0
        first_n = int(rest[1]) if len(rest) > 1 else None
    except ValueError:
        raise ValueError(f"fault {text!r}: rate is a number in [0, 1], first_n a whole number") from None
    if not 0 <= rate <= 1 or (first_n is not None and first_n < 0):
        raise ValueError(f"fault {text!r}: rate is a number in [0, 1], first_n a whole number from 0")
    return Fault(kind, rate, first_n)


def pick(faults: Sequence[Fault], digest: str, attempt: int) -> str | None:
    """The kind of the first fault that meets this attempt (from 0) at this body, None where all is well."""
    for fault in faults:
        if fault.first_n is not None and attempt >= fault.first_n:
            continue
        if fault.rate >= 1 or _draw(fault.kind, digest, attempt) < fault.rate:
            return fault.kind
    return None


def spoil(kind: str, completion: dict, *, digest: str, retry_after: str | None) -> Reply:
    """The reply that goes out instead of a whole chat completion."""
    if kind in ("429", "quota", "5xx"):
        return _refused(kind, digest, retry_after)
    if kind == "hang":
        return Reply(after=None)
    if kind == "drop":
        return Reply(is_dropped=True)
    if kind == "html":
        return Reply(body=b"<html><body><h1>Bad gateway</h1></body></html>", content_type="text/html")
    if kind == "truncate":
        whole = orjson.dumps(completion)
        return Reply(body=whole[: len(whole) // 2])
    choice = completion["choices"][0]
    text = choice["message"]["content"]
    changes = {
        "empty": ({"content": ""}, "stop"),
        "refusal": ({"content": None, "refusal": "I cannot help with that."}, "stop"),
        "length": ({"content": text[: len(text) // 2]}, "length"),
    }
    message, finish_reason = changes[kind]
    choice = {**choice, "message": {**choice["message"], **message}, "finish_reason": finish_reason}
    return Reply(body=orjson.dumps({**completion, "choices": [choice]}))


def error_body(
    message: str, *, code: str | None = None, kind: str = "invalid_request_error", param: str | None = None
) -> bytes:
    """An error as OpenAI's API writes it."""
    return orjson.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}})


def _refused(kind: str, digest: str, retry_after: str | None) -> Reply:
    """An error status; rate limits and server errors carry Retry-After where one was asked for."""
    headers = (("retry-after", retry_after),) if retry_after else ()
    if kind == "quota":
        code = "insufficient_quota"
        return Reply(429, error_body("You exceeded your current quota.", code=code, kind=code))
    if kind == "429":
        body = error_body("Rate limit reached.", code="rate_limit_exceeded", kind="requests")
        return Reply(429, body, headers=headers)
    status = _SERVER_ERRORS[int(_draw("status", digest) * len(_SERVER_ERRORS))]
    return Reply(status, error_body("The server had an error.", kind="server_error"), headers=headers)


def _draw(*parts: object) -> float:
    """A number in [0, 1) from blake2b over the parts."""
    return int.from_bytes(blake2b("\0".join(map(str, parts)).encode(), digest_size=6).digest()) / 2**48
