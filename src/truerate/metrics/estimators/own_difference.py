"""How much the rates of two files of answers differ, their items paired, and what it would take to tell."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np

from truerate.metrics.estimators.prediction_powered import Residuals, clipped, pooled_slope, residuals, t_of
from truerate.metrics.estimators.sample import Cell
from truerate.metrics.intervals import AGREED, cluster_sums, jeffreys, z_of

QUARTER = 0.25  # of a hallucination, added to what labels leave: of .1 to .5 that which keeps .94 to .98
ASSURED = 0.8  # of cases in which the labels asked for tell


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
        """Return how many labels of the two files together would tell in ASSURED of cases on which side of a margin
        the difference is; None where all would not.
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
        """The variance at which the interval would leave a margin out in ASSURED of cases, the difference being as
        uncertain as it is now (predictive power: Spiegelhalter, Freedman & Blackburn 1986). With g the distance to
        the margin in standard errors, and ρ the variance over today's, the cases are Φ((g − z √ρ) / √(1 − ρ)) +
        Φ((−g − z √ρ) / √(1 − ρ)); ρ by bisection. 0 where the side that faces the margin has no width.
        """
        half = self.value - self.low if margin < self.value else self.high - self.value
        if not half:
            return 0.0
        z, cdf = z_of(self.confidence), NormalDist().cdf
        gap = z * abs(margin - self.value) / half
        low, high = 0.0, 1.0
        for _ in range(50):
            share = (low + high) / 2
            cases = sum(cdf((side - z * sqrt(share)) / sqrt(1 - share)) for side in (gap, -gap))
            low, high = (share, high) if cases > ASSURED else (low, share)
        return self._variance * low


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
    sides = [left for cell in (old, new) if (left := residuals(cell)) is not None]
    if len(sides) < 2:
        return None
    has_label = _by_cluster(sides, [side.cell.is_labelled for side in sides]) > 0
    if has_label.sum(axis=0).min() < 2:
        return None
    slope = pooled_slope(sides)
    variances, correlation = _variances(sides, slope, has_label.sum(axis=0))
    rates = [clipped(side.rate(slope)) for side in sides]
    ends = [
        _ends(rate, float(variance), int(n), confidence)
        for rate, variance, n in zip(rates, variances, has_label.sum(axis=0), strict=True)
    ]
    below = _root(rates[1] - ends[1][0], ends[0][1] - rates[0], correlation)
    above = _root(ends[1][1] - rates[1], rates[0] - ends[0][0], correlation)
    value, n, k = rates[1] - rates[0], old.n + new.n, old.k + new.k
    whole = max(0.0, float(variances.sum() - 2 * correlation * np.sqrt(variances.prod())))
    of_answers = min(whole, _of_answers(sides))
    return Difference(
        value,
        max(-1.0, value - below),
        min(1.0, value + above),
        rates[0],
        rates[1],
        n,
        k if is_corrected else 0,
        int(has_label.any(axis=1).sum()),
        of_answers,
        (whole - of_answers) / (1 / k - 1 / n) if k < n else 0.0,
        is_corrected,
        confidence,
    )


def _by_cluster(sides: Sequence[Residuals], columns: Sequence[np.ndarray]) -> np.ndarray:
    """The sums of a column of each side over the clusters of both, (clusters, 2)."""
    names = np.concatenate([np.asarray(side.cell.clusters, dtype=str) for side in sides])
    apart = np.zeros((len(names), 2))
    apart[: len(columns[0]), 0], apart[len(columns[0]) :, 1] = columns
    return cluster_sums(names, apart)


def _variances(sides: Sequence[Residuals], slope: float, n_labelled: np.ndarray) -> tuple[np.ndarray, float]:
    """The clustered variance of each rate, (2,), and the correlation of both."""
    moved = _by_cluster(sides, [side.influence(slope, "model") for side in sides])
    variances = (moved**2).sum(axis=0) * n_labelled / (n_labelled - 1)
    # a quarter of a hallucination more, in what has no label: a few labels without an error say little of their variance
    cells = [side.cell for side in sides]
    variances += np.array([QUARTER * (1 - cell.labelled_share) / cell.k**2 for cell in cells])
    roots = float(np.sqrt(variances.prod()))
    correlation = float(moved[:, 0] @ moved[:, 1]) / roots if roots > AGREED else 0.0
    return variances, max(-1.0, min(1.0, correlation))


def _of_answers(sides: Sequence[Residuals]) -> float:
    """The variance of the difference that labels of all answers would leave: of the labelled ones' over clusters,
    as if as many as there are answers; too large where no cluster has labels on both sides.
    """
    moved = [np.zeros(side.cell.n) for side in sides]
    for column, side in zip(moved, sides, strict=True):
        column[side.cell.is_labelled] = side.gold / sqrt(side.cell.k * side.cell.n)
    old, new = _by_cluster(sides, moved).T
    return float(((new - old) ** 2).sum())


def _ends(rate: float, variance: float, n: int, confidence: float) -> tuple[float, float]:
    """Jeffreys' interval of a rate at the rows that its variance is worth, widened to Student's t."""
    is_known = variance > AGREED and AGREED < rate < 1 - AGREED
    worth = rate * (1 - rate) / variance if is_known else float(n)
    worth *= (z_of(confidence) / t_of(n - 1, confidence)) ** 2
    low, high = jeffreys(rate * worth, worth, confidence=confidence)
    return min(low, rate), max(high, rate)


def _root(a: float, b: float, correlation: float) -> float:
    return sqrt(max(0.0, a * a + b * b - 2 * correlation * a * b))
