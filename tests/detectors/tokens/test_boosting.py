import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from truerate.detectors.tokens.boosting import fit_trees, probabilities


def rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of whole numbers and shares, and labels that two of the columns decide, some of them wrong."""
    drawn = np.random.default_rng(seed)
    features = np.column_stack([drawn.integers(0, 9, n), drawn.random(n), np.zeros(n), drawn.random(n) * 40])
    labels = ((features[:, 0] > 4) ^ (features[:, 1] > 0.7)) ^ (drawn.random(n) < 0.1)
    return features, labels


def test_plain_arrays_say_what_scikit_learn_says():
    features, labels = rows(1500)
    shape = {"max_iter": 12, "min_samples_leaf": 20}
    model = HistGradientBoostingClassifier(early_stopping=False, **shape).fit(features, labels)
    others = np.vstack([rows(700, seed=1)[0], features])  # values that lie on a cut among them
    expected = model.predict_proba(others)[:, 1]
    assert probabilities(fit_trees(features, labels, 0, **shape), others) == pytest.approx(
        expected, abs=1e-12
    )


def test_trees_learn_what_no_sum_of_single_features_tells_and_are_the_same_twice():
    features, labels = rows(3000)
    first, second = (fit_trees(features, labels, 0) for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    asked, truth = rows(1000, seed=2)
    # a tenth of the labels is wrong, so that nothing gets more than .9 right; each feature alone has about .6
    assert ((probabilities(first, asked) > 0.5) == truth).mean() > 0.87
