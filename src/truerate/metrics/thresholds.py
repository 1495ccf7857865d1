"""One number as a classifier: the cut that separates two classes best, and how well the number orders them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Threshold(NamedTuple):
    """A cut of one feature. Above it (strictly) texts are judged hallucinated where `is_above`, else below or
    at it.

    `p_above` and `p_below` are the shares of hallucinated texts on either side in the data it was learned
    from.
    """

    cut: float
    is_above: bool
    p_above: float
    p_below: float

    def verdicts(self, values: np.ndarray) -> np.ndarray:
        """Which values are judged hallucinated."""
        return (np.asarray(values) > self.cut) == self.is_above

    def probabilities(self, values: np.ndarray) -> np.ndarray:
        """The share of hallucinated texts on the side each value lies on."""
        return np.where(np.asarray(values) > self.cut, self.p_above, self.p_below)


def best_threshold(values: np.ndarray, labels: np.ndarray) -> Threshold | None:
    """The cut and direction of highest balanced accuracy, halfway between two neighbouring values; the lowest
    such cut on a tie.

    Balanced accuracy, so that a rare class is not given up. None where a class is missing or all values are
    equal.
    """
    x, y = np.asarray(values, dtype=float), np.asarray(labels, dtype=bool)
    steps = np.unique(x)
    if len(steps) < 2 or y.all() or not y.any():
        return None
    cuts = (steps[:-1] + steps[1:]) / 2
    at_or_below = (
        np.searchsorted(np.sort(x[y]), cuts, side="right"),
        np.searchsorted(np.sort(x[~y]), cuts, side="right"),
    )
    gap = (
        at_or_below[1] / (~y).sum() - at_or_below[0] / y.sum()
    )  # recall + specificity − 1 of "above is hallucinated"
    best = int(np.argmax(np.round(np.abs(gap), 12)))
    above = x > cuts[best]
    return Threshold(float(cuts[best]), bool(gap[best] >= 0), float(y[above].mean()), float(y[~above].mean()))


def auroc(scores: np.ndarray, labels: np.ndarray) -> float | None:
    """P(a hallucinated text scores higher than another), ties half: the area under the ROC curve. None where
    a class is missing.
    """
    found = weighted_auroc(scores, labels, np.ones((1, len(np.asarray(labels)))))[0]
    return None if np.isnan(found) else float(found)


def weighted_auroc(scores: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """`auroc` for many weightings of the rows at once, (resamples, rows) → (resamples,); NaN where a class
    has no weight.
    """
    y = np.asarray(labels, dtype=bool)
    steps, index = np.unique(np.asarray(scores, dtype=float), return_inverse=True)
    order = np.argsort(index, kind="stable")
    starts = np.searchsorted(index[order], np.arange(len(steps)))
    if not len(order):
        return np.full(len(weights), np.nan)
    positive, negative = (np.add.reduceat((weights * side)[:, order], starts, axis=1) for side in (y, ~y))
    below = np.cumsum(negative, axis=1) - negative / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return (positive * below).sum(axis=1) / (positive.sum(axis=1) * negative.sum(axis=1))


def grouped_folds(groups: Sequence[str], *, n_folds: int, seed: int) -> np.ndarray:
    """The fold of each row, such that rows of one group share a fold and folds are of near-equal size.

    Groups are shuffled by the seed, then dealt, largest first, to the fold with the fewest rows. Fewer groups
    than folds: fewer folds.
    """
    names, index, sizes = np.unique(np.asarray(groups, dtype=str), return_inverse=True, return_counts=True)
    shuffled = np.random.default_rng(seed).permutation(len(names))
    filled, fold_of = np.zeros(max(1, min(n_folds, len(names)))), np.zeros(len(names), dtype=int)
    for group in sorted(shuffled, key=lambda g: -sizes[g]):
        fold_of[group] = int(np.argmin(filled))
        filled[fold_of[group]] += sizes[group]
    return fold_of[index] if len(index) else np.zeros(0, dtype=int)
