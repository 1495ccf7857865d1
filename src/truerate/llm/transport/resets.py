"""When a server that refuses for the rate wants to be asked again: in its headers, in its body, in its words.

`Retry-After` in its forms; `X-RateLimit-Reset` and its kin (`x-ratelimit-reset-requests`,
`anthropic-ratelimit-…-reset`, the IETF's `RateLimit`), as seconds from now, as a moment in seconds or
milliseconds, as `6m0s` or as a date; Google's `retryDelay`; and headers that a router hands on within its
body (`error.metadata.headers`).
"""

import json
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from truerate.core.retry import MOST_S, seconds_asked

EPOCH_S, EPOCH_MS = 1e9, 1e11  # from here on a number is a moment, and one in milliseconds
FARTHEST_S = 400 * 86400.0  # a later reset is no reset
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)(?:ec\w*|in\w*|our\w*|r\w*|ay\w*)?"
_DURATION = re.compile(rf"(?:{_PART}[\s,]*)+", re.IGNORECASE)
_IN_WORDS = re.compile(
    rf"(?:try again|retry|retrying|wait|reset\w*|available)[^.\d]{{0,20}}\b(?:in|after"
    rf"|for)\s+((?:{_PART}[\s,]*)+)",
    re.IGNORECASE,
)
_RESET = re.compile(
    r"rate-?limit.*reset|^(?:quota_?)?resets?(?:_?(?:at|in|after|time\w*|date))?(?:_?seconds)?$",
    re.IGNORECASE,
)
_DATE_IN_WORDS = re.compile(
    r"(?:try again|retry|wait|reset\w*|available|until)[^.\d]{0,20}"
    r"(\d{4}-\d\d-\d\d[T ]\d\d:[\d:.]*\d(?: ?Z|[+-]\d\d:?\d\d)?)",
    re.IGNORECASE,
)
_DELAY = frozenset({"retry_after", "retryafter", "retry-after", "retrydelay", "retry_delay"})
_IETF = re.compile(r"\b(?:t|reset)\s*=\s*(\d+)")


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds that `retry-after-ms` or `retry-after` ask for (seconds, HTTP or ISO date, epoch, `6m0s`); else
    None.
    """
    now = time.time() if now is None else now
    if (seconds := seconds_asked(headers.get("retry-after-ms"), now)) is not None:
        return seconds / 1000
    value = headers.get("retry-after") or ""
    seconds = seconds_asked(value, now)
    if seconds is not None and seconds < EPOCH_S:
        return seconds
    moment = _moment(value, now)
    return None if moment is None or not moment <= now + FARTHEST_S else max(0.0, moment - now)


def asked(headers: Mapping[str, str], body: str, now: float | None = None) -> float | None:
    """Seconds that a refusal asks to wait, by headers, else by fields or words of its body; else None."""
    if (seconds := retry_after(headers, now)) is not None:
        return seconds
    for name, value in _fields(body):
        if name.lower() in _DELAY:
            plain = str(value)
            if (seconds := _duration(plain)) is not None:
                return seconds
            if (seconds := seconds_asked(plain, now)) is not None:
                return seconds
    words = _IN_WORDS.search(body)
    return _duration(words[1]) if words else None


def resets_at(headers: Mapping[str, str], body: str, now: float | None = None) -> float | None:
    """The latest stated moment (epoch seconds) when a limit resets; None if none is stated."""
    now = time.time() if now is None else now
    fields = [(name, str(value)) for name, value in (*headers.items(), *_fields(body))]
    left = {name.lower(): value for name, value in fields}
    moments: list[float | None] = []
    for name, value in fields:
        plain = name.lower()
        if plain in ("ratelimit", "x-ratelimit") and (ietf := _IETF.search(value)):
            moments.append(now + float(ietf[1]))
        elif _RESET.search(plain) and not _remains(left.get(plain.replace("reset", "remaining"))):
            moments.append(_moment(value, now))
    if stated := _DATE_IN_WORDS.search(body):
        moments.append(_moment(stated[1].replace(" Z", "Z"), now))
    later = [moment for moment in moments if moment is not None and now < moment <= now + FARTHEST_S]
    return max(later, default=None)


def _remains(value: str | None) -> bool:
    """Return whether a count of what remains is above 0."""
    try:
        return float(value or 0) > 0
    except ValueError:
        return False


def _moment(value: str, now: float) -> float | None:
    """A moment in any of the forms that servers write, in seconds since the epoch."""
    text = value.strip()
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        return number / 1000 if number >= EPOCH_MS else number if number >= EPOCH_S else now + number
    if (seconds := _duration(text)) is not None:
        return now + seconds
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    except ValueError:
        pass
    seconds = seconds_asked(text, now)
    return None if seconds is None else now + seconds


def _duration(text: str) -> float | None:
    """The seconds of `6m0s`, `7.66s`, `20ms`, `1 hour 2 minutes`; None where it is no duration."""
    if not _DURATION.fullmatch(text.strip().rstrip(".,")):
        return None
    parts = re.findall(_PART, text, re.IGNORECASE)
    return min(sum(float(number) * _UNITS[unit.lower()] for number, unit in parts), MOST_S)


def _fields(body: str) -> Iterator[tuple[str, Any]]:
    """The single values of a JSON body with their names, however deep, up to a bound."""
    try:
        stack = [json.loads(body)]
    except (ValueError, RecursionError):
        return
    for _ in range(1000):
        if not stack:
            return
        node = stack.pop()
        if isinstance(node, list):
            stack += node
        elif isinstance(node, dict):
            for name, value in node.items():
                if isinstance(value, dict | list):
                    stack.append(value)
                elif isinstance(value, str | int | float):
                    yield name, value
