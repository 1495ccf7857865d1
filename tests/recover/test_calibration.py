"""Over all cells at once: the measured counts scatter around the planted values as binomial counts do, no
more, no less, on neither side.

Intervals of single cells are wide; a bias that is small and everywhere, or rows that are counted several
times, show here.
"""

import pytest

from .cells import FAMILIES, Cell, clopper_pearson, family, independent, lean, leaning, spread, wrong_vote

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover")]


def test_counts_scatter_as_binomial_counts_do(cells):
    mean, band = spread(independent(cells))
    assert abs(mean - 1) <= band and band < 0.25


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in ("tpr", "reasons of failure")])
def test_no_model_leans_to_one_side(cells, name):
    """Over all seeds, tasks, variants and patterns of a model; TPR over all patterns is the sum of the TPR by
    pattern, which is here, and reasons exclude one another: one that nobody met has no row.
    """
    found = family(name, cells)
    assert independent(found) and not leaning(found)


def test_exact_interval_by_hand():
    """Of 0 in 10 the upper end u has (1 − u)^10 = .025: u = 1 − .025^(1/10) = .3085; 10 in 10 mirrors it."""
    assert clopper_pearson(0, 10, confidence=0.95) == (0.0, pytest.approx(0.3085, abs=1e-4))
    assert clopper_pearson(10, 10, confidence=0.95) == (pytest.approx(0.6915, abs=1e-4), 1.0)


def test_spread_and_lean_by_hand():
    """60 of 100 at .5: v = 25, z = 2, z² = 4; variance of z² = 2 + (1 − 1.5)/25 = 1.98, its root 1.4071."""
    cell = Cell("tnr", "a", (("task", "qa"),), 1, 60, 100, 0.5)
    assert spread([cell]) == (4.0, pytest.approx(4 * 1.4071, abs=1e-3))
    assert lean([cell] * 4) == (2.0, 2.0)


def test_a_vote_is_wrong_as_often_as_two_of_three_err():
    """Alarms .03, .03, .06, .02: ab + ac + bc − 2abc is .004392 (.03 .03 .06), .002064 (.03 .03 .02), twice
    .003528 (.03 .06 .02).
    """
    assert wrong_vote(False) == pytest.approx((0.004392 + 0.002064 + 2 * 0.003528) / 4, abs=1e-6)
