import numpy as np
import pytest

from truerate.metrics.estimators.grid import model_mean
from truerate.metrics.estimators.prediction_powered import residuals
from truerate.metrics.estimators.registry import Board, estimate_board
from truerate.metrics.estimators.sample import EXACT, Cell, LabelError, label_error

from .boards import NONE, population

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
