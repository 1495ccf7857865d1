"""Rates over a grid of models and languages: the mean of a model, the difference of two, and which differ."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from truerate.metrics.estimators.prediction_powered import PSEUDO_DEGREES, Fit, clipped, t_of, wider_ends
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
    if len(fit.clusters[first][0]) > len(fit.clusters[second][0]):
        first, second = second, first
    names, others = fit.clusters[first][0], fit.clusters[second][0]
    there = np.minimum(np.searchsorted(others, names), len(others) - 1)
    is_in_both = others[there] == names
    if not is_in_both.any():
        return 0.0
    clustered, other = fit.by_cluster[first], fit.by_cluster[second]
    (moved, n, k), (moved_too, n_too, k_too) = clustered.sums[is_in_both].T, other.sums[there[is_in_both]].T
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


# ---- what more labels will give ----------------------------------------------------------------------------
# Of replies in the closed world (5 models, 6 languages, 5 detectors: .24 to .26). 1 where each unit is
# hallucinated whole or not at all, as a single verdict is; less where units are mixed.
DESIGN_EFFECT = 0.25


def design_effect_of(fit: Fit) -> float:
    """Return how many labelled units of a board tell as much as one row of yes or no: the variance of one
    unit's residual over p(1 − p); DESIGN_EFFECT where no cell has labels.
    """
    squares = expected = 0.0
    for key, cell_spread in fit.own_spreads.items():
        squares += (
            cell_spread.degrees * cell_spread.variance_of_one * fit.cells[key].cell.k / cell_spread.n_things
        )
        expected += cell_spread.degrees * fit.foretold[key]
    return squares / expected if squares else DESIGN_EFFECT


@dataclass(frozen=True)
class Plan:
    """A board to be labelled: `n` units a cell, `n_langs` cells a model, the rate that is expected, and the
    design effect of units (`design_effect_of` a board like it).
    """

    n: int
    n_langs: int
    rate: float
    design_effect: float = DESIGN_EFFECT
    confidence: float = 0.95

    def variance(self, k: int) -> float:
        """Of a cell's rate with k labelled units, (1 − k/n) · design effect · p(1 − p)/k; 0 where all are."""
        return self._per_unit(k) * self.rate * (1 - self.rate)

    def interval(self, k: int) -> Interval:
        """The interval that a cell at the expected rate will have with k labelled units."""
        t = t_of(k - 1 + PSEUDO_DEGREES, self.confidence)
        return wider_ends(self.rate, self.variance(k), self._per_unit(k), t)

    def half_width(self, k: int) -> float:
        """Half the width of `interval`."""
        _, low, high = self.interval(k)
        return (high - low) / 2

    def half_width_of_mean(self, k: int) -> float:
        """Half the width of a model's mean over languages with k labelled units a cell."""
        t = t_of(self.n_langs * (k - 1 + PSEUDO_DEGREES), self.confidence)
        return t * sqrt(self.variance(k) / self.n_langs)

    def told_apart(self, k: int, *, n_models: int = 2, power: float = 0.8) -> float:
        """The least difference of two models' means that k labelled units a cell tell apart with this power:
        (z of the level, Bonferroni-corrected for all pairs, + z of the power) · √(2 · variance / languages).
        """
        n_pairs = max(1, n_models * (n_models - 1) // 2)
        normal = NormalDist()
        reach = normal.inv_cdf(1 - (1 - self.confidence) / (2 * n_pairs)) + normal.inv_cdf(power)
        return reach * sqrt(2 * self.variance(k) / self.n_langs)

    def labels_for(self, half_width: float) -> int:
        """The fewest labelled units a cell, 2 at least, whose interval is so narrow; all n always are."""
        return self._fewest(lambda k: self.half_width(k) <= half_width)

    def labels_to_separate(self, difference: float, *, n_models: int = 2, power: float = 0.8) -> int:
        """The fewest labelled units a cell that tell two models with such means apart (`told_apart`)."""
        return self._fewest(lambda k: self.told_apart(k, n_models=n_models, power=power) <= difference)

    def _per_unit(self, k: int) -> float:
        return max(0.0, 1 - k / self.n) * self.design_effect / k

    def _fewest(self, is_enough: Callable[[int], bool]) -> int:
        low, high = 2, max(2, self.n)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
        return low
