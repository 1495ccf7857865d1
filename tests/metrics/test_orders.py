import pytest
from scipy import stats

from truerate.metrics.agreement import kendall

X, Y = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]


def test_kendall_by_hand():
    # 6 pairs, one of them (the second and the third) turned round: (5 − 1) / 6
    assert kendall(X, Y) == (pytest.approx(4 / 6), 6, ((1, 2),))
    assert kendall(X, [-y for y in X]).tau == -1


def test_kendall_with_ties_is_tau_b_and_a_tie_is_no_flip():
    # the tie of the first list leaves 2 untied pairs there and 3 in the second: 2 / √(2 · 3)
    result = kendall([1.0, 1.0, 2.0], [1.0, 2.0, 3.0])
    assert result == (pytest.approx(2 / 6**0.5), 3, ())
    assert result.tau == pytest.approx(stats.kendalltau([1, 1, 2], [1, 2, 3]).statistic)


def test_kendall_where_it_is_not_defined():
    assert kendall([1.0, 1.0], [1.0, 2.0]) == (None, 1, ()) and kendall([1.0], [1.0]) == (None, 0, ())
