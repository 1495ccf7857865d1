"""Rates of any unit: raw, corrected by errors measured elsewhere, and from labels of some of the very units."""

import numpy as np
import pytest

from truerate.config import Statistics
from truerate.metrics.rates import Share
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.unit_rates import (
    Errors,
    Units,
    errors_of,
    estimate_rows,
    estimates,
    prediction_powered,
    slope,
)

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)
NONE = float("nan")


def units(flags: list[int], labels: list[float], *, per_cluster: int = 1) -> Units:
    clusters = [f"c{place // per_cluster}" for place in range(len(flags))]
    return Units(np.array(flags, dtype=bool), clusters, np.array(labels))


def test_errors_are_over_labelled_units_alone():
    # labelled hallucinated: 3 of 4 flagged; labelled right: 1 of 4; two without a label
    found = errors_of(
        units([1, 1, 1, 0, 1, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0, 0, 0, NONE, NONE]), confidence=0.95
    )
    assert found.tpr.rate == pytest.approx(3 / 4) and found.fpr.rate == pytest.approx(1 / 4)


def test_a_class_without_labels_gives_no_estimate():
    known = errors_of(units([1, 0], [1, 1]), confidence=0.95)
    (_, corrected) = estimates(units([1, 0, 0], [NONE] * 3), {"induced": known}, WRITER)
    assert corrected.found is None


def test_raw_and_corrected_by_hand():
    flagged = units([1] * 30 + [0] * 70, [NONE] * 100)
    raw, corrected = estimates(flagged, {"natural": Errors(Share(80, 100), Share(10, 100))}, WRITER)
    assert raw.found.value == pytest.approx(0.3)
    assert corrected.found.value == pytest.approx((0.3 - 0.1) / (0.8 - 0.1))  # (q - FPR) / (TPR - FPR)
    assert corrected.where == {"estimator": "rogan-gladen", "calibration": "natural"}


def test_a_detector_that_cannot_tell_is_not_identified():
    useless = Errors(Share(30, 100), Share(30, 100))
    each = estimates(units([1, 0, 1], [NONE] * 3), {"induced": useless}, WRITER)
    rows = estimate_rows("rate", "m", {"unit": "turn"}, each, 3, WRITER)
    assert [(row["metric"], row["value"]) for row in rows[1:]] == [("rate", None), ("is_identified", 0)]


# Ten units, flags 4 of 10. Labelled: the first five, of which 2 are hallucinated and 3 flagged.
SOME = units([1, 1, 1, 0, 0, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, NONE, NONE, NONE, NONE, NONE])


def test_from_labels_and_flags_by_hand():
    # slope 1: flagged share 4/10 and the labelled units' mean of label - flag, (2 - 3) / 5
    assert prediction_powered(SOME, slope=1.0, confidence=0.95).value == pytest.approx(4 / 10 - 1 / 5)
    # slope 0: the labels alone
    assert prediction_powered(SOME, slope=0.0, confidence=0.95).value == pytest.approx(2 / 5)


def test_the_slope_is_pooled_over_cells_about_their_means():
    # labelled of SOME: flags 1 1 1 0 0 (mean .6), labels 1 1 0 0 0 (mean .4)
    # products .4·.6·2 + .4·(-.4) + (-.6)(-.4)·2 = .8; squares 3·.16 + 2·.36 = 1.2
    assert slope([SOME]) == pytest.approx(0.8 / 1.2) == slope([SOME, units([1], [NONE])])
    assert slope([]) == 0 == slope([units([1, 1], [1, 0])])


def test_few_labels_have_no_estimate_and_agreeing_ones_an_interval():
    assert prediction_powered(units([1, 0], [1, NONE]), slope=1, confidence=0.95) is None
    none_found = prediction_powered(units([0] * 20, [0] * 10 + [NONE] * 10), slope=1, confidence=0.95)
    assert none_found.value == 0 and 0.2 < none_found.high < 0.5


def test_units_of_one_cluster_count_less():
    flags, labels = [1, 1, 0, 0] * 10, [1, 1, 0, 0] * 5 + [NONE] * 20
    alone, together = (
        prediction_powered(units(flags, labels, per_cluster=n), slope=0, confidence=0.95) for n in (1, 2)
    )
    assert together.high - together.low > alone.high - alone.low
