"""What a number of labels will give: how wide intervals will be, and which models they will tell apart."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from truerate.metrics.estimators.prediction_powered import PSEUDO_DEGREES, Fit, t_of, wider_ends
from truerate.metrics.intervals import Interval

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
