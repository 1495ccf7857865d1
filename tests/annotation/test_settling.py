"""Who passes a screening, and how several people's labels become one."""

import pytest

from truerate.annotation.labels import Label, Span
from truerate.annotation.tasks import in_turns
from truerate.annotation.voting import (
    agreement_with_others,
    majority,
    marked_by_most,
    passing,
    probe_rates,
    voted_spans,
)


def label(annotator: str, value: bool, task: str = "t", *spans: Span) -> Label:
    return Label(task, annotator, value, spans)


def test_a_probe_left_out_counts_as_wrong():
    labels = [
        label("good", True, "p1"),
        label("good", False, "p2"),
        label("lazy", True, "p1"),
        label("bad", False, "p1"),
        label("bad", True, "p2"),
    ]
    rates = probe_rates(labels, {"p1": True, "p2": False})
    assert rates == {"good": 1.0, "lazy": 0.5, "bad": 0.0}
    assert passing(rates, 0.8) == {"good"}


def test_who_rarely_says_what_most_others_say_does_not_pass():
    labels = [label(name, n % 2 == 0, str(n)) for n in range(4) for name in "abc"]
    labels += [label("d", n % 2 == 1, str(n)) for n in range(4)]
    shares = agreement_with_others(labels, "abcd")
    assert shares["a"] == (1.0, 4) and shares["d"] == (0.0, 4)
    assert passing({name: share for name, (share, _) in shares.items()}, 0.6) == {"a", "b", "c"}


def test_most_votes_settle_a_task():
    yes, no = label("a", True), label("b", False)
    assert majority([yes, yes, no], needed=3) == (True, None)
    assert majority([yes, no], needed=1.5) == (None, "tie")
    assert majority([yes], needed=1.5) == (None, "too_few_labellers")


def test_what_most_marked_is_told_in_runs_with_the_share_of_the_least_marked_character():
    # of three, 2–4 is marked by all, 4–6 by two, 0–2 by one
    assert marked_by_most([[(0, 4)], [(2, 6)], [(2, 6)]]) == [(2, 6, pytest.approx(2 / 3))]
    assert marked_by_most([[(0, 1), (3, 4)]]) == [(0, 1, 1.0), (3, 4, 1.0)]
    assert marked_by_most([[(0, 2)], []]) == [] == marked_by_most([])


def test_voted_spans_have_the_type_that_most_name_and_ties_go_by_the_order_of_types():
    # characters 2–5 are marked by two of three, 0–1 and 6–9 by one
    labels = [
        label("a", True, "t", Span(0, 6, "x")),
        label("b", True, "t", Span(2, 10, "y")),
        label("c", True),
    ]
    for types, first in ((("x", "y"), "x"), (("y", "x"), "y")):
        assert voted_spans(labels, types) == [{"start": 2, "end": 6, "type": first, "p": 0.666667}]
    untyped = [label("a", True, "t", Span(0, 4)), label("b", True, "t", Span(2, 6))]
    assert voted_spans(untyped) == [{"start": 2, "end": 4, "type": "unspecified", "p": 1.0}]
    assert voted_spans([label("c", False)]) == []


def test_owners_take_turns():
    drawn = in_turns(
        ["b2", "a1", "a3", "a2", "b1"],
        owner=lambda unit: unit[0],
        order=lambda unit: (unit,),
        turn_order=lambda name, turn: -ord(name),
    )
    assert drawn == ["b1", "a1", "b2", "a2", "a3"]
