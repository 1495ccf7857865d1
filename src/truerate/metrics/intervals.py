"""Intervals, one rule per kind of quantity: of a share Wilson's (`share_interval`), of any other statistic of
sums the cluster bootstrap (`cluster_bootstrap`).

A cluster (entity, dialogue, article, pair) is what was drawn independently; rows of one cluster are not. A
ratio statistic is a sum over a sum, so per-cluster sums are all that a resample needs: `sums` has shape
(clusters, k) and each bootstrap draw is one weighting of its rows.

No interval has width 0, which would claim certainty: where a resample says nothing of the spread, because all
clusters agree, it is Wilson's over the clusters that carry the value (`agreed`). One cluster in all says
nothing of the spread between clusters: there is none. One row of yes or no has an interval nevertheless (0 to
.793 for a no): its variance is p(1 - p) whatever p is, while nothing is known of that of a mean or a ratio.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

CELLS = 4_000_000  # weights held at once: resamples are drawn in blocks of this many cells
KEPT = 80_000_000  # weights kept, a byte each, for the next who asks for the same ones
SPARSE = 100  # numbers of clusters per row, above which they are sorted
BLOCK = 2**16  # rows looked at before the next ones are
AGREED = 1e-15  # a variance of a share below this is rounding: all clusters agree
NARROW = 1e-6  # an interval below this width is none: the last digit of a saved value
SHOWN = (
    5e-4  # of the bounds: an interval below this width reads as none where shares have tenths of a percent
)
UNIT = (0.0, 1.0)
Bounds = tuple[float, float] | Sequence[tuple[float, float]]  # of a statistic, or of each of several


class Interval(NamedTuple):
    """A point estimate with its two-sided interval."""

    value: float
    low: float
    high: float


def z_of(confidence: float) -> float:
    """The two-sided normal quantile of a confidence: 1.96 for .95."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(successes: float, n: float, *, confidence: float) -> Interval | None:
    """Wilson's score interval (1927) of a share of `n`, maybe effective, rows; None where n is 0."""
    if n <= 0:
        return None
    p, z = successes / n, z_of(confidence)
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Interval(p, float(max(0.0, middle - half)), float(min(1.0, middle + half)))


def jeffreys(successes: float, n: float, *, confidence: float) -> tuple[float, float]:
    """The ends of Jeffreys' interval of a share of `n` > 0, maybe effective, rows (Brown, Cai & DasGupta
    2001): 0 where nothing succeeds, 1 where all does.
    """
    from scipy.special import betaincinv

    a, b = max(successes, 0.0) + 0.5, max(n - successes, 0.0) + 0.5
    tail = (1 - confidence) / 2
    low = 0.0 if successes < AGREED else float(betaincinv(a, b, tail))
    return low, 1.0 if n - successes < AGREED else float(betaincinv(a, b, 1 - tail))


