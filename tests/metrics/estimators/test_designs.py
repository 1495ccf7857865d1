"""Draws of what to label: chances that sum to the labels wanted, are met, and correct what they favour."""

import numpy as np
import pytest

from truerate.metrics.estimators.designs import bands, drawn, stratified, uncertain, uniform
from truerate.metrics.estimators.own_rate import by_bands
from truerate.metrics.estimators.sample import Cell

N, K = 600, 90
SCORE = np.random.default_rng(1).beta(0.4, 2.0, N)
DESIGNS = {
    "uniform": uniform(N, K),
    "stratified": stratified(bands(SCORE), K, SCORE),
    "by size": stratified(np.arange(N) % 7, K),
    "uncertain": uncertain(SCORE, K),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_each_draw_has_the_number_wanted_and_each_row_its_chance(name):
    design, rng = DESIGNS[name], np.random.default_rng(2)
    assert design.probability.sum() == pytest.approx(K)
    draws = [drawn(design, rng) for _ in range(2000)]
    assert {len(rows) for rows in draws} == {K}
    share = np.bincount(np.concatenate(draws), minlength=N) / len(draws)
    # 5 standard deviations of a share of 2,000 draws
    assert (np.abs(share - design.probability) <= 5 * np.sqrt(design.probability / 2000)).all()


def test_neyman_by_hand():
    """400 rows at p = .5 and 600 at .1: sizes times √(p(1 − p)) are 200 and 180, so 20 and 18 of 38."""
    score = np.repeat([0.5, 0.1], [400, 600])
    design = stratified(np.repeat([0, 1], [400, 600]), 38, score)
    assert np.bincount(design.stratum, design.probability) == pytest.approx([20, 18])


def test_small_strata_are_labelled_twice_or_whole():
    stratum = np.repeat([0, 1, 2], [1, 30, 969])
    assert np.bincount(stratum, stratified(stratum, 60).probability) == pytest.approx([1, 2, 57])


def test_more_than_there_are_is_all():
    for design in (uniform(5, 9), stratified(np.zeros(5), 9), uncertain(np.full(5, 0.5), 9)):
        assert design.probability.tolist() == [1.0] * 5
        assert drawn(design, np.random.default_rng(0)).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", ["stratified", "uncertain"])
def test_weights_undo_what_a_draw_favours(name):
    """Answers with a high score are drawn up to seven times as often; their weights take it back. The score
    says twice too much, as scores do. Of 150 draws intervals hold .93 or more, and the mean error is small.
    """
    design, rng, covered, errors = DESIGNS[name], np.random.default_rng(3), [], []
    for _ in range(150):
        truth = (rng.random(N) < SCORE / 2).astype(float)
        label, rows = np.full(N, np.nan), drawn(design, rng)
        label[rows] = truth[rows]
        weight = 1 / design.probability
        result = by_bands([Cell(np.ones(N), SCORE, label, np.arange(N), None, weight)], confidence=0.95)
        covered.append(result.low <= truth.mean() <= result.high)
        errors.append(result.value - truth.mean())
    assert np.mean(covered) >= 0.92
    assert abs(np.mean(errors)) < 0.006
