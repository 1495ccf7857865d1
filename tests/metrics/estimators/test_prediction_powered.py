"""From labels of some of the very units: hand-derived values, published invariants, what must not happen."""

import numpy as np
import pytest

from truerate.metrics.estimators.prediction_powered import (
    clustered_rate,
    fit_board,
    pooled_slope,
    residuals,
    spread,
    wider_ends,
)
from truerate.metrics.estimators.sample import Cell, verdicts
from truerate.metrics.intervals import wilson

from .boards import NONE, cell, labelled, population

KEY = ("m", "l")
# Four replies of 10, 30, 20 and 40 words; the first two are labelled. Flagged 4, 6, 5, 5; hallucinated 2 and
# 4.
SOME = cell([10, 30, 20, 40], [4, 6, 5, 5], [2, 4, NONE, NONE])


def fit_of(cells, **more):
    expected = {key: result for key, item in cells.items() if (result := residuals(item)) is not None}
    return fit_board(expected, **({"slope": None, "target": "these", "confidence": 0.95} | more))


def test_by_hand():
    # R = 6/40, Q = 10/40, q = 20/100
    assert residuals(SOME).rate(0.0) == pytest.approx(6 / 40)
    assert residuals(SOME).rate(1.0) == pytest.approx(6 / 40 + 20 / 100 - 10 / 40)
    # mean total 20: e = (2 − 1.5)/20, (4 − 4.5)/20; d = (4 − 2.5)/20, (6 − 7.5)/20
    assert residuals(SOME).gold == pytest.approx([0.025, -0.025])
    assert residuals(SOME).flagged == pytest.approx([0.075, -0.075])
    # Σ e d / Σ d² = 2 · .025 · .075 / (2 · .075²)
    assert pooled_slope([residuals(SOME)]) == pytest.approx(1 / 3)


def test_variance_by_hand():
    # labels alone: k/(k − 1) Σ (e/k)² = 2 · 2 · .0125²; 60 of 100 words stand in replies without labels
    drawn = spread(residuals(SOME), 0.0, "these")
    assert drawn.variance == pytest.approx(0.6 * 2 * 2 * 0.0125**2)
    assert (drawn.degrees, drawn.n_things, drawn.finite) == (1, 40, 0.6)


def weighted(weight, gold=(1, 0, 1, NONE, NONE, NONE)) -> Cell:
    """Six verdicts, three of them flagged and labelled."""
    item = verdicts(np.array([1, 1, 0, 0, 0, 0]), np.array(gold), range(6))
    return Cell(item.total, item.flagged, item.gold, item.clusters, None, np.array(weight, dtype=float))


def test_weights_by_hand():
    # The two flagged of two stand for themselves (labels 1, 0), the third for the four that are not flagged
    # (label 1): R = (1 + 0 + 4)/6, Q = (1 + 1)/6 = q = 2/6
    result = residuals(weighted([1, 1, 4, 9, 9, 9]))
    assert result.rate(0.0) == pytest.approx(5 / 6) == result.rate(1.0)
    # weights 1 1 4 are .5 .5 2 of their mean, and the mean total 1: e = w (G − R)
    assert result.gold == pytest.approx([0.5 / 6, -2.5 / 6, 2 / 6])
    # what may move are these very verdicts: of the first two none, of the third its 1 − 1/4
    drawn = spread(result, 0.0, "these")
    squares = [0.25 / 36, 6.25 / 36, 4 / 36]
    assert drawn.variance == pytest.approx(0.75 * squares[2] / (3 * 2))
    assert (drawn.degrees, drawn.n_things) == (2, 3)
    assert spread(residuals(weighted([1] * 6, [1, 0, 1, 0, 0, 0])), 0.0, "these").variance == 0


def test_equal_weights_are_none():
    plain = verdicts(np.array([1, 1, 0, 0, 0, 0]), np.array([1, 0, 1, NONE, NONE, NONE]), range(6))
    for target in ("these", "model"):
        item, other = (fit_of({KEY: cell_}, target=target) for cell_ in (plain, weighted([2] * 6)))
        assert item.interval(KEY) == pytest.approx(other.interval(KEY))