def numbered(clusters: Sequence[object] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted names of clusters (numbers as numbers, others as texts), and the place of each row's among
    them, (rows,). Whole numbers that are not far apart are counted, not sorted; those that rise are in order.
    """
    names = np.asarray(clusters)
    if are_rising(names):
        return names, np.arange(len(names))
    if names.dtype.kind not in "iu" or not len(names):
        names, index = np.unique(names.astype(str), return_inverse=True)
        return names, index
    if names.min() < 0 or names.max() > SPARSE * len(names):
        names, index = np.unique(names, return_inverse=True)
        return names, index
    is_there = np.bincount(names) > 0
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[names]


def are_rising(names: np.ndarray) -> bool:
    """Return whether each row is a cluster of its own, in the order of their numbers."""
    return names.dtype.kind in "iu" and bool((names[1:] > names[:-1]).all())


def cluster_sums(clusters: Sequence[object] | np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sums of `values` (rows, k) within each cluster, (clusters, k), clusters sorted by name (`numbered`)."""
    values = np.asarray(values, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    if are_rising(np.asarray(clusters)):
        return values
    names, index = numbered(clusters)
    sums = [np.bincount(index, column, minlength=len(names)) for column in values.T]
    return np.stack(sums, axis=1) if len(names) and sums else np.zeros((len(names), values.shape[1]))


def resample_weights(n_clusters: int, *, n_resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Draws of each cluster per resample, in blocks (≤ resamples, clusters); one seed, one result."""
    block = max(1, CELLS // max(1, n_clusters))
    if n_resamples <= block:
        drawn: Iterable[np.ndarray] = _few(n_clusters, n_resamples, seed)
    elif n_clusters * n_resamples <= KEPT:
        drawn = _many(n_clusters, n_resamples, seed, block)
    else:
        drawn = _blocks(n_clusters, n_resamples, seed, block)
    yield from (counts.astype(float) for counts in drawn)


@lru_cache(maxsize=8)  # of at most CELLS numbers each
def _few(n_clusters: int, n_resamples: int, seed: int) -> list[np.ndarray]:
    """All resamples in one block, kept: a board asks for the same ones hundreds of times."""
    return list(_blocks(n_clusters, n_resamples, seed, n_resamples))


@lru_cache(maxsize=4)  # of at most KEPT numbers each
def _many(n_clusters: int, n_resamples: int, seed: int, block: int) -> list[np.ndarray]:
    """All resamples of a large board, kept: to draw them takes ten times as long as to sum by them."""
    return list(_blocks(n_clusters, n_resamples, seed, block))


def _blocks(n_clusters: int, n_resamples: int, seed: int, block: int) -> Iterator[np.ndarray]:
    """Counts in one byte each, in more where one is too large for that."""
    rng = np.random.default_rng(seed)
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        drawn = rng.integers(0, n_clusters, size=(size, n_clusters)) + n_clusters * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * n_clusters).reshape(size, n_clusters)
        yield counts.astype(np.uint8 if counts.max(initial=0) < 2**8 else np.int64)


def bootstrap_sums(sums: np.ndarray, *, n_resamples: int, seed: int) -> np.ndarray:
    """Resampled totals of per-cluster sums (clusters, k): (resamples, k)."""
    sums = np.asarray(sums, dtype=float)
    return np.concatenate(
        [weights @ sums for weights in resample_weights(len(sums), n_resamples=n_resamples, seed=seed)]
    )


def wide_quantile(n_clusters: int, *, confidence: float) -> float:
    """The two-sided normal quantile, widened so that few clusters do not give too short an interval.
    √(n/(n−1)) · t quantile with n − 1 degrees of freedom: the expanded percentile interval (Hesterberg 2015,
    Am. Statistician 69:371).
    """
    from scipy.special import stdtrit

    n = max(2, n_clusters)
    return float(np.sqrt(n / (n - 1)) * stdtrit(n - 1, (1 + confidence) / 2))


def agreed(
    value: float, n_clusters: int, *, confidence: float, bounds: tuple[float, float] = UNIT
) -> Interval | None:
    """The interval of a statistic on which all clusters agree: Wilson's over the number of clusters,
    stretched from [0, 1] to `bounds`. Each cluster counts as one row. None over no cluster, where the value
    is undefined, or where it leaves the bounds.
    """
    low, high = bounds
    share = (value - low) / (high - low)
    if n_clusters < 1 or not -NARROW <= share <= 1 + NARROW:
        return None
    interval = wilson(min(1.0, max(0.0, share)) * n_clusters, n_clusters, confidence=confidence)
    if interval is None:
        return None
    return Interval(float(value), *(float(low + (high - low) * end) for end in interval[1:]))


def bootstrap_interval(
    value: float,
    draws: np.ndarray,
    *,
    n_clusters: int,
    confidence: float,
    left_out: np.ndarray | None = None,
    bounds: tuple[float, float] = UNIT,
    n_defined: int | None = None,
) -> Interval | None:
    """The interval of a statistic from its bootstrap draws; NaN draws are left out. None where all are, or
    the value is NaN.

    With `left_out`, the statistic without each cluster in turn, it is the bias-corrected and accelerated
    interval (Efron 1987), which leans to the side that a skewed statistic (a rare event) leans to; without it
    the percentile interval. Both use `wide_quantile`. Where the draws have no spread it is `agreed` over the
    `n_defined` clusters that carry the statistic (all where it is not given), which is None for a value
    outside `bounds`; where they have next to none (SHOWN) it holds that one, for a trace in one cluster says
    as little of the others.
    """
    draws = draws[~np.isnan(draws)]
    if not len(draws) or np.isnan(value):
        return None
    z = wide_quantile(n_clusters, confidence=confidence)
    leanings = [(0.0, 0.0)] if left_out is None else [_lean(value, draws, left_out), (0.0, 0.0)]
    # a value beyond nearly all its draws leans to one of them alone: there the plain percentiles
    for bias, acceleration in leanings:
        tails = [
            NormalDist().cdf(bias + (bias + end) / max(0.1, 1 - acceleration * (bias + end)))
            for end in (-z, z)
        ]
        low, high = np.quantile(draws, tails)
        if high - low >= SHOWN * (bounds[1] - bounds[0]):
            return Interval(float(value), float(low), float(high))
    n = n_clusters if n_defined is None else n_defined
    alike = agreed(value, n, confidence=confidence, bounds=bounds)
    if high - low < NARROW:
        return alike
    ends = (low, high) if alike is None else (min(low, alike.low), max(high, alike.high))
    return Interval(float(value), float(ends[0]), float(ends[1]))


def _lean(value: float, draws: np.ndarray, left_out: np.ndarray) -> tuple[float, float]:
    """Efron's bias correction (ties half) and acceleration (from the jackknife)."""
    below = ((draws < value).mean() + (draws <= value).mean()) / 2
    edge = 1 / (len(draws) + 1)
    defined = left_out[~np.isnan(left_out)]
    gaps = np.nanmean(left_out) - defined if len(defined) else defined
    size = (gaps**2).sum() ** 1.5
    acceleration = float((gaps**3).sum() / (6 * size)) if size > 0 else 0.0
    return NormalDist().inv_cdf(min(1 - edge, max(edge, float(below)))), acceleration


def cluster_bootstrap(
    sums: np.ndarray,
    statistic: Callable[[np.ndarray], np.ndarray],
    *,
    n_resamples: int,
    confidence: float,
    seed: int,
    bounds: Bounds = UNIT,
) -> list[Interval | None]:
    """Accelerated bootstrap intervals of statistics of totals: `statistic` maps (draws, k) to (draws, m), NaN
    where undefined. `bounds`: between what a statistic lies by definition, for all of them or one pair for
    each. None where there are fewer than two clusters (one cluster says nothing of the spread between
    clusters), or the value is undefined.
    """
    sums = np.asarray(sums, dtype=float)
    n = len(sums)
    if not n:
        return []
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = sums.sum(axis=0, keepdims=True)
        values = statistic(whole)[0]
        if n < 2:
            return [None] * len(values)
        left_out = statistic(whole - sums)
        draws = statistic(bootstrap_sums(sums, n_resamples=n_resamples, seed=seed))
        n_defined = carrying(sums, statistic)
    ends = np.broadcast_to(np.asarray(bounds, dtype=float), (len(values), 2))
    return [
        bootstrap_interval(
            value,
            draws[:, j],
            left_out=left_out[:, j],
            bounds=tuple(ends[j]),
            n_defined=int(n_defined[j]),
            n_clusters=n,
            confidence=confidence,
        )
        for j, value in enumerate(values)
    ]


def carrying(sums: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return how many clusters carry each statistic: those on which it is defined, (m,). A statistic of
    several parts (the mean recall of two classes) may be defined on no cluster alone; there neighbours are
    put together in twos, fours, … until such groups define it, and the groups are counted. At least 1: all
    clusters are one group.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        effective = (~np.isnan(statistic(sums))).sum(axis=0)
        size = 2
        while (effective < 1).any() and size < len(sums):
            starts = np.arange(0, len(sums), size)
            grouped = (~np.isnan(statistic(np.add.reduceat(sums, starts, axis=0)))).sum(axis=0)
            effective = np.where(effective < 1, grouped, effective)
            size *= 2
    return np.maximum(effective, 1)


def ratio_intervals(
    numerators: np.ndarray, denominators: np.ndarray, *, n_resamples: int, confidence: float, seed: int
) -> list[Interval | None]:
    """Cluster-bootstrap intervals of m shares at once from per-cluster numerators and denominators, both
    (clusters, m). Where every cluster agrees on a share a bootstrap has no spread and would claim certainty:
    there Wilson's interval over the number of clusters that enter is given (`agreed`). None where a share is
    over nothing, or there is one cluster in all.
    """
    top, bottom = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    m = top.shape[1]
    if not len(top):
        return [None] * m
    return cluster_bootstrap(
        np.hstack([top, bottom]),
        lambda t: t[:, :m] / t[:, m:],
        n_resamples=n_resamples,
        confidence=confidence,
        seed=seed,
    )


def _over_something(numerators: np.ndarray, denominators: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numerators and denominators of clusters that hold something."""
    top, bottom = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    inside = bottom > 0
    return (top, bottom) if inside.all() else (top[inside], bottom[inside])


def effective_n(numerators: np.ndarray, denominators: np.ndarray) -> float:
    """Return how many independent rows a clustered share is worth: p(1 − p) over its cluster-robust
    (linearised) variance. More than its rows where those of a cluster tend to differ, as two answers to one
    question of which one is right. `numerators` and `denominators` are per cluster, (clusters,). At p of 0 or
    1, and where all clusters agree, every cluster counts as one row; 0 over nothing.
    """
    top, bottom = _over_something(numerators, denominators)
    n, total = len(bottom), bottom.sum()
    if n < 2:
        return float(n)
    p = top.sum() / total
    variance = n / (n - 1) * ((top - p * bottom) ** 2).sum() / total**2
    return float(p * (1 - p) / variance) if 0 < p < 1 and variance > AGREED else float(n)


def wilson_clustered(
    numerators: np.ndarray, denominators: np.ndarray, *, confidence: float
) -> Interval | None:
    """Wilson's interval of a clustered share of yes/no rows from its effective number of rows, with few
    clusters widened by Student's t.

    After Korn & Graubard 1998: n_eff · (normal quantile / t quantile of clusters − 1 degrees)². For very high
    confidences, where a bootstrap has no draws left in its tails. An interval that reads as none (SHOWN),
    from a trace in one cluster, is that of the clusters as one row each. None where the share is over nothing
    or rests on one cluster.
    """
    from scipy.special import stdtrit

    total, n_clusters = float(np.sum(denominators)), int((np.asarray(denominators) > 0).sum())
    if n_clusters < 2:
        return None
    widened = z_of(confidence) / float(stdtrit(n_clusters - 1, (1 + confidence) / 2))
    share = float(np.sum(numerators)) / total
    n = effective_n(numerators, denominators)
    interval = wilson(share * n * widened**2, n * widened**2, confidence=confidence)
    if n > n_clusters and interval is not None and interval.high - interval.low < SHOWN:
        return wilson(share * n_clusters * widened**2, n_clusters * widened**2, confidence=confidence)
    return interval


def share_interval(numerators: np.ndarray, denominators: np.ndarray, *, confidence: float) -> Interval | None:
    """The interval of every share: Wilson's on its rows where each cluster counts at most one row of yes or
    no, else `wilson_clustered`, on the number of rows that the clusters are worth. `numerators`,
    `denominators` (clusters,): sums within clusters, weighted ones with a mean weight of 1. None over
    nothing; (value, NaN, NaN) where several rows all lie in one cluster.
    """
    top, bottom = _over_something(numerators, denominators)
    if not len(bottom):
        return None
    if all(
        np.allclose(bottom[at : at + BLOCK], 1) and np.isclose(part, np.round(part)).all()
        for at in range(0, len(top), BLOCK)
        for part in [top[at : at + BLOCK]]
    ):
        return wilson(float(top.sum()), float(bottom.sum()), confidence=confidence)
    interval = wilson_clustered(top, bottom, confidence=confidence)
    return interval or Interval(float(top.sum() / bottom.sum()), np.nan, np.nan)


def share_within(
    hits: np.ndarray, side: np.ndarray, clusters: Sequence[object], *, confidence: float
) -> Interval | None:
    """The share of the units of one `side` (units,) that are `hits` (units,), with `share_interval`: a judge's TPR where
    the side is what people call hallucinated; the *gold recall* of first labels where it is what a re-annotation does.
    None where the side is empty.
    """
    if not side.any():
        return None
    sums = cluster_sums(clusters, np.stack([hits & side, side], axis=1).astype(float))
    return share_interval(*sums.T, confidence=confidence)
