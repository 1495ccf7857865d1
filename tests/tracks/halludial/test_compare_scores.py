"""Comparisons in both orders, by hand."""

import pytest

from truerate.core.schemas import Judgement, Sample, frame
from truerate.tracks.halludial.scores import score_compared

from .made_scores import WRITER, judgement, sample, values

SAMPLES = [
    sample("fact-1", True, scenario="induced", kind="factuality"),
    sample("fact-2", True, scenario="induced", kind="factuality"),
    sample("ref", False, scenario="induced", kind="reference"),
]


def compared(name: str, order: str, verdict: bool | None, status: str | None = None) -> list[dict]:
    """Both sides of one choice: the hallucinated one was named, or not, or nothing was read."""
    more = {"order": order, "kind": "factuality"}
    both = ((name, verdict), ("ref", None if verdict is None else not verdict))
    rows = [judgement(side, entry, variant="compare", more={**more, "with": name}) for side, entry in both]
    return [row | {"status": status or row["status"]} for row in rows]


def scored(actual: list[list[dict]]) -> list[dict]:
    judgements = frame(Judgement, [row for rows in actual for row in rows])
    return score_compared(frame(Sample, SAMPLES), judgements, WRITER)


# fact-1: named in both orders; fact-2: named where it stands first, not read where the reference does
TOLD = [
    compared("fact-1", "induced-first", True),
    compared("fact-1", "reference-first", True),
    compared("fact-2", "induced-first", True),
    compared("fact-2", "reference-first", None),
]


def test_orders_together_and_apart():
    result, where = scored(TOLD), {"variant": "compare", "kind": "factuality"}
    whole = values(result, **where)
    assert whole["accuracy"] == (3 / 4, 4) and whole["accuracy_parsed"] == (1, 3)
    assert whole["accuracy_both_orders"] == (1 / 2, 2) and whole["unparsed_rate"] == (1 / 4, 4)
    # of three that were read: first, second, first
    assert whole["first_position_rate"] == (pytest.approx(2 / 3, abs=1e-6), 3)
    last = values(result, **where, order="reference-first")
    assert last["accuracy"] == (1 / 2, 2) and last["accuracy_parsed"] == (1, 1)
    assert values(result, **where, order="induced-first")["accuracy"] == (1, 2)


def test_the_mean_of_orders_is_the_whole_where_each_pair_was_asked_in_both():
    result, where = scored(TOLD), {"variant": "compare", "kind": "factuality"}
    each = [
        values(result, **where, order=order)["accuracy"][0] for order in ("induced-first", "reference-first")
    ]
    assert values(result, **where)["accuracy"][0] == sum(each) / 2


def test_dead_letters_alone_have_no_value():
    result = scored(
        [compared("fact-1", order, None, "dead") for order in ("induced-first", "reference-first")]
    )
    actual = values(result, variant="compare", kind="factuality")
    assert actual.pop("no_answers") == (2, 2) and {value for value, _ in actual.values()} == {None}


def test_a_judge_that_never_names_one_has_no_accuracy():
    result = scored([compared("fact-1", order, None) for order in ("induced-first", "reference-first")])
    actual = values(result, variant="compare", kind="factuality")
    assert (actual.pop("no_verdicts"), actual.pop("unparsed_rate")) == ((2, 2), (1, 2))
    assert actual and {value for value, _ in actual.values()} == {None}
    assert values(result, variant="compare", kind="factuality", order="induced-first")["accuracy"][0] is None


def test_nothing_was_compared():
    assert scored([]) == []
