"""How often a call is made again, what it waits for, and how it ends."""

import errno
import random
import re
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from truerate.core.errors import TruerateError
from truerate.core.process import terminal
from truerate.hub.client import BACKOFF, Busy, Retries, _asked_wait


def failing(*errors):
    """Work that raises these one after the other, then returns how often it was called."""
    left, calls = list(errors), []

    def work():
        calls.append(1)
        if left:
            raise left.pop(0)
        return len(calls)

    return work


def patient(waits, **options) -> Retries:
    return Retries(pause=waits.append, chance=random.Random(1), **options)


def test_what_works_is_not_waited_for():
    waits = []
    assert patient(waits).call("x", failing()) == 1 and waits == []


def test_passing_failures_are_tried_again_a_bounded_number_of_times():
    waits = []
    assert patient(waits).call("x", failing(*[Busy("503")] * (BACKOFF.tries - 1))) == BACKOFF.tries
    assert len(waits) == BACKOFF.tries - 1
    with pytest.raises(TruerateError, match=f"^reading: gave up after {BACKOFF.tries} tries: 503"):
        patient(waits).call("reading", failing(*[Busy("503")] * BACKOFF.tries))


def test_a_failure_below_other_failures_is_found():
    wrapped = RuntimeError("while uploading")
    wrapped.__cause__ = Busy("503")
    assert patient([]).call("x", failing(wrapped)) == 2


@pytest.mark.parametrize(
    "error",
    [
        ValueError("bad\n\x1b[31mwords"),
        OSError(errno.EACCES, "Permission denied", "/x/y"),
        RuntimeError("no"),
    ],
)
def test_other_failures_end_at_once_in_one_line(error):
    waits = []
    with pytest.raises(TruerateError) as raised:
        patient(waits).call("reading", failing(error))
    assert str(raised.value).startswith("reading: ") and str(raised.value).isprintable() and waits == []


def test_what_asks_to_wait_is_waited_for_with_a_little_more():
    waits = []
    patient(waits).call("x", failing(Busy("429", wait=7), Busy("429", wait=300)))
    assert 7 <= waits[0] <= 8 and 300 <= waits[1] <= 301


def test_a_long_wait_says_what_it_is_for_and_a_short_one_nothing(capsys):
    patient([]).call("uploading to org/x", failing(Busy("https://hub.example answers 429", wait=4)))
    assert capsys.readouterr().err == ""
    patient([]).call("uploading to org/x", failing(Busy("https://hub.example answers 429", wait=25)))
    assert re.fullmatch(
        r"truerate: waiting 2[56] s: uploading to org/x: https://hub.example answers 429\n",
        capsys.readouterr().err,
    )


def test_a_call_that_takes_long_says_so_while_it_does(capsys, monkeypatch):
    done = threading.Event()
    monkeypatch.setattr(terminal, "LONG_S", 0.0)
    monkeypatch.setattr(terminal, "say", lambda line: (lines.append(line), done.set()))
    lines = []
    assert patient([]).call("uploading to org/x", lambda: done.wait(5))
    assert lines == ["still waiting: uploading to org/x"]


def test_a_wait_above_five_minutes_is_for_the_user():
    waits = []
    with pytest.raises(TruerateError, match="asks to wait 301 s"):
        patient(waits).call("x", failing(Busy("429", wait=301)))
    assert waits == []


def test_progress_starts_the_count_afresh():
    steps = iter(range(1000))
    assert patient([], progress=lambda: next(steps)).call("x", failing(*[Busy("503")] * 20)) == 21


def test_a_full_disk_says_so():
    with pytest.raises(TruerateError, match=r"No space left on device \(/tmp/x\); make room"):
        patient([]).call("x", failing(OSError(errno.ENOSPC, "No space left on device", "/tmp/x")))


def test_what_an_answer_asks_to_wait():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    wait = {
        name: _asked_wait(httpx2.Response(429, headers=headers))
        for name, headers in {
            "seconds": {"Retry-After": " 12 "},
            "date": {"Retry-After": soon},
            "past": {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"},
            "limit": {"ratelimit": '"api";r=0;t=55'},
            "limit not reached": {"ratelimit": '"api";r=3;t=55'},
            "words": {"Retry-After": "soon"},
            "none": {},
        }.items()
    }
    assert 80 < wait.pop("date") <= 90
    assert wait == {
        "seconds": 12, "past": 0, "limit": 55, "limit not reached": None, "words": None, "none": None,
    }  # fmt: skip
