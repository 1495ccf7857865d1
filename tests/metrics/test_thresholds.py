import numpy as np
import pytest

from truerate.metrics.thresholds import Threshold, auroc, best_threshold, grouped_folds, weighted_auroc


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
    found = weighted_auroc(scores, labels, weights)
    assert found[0] == pytest.approx(repeated) and np.isnan(found[1])


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
