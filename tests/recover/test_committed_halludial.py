"""The board of HalluDial that the repository builds, held against what was planted in it: family by family, all
statements of a family together with 99 %.

It reads what a build wrote (`data/scores`, `data/truth`), of this checkout or of the folder in TRUERATE_BUILT, and
skips without. Shares have exact intervals; those of rates are the board's own, of 95 %, whose ends are moved out as
far as a normal one's would be.
"""

import os
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from truerate.metrics.intervals import z_of

from .board import ROOT
from .cells import Cell, family_wise, missed
from .mfava_board import flat

BOARD = "halludial-closed-world"
DATA = Path(os.environ.get("TRUERATE_BUILT", ROOT)) / "data"
SCORES, TRUTH = DATA / "scores" / BOARD / "scores.parquet", DATA / "truth" / f"{BOARD}.parquet"
AUDIT = DATA / "audits" / f"{BOARD}.parquet"
COLUMNS = {"board", "metric", "subject", "value", "low", "high", "method", "n", "inputs"}
ANSWER_ALONE = ("always", "never", "random", "length", "punctuation", "answer-ngrams")
RATE, CONFIDENCE = "hallucination_rate", 0.95
pytestmark = pytest.mark.skipif(
    not (SCORES.is_file() and TRUTH.is_file()),
    reason="nothing is built here; name a built folder in TRUERATE_BUILT",
)


def place(row: dict, *without: str) -> tuple:
    """Metric, subject and slice of a row, but for some keys."""
    where = {key: value for key, value in row.items() if key not in COLUMNS and value is not None}
    return row["metric"], row["subject"], tuple(sorted(one for one in where.items() if one[0] not in without))


@pytest.fixture(scope="module")
def scores() -> list[dict]:
    return flat(pl.read_parquet(SCORES))


@pytest.fixture(scope="module")
def planted() -> list[dict]:
    return flat(pl.read_parquet(TRUTH))


@pytest.fixture(scope="module")
def cells(scores, planted) -> list[Cell]:
    """Every share that has a planted value, as counts. Both orders of a pair are one draw: they count half."""
    truth = {place(row): row["value"] for row in planted if row["metric"] not in (RATE, "gold_minus_self")}
    found = []
    for row in scores:
        if (value := truth.get(place(row))) is not None and row["value"] is not None:
            n = row["n"] // 2 if row["metric"] in ("first_position_rate", "accuracy") else row["n"]
            found.append(Cell(*place(row), None, round(row["value"] * n), n, value))
    return found


