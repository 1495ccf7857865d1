import pytest
from scipy import stats

from truerate.metrics.agreement import pearson, pearson_within, t_test

X, Y = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]


def test_pearson_by_hand():
    # means 2.5; covariance 1.5·1.5 + .5·.5·(−1) ... = 4 over 5: r = .8
    result = pearson(X, Y)
    assert (
        result.r == pytest.approx(0.8)
        and result.n == 4
        and result.p == pytest.approx(stats.pearsonr(X, Y).pvalue)
    )


def test_pearson_leaves_missing_points_out():
    assert pearson([*X, None, 9.0], [*Y, 1.0, None]) == pearson(X, Y)


def test_pearson_of_points_that_lost_their_group_means_has_fewer_degrees():
    # the same r on one degree in place of two: t = .8 / .6 = 4/3, p = 1 − 2·atan(4/3)/π
    result = pearson(X, Y, n_fitted=1)
    assert (
        result.r == pytest.approx(0.8)
        and result.n == 4
        and result.p == pytest.approx(2 * stats.t.sf(4 / 3, 1))
    )
    assert pearson(X, Y, n_fitted=2) == (None, None, 4)


def test_pearson_where_it_is_not_defined():
    assert pearson([1.0, 2.0], [2.0, 1.0]) == (None, None, 2) and pearson([1.0] * 4, Y) == (None, None, 4)
    assert pearson([], []) == (None, None, 0)
    assert pearson(X, X) == (1.0, 0.0, 4)


def test_t_test():
    # means 2 and 5; pooled variance 1, error √(2/3): t = −3.674
    result = t_test([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert (
        result.value == -3
        and result.n == 6
        and result.p == pytest.approx(stats.ttest_ind([1, 2, 3], [4, 5, 6]).pvalue)
    )


def test_t_test_where_it_is_not_defined():
    assert (
        t_test([], [1.0]) == (None, None, 1)
        and t_test([1.0], [2.0]) == (-1.0, None, 2)
        and t_test([1.0, 1.0], [2.0]).p is None
    )


def test_within_groups_what_differs_between_them_does_not_count():
    # in both groups the longer has less; between them it is the other way round
    lengths, rates, groups = [1, 2, 3, 10, 11], [3, 2, 1, 33, 32], ["a", "a", "a", "b", "b"]
    assert pearson(lengths, rates).r > 0.9
    result = pearson_within(lengths, rates, groups)
    assert result.r == pytest.approx(-1) and result.n == 5
    # 5 points less 2, less one mean beyond the first: two degrees; of one point in each group none is left
    assert pearson_within([1, 2, 3], [1, 2, 4], ["a", "b", "c"]).r is None
