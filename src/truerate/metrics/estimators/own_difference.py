"""How much the rates of two files of answers differ, their items paired, and what it would take to tell."""

from dataclasses import dataclass, replace
from math import ceil, sqrt

import numpy as np

from truerate.metrics.estimators.prediction_powered import Residuals, clipped, pooled_slope, residuals, t_of
from truerate.metrics.estimators.sample import Cell
from truerate.metrics.intervals import AGREED, cluster_sums, jeffreys, z_of

QUARTER = 0.25  # of a hallucination, added to what labels leave: of .1 to .5 that which keeps .94 to .98
LEAST_GAP = 0.002  # between a difference and a margin: a smaller one no number of labels tells


@dataclass(frozen=True)
class Difference:
    """The rate of `new` answers less that of `old` ones, about all that both would answer: `value` in [−1, 1]
    with its interval; both rates; the labels of both, answers of both and clusters they lie in; the variance
    that labels of all answers would leave (`of_answers`), and what each label takes of the rest (`of_labels`,
    over k). `is_corrected`: False where nobody labelled, so that it is one of flagged shares.
    """

    value: float
    low: float
    high: float
    old: float
    new: float
    n: int
    k: int
    n_clusters: int
    of_answers: float
    of_labels: float
    is_corrected: bool
    confidence: float = 0.95

    def labels_for(self, margin: float) -> int | None:
        """Return how many labels of the two files together would tell on which side of a margin a difference
        of this size is; None where all would not, or it lies within LEAST_GAP of the margin.
        """
        spare = self._variance_for(margin) - self.of_answers
        if not self.is_corrected or spare <= 0:
            return None
        return min(self.n, ceil(1 / (1 / self.n + spare / self.of_labels))) if self.of_labels else self.k

    def answers_for(self, margin: float) -> int | None:
        """Likewise how many answers of each file, labelled or flagged in the share in which these are."""
        variance = self._variance_for(margin)
        return ceil(self.n / 2 * max(1.0, self._variance / variance)) if variance else None

    @property
    def _variance(self) -> float:
        return self.of_answers + (self.of_labels * (1 / self.k - 1 / self.n) if self.is_corrected else 0.0)

    def _variance_for(self, margin: float) -> float:
        """The variance at which the side of the interval that faces a margin would end there."""
        gap = abs(margin - self.value)
        half = self.value - self.low if margin < self.value else self.high - self.value
        return 0.0 if gap < LEAST_GAP or not half else self._variance * (gap / half) ** 2


def difference_of(old: Cell, new: Cell, *, confidence: float = 0.95) -> Difference | None:
    """The difference of two cells that share the names of clusters (items, groups): θ = R + λ(q − Q) of each
    (`prediction_powered`), λ of the labels of both. Where neither has a label flags stand for them.

    Each rate has Jeffreys' interval at the rows that its clustered variance is worth (as many as clusters with
    labels where nothing varies), widened to Student's t; the two are put together by square-and-add with the
    correlation of what clusters move in both (Zou & Donner 2008). None where a cell has labels in fewer than
    two clusters, or one has labels and the other none.
    """
    is_corrected = bool(old.k or new.k)
    if not is_corrected:
        old, new = (replace(cell, gold=cell.flagged, flagged=np.zeros(cell.n)) for cell in (old, new))
    pair = [residuals(cell) for cell in (old, new)]
    if any(left is None for left in pair):
        return None
    sides: list[Residuals] = [left for left in pair if left is not None]
    slope = pooled_slope(sides)
    names = np.concatenate([np.asarray(cell.clusters, dtype=str) for cell in (old, new)])
    columns = np.zeros((len(names), 4))
    columns[: old.n, 0] = sides[0].influence(slope, "model")
    columns[old.n :, 1] = sides[1].influence(slope, "model")
    columns[: old.n, 2], columns[old.n :, 3] = old.is_labelled, new.is_labelled
    moved = cluster_sums(names, columns)
    n_labelled = (moved[:, 2:] > 0).sum(axis=0)
    if n_labelled.min() < 2:
        return None
    variances = (moved[:, :2] ** 2).sum(axis=0) * n_labelled / (n_labelled - 1)
    # a quarter of a hallucination more, in what has no label: a few labels without an error say little of their variance
    variances += np.array([QUARTER * (1 - cell.labelled_share) / cell.k**2 for cell in (old, new)])
    covariance = float(moved[:, 0] @ moved[:, 1])
    roots = float(np.sqrt(variances.prod()))
    correlation = max(-1.0, min(1.0, covariance / roots)) if roots > AGREED else 0.0
    rates = [clipped(left.rate(slope)) for left in sides]
    ends = [
        _ends(rate, float(variance), int(n), confidence)
        for rate, variance, n in zip(rates, variances, n_labelled, strict=True)
    ]
    below = _root(rates[1] - ends[1][0], ends[0][1] - rates[0], correlation)
    above = _root(ends[1][1] - rates[1], rates[0] - ends[0][0], correlation)
    value = rates[1] - rates[0]
    n, k = old.n + new.n, old.k + new.k
    # of each label, over the two sides: Σ (1/k − 1/n) · mean square, as if both had k/2 of n/2
    of_labels = sum(2 * float(np.mean(left.left(slope) ** 2)) for left in sides) if is_corrected else 0.0
    by_labels = sum(
        (1 / left.cell.k - 1 / left.cell.n) * float(np.mean(left.left(slope) ** 2)) for left in sides
    )
    whole = max(0.0, float(variances.sum()) - 2 * covariance)
    return Difference(
        value,
        max(-1.0, value - below),
        min(1.0, value + above),
        rates[0],
        rates[1],
        n,
        k if is_corrected else 0,
        int((moved[:, 2:] > 0).any(axis=1).sum()),
        max(0.0, whole - by_labels),
        of_labels,
        is_corrected,
        confidence,
    )


def _ends(rate: float, variance: float, n: int, confidence: float) -> tuple[float, float]:
    """Jeffreys' interval of a rate at the rows that its variance is worth, widened to Student's t."""
    is_known = variance > AGREED and AGREED < rate < 1 - AGREED
    worth = rate * (1 - rate) / variance if is_known else float(n)
    worth *= (z_of(confidence) / t_of(n - 1, confidence)) ** 2
    low, high = jeffreys(rate * worth, worth, confidence=confidence)
    return min(low, rate), max(high, rate)


def _root(a: float, b: float, correlation: float) -> float:
    return sqrt(max(0.0, a * a + b * b - 2 * correlation * a * b))