FAMILIES = {
    "judges find": ("tpr",),
    "judges let pass": ("tnr",),
    "judges are read": ("unparsed_rate",),
    "pairs": ("accuracy", "accuracy_both_orders"),
    "the first of two": ("first_position_rate",),
    "the annotator": ("annotator_accuracy", "annotator_tpr", "annotator_tnr"),
    "the meta-judge": ("meta_accuracy",),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_shares_hold_what_is_planted(cells, name):
    found = [one for one in cells if one.metric in FAMILIES[name]]
    assert found and not missed(found)


def test_other_judges_would_be_missed(cells):
    """A family whose planted values are .15 lower is not held: the intervals are short enough to tell."""
    found = [one for one in cells if one.metric == "tpr"]
    assert missed([replace(one, planted=max(0.01, one.planted - 0.15)) for one in found])


def rates(scores: list[dict], planted: list[dict], **where: str) -> list[tuple[dict, float]]:
    """The rates by one estimator, and what is planted of the same responses; those by turn are left out."""
    truth = {
        place(row, "estimator"): row["value"]
        for row in planted
        if row["metric"] == RATE and "turns" not in row
    }
    found = [
        row
        for row in scores
        if row["metric"] == RATE and all(row.get(key) == one for key, one in where.items())
    ]
    named = [(row, place(row, "estimator", "calibration")) for row in found]
    return [(row, truth[name]) for row, name in named if name in truth]


def outside(found: list[tuple[dict, float]]) -> list[str]:
    """The rates whose interval, moved out for the family, does not hold the planted one; one that is not
    identified says nothing.
    """
    told = [(row, value) for row, value in found if row["value"] is not None and row["low"] is not None]
    out = z_of(family_wise(len(told))) / z_of(CONFIDENCE)
    lines = []
    for row, value in told:
        low, high = (row["value"] + (row[end] - row["value"]) * out for end in ("low", "high"))
        if not low - 1e-6 <= value <= high + 1e-6:
            lines.append(f"{place(row)}: {row['value']:.3f} ({low:.3f}–{high:.3f}), planted {value:.3f}")
    return lines


@pytest.mark.parametrize("unit", ["turn", "dialogue"])
@pytest.mark.parametrize("history", ["gold", "self"])
def test_rates_corrected_on_natural_labels_hold_at_every_temperature(scores, planted, unit, history):
    found = rates(
        scores, planted, estimator="rogan-gladen", calibration="natural", unit=unit, history=history
    )
    temperatures = {row["temperature"] for row, _ in found}
    assert len(temperatures) == (4 if history == "gold" else 1)
    assert len({row["subject"] for row, _ in found}) == 5
    assert not outside(found)
    assert unit == "dialogue" or all(row["value"] is not None for row, _ in found)


@pytest.mark.parametrize("unit", ["turn", "dialogue"])
def test_rates_from_labels_of_some_of_the_responses_hold(scores, planted, unit):
    found = rates(scores, planted, estimator="prediction-powered", calibration="natural", unit=unit)
    assert len(found) == 5 and not outside(found)


def test_rates_that_are_twice_as_high_would_be_missed(scores, planted):
    found = rates(scores, planted, estimator="prediction-powered", unit="turn")
    assert outside([(row, 2 * value + 0.2) for row, value in found])


def by_judge(scores: list[dict], planted: list[dict], calibration: str) -> list[tuple[dict, float]]:
    """The rate of the same responses by every judge that was asked, and what is planted of them."""
    truth = {row["subject"]: row["value"] for row in planted if row["metric"] == "rate_by_judge"}
    found = [row for row in scores if row["metric"] == "rate_by_judge" and row["subject"] in truth]
    return [(row, truth[row["subject"]]) for row in found if row.get("calibration") == calibration]


def test_errors_on_natural_texts_correct_every_judge_and_those_on_induced_ones_do_not(scores, planted):
    """All judges miss natural hallucinations far more often: their rates corrected on induced texts are too low,
    so that the intervals of 95 % of four of five do not hold the planted one. By people's labels one judge might
    flag faithful responses as often as hallucinated ones, so that its rate is not told; the others' hold it.
    """
    natural, induced = (by_judge(scores, planted, kind) for kind in ("natural", "induced"))
    assert len(natural) == len(induced) == 5 and not outside(natural)
    low = [row["subject"] for row, value in induced if row["high"] is not None and row["high"] < value]
    assert len(low) >= 4
    told = [(row, value) for row, value in natural if row["low"] is not None]
    assert len(told) >= 4 and all(row["low"] <= value <= row["high"] for row, value in told)


def test_the_audit_finds_the_style_of_who_wrote_the_wrong_ones_and_paraphrases_remove_it():
    """Wrong responses are a model's and right ones people's, whose style is planted to differ: words alone tell
    them. Against faithful paraphrases by the same model they tell next to nothing.
    """
    rows = [row for row in flat(pl.read_parquet(AUDIT)) if row["subject"] == "answer-ngrams"]
    found = {row.get("scheme"): row for row in rows if row["metric"] == "shortcut_balanced_accuracy"}
    assert found["induced-references"]["low"] > 0.75
    assert found["induced-matched"]["high"] < 0.65


def test_the_small_judge_is_far_ahead_of_what_reads_the_answer_alone(scores):
    """On entities that it never saw, against paraphrases: verdicts and the places of what is wrong."""
    found = {
        row["subject"]: row["value"]
        for row in scores
        if (row["metric"], row.get("variant"), row.get("kind"))
        == ("balanced_accuracy", "zero-shot", "matched")
    }
    judge = found["hallujudge-tiny"]
    assert judge >= 0.85 and judge >= 0.15 + max(found[name] for name in ANSWER_ALONE)
    (places,) = (
        row["value"]
        for row in scores
        if (row["metric"], row["subject"]) == ("span_f1", "hallujudge-tiny")
        and (row["scenario"], row["over"]) == ("induced", "all")
    )
    assert places >= 0.75
