"""What a request to a search service holds and what its reply says, by the form of the service."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from truerate.config.services import SearchService
from truerate.core.lenient import loads
from truerate.core.text import clean
from truerate.web.recorded import result

DAY_S = 86400
FAULTS = ("errors", "message", "detail")  # where a reply without a list of results tells why, beside `error`
_WINDOW = re.compile(r"\bw=(\d{1,9})")


class Call:
    """Requests to one service, with its key and engine where it has any."""

    def __init__(
        self, service: SearchService, n_results: int, *, key: str | None = None, engine: str | None = None
    ):
        self.service = service
        self._fixed: dict[str, str | int | bool] = dict(service.fixed)
        if service.number:
            self._fixed[service.number] = min(n_results, service.most)
        if key and service.key_query:
            self._fixed[service.key_query] = key
        if engine and service.engine_query:
            self._fixed[service.engine_query] = engine
        self._headers = {service.key_header: service.key_prefix + key} if key and service.key_header else {}

    def of(self, query: str) -> dict[str, Any]:
        """Return what aiohttp's request takes for a query."""
        asked = {self.service.query: query, **self._fixed}
        if self.service.method == "post":
            return {"json": asked, "headers": self._headers}
        return {"params": {name: plain(value) for name, value in asked.items()}, "headers": self._headers}

    def read(self, body: bytes) -> list[dict] | str:
        """Return the results in a reply, or why it is none. A reply without the list has no result unless it
        names a fault: some refuse a key with status 200, and what is stored as no result is not asked again.
        """
        reply = _loaded(body)
        if not isinstance(reply, dict) or reply.get("error") not in (None, "", False):
            return "a reply that is no search result"
        listed = _at(reply, self.service.results)
        # with an empty list a message may be any
        items, telling = listed or [], FAULTS if listed is None else FAULTS[:1]
        if not items and (fault := next((reply[name] for name in telling if reply.get(name)), None)):
            return f"no result, but {clean(str(fault))[:100]}"
        if not isinstance(items, list):
            return "a reply that is no search result"
        if not items and self.service.fault and (silent := reply.get(self.service.fault)):
            return f"no result, and {self.service.fault} is {clean(str(silent))[:100]}"
        return [entry for item in items if (entry := result(self._fields(item)))]

    def _fields(self, item: object) -> object:
        """A result in the names of recorded ones: `link`, `title`, `snippet` and perhaps `text`."""
        if not isinstance(item, dict):
            return item
        named = {"link": self.service.link, "title": self.service.title, "snippet": self.service.snippet}
        if self.service.text:
            named["text"] = self.service.text
        return {name: item[field] for name, field in named.items() if field in item}


@dataclass(frozen=True, slots=True)
class Left:
    """What headers say of a service's limits: whether one of a day or longer is used up, and in how many
    seconds a shorter one is renewed, if they say.
    """

    is_quota: bool = False
    reset_s: float | None = None

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> "Left":
        """Read `X-RateLimit-Remaining`, `-Reset` and `-Policy`: lists over windows, the shortest first
        (Brave). Without a policy the last of several windows is the long one; a single one is a rate.
        """
        remaining = _numbers(headers.get("X-RateLimit-Remaining", ""))
        resets = _numbers(headers.get("X-RateLimit-Reset", ""))
        windows = [float(width) for width in _WINDOW.findall(headers.get("X-RateLimit-Policy", ""))]
        if len(windows) != len(remaining):
            windows = [1.0] * len(remaining)
            windows[1:] = [*windows[2:], DAY_S] if len(windows) > 1 else []
        if any(left <= 0 and window >= DAY_S for left, window in zip(remaining, windows, strict=True)):
            return cls(is_quota=True)
        # a reset may be a moment (seconds since 1970) in place of a span: it says nothing
        waits = [wait for left, wait in zip(remaining, resets, strict=False) if left <= 0 and wait < DAY_S]
        return cls(reset_s=max(waits, default=None))


def error_words(body: bytes) -> str:
    """The words of an error: Google's reasons and message, else the fields `error`, `message` or `detail`."""
    answer = _loaded(body)
    try:
        error = answer.get("error") or answer.get("message") or answer.get("detail") or ""
        if isinstance(error, dict):
            reasons = [str(reason.get("reason")) for reason in error.get("errors", [])]
            words = [*reasons, str(error.get("message") or error.get("detail") or error.get("error") or "")]
        else:
            words = [str(error)]
    except (TypeError, AttributeError):
        return ""
    return clean(" ".join(" ".join(dict.fromkeys(words)).split()))


def _loaded(body: bytes) -> Any:
    try:
        return loads(body)
    except (ValueError, RecursionError):
        return None


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _numbers(text: str) -> list[float]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    are_numbers = all(re.fullmatch(r"\d{1,12}(\.\d+)?", part) for part in parts)
    return list(map(float, parts)) if are_numbers else []


def plain(value: str | int | bool) -> str:
    """A value as an address holds it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
