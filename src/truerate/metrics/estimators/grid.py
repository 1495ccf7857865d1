"""Rates over a grid of models and languages: the mean of a model, the difference of two, and which differ."""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

import numpy as np

from truerate.metrics.estimators.prediction_powered import Fit, clipped, t_of, wider_ends
from truerate.metrics.estimators.sample import Key
from truerate.metrics.intervals import Interval
from truerate.metrics.paired import holm

LEAST_LEFT = 0.25  # of a variance, whatever cells are estimated to share


class Combined(NamedTuple):
    """A weighted sum of cells' rates with its variance and Satterthwaite's degrees of freedom; `growth`: how
    fast the variance of a mean grows with p(1 − p).
    """

    value: float
    variance: float
    degrees: float
    growth: float = 0.0

    def interval(self, confidence: float, *, bounds: tuple[float, float]) -> Interval:
        """value ± t · √variance, cut at the bounds."""
        half = t_of(self.degrees, confidence) * sqrt(self.variance) if self.variance else 0.0
        return Interval(*(clipped(end, bounds) for end in (self.value, self.value - half, self.value + half)))

    def mean(self, confidence: float) -> Interval:
        """The interval of a mean of rates, in [0, 1], each end as a cell's (`wider_ends`): the mean of one
        cell is the cell's, and a low mean of few labels is not held to be surer upwards than t allows.
        """
        t = t_of(self.degrees, confidence)
        return wider_ends(clipped(self.value), self.variance, self.growth, t)

    @property
    def p(self) -> float:
        """Two-sided p-value that the sum is 0; 1 where it is 0 without a variance."""
        from scipy.special import stdtr

        if not self.variance:
            return float(self.value == 0)
        return float(2 * stdtr(self.degrees, -abs(self.value) / sqrt(self.variance)))


def combined(fit: Fit, weights: dict[Key, float]) -> Combined | None:
    """Σ w θ over cells, with what cells have in common: clusters (`covariance`) and the error of people
    (`tilt`). None where one of them has no labels. Degrees of freedom are Satterthwaite's, (Σ w²v)² / Σ
    (w²v)²/degrees.
    """
    if not weights or any(key not in fit.cells for key in weights):
        return None
    value = sum(weight * fit.rates[key] for key, weight in weights.items())
    variances = {key: weight**2 * fit.spreads[key].variance for key, weight in weights.items()}
    apart = sum(variances.values())
    degrees = sum(fit.spreads[key].degrees for key in weights)
    if apart:
        degrees = apart**2 / sum(
            variance**2 / fit.spreads[key].degrees for key, variance in variances.items()
        )
    shared = sum(
        2 * weights[first] * weights[second] * covariance(fit, first, second)
        for first, second in combinations(weights, 2)
    )
    # What cells share may narrow a difference; an estimate of it from few units must not take it all.
    drawn = max(apart + shared, apart * LEAST_LEFT)
    tilt = sum(weight * fit.tilt(key) for key, weight in weights.items())
    growth = sum(weight**2 * fit.growth_of_rate(key) for key, weight in weights.items())
    return Combined(value, drawn + tilt**2, degrees, growth)


def covariance(fit: Fit, first: Key, second: Key) -> float:
    """The covariance of two cells' θ through the clusters that both have.

    About the `model` it is Σ of the products of both influences over common clusters. About `these` units it
    is only what labels drawn together bring: with m pairs of labelled units in common clusters, of which
    chance alone would give m₀, the share 1 − m₀/m of Σ u u'/(k k') (Horvitz & Thompson's covariance; 1 − f
    for the same articles labelled of both, 0 for labels drawn apart).
    """
    clustered, other = fit.by_cluster[first], fit.by_cluster[second]
    names, here, there = np.intersect1d(clustered.names, other.names, assume_unique=True, return_indices=True)
    if not len(names):
        return 0.0
    (moved, n, k), (moved_too, n_too, k_too) = clustered.sums[here].T, other.sums[there].T
    product = float(moved @ moved_too)
    if fit.target == "model":
        return product
    pairs = float(k @ k_too)
    by_chance = float(n @ n_too) * np.prod([fit.cells[key].cell.labelled_share for key in (first, second)])
    return product * max(0.0, 1 - float(by_chance) / pairs) if pairs else 0.0


def model_mean(fit: Fit, model: str, langs: Sequence[str]) -> Interval | None:
    """The plain mean of a model's rates over languages, in [0, 1]; None where one of them has no labels."""
    mean = combined(fit, {(model, lang): 1 / len(langs) for lang in langs})
    return None if mean is None else mean.mean(fit.confidence)


def model_difference(fit: Fit, first: str, second: str, langs: Sequence[str]) -> Combined | None:
    """The mean over languages of the first model's rate − the second's, paired by cluster, or None."""
    each = {(first, lang): 1 / len(langs) for lang in langs}
    each |= {(second, lang): -1 / len(langs) for lang in langs}
    return combined(fit, each)


def model_differences(
    fit: Fit, models: Sequence[str], langs: Sequence[str]
) -> list[tuple[str, str, Combined, float]]:
    """The difference of every two models with all labels, and its p-value by Holm's correction."""
    differences = [
        (first, second, difference)
        for first, second in combinations(models, 2)
        if (difference := model_difference(fit, first, second, langs)) is not None
    ]
    corrected = holm([difference.p for *_, difference in differences])
    return [(*pair, p) for pair, p in zip(differences, corrected, strict=True) if p is not None]


def unit_values(fit: Fit, key: Key) -> np.ndarray:
    """A value per unit whose plain mean is θ: θ + n · influence about the model, (units,). With these a
    paired bootstrap over clusters tests two models as it tests any other outcome of units. They are no rates
    of units and may leave [0, 1].
    """
    left = fit.cells[key]
    return fit.rates[key] + left.cell.n * left.influence(fit.slope, "model")
