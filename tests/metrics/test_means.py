import numpy as np
import pytest

from truerate.metrics.cells import mean_of_cells, mean_of_defined, spread
from truerate.metrics.intervals import Interval

SURE, UNSURE = Interval(0.2, 0.1, 0.3), Interval(0.4, np.nan, np.nan)


def test_means_leave_undefined_ones_out():
    assert mean_of_defined(np.array([[0.5, np.nan, 1.0], [0.2, 0.4, 0.6]])) == pytest.approx([0.75, 0.4])
    assert np.isnan(mean_of_defined(np.array([np.nan]))) and np.isnan(mean_of_defined(np.zeros((1, 0)))).all()


def test_a_spread_by_hand():
    assert spread(np.array([[1.0, 2], [3, 4]])) == pytest.approx(
        (5 / 3) ** 0.5
    )  # squares 2.25 · 2 + .25 · 2 over 3
    assert spread(np.array([1.0])) is None and spread(np.array([1.0, np.nan])) is None


def test_a_mean_of_cells_has_an_interval_where_each_has_one():
    result = mean_of_cells([SURE, Interval(0.4, 0.3, 0.5)])
    assert result == pytest.approx((0.3, 0.3 - 0.02**0.5 / 2, 0.3 + 0.02**0.5 / 2))
    both = mean_of_cells([SURE, UNSURE])
    assert both.value == pytest.approx(0.3) and np.isnan([both.low, both.high]).all()
    assert mean_of_cells([SURE, Interval(np.nan, np.nan, np.nan)]) is None
