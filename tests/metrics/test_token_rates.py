import numpy as np
import pytest

from truerate.metrics.rates import hr_est_interval
from truerate.metrics.token_rates import (
    detector_shares,
    flagged_rates,
    flagged_sums,
    mean_hr_est,
    seed_hr_est,
    token_rogan_gladen,
)

# three replies of two articles, two seeds: detected and all tokens
COUNTS = np.array([[[1, 10], [3, 10]], [[2, 10], [2, 10]], [[0, 20], [4, 20]]], dtype=float)
REPLIES = ["a", "a", "b"]
# four labelled texts of three articles, two seeds: n, gold, detected, both
SUMS = np.array(
    [
        [[20, 4, 4, 3], [20, 4, 5, 4]],
        [[20, 5, 4, 3], [20, 5, 5, 3]],
        [[20, 3, 3, 2], [20, 3, 4, 3]],
        [[20, 4, 3, 3], [20, 4, 4, 3]],
    ],
    dtype=float,
)
TEXTS = ["c", "d", "d", "e"]


def test_what_is_flagged_is_averaged_over_seeds_within_clusters():
    assert flagged_sums(COUNTS, REPLIES).tolist() == [[4, 20], [2, 20]]  # a: (1+3)/2 + 2; b: (0+4)/2
    assert flagged_rates(COUNTS.sum(axis=0)).tolist() == [3 / 40, 9 / 40]


def test_hr_est_of_a_seed_by_hand():
    # seed 0: precision 11/14, recall 11/16; 3 of 40 flagged → 11/14 · 3 / (11/16 · 40)
    assert seed_hr_est(SUMS.sum(axis=0)[0], COUNTS.sum(axis=0)[0]) == pytest.approx(16 / 14 * 3 / 40)
    assert seed_hr_est(np.array([10.0, 0, 2, 0]), np.array([1.0, 10])) is None


def test_the_mean_over_seeds_keeps_the_relative_width_of_the_mean_counts():
    found = mean_hr_est(COUNTS, REPLIES, SUMS, TEXTS, confidence=0.95)
    assert found.value == pytest.approx((16 / 14 * 3 / 40 + 16 / 18 * 9 / 40) / 2)
    # clusters a, b of replies (mean H, N) and c, d, e of texts (mean gold, detected)
    sides = [[4, 20, 0, 0], [2, 20, 0, 0], [0, 0, 4, 4.5], [0, 0, 8, 8], [0, 0, 4, 3.5]]
    around = hr_est_interval(np.array(sides), confidence=0.95)
    assert found.high / found.value == pytest.approx(around.high / around.value)


def test_no_seed_that_can_be_told_is_none():
    nothing = np.zeros_like(SUMS)
    assert mean_hr_est(COUNTS, REPLIES, nothing, TEXTS, confidence=0.95) is None
    assert token_rogan_gladen(COUNTS, REPLIES, nothing, TEXTS, confidence=0.95) is None


def test_rogan_gladen_of_tokens_is_that_of_the_shares():
    tpr, fpr = detector_shares(SUMS, TEXTS, confidence=0.95)
    assert tpr.rate == pytest.approx(12 / 16)  # (11 + 13) / 2 of 16
    assert fpr.rate == pytest.approx((14 - 11 + 18 - 13) / 2 / 64)
    found = token_rogan_gladen(COUNTS, REPLIES, SUMS, TEXTS, confidence=0.95)
    assert found.raw == pytest.approx((6 / 40 - fpr.rate) / (tpr.rate - fpr.rate))
