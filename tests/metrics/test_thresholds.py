import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.metrics import log_loss as mean_loss

from truerate.metrics.thresholds import (
    Bin,
    Threshold,
    at_cuts,
    auroc,
    auroc_of_counts,
    average_precision,
    average_precision_of_counts,
    best_f1_cut,
    best_threshold,
    bin_sums,
    expected_calibration_error,
    grouped_auroc,
    grouped_folds,
    log_loss,
    reliability,
    weighted_auroc,
)


def test_cut_direction_and_shares_by_hand():
    # right 1 2 2 6, hallucinated 5 7 8: cut 3.5 gets 3/3 and 3/4; cut 6.5 gets 2/3 and 4/4
    values, labels = np.array([1, 2, 2, 6, 5, 7, 8]), np.array([0, 0, 0, 0, 1, 1, 1], dtype=bool)
    assert best_threshold(values, labels) == Threshold(3.5, True, 3 / 4, 0.0)
    below = best_threshold(-values, labels)
    assert below == Threshold(-3.5, False, 0.0, 3 / 4)
    assert (below.verdicts(-values) == (values > 3.5)).all()
    assert below.probabilities(np.array([-9, 0])).tolist() == [3 / 4, 0.0]


def test_a_rare_class_is_not_given_up():
    values, labels = np.arange(100.0), np.arange(100) >= 97
    assert best_threshold(values, labels).cut == 96.5


def test_no_threshold_without_two_classes_or_two_values():
    assert best_threshold(np.array([1, 2]), np.array([True, True])) is None
    assert best_threshold(np.array([1, 1]), np.array([True, False])) is None


def test_auroc_by_hand():
    # hallucinated 2, 3 against right 1, 2: of 4 pairs 3 won, one tied → 3.5 / 4
    scores, labels = np.array([2, 3, 1, 2]), np.array([1, 1, 0, 0])
    assert auroc(scores, labels) == 3.5 / 4
    assert auroc(scores, np.ones(4)) is None and auroc([], []) is None


def test_weights_are_repeated_rows():
    scores, labels = np.array([2, 3, 1, 2, 5]), np.array([1, 1, 0, 0, 0])
    weights = np.array([[2, 0, 1, 3, 0], [0, 0, 1, 1, 1]])
    repeated = auroc(np.repeat(scores, weights[0]), np.repeat(labels, weights[0]))
    result = weighted_auroc(scores, labels, weights)
    assert result[0] == pytest.approx(repeated) and np.isnan(result[1])


@pytest.mark.parametrize("at_once", [1, 7, 1_000_000])
def test_rows_of_a_group_share_its_weight(monkeypatch, at_once):
    monkeypatch.setattr("truerate.metrics.thresholds.AT_ONCE", at_once)
    draw = np.random.default_rng(5)
    groups, labels = draw.integers(0, 6, 40), draw.random(40) < 0.4
    weights = draw.multinomial(6, [1 / 6] * 6, size=9).astype(float)
    for scores in (draw.integers(0, 3, 40), draw.random(40)):
        expected = weighted_auroc(scores, labels, weights[:, groups])
        result = grouped_auroc(scores, labels, groups, [weights[:4], weights[4:]])
        assert result.tolist() == expected.tolist()
    only = grouped_auroc(
        np.arange(4), np.array([1, 1, 0, 0]), np.arange(4), [np.array([[2.0, 0, 1, 1], [1, 3, 0, 0]])]
    )
    assert only[0] == 0 and np.isnan(only[1])  # the second draw has no row of the other class


def test_folds_keep_groups_whole_and_even():
    groups = [f"g{i // 3}" for i in range(60)]
    folds = grouped_folds(groups, n_folds=5, seed=7)
    assert all(len({folds[i] for i in range(60) if groups[i] == g}) == 1 for g in set(groups))
    assert np.bincount(folds).tolist() == [12] * 5
    assert (folds == grouped_folds(groups, n_folds=5, seed=7)).all()
    assert set(grouped_folds(["a", "b"], n_folds=5, seed=7)) == {0, 1}
    assert len(grouped_folds([], n_folds=5, seed=7)) == 0


def test_average_precision_by_hand():
    # from above: 3 right (1/1), 2 with one right of two (2/3 so far): (1 · 1/1 + 1 · 2/3) / 2
    scores, labels = np.array([2, 3, 1, 2]), np.array([1, 1, 0, 0])
    assert average_precision(scores, labels) == pytest.approx(5 / 6)
    assert (
        average_precision(np.zeros(4), np.array([1, 0, 0, 0])) == 1 / 4
    )  # nothing is ordered: the prevalence
    assert average_precision(scores, np.ones(4)) is None and average_precision([], []) is None


