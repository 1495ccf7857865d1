import numpy as np
import pytest

from truerate.metrics.estimators.grid import (
    DESIGN_EFFECT,
    Plan,
    combined,
    covariance,
    design_effect_of,
    model_difference,
    model_differences,
    model_mean,
    unit_values,
)
from truerate.metrics.estimators.prediction_powered import fit_board, residuals
from truerate.metrics.estimators.registry import Board
from truerate.metrics.estimators.sample import Cell, verdicts

from .boards import NONE, cell, labelled, population


def fit_of(cells, *, slope=None, target="these"):
    result = {key: residuals(item) for key, item in cells.items()}
    expected = {key: item for key, item in result.items() if item is not None}
    return fit_board(expected, slope=slope, target=target, confidence=0.95)


def test_a_mean_is_the_plain_one_and_its_variance_a_quarter_of_two_cells():
    cells, _ = population(1, n_models=2, n_langs=2)
    fit = fit_of(labelled(cells, 12, np.random.default_rng(0)))
    result = combined(fit, {("m0", "l0"): 0.5, ("m0", "l1"): 0.5})
    values = [fit.rates["m0", lang] for lang in ("l0", "l1")]
    variances = [fit.spreads["m0", lang].variance for lang in ("l0", "l1")]
    assert result.value == pytest.approx(np.mean(values))
    # labels drawn apart share next to nothing
    assert result.variance == pytest.approx(sum(variances) / 4, rel=0.35)
    assert result.degrees > 21  # Satterthwaite's, at least that of the cell with fewer degrees, 11 + 10


def test_a_language_without_labels_leaves_no_mean():
    cells, _ = population(1, n_models=1, n_langs=2)
    item = cells["m0", "l1"]
    cells["m0", "l1"] = Cell(item.total, item.flagged, np.full(item.n, NONE), item.clusters)
    assert model_mean(fit_of(cells), "m0", ["l0", "l1"]) is None
    assert combined(fit_of(cells), {}) is None


def test_labels_of_the_same_articles_share_what_is_not_finite():
    # both models hallucinate alike in the same four articles, all four labelled of eight
    gold = [1, 0, 3, 0, NONE, NONE, NONE, NONE]
    item = cell([10] * 8, [0] * 8, gold)
    fit = fit_of({("a", "x"): item, ("b", "x"): item}, slope=0)
    moved = fit.cells["a", "x"].influence(0, "these")
    # four pairs, of which chance would give 8 · ½ · ½ = 2: half of the product
    assert covariance(fit, ("a", "x"), ("b", "x")) == pytest.approx(0.5 * float(moved @ moved))
    about = fit_of({("a", "x"): item, ("b", "x"): item}, slope=0, target="model")
    assert covariance(about, ("a", "x"), ("b", "x")) == pytest.approx(float(moved @ moved))
    difference = model_difference(about, "a", "b", ["x"])
    assert difference.value == 0 and difference.p == 1
    assert difference.variance < 2 * about.spreads["a", "x"].variance


def test_models_are_told_apart_in_their_right_order():
    cells, rates = population(4)
    models, langs = [f"m{index}" for index in range(5)], [f"l{index}" for index in range(6)]
    fit = fit_of(labelled(cells, 30, np.random.default_rng(1)))
    truth = {model: np.mean([rates[model, lang] for lang in langs]) for model in models}
    result = model_differences(fit, models, langs)
    assert len(result) == 10 and all(p >= difference.p for *_, difference, p in result)
    apart = [item for item in result if item[3] < 0.05]
    assert len(apart) >= 6
    assert all((difference.value > 0) == (truth[a] > truth[b]) for a, b, difference, _ in apart)
    means = [model_mean(fit, model, langs) for model in models]
    assert sum(item.low <= rate <= item.high for item, rate in zip(means, truth.values(), strict=True)) >= 4


def test_values_of_units_have_the_rate_as_their_mean():
    cells, _ = population(4, n_models=1, n_langs=1)
    fit = fit_of(labelled(cells, 10, np.random.default_rng(1)))
    assert unit_values(fit, ("m0", "l0")).mean() == pytest.approx(fit.rates["m0", "l0"])


# ---- planning ----------------------------------------------------------------------------------------------
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
