"""Draws of what to label: chances that sum to the labels wanted, are met, and correct what they favour."""

import numpy as np
import pytest

from truerate.metrics.estimators.designs import bands, drawn, remaining, stratified, uncertain, uniform
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


def counts(design):
    return np.bincount(design.stratum, design.probability)


def test_neyman_by_hand():
    """400 rows of score .5 and 600 of .1, mean .26: with three quarters of the distance p is .44 and .14, sizes
    times √(p(1 − p)) 198.6 and 208.2, so 49 and 51 of 100. Of a judge that flags 180 of 1,000 p is .795 and .045:
    72.7 and 170.0, so 30 of 100 where a draw alike has 18.
    """
    stratum = np.repeat([0, 1], [400, 600])
    assert counts(stratified(stratum, 100, np.repeat([0.5, 0.1], [400, 600]))) == pytest.approx([49, 51])
    flags = np.repeat([1.0, 0.0], [180, 820])
    assert counts(stratified(bands(flags), 100, flags)) == pytest.approx([70, 30])


def test_earlier_labels_move_the_allocation():
    """As above with 20 labelled of each, 0 and 10 of them hallucinated: p is (0 + 4.4) / 30 and (10 + 1.4) / 30,
    sizes times √(p(1 − p)) 141.5 and 291.2: 33 and 67, so 13 and 47 more. A stratum keeps what it has.
    """
    stratum, score = np.repeat([0, 1], [400, 600]), np.repeat([0.5, 0.1], [400, 600])
    label = np.full(1000, np.nan)
    label[:20], label[400:420] = 0, np.arange(20) % 2
    design = stratified(stratum, 100, score, label=label)
    assert counts(design) == pytest.approx([33, 67])
    rows = drawn(remaining(design, ~np.isnan(label)), np.random.default_rng(0))
    assert np.isnan(label[rows]).all() and np.bincount(stratum[rows]).tolist() == [13, 47]
    label[:60] = 0
    assert counts(stratified(stratum, 82, score, label=label)) == pytest.approx([60, 22])


def test_bands_have_equal_sums_of_spread():
    band = bands(SCORE)
    p = SCORE.mean() + 0.75 * (SCORE - SCORE.mean())
    assert np.bincount(band, np.sqrt(p * (1 - p))) / np.sqrt(p * (1 - p)).sum() == pytest.approx(
        1 / 3, abs=0.01
    )
    assert SCORE[band == 0].max() < SCORE[band == 1].min()
    assert bands(np.array([1.0, 0, 0, 1])).tolist() == [1, 0, 0, 1] and bands(np.zeros(0)).tolist() == []


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


def test_labels_go_where_a_judge_flags_and_where_a_first_half_says():
    """A judge with sensitivity .9 and false alarms .1 at rate .1, 200 of 1,000 labelled: against 200 drawn alike a
    draw by its flags is narrower by a sixth (labels: 30 %), one filled up after 100 by a quarter (over 1,000
    draws: RESULTS.md), and both hold the share.
    """
    rng, n = np.random.default_rng(5), 1000
    widths, covered = ([], [], []), ([], [], [])
    for _ in range(60):
        truth = (rng.random(n) < 0.1).astype(float)
        flags = (rng.random(n) < np.where(truth > 0, 0.9, 0.1)).astype(float)
        stratum, label = bands(flags), np.full(n, np.nan)
        first = drawn(stratified(stratum, 100, flags), rng)
        label[first] = truth[first]
        filled = stratified(stratum, 200, flags, label=label)
        rest = drawn(remaining(filled, ~np.isnan(label)), rng)
        alike, once = uniform(n, 200), stratified(stratum, 200, flags)
        draws = [
            (alike, drawn(alike, rng)),
            (once, drawn(once, rng)),
            (filled, np.concatenate([first, rest])),
        ]
        for number, (design, rows) in enumerate(draws):
            label = np.full(n, np.nan)
            label[rows] = truth[rows]
            cell = Cell(np.ones(n), flags, label, np.arange(n), None, 1 / design.probability)
            result = by_bands([cell], confidence=0.95)
            widths[number].append(result.high - result.low)
            covered[number].append(result.low <= truth.mean() <= result.high)
    means = np.mean(widths, axis=1)
    assert (means[1:] / means[0] < [0.86, 0.78]).all()
    assert np.mean(covered, axis=1).min() >= 0.9