def unlike(seed: int, n: int = 1000) -> tuple[Cell, float]:
    """Two in three of the flagged units are labelled, one in ten of the others; and the planted rate."""
    rng = np.random.default_rng(seed)
    gold = (rng.random(n) < 0.2).astype(float)
    flagged = np.where(rng.random(n) < 0.85, gold, 1 - gold)
    chance = np.where(flagged == 1, 2 / 3, 1 / 10)
    plain = verdicts(flagged, np.where(rng.random(n) < chance, gold, NONE), range(n))
    return Cell(plain.total, plain.flagged, plain.gold, plain.clusters, None, 1 / chance), float(gold.mean())


def test_weights_undo_an_unlike_draw():
    """Over 300 seeds each slope held .95 to .97; labels that count alike are a quarter off, as all are here."""
    given = [unlike(seed) for seed in range(60)]
    for slope in (0.0, 1.0, None):
        each = [(fit_of({KEY: item}, slope=slope).interval(KEY), truth) for item, truth in given]
        assert np.mean([own_values.low <= truth <= own_values.high for own_values, truth in each]) >= 0.9
        assert abs(np.mean([own_values.value - truth for own_values, truth in each])) < 0.01
    (item, truth) = given[0]
    alike = Cell(item.total, item.flagged, item.gold, item.clusters)
    assert fit_of({KEY: alike}, slope=0.0).interval(KEY).low > truth + 0.1


def test_influence_is_nothing_together():
    for target in ("these", "model"):
        assert residuals(SOME).influence(0.7, target).sum() == pytest.approx(0)


def test_slope_0_is_the_labelled_mean_and_slope_1_with_all_labels_is_the_truth():
    whole = cell([10, 30, 20, 40], [4, 6, 5, 5], [2, 4, 0, 8])
    for slope in (0.0, 0.4, 1.0):
        assert residuals(whole).rate(slope) == pytest.approx(14 / 100)
    interval = fit_of({KEY: whole}).interval(KEY)
    assert interval.low == interval.value == interval.high == pytest.approx(0.14)


def test_the_slope_is_0_where_flags_are_constant_and_near_0_where_they_are_noise():
    assert pooled_slope([residuals(cell([9, 9, 9], [3, 3, 3], [1, 0, 5]))]) == 0
    rng = np.random.default_rng(5)
    total = np.full(4000, 20)
    noise = cell(total, rng.binomial(20, 0.3, 4000), rng.binomial(20, 0.1, 4000))
    assert abs(pooled_slope([residuals(noise)])) < 0.03
    twin = cell(total, noise.gold, noise.gold)
    assert pooled_slope([residuals(twin)]) == pytest.approx(1)


def test_the_slope_is_pooled_over_cells_about_their_means():
    # verdicts: labels 1 1 0 0 0 (mean .4) on flags 1 1 1 0 0 (mean .6):
    # products .4·.6·2 + .4·(−.4) + (−.6)(−.4)·2 = .8; squares 3·.16 + 2·.36 = 1.2
    item = residuals(verdicts(np.array([1, 1, 1, 0, 0]), np.array([1, 1, 0, 0, 0.0]), range(5)))
    flat = residuals(verdicts(np.array([1, 1]), np.array([1, 0.0]), range(2)))
    assert pooled_slope([item]) == pytest.approx(0.8 / 1.2) == pooled_slope([item, flat])
    assert pooled_slope([]) == 0


def test_a_flawless_detector_leaves_what_chance_may_hide():
    rng = np.random.default_rng(3)
    gold = (rng.random(60) < 0.2).astype(float)
    observed = np.where(np.arange(60) < 15, gold, NONE)
    result = fit_of({KEY: verdicts(gold, observed, range(60))})
    interval = result.interval(KEY)
    assert interval.value == pytest.approx(gold.mean())  # slope 1, and no error among 15
    assert interval.low < interval.value < interval.high  # each label counts as one row


def test_fewer_than_two_labels_tell_nothing():
    assert residuals(cell([5, 5], [1, 1], [1, NONE])) is None
    assert residuals(cell([0, 0, 4], [0, 0, 1], [0, 0, NONE])) is None  # labelled replies without a word
    assert fit_of({}).cells == {}
    assert fit_of({KEY: cell([5, 5, 5], [1, 1, 2], [1, 0, NONE], [1, 1, 2])}, target="model").cells == {}


