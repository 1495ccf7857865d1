"""Rates of any unit: raw, and corrected by errors measured elsewhere."""

import numpy as np
import pytest

from truerate.config import Statistics
from truerate.metrics.estimators.sample import Cell, errors_of, estimates, verdicts
from truerate.metrics.rates import Errors, Share, estimate_rows
from truerate.metrics.score_writer import ScoreWriter

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)
NONE = float("nan")


def units(flags: list[int], labels: list[float], *, per_cluster: int = 1) -> Cell:
    clusters = [f"c{index // per_cluster}" for index in range(len(flags))]
    return verdicts(np.array(flags, dtype=bool), np.array(labels), clusters)


def test_errors_are_over_labelled_units_alone():
    # labelled hallucinated: 3 of 4 flagged; labelled right: 1 of 4; two without a label
    result = errors_of(
        units([1, 1, 1, 0, 1, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0, 0, 0, NONE, NONE]), confidence=0.95
    )
    assert result.tpr.rate == pytest.approx(3 / 4) and result.fpr.rate == pytest.approx(1 / 4)


def test_a_class_without_labels_gives_no_estimate():
    expected = errors_of(units([1, 0], [1, 1]), confidence=0.95)
    (_, corrected) = estimates(units([1, 0, 0], [NONE] * 3), {"induced": expected}, WRITER)
    assert corrected.interval is None


def test_raw_and_corrected_by_hand():
    flagged = units([1] * 30 + [0] * 70, [NONE] * 100)
    raw, corrected = estimates(flagged, {"natural": Errors(Share(80, 100), Share(10, 100))}, WRITER)
    assert raw.interval.value == pytest.approx(0.3)
    assert corrected.interval.value == pytest.approx((0.3 - 0.1) / (0.8 - 0.1))  # (q - FPR) / (TPR - FPR)
    assert corrected.where == {"estimator": "rogan-gladen", "calibration": "natural"}


def test_a_detector_that_cannot_tell_is_not_identified():
    useless = Errors(Share(30, 100), Share(30, 100))
    each = estimates(units([1, 0, 1], [NONE] * 3), {"induced": useless}, WRITER)
    rows = estimate_rows("rate", "m", {"unit": "turn"}, each, 3, WRITER)
    assert [(row["metric"], row["value"]) for row in rows[1:]] == [("rate", None), ("is_identified", 0)]
