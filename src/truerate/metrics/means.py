"""Means and spreads over what a number was measured several times on: seeds, pairs of raters, languages."""

from collections.abc import Sequence

import numpy as np

from truerate.metrics.intervals import Interval
from truerate.metrics.rates import mean_of_intervals


def mean_of_defined(values: np.ndarray) -> np.ndarray:
    """Means (…,) over the last axis of values (…, times) that leave undefined ones (NaN) out; NaN where all
    are.
    """
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(known, values, 0.0).sum(axis=-1) / known.sum(axis=-1)


def spread(values: np.ndarray) -> float | None:
    """The standard deviation (n − 1) of all values, in their unit (mFAVA's ± over seeds); None over fewer than
    two, or where one is not defined.
    """
    values = np.asarray(values, dtype=float)
    return float(np.std(values, ddof=1)) if values.size > 1 and not np.isnan(values).any() else None


def mean_of_cells(estimates: Sequence[Interval], *, is_independent: bool = True) -> Interval | None:
    """The plain mean of estimates, as over languages, with the interval of `rates.mean_of_intervals`; NaN ends
    where one of them has none, None where one has no value.

    `is_independent`: whether no cluster stands behind two of them.
    """
    if any(np.isnan(estimate.value) for estimate in estimates):
        return None
    if any(np.isnan([estimate.low, estimate.high]).any() for estimate in estimates):
        return Interval(float(np.mean([estimate.value for estimate in estimates])), np.nan, np.nan)
    return mean_of_intervals(list(estimates), is_independent=is_independent)
