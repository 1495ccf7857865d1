"""A search with Google's default of 100 queries a minute, an outage of a minute in the middle, on a clock
that passes as it is slept on: all of the paper's entities in some 2 s of computing.
"""

from collections import Counter

import pytest

from .stub_web import results
from .test_search import Passing, google_error, searched

N = 7919  # entities (WildHallucinations, section 2)
PER_MINUTE = 100


class Limited:
    """Answers so many in each minute, and is away for the minute in the middle; counts what it did."""

    def __init__(self, time: Passing):
        self.time, self.answered, self.counts = time, Counter(), Counter()
        self.away_from = None

    async def answer(self, target, writer):
        now = self.time.now
        if self.away_from is None and self.counts["answered"] >= N // 2:
            self.away_from = now
        if self.away_from is not None and now < self.away_from + 60:
            self.counts["away"] += 1
            return None
        minute = now // 60
        if self.answered[minute] >= PER_MINUTE:
            self.counts["refused"] += 1
            return google_error(429, "rateLimitExceeded")
        self.answered[minute] += 1
        self.counts["answered"] += 1
        return results("http://a.example/")


@pytest.mark.proof
def test_so_many_a_minute_and_an_outage_in_one_go_and_the_next_run_asks_what_is_open(tmp_path):
    time = Passing()
    clock = time.clock()
    search = Limited(time)
    names = [f"name {number}" for number in range(N)]
    outcome, error, asked = searched(search.answer, names, tmp_path, backoff_s=0.5, clock=clock)
    minutes = (time.now - 1000.0) / 60
    assert error is None and None not in outcome and search.counts["answered"] == N  # each is answered once
    # 80 minutes hold 7,919 queries, of which the first is begun and the last not waited for; at most twice
    # that with the minute of outage and what is waited in vain
    assert 78 <= minutes <= 160
    assert search.counts["away"] >= 1 and search.counts["refused"] < N / 5
    more = [*names, "one more"]
    outcome, error, asked = searched(results(), more, tmp_path, clock=clock)
    assert error is None and None not in outcome and [entry["q"] for entry in asked] == [["one more"]]
