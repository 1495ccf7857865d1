"""JSON as servers write it, which is not always JSON."""

import json
from math import isinf

import orjson

LONGEST_NUMBER = 18  # digits of a whole number that 64 bits hold


def loads(body: bytes) -> object:
    """The value of a body in UTF-8, UTF-16 or UTF-32, with or without a byte-order mark.

    Lone surrogates in its texts become `?`, numbers that no float or 64-bit integer holds (also NaN and
    Infinity) null. Raises ValueError for what is no JSON, RecursionError for what is nested too deep.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        text = body.decode(json.detect_encoding(body), "surrogatepass")
        value = json.loads(
            text.removeprefix("\ufeff"), parse_constant=lambda _: None, parse_float=_finite, parse_int=_short
        )
        return orjson.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _finite(digits: str) -> float | None:
    return None if isinf(number := float(digits)) else number


def _short(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST_NUMBER else None
