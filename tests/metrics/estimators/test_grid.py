import numpy as np
import pytest

from truerate.metrics.estimators.grid import (
    combined,
    covariance,
    model_difference,
    model_differences,
    model_mean,
    unit_values,
)
from truerate.metrics.estimators.prediction_powered import fit_board, residuals
from truerate.metrics.estimators.sample import Cell

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
