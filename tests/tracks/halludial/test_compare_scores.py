"""Comparisons in both orders, by hand."""

import pytest

from truerate.core.schemas import Judgement, Sample, frame
from truerate.tracks.halludial.scores import score_compared

from .made_scores import WRITER, said, sample, values

SAMPLES = [
    sample("fact-1", True, scenario="induced", kind="factuality"),
    sample("fact-2", True, scenario="induced", kind="factuality"),
    sample("ref", False, scenario="induced", kind="reference"),
]


def compared(name: str, order: str, verdict: bool | None, status: str | None = None) -> list[dict]:
    """Both sides of one choice: the hallucinated one was named, or not, or nothing was read."""
    more = {"order": order, "kind": "factuality"}
    both = ((name, verdict), ("ref", None if verdict is None else not verdict))
    rows = [said(side, one, variant="compare", more={**more, "with": name}) for side, one in both]
    return [row | {"status": status or row["status"]} for row in rows]


def scored(told: list[list[dict]]) -> list[dict]:
    judgements = frame(Judgement, [row for rows in told for row in rows])
    return score_compared(frame(Sample, SAMPLES), judgements, WRITER)


# fact-1: named in both orders; fact-2: named where it stands first, not read where the reference does
TOLD = [
    compared("fact-1", "induced-first", True),
    compared("fact-1", "reference-first", True),
    compared("fact-2", "induced-first", True),
    compared("fact-2", "reference-first", None),
]


def test_orders_together_and_apart():
    made, where = scored(TOLD), {"variant": "compare", "kind": "factuality"}
    whole = values(made, **where)
    assert whole["accuracy"] == (3 / 4, 4) and whole["accuracy_parsed"] == (1, 3)
    assert whole["accuracy_both_orders"] == (1 / 2, 2) and whole["unparsed_rate"] == (1 / 4, 4)
    # of three that were read: first, second, first
    assert whole["first_position_rate"] == (pytest.approx(2 / 3, abs=1e-6), 3)
    last = values(made, **where, order="reference-first")
    assert last["accuracy"] == (1 / 2, 2) and last["accuracy_parsed"] == (1, 1)
    assert values(made, **where, order="induced-first")["accuracy"] == (1, 2)


def test_the_mean_of_orders_is_the_whole_where_each_pair_was_asked_in_both():
    made, where = scored(TOLD), {"variant": "compare", "kind": "factuality"}
    each = [
        values(made, **where, order=order)["accuracy"][0] for order in ("induced-first", "reference-first")
    ]
    assert values(made, **where)["accuracy"][0] == sum(each) / 2


def test_dead_letters_alone_have_no_value():
    made = scored([compared("fact-1", order, None, "dead") for order in ("induced-first", "reference-first")])
    found = values(made, variant="compare", kind="factuality")
    assert found.pop("no_answers") == (2, 2) and {value for value, _ in found.values()} == {None}


def test_a_judge_that_never_names_one_has_no_accuracy():
    made = scored([compared("fact-1", order, None) for order in ("induced-first", "reference-first")])
    found = values(made, variant="compare", kind="factuality")
    assert (found.pop("no_verdicts"), found.pop("unparsed_rate")) == ((2, 2), (1, 2))
    assert found and {value for value, _ in found.values()} == {None}
    assert values(made, variant="compare", kind="factuality", order="induced-first")["accuracy"][0] is None


def test_nothing_was_compared():
    assert scored([]) == []
