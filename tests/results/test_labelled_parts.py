"""Scores that are made of labels stand in a committed result by the parts of the set that the labels tell apart, too."""

import polars as pl

from truerate.core.schemas import Outcome, pairs, schema
from truerate.results.commit import by_labelled_parts
from truerate.results.labels import Label


def outcome(unit, value, **where):
    row = {"board": "b", "metric": "rate", "subject": "m", "slice": pairs(**where), "unit_id": unit}
    return row | {"cluster_id": unit, "value": value}


def label(unit, part="", **where):
    row = {
        "board": "b",
        "subject": "m",
        "slice": pairs(**where),
        "unit_id": unit,
        "cluster_id": unit,
        "part": part,
    }
    row |= {"question": "q", "rater": "", "label": "yes", "metric": "rate", "where": "set=all", "gives": 1.0}
    return row


def parted(outcomes, labels):
    made = by_labelled_parts(
        pl.DataFrame(outcomes, schema=schema(Outcome)), pl.DataFrame(labels, schema=schema(Label))
    )
    return {
        (tuple(pair.values()), row["unit_id"]): row["value"]
        for row in made.to_dicts()
        for pair in row["slice"]
    }


def test_each_unit_stands_once_more_under_each_pair_of_its_labels():
    # two labels of u1 say the same of it; u2 is of another rarity; what no label is the value of stays whole
    outcomes = [
        outcome("u1", 1.0, set="all"),
        outcome("u2", None, set="all"),
        outcome("u1", 0.0, set="common"),
    ]
    labels = [label("u1", "0", rarity="rare"), label("u1", "1", rarity="rare"), label("u2", rarity="freq")]
    assert parted(outcomes, labels) == {
        (("rarity", "rare"), "u1"): 1.0,
        (("set", "all"), "u1"): 1.0,
        (("rarity", "freq"), "u2"): None,
        (("set", "all"), "u2"): None,
    }


def test_slices_that_the_board_has_itself_are_not_made_anew():
    outcomes = [outcome("u1", 1.0, set="all"), outcome("u1", 1.0, set="all", task="qa")]
    assert parted(outcomes, [label("u1", task="qa")]) == {}


def test_a_set_without_labels_has_no_parts():
    empty = pl.DataFrame([], schema=schema(Outcome))
    assert by_labelled_parts(empty, None).is_empty()
