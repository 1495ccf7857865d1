"""The difference of every pair of subjects: the board's own test, with an interval over clusters."""

import numpy as np
import pytest

from truerate.metrics.ranking import compare_all, differences

HOW = {"n_resamples": 500, "alpha": 0.05, "seed": 3}
RNG = np.random.default_rng(5)


def test_value_and_p_are_those_of_the_rank_ranges_and_the_interval_holds_the_value():
    values = (RNG.random((4, 60)) < np.array([[0.2], [0.3], [0.6], [0.9]])).astype(float)
    values[1, :7] = np.nan
    clusters = [f"c{k // 2}" for k in range(60)]
    made = differences(values, clusters, confidence=0.95, **HOW)
    tested = compare_all(values, clusters, **HOW)
    assert [(pair.first, pair.second, pair.value, pair.p) for pair in made] == [
        (pair.first, pair.second, pair.difference, pair.p) for pair in tested
    ]
    assert all(-1 <= pair.low <= pair.value <= pair.high <= 1 for pair in made)
    assert [pair.n for pair in made] == [53, 60, 60, 53, 53, 60]
    assert all(pair.is_paired for pair in made)


def test_an_exact_p_below_the_level_goes_with_an_interval_without_0():
    # 40 units, each a cluster: the second gets 14 that the first does not, the first 1: McNemar 2 · 16 / 2^15
    first, second = np.zeros(40), np.zeros(40)
    first[0], second[1:15] = 1, 1
    (pair,) = differences(np.stack([first, second]), list(range(40)), confidence=0.95, **HOW)
    assert pair.value == pytest.approx(-13 / 40)
    assert pair.p == pytest.approx(2 * 16 / 2**15)
    assert pair.high < 0


def test_subjects_with_units_of_their_own_are_compared_by_their_means():
    values = np.full((2, 60), np.nan)
    values[0, :30], values[1, 30:] = [0, 0, 1] * 10, [0, 1, 1] * 10
    (pair,) = differences(values, list(range(60)), confidence=0.95, **HOW)
    assert (pair.n, pair.is_paired) == (0, False)
    assert pair.value == pytest.approx(-1 / 3)
    assert pair.low < -1 / 3 < pair.high < 0


def test_subjects_that_never_differ_have_a_difference_of_0_with_an_interval():
    values = np.stack([np.ones(10), np.ones(10)])
    (pair,) = differences(values, list(range(10)), confidence=0.95, **HOW)
    assert (pair.value, pair.p) == (0, 1)
    assert pair.low < 0 < pair.high


def test_where_one_has_no_unit_or_all_units_are_one_cluster_nothing_is_claimed():
    nothing = np.stack([np.ones(4), np.full(4, np.nan)])
    assert differences(nothing, list(range(4)), confidence=0.95, **HOW) == []
    (pair,) = differences(np.array([[1.0, 0], [0, 0]]), ["c", "c"], confidence=0.95, **HOW)
    assert np.isnan([pair.low, pair.high]).all()