def test_orderings_and_losses_are_scikit_learns():
    drawn = np.random.default_rng(0)
    labels = drawn.random(400) < 0.3
    p = np.round(np.clip(drawn.normal(0.3 + 0.2 * labels, 0.2), 0, 1), 2)  # with ties
    levels = np.arange(101) / 100
    counts = [
        np.array([(np.isclose(p, level) & side).sum() for level in levels]) for side in (labels, ~labels)
    ]
    assert average_precision(p, labels) == pytest.approx(average_precision_score(labels, p))
    assert average_precision_of_counts(*counts) == pytest.approx(average_precision_score(labels, p))
    assert auroc_of_counts(*counts) == pytest.approx(roc_auc_score(labels, p)) == auroc(p, labels)
    inner = np.clip(p, 0.01, 0.99)
    assert log_loss(inner, labels) == pytest.approx(mean_loss(labels, inner))
    assert log_loss([1.0], [False]) == pytest.approx(-np.log(1e-7)) and log_loss([], []) is None


def test_counts_of_many_draws_at_once_and_a_class_without_rows():
    positive, negative = np.array([[0.0, 2], [0, 0], [1, 1]]), np.array([[3.0, 0], [1, 1], [0, 0]])
    for of in (auroc_of_counts, average_precision_of_counts):
        assert of(positive, negative)[0] == 1 and np.isnan(of(positive, negative)[1:]).all()


def test_the_cut_with_the_best_f1_by_hand():
    # above .5: 1 of 1 right, 1 of 3 found, F1 2/4 · above .25: 3 of 4, F1 6/7 · above .05: 3 of 6, F1 6/9
    p, labels = np.array([0.9, 0.4, 0.3, 0.3, 0.1, 0.1]), np.array([1, 1, 1, 0, 0, 0])
    assert best_f1_cut(p, labels) == pytest.approx(0.2)
    assert best_f1_cut(np.array([0.6, 0.2]), np.array([1, 1])) == pytest.approx(0.1)  # all of them
    # above .6 one of one and half of what there is, F1 2/3; above .2 two of four, F1 2/3: the higher one
    assert best_f1_cut(np.array([0.8, 0.4, 0.4, 0.4]), np.array([1, 1, 0, 0])) == pytest.approx(0.6)
    assert best_f1_cut(p, np.zeros(6)) is None and best_f1_cut(np.zeros(2), np.ones(2)) is None


# ---- calibration -------------------------------------------------------------------------------------------
# two bins: p .1, .3 (one of them hallucinated); p .6, .8, 1 (all three hallucinated)
P, LABEL = np.array([0.1, 0.3, 0.6, 0.8, 1.0]), np.array([False, True, True, True, True])


def test_bins_by_hand():
    low, high = reliability(bin_sums(P, LABEL, n_bins=2).sum(axis=0))
    assert (low.low, low.high, low.n, low.mean_p, low.rate) == (0, 0.5, 2, pytest.approx(0.2), 0.5)
    assert (high.n, high.mean_p, high.rate) == (3, pytest.approx(0.8), 1)


def test_ece_by_hand():
    # 2/5 · |.5 - .2| + 3/5 · |1 - .8|
    ece = expected_calibration_error(bin_sums(P, LABEL, n_bins=2).sum(axis=0))
    assert float(ece) == pytest.approx(2 / 5 * 0.3 + 3 / 5 * 0.2)


def test_an_edge_belongs_to_the_bin_above_it_and_one_to_the_last():
    assert bin_sums(np.array([0.5, 1.0]), np.array([1, 1]), n_bins=2)[:, :2].tolist() == [[0, 1], [0, 1]]


def test_over_nothing():
    empty = bin_sums(np.zeros(0), np.zeros(0), n_bins=2).sum(axis=0)
    assert np.isnan(expected_calibration_error(empty))
    assert [(item.n, item.mean_p, item.rate) for item in reliability(empty)] == [(0, None, None)] * 2


def test_thresholds_follow_from_the_bins_alone():
    bins = [Bin(0.5, 1.0, 4, 0.8, 0.75), Bin(0.0, 0.5, 6, 0.2, 0.5)]
    # 3 of 6 below .5, 3 of 4 above: all 10 flagged holds 6; the 4 above hold 3 of these 6
    assert at_cuts(bins) == [(0.0, 10, 0.6, 1.0), (0.5, 4, 0.75, 0.5)]


def test_a_threshold_that_flags_nothing_has_no_precision_and_without_hallucinated_texts_there_is_no_recall():
    assert at_cuts([Bin(0.0, 0.5, 3, 0.1, 0.0), Bin(0.5, 1.0, 0, None, None)]) == [
        (0.0, 3, 0.0, None),
        (0.5, 0, None, None),
    ]
    assert at_cuts([]) == []
