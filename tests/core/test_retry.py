"""Waits before a server is asked again."""

import random
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from truerate.core.retry import MOST_S, Backoff, may_pass, seconds_asked

NOW = 1_700_000_000.0


def date(seconds):
    return format_datetime(datetime.fromtimestamp(NOW + seconds, UTC), usegmt=True)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0), (" 0.5 ", 0.5), ("7.", 7.0), ("-3", 0.0), ("0", 0.0), ("9" * 400, MOST_S),
        (date(90), 90.0), (date(-90), 0.0), (date(90).replace("GMT", "-0000"), 90.0),
        (None, None), ("", None), ("soon", None), ("nan", None), ("inf", None), ("1e3", None), ("٣", None),
    ],
)  # fmt: skip
def test_what_a_server_asks_for(value, seconds):
    assert seconds_asked(value, NOW) == seconds


def test_a_date_is_compared_with_this_moment_by_default():
    soon = format_datetime(datetime.fromtimestamp(datetime.now(UTC).timestamp() + 60, UTC), usegmt=True)
    assert 50 < seconds_asked(soon) <= 60


def test_statuses_of_the_moment():
    passing = [status for status in (None, 200, 301, *range(400, 600), 600, 999) if may_pass(status)]
    assert passing == [408, 425, 429, *range(500, 600)]


BACKOFF = Backoff(tries=6, first=1.0, largest=8.0, longest=300.0)


def test_ceilings_double_up_to_the_largest_and_never_overflow():
    assert [BACKOFF.ceiling(tried) for tried in range(1, 7)] == [1, 2, 4, 8, 8, 8]
    assert BACKOFF.ceiling(100_000) == 8


def test_one_who_asks_for_all_outlasts_a_known_time():
    chance = random.Random(3)
    drawn = [BACKOFF.equal_jitter(3, chance) for _ in range(400)]
    assert 2.0 <= min(drawn) < 2.1 and 3.9 < max(drawn) <= 4.0


def test_waits_are_drawn_over_the_whole_range_below_the_ceiling():
    chance = random.Random(1)
    drawn = [BACKOFF.wait(3, None, chance) for _ in range(400)]
    assert 0 <= min(drawn) < 0.1 and 3.9 < max(drawn) <= 4.0


@pytest.mark.parametrize(("asked", "most"), [(0.25, 0.5), (7.0, 8.0), (299.0, 300.0)])
def test_what_is_asked_for_is_waited_with_a_little_more(asked, most):
    chance = random.Random(1)
    waits = [BACKOFF.wait(1, asked, chance) for _ in range(200)]
    assert asked <= min(waits) and max(waits) <= most and len(set(waits)) > 1


def test_a_server_that_asks_for_no_time_is_waited_for_as_one_that_asks_for_nothing():
    assert BACKOFF.wait(2, 0.0, random.Random(1)) == BACKOFF.wait(2, None, random.Random(1)) > 0


def test_the_ends_of_patience():
    assert [BACKOFF.is_spent(tried) for tried in (5, 6, 7)] == [False, True, True]
    assert [BACKOFF.is_too_long(asked) for asked in (None, 0.0, 300.0, 300.5)] == [False, False, False, True]
