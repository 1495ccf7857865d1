import numpy as np
import pytest

from truerate.metrics.tokens import flagged_rates, seed_hr_est


def test_the_raw_rate_of_each_seed():
    # three replies, two seeds: 3 and 9 of 40 tokens; a seed that judged nothing has no rate
    counts = np.array([[[1, 10], [3, 10]], [[2, 10], [2, 10]], [[0, 20], [4, 20]]], dtype=float)
    assert flagged_rates(counts.sum(axis=0)).tolist() == [3 / 40, 9 / 40]
    assert np.isnan(flagged_rates(np.zeros((1, 2)))).all()


def test_hr_est_of_a_seed_by_hand():
    # precision 11/14, recall 11/16; 3 of 40 flagged → 11/14 · 3 / (11/16 · 40)
    assert seed_hr_est(np.array([80.0, 16, 14, 11]), np.array([3.0, 40])) == pytest.approx(16 / 14 * 3 / 40)
    assert seed_hr_est(np.array([10.0, 0, 2, 0]), np.array([1.0, 10])) is None
