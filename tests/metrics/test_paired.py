from math import comb

import numpy as np
import pytest

from truerate.metrics.paired import enough_resamples, holm, mcnemar, paired_bootstrap, ratio_contrasts


def by_hand(n_first_only: int, n_second_only: int) -> float:
    """McNemar's exact p-value from the discordant pairs of independent units, which the bootstrap is held
    against.
    """
    n = n_first_only + n_second_only
    return 2 * sum(comb(n, k) for k in range(min(n_first_only, n_second_only) + 1)) / 2**n


def p_of(differences, counts=None, seed=7):
    d = np.asarray(differences, dtype=float)[:, None]
    n = np.ones_like(d) if counts is None else np.asarray(counts, dtype=float)[:, None]
    return paired_bootstrap(d, n, n_resamples=2000, seed=seed)[0]


def test_bootstrap_p_agrees_with_mcnemar_on_independent_units():
    differences = [1] * 30 + [-1] * 15 + [0] * 155
    assert p_of(differences) == pytest.approx(by_hand(30, 15), abs=0.015)  # .036


def test_clusters_are_resampled_whole():
    differences = [1] * 30 + [-1] * 15 + [0] * 155
    same_ten_times = p_of([10 * d for d in differences], [10] * 200)
    assert same_ten_times == p_of(differences)  # 2,000 rows, but no more evidence


def test_no_difference_is_one_and_no_common_unit_is_none():
    assert p_of([0, 0, 0]) == 1.0
    assert p_of([0, 0], [0, 0]) is None
    assert paired_bootstrap(np.zeros((0, 2)), np.zeros((0, 2)), n_resamples=100, seed=1) == [None, None]


def test_three_agreeing_clusters_are_not_certain():
    assert p_of([1, 1, 1] + [0] * 50) >= 2**-2


def test_add_one_and_students_t_bound_p_from_below():
    # 1 / 2001 is the normal tail of 3.4816; Student's t with 199 degrees has .00061 there
    assert p_of([1] * 200) == pytest.approx(0.00061, abs=1e-5)


def test_few_clusters_are_less_sure():
    # the same counts of +1, 0, −1 on 12 clusters: far from decided, and further than the normal tail says
    differences = [1] * 6 + [-1] + [0] * 5
    assert 0.02 < p_of(differences) < by_hand(6, 1)


def test_holm_by_hand():
    # sorted .01, .02, .04 with 3 tests: .03, max(.03, .04) = .04, max(.04, .04) = .04; None is no member
    assert holm([0.04, None, 0.01, 0.02]) == pytest.approx([0.04, None, 0.03, 0.04])
    assert holm([0.6, 0.7]) == [1.0, 1.0] and holm([]) == []


def test_a_contrast_of_ratios_by_hand():
    # ratios 3/6, 1/6 and 2/6: the mean of the first two less the third is 0; the first less the second 1/3
    sums = np.array([[1.0, 1, 1, 2, 2, 2], [1, 0, 1, 2, 2, 2], [1, 0, 0, 2, 2, 2]])
    weights = np.array([[0.5, 1], [0.5, -1], [-1, 0]])
    none, some = ratio_contrasts(sums, weights, n_resamples=500, confidence=0.95, seed=7)
    assert none[0].value == pytest.approx(0) and none[1] == 1
    assert some[0].value == pytest.approx(1 / 3) and some[0].low < 1 / 3 < some[0].high and some[1] < 0.2


def test_a_contrast_over_nothing_is_not_defined():
    ((result, p),) = ratio_contrasts(
        np.zeros((3, 4)), np.array([[1.0], [-1]]), n_resamples=100, confidence=0.95, seed=7
    )
    assert np.isnan(result).all() and p is None


def test_few_clusters_need_more_resamples_and_many_no_more():
    # 45 tests at .05: the least p is .00111. 8,000 of 80 clusters reach it; of 19 clusters 1 / 9,001 is read
    # as .0011 and more
    least = 0.05 / 45
    assert enough_resamples(2000, least, 80) == 9000
    n = enough_resamples(2000, least, 19)
    assert 50_000 < n < 150_000
    rng = np.random.default_rng(3)
    differences, counts = rng.normal(1.0, 0.3, (19, 1)), np.ones((19, 1))
    few, enough = (paired_bootstrap(differences, counts, n_resamples=m, seed=1)[0] for m in (2000, n))
    assert few > least > enough
    assert enough_resamples(2000, least, 5) == 9000  # five flips never give so small a p


def test_mcnemars_exact_test_by_hand():
    # 1 against 9: 2 (1 + 10) / 2^10; 5 against 5: at most 1; none differ: 1; 0 against 6: 2 / 2^6
    first, second = np.array([1, 5, 0, 0, 12]), np.array([9, 5, 0, 6, 31])
    given = [22 / 1024, 1.0, 1.0, 2 / 64, by_hand(12, 31)]
    assert mcnemar(first, second).tolist() == pytest.approx(given)
