"""The meta-judge: which judgements it gets, and what is read."""

from collections import Counter

from truerate.llm.generation import facts
from truerate.tracks.halludial.meta_judging import Judged, drawn, judged, read, requests

from .made import context, ok, questions, row, rows


def one(number: int, is_positive: bool, judge: str = "a") -> Judged:
    return Judged(f"{judge}{number}{is_positive}", judge, "i0", "text", "Yes.", is_positive)


def test_located_judgements_that_were_read_are_judged():
    located = [
        row("locate", "g1", "No. Fine.", target="t", verdict="no"),
        row("locate", "g2", "?", target="t", status="unparsed"),
        row("detect", "g3", "Yes", target="t", verdict="yes"),
    ]
    found = judged(located, {"t": "It is Lisbon."}, {"g1": "j1"})
    assert found == [Judged("j1", "gen", "i0", "It is Lisbon.", "No. Fine.", False)]


def test_as_many_of_one_verdict_as_of_the_other_as_far_as_there_are():
    plenty = [one(n, positive, judge) for judge in "ab" for n in range(10) for positive in (True, False)]
    kept = drawn(plenty, 6, 7)
    assert Counter((each.judge, each.is_positive) for each in kept) == {
        (j, p): 3 for j in "ab" for p in (True, False)
    }
    few = [one(0, True), *(one(n, False) for n in range(9))]
    assert Counter(each.is_positive for each in drawn(few, 6, 7)) == {True: 1, False: 5}
    assert set(drawn(plenty, 4, 7)) < set(kept)


def test_accurate_and_inaccurate_are_read():
    asked = requests([one(0, True), one(1, True)], {"i0": context()}, "judge", questions())
    assert "#Evaluation#:\n<data-" in asked[0].request.messages[-1]["content"]
    said = rows(asked, [ok("Inaccurate."), ok("Who knows?")], read)
    assert [(facts(each).get("accurate"), each["status"]) for each in said] == [
        ("no", "ok"),
        (None, "unparsed"),
    ]
