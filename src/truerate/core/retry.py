"""Asking a server again: which statuses may be others next time, how often, and how long to wait before.

Pure: no clock is read unless a date must be compared with now, and nobody sleeps here. Every HTTP client of the
package (models, Hub, data sets, web pages and wikis) states its own `Backoff` and takes its waits from it.
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
    """Whether a status speaks of the moment and not of what was asked: 408, 425, 429 and 5xx (RFC 9110)."""
    return status is not None and (status in NOT_YET or 500 <= status < 600)


def seconds_asked(value: str | None, now: float | None = None) -> float | None:
    """A `Retry-After` in seconds, never below 0: a number (some write fractions) or a date (RFC 9110).

    None where there is none or it cannot be read. `now` is in seconds since the epoch, by default this moment.
    """
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
    """How patient one client is: `tries` in a row, waits in seconds.

    `first` is the ceiling of the wait after the first try; it doubles from try to try up to `largest`. A server
    that asks for more than `longest` is not waited for. `spread`: at most so much is added at random to what a
    server asks for, so that those who were refused together do not come back together.
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
        """A wait where one asks for all, so that nobody else comes back with it: drawn evenly between half the
        ceiling and the ceiling, so that a number of tries outlasts a known time.
        """
        ceiling = self.ceiling(tried)
        return (chance or random).uniform(ceiling / 2, ceiling)

    def beyond(self, asked: float, chance: random.Random | None = None) -> float:
        """A wait of what the server asks for and a little more, at most as much again."""
        return asked + (chance or random).uniform(0, min(self.spread, asked))

    def wait(self, tried: int, asked: float | None = None, chance: random.Random | None = None) -> float:
        """The wait after that many tries: by what the server asks for, or drawn where it asks for nothing or 0."""
        return self.beyond(asked, chance) if asked else self.full_jitter(tried, chance)

    def is_too_long(self, asked: float | None) -> bool:
        """Whether a server asks for more than is waited."""
        return asked is not None and asked > self.longest

    def is_spent(self, tried: int) -> bool:
        """Whether no try is left after that many."""
        return tried >= self.tries
