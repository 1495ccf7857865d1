import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.metrics import log_loss as mean_loss

from truerate.metrics.thresholds import (
    Threshold,
    auroc,
    auroc_of_counts,
    average_precision,
    average_precision_of_counts,
    best_f1_cut,
    best_threshold,
    grouped_auroc,
    grouped_folds,
    log_loss,
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
    assert (
        set(grouped_folds(["a", "b"], n_folds=5, seed=7)) == {0, 1}
        and len(grouped_folds([], n_folds=5, seed=7)) == 0
    )


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
