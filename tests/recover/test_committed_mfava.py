"""The board of mFAVA that the repository builds: what the headline says of its models, held against what was planted in
their very replies.

It reads what a build wrote (`data/scores`, `data/truth`), of this checkout or of the folder in TRUERATE_BUILT, and
skips without. The intervals are the board's own, of 95 %, and are moved out as far as those of normal ones would be
that hold together with 99 %.
"""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from truerate.leaderboard.rows import outcome_matrix
from truerate.metrics.intervals import z_of
from truerate.metrics.ranking import compare_all

from .board import ROOT
from .cells import family_wise
from .mfava_board import flat

BOARD, RATE, ALL = "mfava-closed-world", "hallucination_rate", "all"
DATA = Path(os.environ.get("TRUERATE_BUILT", ROOT)) / "data"
FOLDER, TRUTH = DATA / "scores" / BOARD, DATA / "truth" / f"{BOARD}.parquet"
HEADLINE = {"estimator": "prediction-powered", "calibration": "natural", "replies": ALL}
CONFIDENCE = 0.95
LARGEST_ERROR, LEAST_TAU = 0.04, 0.8  # of the means over languages
pytestmark = pytest.mark.skipif(
    not ((FOLDER / "outcomes.parquet").is_file() and TRUTH.is_file()),
    reason="nothing is built here; name a built folder in TRUERATE_BUILT",
)


def rates(**where: str) -> dict[tuple[str, str], dict]:
    """The rows of a rate by model and language, of all replies and the mean over languages."""
    rows = flat(pl.read_parquet(FOLDER / "scores.parquet").filter(metric=RATE))
    return {
        (row["subject"], row["lang"]): row
        for row in rows
        if all(row.get(key) == value for key, value in where.items())
    }


@pytest.fixture(scope="module")
def headline() -> dict[tuple[str, str], dict]:
    return rates(**HEADLINE)


@pytest.fixture(scope="module")
def planted() -> dict[tuple[str, str], float]:
    rows = flat(pl.read_parquet(TRUTH).filter(metric=RATE))
    return {(row["subject"], row["lang"]): row["value"] for row in rows if row["replies"] == ALL}


def outside(found: dict[tuple[str, str], dict], planted: dict[tuple[str, str], float]) -> list[str]:
    """The rates whose interval, moved out for the family, does not hold the planted one."""
    out = z_of(family_wise(len(found))) / z_of(CONFIDENCE)
    lines = []
    for key, row in found.items():
        low, high = (row["value"] + (row[end] - row["value"]) * out for end in ("low", "high"))
        if not low - 1e-6 <= planted[key] <= high + 1e-6:
            lines.append(f"{key}: {row['value']:.3f} ({low:.3f}–{high:.3f}), planted {planted[key]:.3f}")
    return lines


def means(found: dict[tuple[str, str], dict]) -> dict[str, float]:
    return {model: row["value"] for (model, lang), row in found.items() if lang == ALL}


def tau(found: dict[tuple[str, str], dict], planted: dict[tuple[str, str], float]) -> float:
    told = means(found)
    return float(kendalltau(list(told.values()), [planted[model, ALL] for model in told])[0])


def test_every_cell_and_mean_holds_what_is_planted(headline, planted):
    assert len(headline) == len(planted) == 35  # five models in six languages and their mean
    assert not outside(headline, planted)


def test_means_are_right_to_a_few_points_and_stand_in_the_planted_order(headline, planted):
    errors = [value - planted[model, ALL] for model, value in means(headline).items()]
    assert len(errors) == 5 and np.mean(np.abs(errors)) <= LARGEST_ERROR
    assert tau(headline, planted) >= LEAST_TAU


def test_models_that_the_rank_tests_tell_apart_stand_in_the_planted_order(planted):
    wanted = {**HEADLINE, "lang": ALL}
    outcomes = pl.read_parquet(FOLDER / "outcomes.parquet").filter(metric=RATE)
    of_all = [
        {pair["key"]: pair["value"] for pair in pairs} == wanted for pairs in outcomes["slice"].to_list()
    ]
    subjects, values, clusters = outcome_matrix(outcomes.filter(pl.Series(of_all, dtype=pl.Boolean)))
    compared = compare_all(values, clusters, n_resamples=2000, alpha=0.05, seed=7)
    apart = [one for one in compared if one.p_holm <= 0.05]
    assert apart and len(compared) == len(list(combinations(subjects, 2)))
    for one in apart:
        first, second = (planted[subjects[place], ALL] for place in (one.first, one.second))
        assert (one.difference > 0) == (first > second), (subjects[one.first], subjects[one.second])


def test_the_flagged_share_would_be_missed(planted):
    """What the detector alone says misses by far, and turns models round: the tests above could fail."""
    raw = {key: row | {"low": row["low"] or 0.0} for key, row in rates(estimator="raw", replies=ALL).items()}
    assert outside(raw, planted) and tau(raw, planted) < LEAST_TAU
