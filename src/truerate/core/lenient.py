"""JSON as servers and people write it, which is not always JSON."""

import json
import re
from math import isinf

import orjson

LEAST, MOST = -(1 << 63), (1 << 64) - 1  # what 64 bits hold, signed or not
_LONG = re.compile(rb"\d{19}")


def loads(body: bytes) -> object:
    """The JSON value of a body in UTF-8, -16 or -32, with or without byte-order mark; lone surrogates become
    `?`, numbers beyond 64 bits, NaN and Infinity null. Raises ValueError for no JSON, RecursionError if too
    deep.
    """
    try:
        if not has_long_number(body):
            return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    text = body.decode(json.detect_encoding(body), "surrogatepass")
    value = json.loads(
        text.removeprefix("\ufeff"), parse_constant=lambda _: None, parse_float=_finite, parse_int=_short
    )
    return orjson.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def exact(text: bytes | str) -> object:
    """The JSON value of a file; integers beyond 64 bits become text. Raises as `loads`."""
    try:
        if not has_long_number(text):
            return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    return json.loads(text.decode() if isinstance(text, bytes) else text, parse_int=whole_or_text)


def has_long_number(body: bytes | str) -> bool:
    """Return whether a number may stand in a body beyond 64 bits, which `orjson` would round to a float."""
    return _LONG.search(body.encode("utf-8", "replace") if isinstance(body, str) else body) is not None


def whole_or_text(digits: str) -> int | str:
    """A whole number; its digits as text where 64 bits do not hold it: an id is never rounded."""
    number = _short(digits)
    return digits if number is None else number


def _finite(digits: str) -> float | None:
    return None if isinf(number := float(digits)) else number


def _short(digits: str) -> int | None:
    return int(digits) if len(digits) <= len(str(MOST)) and LEAST <= int(digits) <= MOST else None
