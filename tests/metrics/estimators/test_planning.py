import numpy as np
import pytest

from truerate.metrics.estimators.grid import DESIGN_EFFECT, Plan, design_effect_of
from truerate.metrics.estimators.registry import Board
from truerate.metrics.estimators.sample import verdicts

from .boards import NONE, labelled, population

PLAN = Plan(n=40, n_langs=6, rate=0.1)


def test_variance_by_hand():
    # (1 − 10/40) · .25 · .1 · .9 / 10
    assert PLAN.variance(10) == pytest.approx(0.75 * 0.25 * 0.09 / 10)
    assert PLAN.variance(40) == 0 == PLAN.half_width(40) == PLAN.half_width_of_mean(40)


def test_more_labels_are_asked_for_what_is_finer():
    assert PLAN.labels_for(0.1) < PLAN.labels_for(0.05) < PLAN.labels_for(0.01) <= 40
    for wanted in (0.1, 0.03):
        k = PLAN.labels_for(wanted)
        assert PLAN.half_width(k) <= wanted < PLAN.half_width(k - 1)
    assert PLAN.labels_for(0.0) == 40


def test_what_separates_two_models_by_hand():
    # power .8 at 5 %: (1.95996 + .84162) · √(2 v / 6)
    expected = (1.959964 + 0.841621) * (2 * PLAN.variance(12) / 6) ** 0.5
    assert PLAN.told_apart(12) == pytest.approx(expected, rel=1e-5)
    assert PLAN.told_apart(12, n_models=5) > PLAN.told_apart(12)
    k = PLAN.labels_to_separate(0.03, n_models=5)
    assert PLAN.told_apart(k, n_models=5) <= 0.03 < PLAN.told_apart(k - 1, n_models=5)


def test_a_plan_foretells_what_a_board_then_has():
    cells, rates = population(5, n_models=3)
    fit = Board(labelled(cells, 20, np.random.default_rng(0)), 0.95).headline
    plan = Plan(40, 6, float(np.mean(list(rates.values()))), design_effect_of(fit))
    widths = [(result.high - result.low) / 2 for result in map(fit.interval, cells)]
    assert plan.half_width(20) == pytest.approx(np.mean(widths), rel=0.2)


def test_the_design_effect_of_verdicts_is_one_and_of_nothing_the_typical():
    rng = np.random.default_rng(1)
    label = np.where(np.arange(800) < 400, rng.random(800) < 0.3, NONE)
    fit = Board({("m", "l"): verdicts(np.zeros(800), label, range(800))}, 0.95).headline
    assert design_effect_of(fit) == pytest.approx(1, abs=0.02)
    assert design_effect_of(Board({}, 0.95).headline) == DESIGN_EFFECT