def test_none_hallucinated_among_the_labelled_is_no_certainty():
    none = cell([20] * 40, [0] * 40, [0] * 12 + [NONE] * 28)
    alone = fit_of({KEY: none}).interval(KEY)
    # Each label is a row, t of 11 degrees 2.201, 28/40 of the variance counts: Wilson's upper end at 12/.7
    # rows, t²/(n + t²), and a little more, as the variance is that of a rate of .01
    wilsons = 2.201**2 / (12 / 0.7 + 2.201**2)
    assert (alone.value, alone.low) == (0, 0) and wilsons < alone.high < wilsons + 0.015
    others = labelled(population(1)[0], 12, np.random.default_rng(1))
    beside = fit_of({KEY: none, **others}).interval(KEY)
    assert beside.low == 0 < beside.high < alone.high


def test_ends_are_the_wider_of_t_and_score():
    # variance = growth · p(1 − p): the score interval is Wilson's of 1/growth rows
    p, n, t = 0.1, 50, 1.959964
    result = wider_ends(p, p * (1 - p) / n, 1 / n, t)
    assert result.high == pytest.approx(wilson(5, 50, confidence=0.95).high, abs=1e-6)
    assert result.low == pytest.approx(p - t * (p * (1 - p) / n) ** 0.5)
    mirrored = wider_ends(1 - p, p * (1 - p) / n, 1 / n, t)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((result.low, result.high))
    assert wider_ends(0.3, 0.0, 0.0, t) == (0.3, 0.3, 0.3)


def test_more_labels_narrow_and_the_model_is_less_sure_than_these_replies():
    cells, _ = population(2)
    widths = []
    for k in (12, 24, 36):
        fit = fit_of(labelled(cells, k, np.random.default_rng(k)))
        widths.append(np.mean([fit.interval(key).high - fit.interval(key).low for key in cells]))
    assert widths[0] > widths[1] > widths[2]
    drawn = labelled(cells, 24, np.random.default_rng(0))
    these, model = (fit_of(drawn, target=target) for target in ("these", "model"))
    assert all(these.rates[key] == model.rates[key] for key in cells)
    assert np.mean([model.spreads[key].variance / these.spreads[key].variance for key in cells]) > 1.5


def test_the_planted_rates_are_recovered_where_the_detector_errs_by_model():
    cells, rates = population(7)
    rng = np.random.default_rng(11)
    covered, errors, raw = [], [], []
    for _ in range(12):
        fit = fit_of(labelled(cells, 12, rng))
        intervals = {key: fit.interval(key) for key in cells}
        covered += [item.low <= rates[key] <= item.high for key, item in intervals.items()]
        errors += [fit.rates[key] - rates[key] for key in cells]
    raw = [item.flagged.sum() / item.total.sum() - rates[key] for key, item in cells.items()]
    assert np.mean(covered) > 0.93 and abs(np.mean(errors)) < 0.01  # 360 intervals
    assert np.mean(raw) > 0.15


# ---- one cell on its own -----------------------------------------------------------------------------------


def judged(flags: list[int], labels: list[float], *, per_cluster: int = 1):
    return verdicts(np.array(flags), np.array(labels), [index // per_cluster for index in range(len(flags))])


# Ten verdicts, flags 4 of 10. Labelled: the first five, of which 2 are hallucinated and 3 flagged.
TEN = judged([1, 1, 1, 0, 0, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, NONE, NONE, NONE, NONE, NONE])


def test_one_cell_by_hand():
    # slope 1: flagged share 4/10 and the labelled units' mean of label − flag, (2 − 3) / 5
    assert clustered_rate(TEN, slope=1.0, confidence=0.95).value == pytest.approx(4 / 10 - 1 / 5)
    assert clustered_rate(TEN, slope=0.0, confidence=0.95).value == pytest.approx(2 / 5)


def test_few_labels_have_no_estimate_and_agreeing_ones_an_interval():
    assert clustered_rate(judged([1, 0], [1, NONE]), slope=1, confidence=0.95) is None
    assert clustered_rate(judged([1, 0], [1, 0], per_cluster=2), slope=1, confidence=0.95) is None
    none_found = clustered_rate(judged([0] * 20, [0] * 10 + [NONE] * 10), slope=1, confidence=0.95)
    assert none_found.value == 0 and 0.2 < none_found.high < 0.5


def test_units_of_one_cluster_count_less():
    flags, labels = [1, 1, 0, 0] * 10, [1, 1, 0, 0] * 5 + [NONE] * 20
    alone, together = (
        clustered_rate(judged(flags, labels, per_cluster=n), slope=0, confidence=0.95) for n in (1, 2)
    )
    assert together.high - together.low > alone.high - alone.low
