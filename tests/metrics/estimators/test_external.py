"""Errors known from other texts: corrected rates, the variance between models."""

import numpy as np
import pytest

from truerate.metrics.estimators.registry import estimate_board
from truerate.metrics.estimators.sample import (
    Between,
    Calibration,
    between_groups,
    between_models,
    errors_on,
    estimated,
    flagged_sums,
    shares_clusters,
    widened,
)
from truerate.metrics.rates import Corrected, corrected_rate

from .boards import NONE, cell

UNKNOWN = [NONE] * 4
REPLIES = cell([50] * 4, [10, 20, 15, 15], UNKNOWN)  # 60 of 200 flagged


def texts(rows, *, models=None, langs=None) -> Calibration:
    names = np.arange(len(rows)) + 100
    models = np.array(models or ["w"] * len(rows))
    return Calibration(np.array(rows, dtype=float), np.array(langs or ["x"] * len(rows)), models, names)


# things, hallucinated, flagged, both: TPR 16/20, FPR 8/80
KNOWN = texts([[25, 5, 6, 4], [25, 5, 6, 4], [25, 5, 7, 4], [25, 5, 5, 4]])


def test_corrected_by_hand():
    errors = errors_on(KNOWN, confidence=0.95)
    assert (errors.tpr.rate, errors.fpr.rate) == pytest.approx((0.8, 0.1))
    assert corrected_rate(flagged_sums(REPLIES), errors, confidence=0.95).value == pytest.approx(
        (0.3 - 0.1) / 0.7
    )


def test_hr_est_by_hand():
    # flagged 60/200 · hallucinated 20 / flagged 24
    assert estimated(REPLIES, KNOWN, confidence=0.95).value == pytest.approx(0.3 * 20 / 24)


def test_hr_est_without_an_interval_keeps_its_value_and_without_a_hit_has_none():
    # every reply and every text has the same share: nothing says how far it may move
    even, alike = cell([10] * 4, [2] * 4, UNKNOWN), texts([[10, 2, 2, 1]] * 4)
    result = estimated(even, alike, confidence=0.95)
    assert result.value == pytest.approx(0.2) and np.isnan([result.low, result.high]).all()
    assert estimated(even, texts([[10, 2, 2, 0]] * 4), confidence=0.95) is None  # recall 0
    assert estimated(even, texts([[10, 2, 0, 0]] * 4), confidence=0.95) is None


def test_clusters_in_two_languages_are_seen():
    apart = cell([5], [1], [NONE], ["b"])
    assert not shares_clusters([cell([5], [1], [NONE], ["a"]), apart], [])
    assert shares_clusters([apart, apart], []) and not shares_clusters([], [])
    reference = Calibration(np.ones((1, 4)), np.array(["x"]), np.array(["w"]), np.array(["b"]))
    other = Calibration(np.ones((1, 4)), np.array(["x"]), np.array(["w"]), np.array(["c"]))
    assert shares_clusters([cell([5], [1], [NONE], ["a"]), apart], [reference, other])


# ---- between models ----------------------------------------------------------------------------------------


def test_the_variance_between_models_by_hand():
    # two models of 10 texts each, 1 and 5 of 10 flagged: p .3, v = .21/10, Q = 2 · .2² · 10/.21, C = 10/.21
    tops = np.array([1] + [0] * 9 + [1] * 5 + [0] * 5, dtype=float)
    both = texts([[1, 0, top, 0] for top in tops], models=["a"] * 10 + ["b"] * 10)
    # texts are clusters of one: their design effect is that of 20 rows with 19 degrees, 20/19
    weight = 10 / (0.21 * 20 / 19)
    expected = (2 * 0.2**2 * weight - 1) / (2 * weight - weight)
    assert between_groups(tops, np.ones(20), both) == pytest.approx(expected)
    assert between_models(both) == pytest.approx((0.0, expected, 2))


def test_models_that_err_alike_have_none_and_one_model_tells_nothing():
    alike = texts([[10, 0, 2, 0]] * 4 + [[10, 0, 3, 0]] * 4, models=["a", "b"] * 4)
    assert between_models(alike)[:2] == (0, 0)
    assert between_models(KNOWN) == (0, 0, 1)


def test_texts_of_one_writer_tell_nothing_of_differences_between_models():
    board = {("m", "x"): REPLIES}
    two = texts([[25, 5, 6, 4], [25, 5, 7, 4]] * 4, models=["a", "b"] * 4)
    named = {
        kind: [item.calibration for item in each if item.estimator == "rogan-gladen-between"]
        for kind, reference in (("one", {"silver": KNOWN}), ("two", {"silver": KNOWN, "natural": two}))
        for key, each in estimate_board(board, confidence=0.95, calibrated=reference).items()
        if key == ("m", "x")
    }
    assert named == {"one": [], "two": ["natural"]}


def test_a_planted_variance_between_models_is_found():
    rng = np.random.default_rng(8)
    fpr = np.repeat(np.clip(rng.normal(0.3, 0.08, 60), 0.02, 0.9), 40)
    flagged = rng.binomial(20, fpr)
    reference = texts(
        [[20, 0, item, 0] for item in flagged], models=[f"m{index // 40}" for index in range(2400)]
    )
    assert between_models(reference).fpr == pytest.approx(0.08**2, rel=0.35)


def test_widened_by_hand():
    result = widened(Corrected(0.2, 0.1, 0.4, 0.2, True), 0.5, Between(0.01, 0.0025, 3), confidence=0.95)
    # sd² = (.0025 · .8² + .01 · .2²)/.5²; each side squared with (1.96 sd)²
    more = 1.959964**2 * (0.0025 * 0.64 + 0.01 * 0.04) / 0.25
    assert result.low == pytest.approx(max(0, 0.2 - (0.1**2 + more) ** 0.5))
    assert result.high == pytest.approx(0.2 + (0.2**2 + more) ** 0.5)
    untold = Corrected(None, None, None, None, False)
    assert widened(untold, 0.0, Between(0, 0, 0), confidence=0.95) == untold
    assert widened(None, 0.5, Between(0, 0, 0), confidence=0.95) is None
