"""The rate of a model in a language in which nobody labelled: what labels in other languages let one expect."""

from collections.abc import Mapping
from math import sqrt

import numpy as np

from truerate.metrics.estimators.prediction_powered import Fit, t_of
from truerate.metrics.estimators.sample import Cell, Key
from truerate.metrics.intervals import Interval

LEAST_LANGS = (
    3  # labelled languages of a model; of two the spread between languages has one degree of freedom
)


def predicted(fit: Fit, cells: Mapping[Key, Cell]) -> dict[Key, Interval]:
    """Predictive intervals of the cells that have no labels, by the same model's labelled languages.

    y = θ − β q, β the slope of rates on flagged shares between languages within models, 0 where these do not
    vary. A new language has ȳ of the model + β q, and varies by the variance between languages τ² (of y, pooled
    over models, by moments) and that of ȳ: ± t · √(τ²(1 + 1/L) + Σv/L²), t with L − 1 degrees, as what is new
    in a language is new for all its models. In [0, 1], about the nearer bound where the line leaves it. A model
    with fewer than LEAST_LANGS labelled languages has none: it is not identified, and its flagged share alone says
    nothing of its rate.
    """
    by_model: dict[str, list[Key]] = {}
    for key in fit.cells:
        by_model.setdefault(key[0], []).append(key)
    by_model = {model: keys for model, keys in by_model.items() if len(keys) >= LEAST_LANGS}
    if not by_model:
        return {}
    slope = _slope_between(fit, by_model)
    between = _between_languages(fit, by_model, slope)
    found = {}
    for key, cell in cells.items():
        if key in fit.cells or key[0] not in by_model or not cell.total.sum():
            continue
        known = by_model[key[0]]
        n = len(known)
        rate = float(np.mean([_level(fit, one, slope) for one in known]))
        rate += slope * float(cell.flagged.sum() / cell.total.sum())
        own = sum(fit.spreads[one].variance for one in known) / n**2
        half = t_of(n - 1, fit.confidence) * sqrt(between * (1 + 1 / n) + own)
        value = min(1.0, max(0.0, rate))
        found[key] = Interval(value, max(0.0, value - half), min(1.0, value + half))
    return found


def _level(fit: Fit, key: Key, slope: float) -> float:
    return fit.rates[key] - slope * fit.cells[key].flagged_rate


def _slope_between(fit: Fit, by_model: Mapping[str, list[Key]]) -> float:
    """β by least squares about each model's means, in [0, 1]: more flags never foretell a lower rate."""
    products = squares = 0.0
    for keys in by_model.values():
        rates = np.array([fit.rates[key] for key in keys])
        flags = np.array([fit.cells[key].flagged_rate for key in keys])
        products += float(((rates - rates.mean()) * (flags - flags.mean())).sum())
        squares += float(((flags - flags.mean()) ** 2).sum())
    return min(1.0, max(0.0, products / squares)) if squares else 0.0


def _between_languages(fit: Fit, by_model: Mapping[str, list[Key]], slope: float) -> float:
    """τ²: the variance of y between languages less what sampling gives, pooled over models; at least 0."""
    squares = degrees = 0.0
    for keys in by_model.values():
        levels = np.array([_level(fit, key, slope) for key in keys])
        sampled = float(np.mean([fit.spreads[key].variance for key in keys]))
        squares += (len(keys) - 1) * (float(levels.var(ddof=1)) - sampled)
        degrees += len(keys) - 1
    return max(0.0, squares / degrees)
