"""The labels behind a board whose set has more of them than units.

A reader whose module has a function `labels`, from `Tables` to rows of `label_row`, brings them.
"""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from truerate.core.schemas import unpaired

YES, NO = "yes", "no"
RATED = "hallucinated"  # the question whose answers by several raters say how often raters err
# of a set that was labelled anew: the rule of the labels before, and of each new span whether these had it
FIRST = "first"
Score = tuple[str | None, str]  # metric and slice, as scores.csv has it, that a label is the value of
FACTS: Score = ("wildfactscore", "estimator=raw;set=all")
RESPONDING: Score = ("responding_rate", "rule=measured")
WRONG: Score = ("hallucination_rate", "")
NONE: Score = (None, "")


class Tables(NamedTuple):
    """The tables of a source that labels are made of."""

    samples: pl.DataFrame
    items: pl.DataFrame
    judgements: pl.DataFrame


class Unit(NamedTuple):
    """What a label is of: who wrote the text, which text, what it stands with, and the pairs of its slice."""

    subject: str
    unit_id: str
    cluster_id: str
    slice: list[dict[str, str]]


def label_row(
    unit: Unit,
    question: str,
    label: str | None,
    *,
    part: str = "",
    rater: str = "",
    of: Score = NONE,
    gives: float | None = None,
) -> dict:
    """One answer to a question on a unit or its `part`; `gives`: its share in the value of the score `of`."""
    named = {"part": part, "question": question, "rater": rater, "label": label}
    return unit._asdict() | named | {"metric": of[0], "where": of[1], "gives": gives}


def yes_or_no(value: object) -> str:
    """A label that says whether something holds."""
    return YES if value else NO


def attributes_of(row: Mapping) -> dict[str, str]:
    """The attributes of an item or sample by their names."""
    return unpaired(row["attributes"])
