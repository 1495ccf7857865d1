"""Reliability and ECE by hand."""

import numpy as np
import pytest

from truerate.metrics.thresholds import Bin, at_cuts, bin_sums, expected_calibration_error, reliability

# two bins: p .1, .3 (one of them hallucinated); p .6, .8, 1 (all three hallucinated)
P, LABEL = np.array([0.1, 0.3, 0.6, 0.8, 1.0]), np.array([False, True, True, True, True])


def test_bins_by_hand():
    low, high = reliability(bin_sums(P, LABEL, n_bins=2).sum(axis=0))
    assert (low.low, low.high, low.n, low.mean_p, low.rate) == (0, 0.5, 2, pytest.approx(0.2), 0.5)
    assert (high.n, high.mean_p, high.rate) == (3, pytest.approx(0.8), 1)


def test_ece_by_hand():
    # 2/5 · |.5 - .2| + 3/5 · |1 - .8|
    ece = expected_calibration_error(bin_sums(P, LABEL, n_bins=2).sum(axis=0))
    assert float(ece) == pytest.approx(2 / 5 * 0.3 + 3 / 5 * 0.2)


def test_an_edge_belongs_to_the_bin_above_it_and_one_to_the_last():
    assert bin_sums(np.array([0.5, 1.0]), np.array([1, 1]), n_bins=2)[:, :2].tolist() == [[0, 1], [0, 1]]


def test_over_nothing():
    empty = bin_sums(np.zeros(0), np.zeros(0), n_bins=2).sum(axis=0)
    assert np.isnan(expected_calibration_error(empty))
    assert [(item.n, item.mean_p, item.rate) for item in reliability(empty)] == [(0, None, None)] * 2


def test_thresholds_follow_from_the_bins_alone():
    bins = [Bin(0.5, 1.0, 4, 0.8, 0.75), Bin(0.0, 0.5, 6, 0.2, 0.5)]
    # 3 of 6 below .5, 3 of 4 above: all 10 flagged holds 6; the 4 above hold 3 of these 6
    assert at_cuts(bins) == [(0.0, 10, 0.6, 1.0), (0.5, 4, 0.75, 0.5)]


def test_a_threshold_that_flags_nothing_has_no_precision_and_without_hallucinated_texts_there_is_no_recall():
    assert at_cuts([Bin(0.0, 0.5, 3, 0.1, 0.0), Bin(0.5, 1.0, 0, None, None)]) == [
        (0.0, 3, 0.0, None),
        (0.5, 0, None, None),
    ]
    assert at_cuts([]) == []
