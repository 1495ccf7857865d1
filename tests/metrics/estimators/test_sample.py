import numpy as np
import pytest

from truerate.metrics.estimators.grid import model_mean
from truerate.metrics.estimators.prediction_powered import residuals
from truerate.metrics.estimators.registry import Board, estimate_board
from truerate.metrics.estimators.sample import (
    EXACT,
    Calibration,
    Cell,
    LabelError,
    additive_fit,
    label_error,
    main_effects,
    verdicts,
)

from .boards import NONE, cell, population


def test_labelled_units_are_those_with_a_label():
    item = cell([10, 20, 30, 40], [1, 2, 3, 4], [0, NONE, 5, NONE])
    assert (item.n, item.k, item.labelled_share) == (4, 2, 0.5)
    assert item.only(item.is_labelled).total.tolist() == [10, 30]
    assert cell([], [], []).labelled_share == 0


def test_some_units_keep_their_weights():
    item = cell([10, 20, 30], [1, 2, 3], [0, 2, NONE])
    item = Cell(item.total, item.flagged, item.gold, item.clusters, None, np.array([1.0, 3.0, 5.0]))
    assert item.drawn_weight.tolist() == [0.5, 1.5] and item.without_label.tolist() == [0, 1 - 1 / 3]
    assert item.only(np.array([False, True, True])).weight.tolist() == [3, 5]


def test_verdicts_are_units_of_one_thing():
    item = verdicts(np.array([True, False]), np.array([1.0, NONE]), ["a", "b"])
    assert item.total.tolist() == [1, 1] and item.flagged.tolist() == [1, 0] and item.k == 1


def test_the_additive_fit_is_model_and_language_less_the_grand_mean():
    keys = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    # means: a .2, b .4, x .25, y .35, all .3; a in x: .2 + .25 − .3
    assert additive_fit(keys, np.array([0.1, 0.3, 0.4, 0.4])) == pytest.approx([0.15, 0.25, 0.35, 0.45])
    assert main_effects(keys).shape == (4, 3)


def test_a_calibration_falls_apart_by_language():
    texts = Calibration(
        np.array([[9, 1, 1, 1], [8, 2, 2, 2]]), np.array(["x", "y"]), np.array(["a", "b"]), np.array([1, 2])
    )
    assert texts.of_lang("y").sums.tolist() == [[8, 2, 2, 2]] and texts.of_lang("y").models.tolist() == ["b"]


# ---- label errors ------------------------------------------------------------------------------------------
ALONE = Cell(
    np.array([10.0, 30, 20, 40]),
    np.array([4.0, 6, 5, 5]),
    np.array([2, 4, NONE, NONE]),
    np.arange(4),
    np.array([True, False, False, False]),
)


def test_by_hand():
    # votes 4 and 6; means over people (4 + 2)/2 = 3 and 5: ratio 10/8
    result = label_error(np.array([4, 6]), np.array([[4, 2, NONE], [5, 5, 5]]), ["a", "b"])
    assert result.ratio == pytest.approx(10 / 8)
    # left over 4 − 1.25 · 3 and 6 − 1.25 · 5; 2/1 · Σ squares / 8², over the ratio's square
    assert result.relative_variance == pytest.approx(2 * (0.25**2 + 0.25**2) / 64 / 1.25**2)
    # of each text the mean of (1.25 · each − vote)²: (1² + 1.5²)/2 and .25²; over 10 hallucinated words
    assert result.noise == pytest.approx(((1 + 2.25) / 2 + 0.0625) / 10)


def test_people_who_agree_with_the_vote_have_no_error():
    votes = np.array([4.0, 0, 6])
    assert label_error(votes, np.stack([votes] * 5, axis=1), range(3)) == EXACT == LabelError(1, 0, 0)


def test_over_nothing_is_none():
    assert label_error(np.zeros(0), np.zeros((0, 5)), []) is None
    assert label_error(np.array([3]), np.array([[3, 2]]), ["a"]) is None  # one cluster
    assert label_error(np.array([3, 1]), np.zeros((2, 2)), ["a", "b"]) is None  # nobody marks anything
    assert label_error(np.array([3, 1]), np.full((2, 2), NONE), ["a", "b"]) is None


def test_one_persons_counts_are_multiplied_and_settled_ones_are_not():
    people = LabelError(ratio=1.5)
    assert residuals(ALONE, people).gold_rate == pytest.approx((1.5 * 2 + 4) / 40)
    assert residuals(ALONE).gold_rate == pytest.approx(6 / 40)


def test_what_people_may_have_missed_is_not_finite():
    whole = {
        ("m", "l"): Cell(
            ALONE.total, ALONE.flagged, np.array([2.0, 4, 0, 8]), ALONE.clusters, np.ones(4, bool)
        )
    }
    (result,) = estimate_board(whole, confidence=0.95, names=["labels-alone"])["m", "l"]
    assert np.isnan(
        [result.interval.low, result.interval.high]
    ).all()  # all labelled, and nothing known of people
    people = LabelError(ratio=1.0, relative_variance=0.01, noise=2.0)
    fit = Board(whole, 0.95, people=people).fit(0.0)
    # noise 2 · .14 / 100 words, and the ratio's .1 of the rate .14
    assert fit.spreads["m", "l"].variance == pytest.approx(2 * 0.14 / 100)
    assert fit.tilt(("m", "l")) == pytest.approx(0.1 * 0.14)
    assert fit.interval(("m", "l")).low < 0.14 < fit.interval(("m", "l")).high


def misread(cells, k, rng, *, n_shared=2, missed=0.15):
    """k labels a cell, of which `n_shared` are settled by seven people; each person misses words one by one."""
    kept, votes, each = {}, [], []
    for key, item in cells.items():
        places = rng.permutation(item.n)[:k]
        gold, alone = np.full(item.n, NONE), np.zeros(item.n, bool)
        gold[places] = rng.binomial(item.gold[places].astype(int), 1 - missed)
        alone[places[n_shared:]] = True
        gold[places[:n_shared]] = item.gold[places[:n_shared]]
        votes.append(item.gold[places[:n_shared]])
        each.append(rng.binomial(item.gold[places[:n_shared], None].astype(int), 1 - missed, (n_shared, 7)))
        kept[key] = Cell(item.total, item.flagged, gold, item.clusters, alone)
    votes = np.concatenate(votes)
    return kept, label_error(votes, np.concatenate(each), range(len(votes)))


def test_rates_are_recovered_though_one_person_misses_much():
    cells, rates = population(9)
    langs = [f"l{index}" for index in range(6)]
    truth = {f"m{index}": np.mean([rates[f"m{index}", lang] for lang in langs]) for index in range(5)}
    rng = np.random.default_rng(4)
    covered = {True: [], False: []}
    for _ in range(4):
        drawn, people = misread(cells, 36, rng)
        assert people.ratio == pytest.approx(1 / 0.85, rel=0.06)
        for is_known in (True, False):
            fit = Board(drawn, 0.95, people=people if is_known else EXACT).headline
            means = {model: model_mean(fit, model, langs) for model in truth}
            covered[is_known] += [
                means[model].low <= rate <= means[model].high for model, rate in truth.items()
            ]
    assert np.mean(covered[True]) >= 0.9 and np.mean(covered[False]) < 0.4
