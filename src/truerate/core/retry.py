"""Asking a server again: which statuses may be others next time, how often, and how long to wait before.

Pure: no clock is read unless a date must be compared with now, and nobody sleeps here. Every HTTP client of
the package (models, Hub, data sets, web pages and wikis) states its own `Backoff` and takes its waits from
it.
"""

import random
import re
import time
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

NOT_YET = (408, 425, 429)  # statuses that ask to come back, beside 5xx
MOST_S = 1e9  # about 30 years: a server that names more seconds is heard as naming these
_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")


def may_pass(status: int | None) -> bool:
    """Return whether a status speaks of the moment and not of what was asked: 408, 425, 429 and 5xx (RFC
    9110).
    """
    return status is not None and (status in NOT_YET or 500 <= status < 600)


def seconds_asked(value: str | None, now: float | None = None) -> float | None:
    """A `Retry-After` in seconds >= 0: a number or a date (RFC 9110), or None. `now`: epoch seconds."""
    text = (value or "").strip()
    if _NUMBER.fullmatch(text):
        return min(max(0.0, float(text)), MOST_S)
    try:
        then = parsedate_to_datetime(text)
        moment = then.replace(tzinfo=then.tzinfo or UTC).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


@dataclass(frozen=True, slots=True)
class Backoff:
    """The retries of one client: `tries` in a row; the wait's ceiling begins at `first` seconds and doubles
    up to `largest`; longer requests than `longest` are not waited for; `spread` seconds at most are added at
    random.
    """

    tries: int
    first: float
    largest: float
    longest: float
    spread: float = 1.0

    def ceiling(self, tried: int) -> float:
        """The longest wait after that many tries (1, 2, …), where the server names none."""
        return min(self.largest, self.first * 2.0 ** min(tried - 1, 60))

    def full_jitter(self, tried: int, chance: random.Random | None = None) -> float:
        """A wait drawn evenly between 0 and the ceiling ("full jitter")."""
        return (chance or random).uniform(0, self.ceiling(tried))

    def equal_jitter(self, tried: int, chance: random.Random | None = None) -> float:
        """A wait of one who asks for all: uniform between half the ceiling and the ceiling."""
        ceiling = self.ceiling(tried)
        return (chance or random).uniform(ceiling / 2, ceiling)

    def beyond(self, asked: float, chance: random.Random | None = None) -> float:
        """A wait of what the server asks for and a little more, at most as much again."""
        return asked + (chance or random).uniform(0, min(self.spread, asked))

    def wait(self, tried: int, asked: float | None = None, chance: random.Random | None = None) -> float:
        """The wait after that many tries: by what the server asks for, else drawn."""
        return self.beyond(asked, chance) if asked else self.full_jitter(tried, chance)

    def is_too_long(self, asked: float | None) -> bool:
        """Return whether a server asks for more than is waited."""
        return asked is not None and asked > self.longest

    def is_spent(self, tried: int) -> bool:
        """Return whether no try is left after that many."""
        return tried >= self.tries
