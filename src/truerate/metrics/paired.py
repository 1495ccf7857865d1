"""Paired tests of two subjects on the same units, exact where these are independent and of yes or no, else by
the bootstrap of clusters; and Holm's correction of many.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from truerate.core.keys import draw
from truerate.metrics.intervals import (
    Interval,
    bootstrap_sums,
    cluster_bootstrap,
    cluster_sums,
    resample_weights,
)
from truerate.metrics.score_writer import Ratio, ScoreWriter

MOST = 200_000  # resamples that are drawn at most because clusters are few


def paired_bootstrap(
    differences: np.ndarray, counts: np.ndarray, *, n_resamples: int, seed: int
) -> list[float | None]:
    """Two-sided p-values that m mean differences are 0, by a centred bootstrap over clusters.

    `differences` and `counts` are per cluster, (clusters, m): the summed difference of the two subjects and
    the number of common units. p = (1 + #{|d* − d| ≥ |d|}) / (1 + resamples) with d* the resampled mean
    difference (add-one: Davison & Hinkley 1997, 4.2). Few clusters make a bootstrap too sure: d* is spread by
    √(n/(n−1)), and p is read as a normal tail and given back as the same tail of Student's t with n − 1
    degrees (the test of Hesterberg's 2015 expanded interval). It is never below 2^(1−k), k the clusters that
    differ at all: the least an exact sign-flip test can give. 1.0 where no cluster differs; None where there
    is no common unit.
    """
    d, n = np.asarray(differences, dtype=float), np.asarray(counts, dtype=float)
    if not len(d):
        return [None] * d.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = d.sum(axis=0) / n.sum(axis=0)
        residuals = d - mean * n  # its resampled sum over the resampled n is d* − d
        spread = np.sqrt(len(d) / max(1, len(d) - 1))
        residuals, gap = np.nan_to_num(residuals), np.abs(mean) * (1 - 1e-12)
        drawn = resample_weights(len(d), n_resamples=n_resamples, seed=seed)
        moved = (np.abs(spread * (weights @ residuals) / (weights @ n)) for weights in drawn)
        extreme = sum((~(block < gap)).sum(axis=0) for block in moved)  # an undefined one counts as extreme
    least = np.minimum(1.0, 2.0 ** (1 - np.minimum((d != 0).sum(axis=0), 1000)))
    p = np.maximum(_as_t_tail((1 + extreme) / (1 + n_resamples), len(d) - 1), least)
    return [float(value) if total else None for value, total in zip(p, n.sum(axis=0), strict=True)]


def unpaired_bootstrap(sums: np.ndarray, *, n_resamples: int, seed: int) -> float | None:
    """Two-sided p-value that the means of two subjects over units of their own are equal, by a centred
    bootstrap over clusters, which are resampled whole for both.

    `sums` (clusters, 4): both subjects' sums of values, then their numbers of units. p as in
    `paired_bootstrap`, of Student's t with one degree less than the clusters of the subject with fewer, and
    never below the least that an exact permutation of k and l clusters can give, 2 / binom(k + l, k); 1.0
    where the means are equal; None where a subject has no unit. A resample in which one has none counts as
    extreme.
    """
    from scipy.special import binom

    sums = np.asarray(sums, dtype=float)
    tops, bottoms = sums[:, :2], sums[:, 2:]
    if not len(sums) or not bottoms.any(axis=0).all():
        return None
    means = tops.sum(axis=0) / bottoms.sum(axis=0)
    residuals = tops - means * bottoms  # their resampled sums over the resampled n are m* − m
    n_clusters = (bottoms > 0).sum(axis=0)
    least = int(n_clusters.min())
    spread = np.sqrt(least / max(1, least - 1))
    gap = abs(means[0] - means[1])
    if gap == 0:
        return 1.0
    extreme = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        for weights in resample_weights(len(sums), n_resamples=n_resamples, seed=seed):
            drawn = (weights @ residuals) / (weights @ bottoms)
            extreme += int((~(spread * np.abs(drawn[:, 0] - drawn[:, 1]) < gap * (1 - 1e-12))).sum())
    p = _as_t_tail(np.array([(1 + extreme) / (1 + n_resamples)]), least - 1)
    return min(1.0, max(float(p[0]), 2 / float(binom(n_clusters.sum(), least))))


def mcnemar(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Two-sided p-values of McNemar's exact test (McNemar 1947; exact: Mosteller 1952) that two subjects have
    the same rate: `first` and `second` (m,) are how many units one of the two alone got. Each unit on which
    they differ is a fair coin: p = 2 P(X ≤ min) with X binomial of `first + second` and 1/2, at most 1; 1.0
    where they differ on none. It holds for independent units of yes or no.
    """
    from scipy.special import bdtr

    least, both = np.minimum(first, second), np.asarray(first + second, dtype=int)
    return np.minimum(1.0, 2 * bdtr(np.asarray(least, dtype=float), both, 0.5))


def two_shares(k: np.ndarray, n: np.ndarray, other_k: np.ndarray, other_n: np.ndarray) -> np.ndarray:
    """Two-sided p-values of k of n against other_k of other_n, independent: Pearson's χ² with Yates' correction
    (1934), which lies near Fisher's exact test; 1 where both hold none, or all.
    """
    from scipy.special import erfc

    # products of four counts leave the whole numbers of 64 bits
    k, n, other_k, other_n = (np.asarray(count, dtype=float) for count in (k, n, other_k, other_n))
    total, successes = n + other_n, k + other_k
    gap = np.maximum(0.0, np.abs(k * other_n - other_k * n) - total / 2)
    spread = successes * (total - successes) * n * other_n
    z_squared = np.divide(total * gap**2, spread, out=np.zeros(len(gap)), where=spread > 0)
    return erfc(np.sqrt(z_squared / 2))


def ratio_contrasts(
    sums: np.ndarray, weights: np.ndarray, *, n_resamples: int, confidence: float, seed: int
) -> list[tuple[Interval, float | None]]:
    """Contrasts of m ratios, Σ w · ratio, each with its interval and a two-sided p-value that it is 0,
    clusters resampled whole for all ratios together.

    `sums` (clusters, 2 m): numerators, then denominators; `weights` (m, contrasts). A mean of some ratios
    less that of others has weights 1/k and −1/l. Interval: `cluster_bootstrap` in [−1, 1]. p = (1 + #{|d* −
    d| ≥ |d|}) / (1 + resamples) (Davison & Hinkley 1997, 4.2); a resample on which the contrast is not
    defined counts as extreme. NaN and None where the contrast is not defined.
    """
    m = len(weights)

    def statistic(totals: np.ndarray) -> np.ndarray:
        return (totals[:, :m] / totals[:, m:]) @ weights

    with np.errstate(invalid="ignore", divide="ignore"):
        values = statistic(sums.sum(axis=0, keepdims=True))[0]
        draws = statistic(bootstrap_sums(sums, n_resamples=n_resamples, seed=seed))
        extreme = ~(np.abs(draws - values) < np.abs(values))
    intervals = cluster_bootstrap(
        sums, statistic, bounds=(-1.0, 1.0), n_resamples=n_resamples, confidence=confidence, seed=seed
    )
    p_values = (1 + extreme.sum(axis=0)) / (1 + n_resamples)
    return [
        (interval or Interval(float(value), np.nan, np.nan), None if np.isnan(value) else float(p))
        for interval, value, p in zip(intervals, values, p_values, strict=True)
    ]


def enough_resamples(n_resamples: int, least: float, n_clusters: int) -> int:
    """Return how many resamples let a p-value of `paired_bootstrap` fall to `least`: at least `n_resamples`
    and 10 / least. Few clusters widen the tail by which p is read, so that these may not be enough: then ten
    times as many as put one resample beyond it, at most MOST. Where no p can fall so far, as too few clusters
    flip, no more are drawn.
    """
    from scipy.special import ndtr, stdtrit

    n = max(n_resamples, ceil(10 / least))
    degrees = max(1, n_clusters - 1)
    if _as_t_tail(np.array(1 / (1 + n)), degrees) <= least or 2.0 ** (1 - min(n_clusters, 1000)) > least:
        return n
    tail = 2 * float(ndtr(stdtrit(degrees, least / 2)))
    return max(n, min(MOST, ceil(10 / max(tail, 10 / MOST))))


def _as_t_tail(p: np.ndarray, degrees: int) -> np.ndarray:
    """Two-sided normal p-values as those of Student's t at the same quantile."""
    from scipy.special import ndtri, stdtr

    return np.minimum(1.0, 2 * stdtr(max(1, degrees), ndtri(np.minimum(1.0, p) / 2)))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjusted p-values (1979), in the given order; None stays outside the family."""
    ordered = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for step, (p, i) in enumerate(ordered):
        running = max(running, min(1.0, p * (len(ordered) - step)))
        adjusted[i] = running
    return adjusted


MOST_UNITS = 10_000_000  # more units than any set could be given: told as none


def more_units_to_separate(
    first: np.ndarray,
    second: np.ndarray,
    clusters: Sequence[object],
    *,
    n_pairs: int = 1,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int | None:
    """The units to add, of the kind that is there, for a paired test to find the observed difference.

    `first`, `second`: values on the same units, NaN where one does not count. Needed are N · Var(d̄) ·
    (z_{1−α/2m} + z_{power})² / d̄² units (the sample size of paired differences: Lachin 1981, eq. 1, with
    Bonferroni's level for m = `n_pairs`), d̄ the mean difference and Var(d̄) its variance over clusters, by
    the residuals of a ratio (Cochran 1977, 6.3): k/(k − 1) · Σ (D_c − d̄ n_c)² / N². 0 where the units that
    are there would do. None where the means do not differ, fewer than two clusters are common, or more than
    MOST_UNITS are needed.
    """
    gaps = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    common = ~np.isnan(gaps)
    n = int(common.sum())
    if not n or not (mean := float(np.nansum(gaps)) / n):
        return None
    sums = cluster_sums(np.asarray(clusters, dtype=str)[common], np.column_stack([gaps, common])[common])
    k = len(sums)
    if k < 2:
        return None
    residuals = sums[:, 0] - mean * sums[:, 1]
    variance = k / (k - 1) * float((residuals**2).sum()) / n**2
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / (2 * max(1, n_pairs))) + normal.inv_cdf(power)
    needed = n * variance * reach**2 / mean**2
    return max(0, ceil(needed - 1e-9) - n) if needed <= MOST_UNITS else None


@dataclass(frozen=True)
class Contrast:
    """What a judge said of one pair: per order, whether it named the hallucinated side (None: no choice could
    be read). `hallucinated_first` is the order in which that side is shown first.
    """

    pair_id: str
    group_id: str
    named: dict[str, bool | None]
    hallucinated_first: str

    @property
    def is_right(self) -> list[bool]:
        """Per order, in the order of their names, whether the hallucinated side was named."""
        return [self.named[order] is True for order in sorted(self.named)]

    @property
    def named_first(self) -> list[bool | None]:
        """Per order whether the text shown first was named (None: no choice could be read)."""
        return [
            None if verdict is None else verdict == (order == self.hallucinated_first)
            for order, verdict in sorted(self.named.items())
        ]

    @property
    def accuracy(self) -> float:
        """The share of the orders in which the hallucinated side was named."""
        return sum(self.is_right) / len(self.named)

    def in_one_order(self, *, seed: int) -> bool:
        """Return whether it was named in the one order that a seeded draw asks."""
        return self.is_right[int(draw(seed, "order", self.pair_id) * len(self.named))]


def contrasts(rows: pl.DataFrame, *, hallucinated_first: str, pair_id: str = "pair_id") -> list[Contrast]:
    """The contrast judgements of one judge, one entry per pair, from `is_hallucinated`, `order`, `verdict`,
    `group_id` and the column that names the pair: the rows of hallucinated sides say all.
    """
    by_pair: dict[str, Contrast] = {}
    for row in rows.filter("is_hallucinated").sort(pair_id, "order").iter_rows(named=True):
        new = Contrast(row[pair_id], row["group_id"], {}, hallucinated_first)
        by_pair.setdefault(row[pair_id], new).named[row["order"]] = row["verdict"]
    return list(by_pair.values())


def contrast_scores(
    subject: str, where: Mapping[str, Any], pairs: Sequence[Contrast], writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Accuracy of naming the hallucinated side over both orders of every pair (as in HaluEval Table 9, where
    each pair is asked once), in both of them, and in one that is drawn; how often the text shown first is
    named; and the share of replies without a choice.
    """
    if not pairs:
        return []
    clusters = [pair.group_id for pair in pairs for _ in pair.named]
    hits = np.array([is_right for pair in pairs for is_right in pair.is_right])
    places = [position for pair in pairs for position in pair.named_first]
    read = np.array([position is not None for position in places])
    first = np.array([position is True for position in places])
    every, of_pairs = np.ones(len(hits)), [pair.group_id for pair in pairs]
    in_both = [len(pair.named) == 2 and all(pair.is_right) for pair in pairs]
    drawn = [pair.in_one_order(seed=writer.seed) for pair in pairs]
    asked: list[Ratio] = [
        ("accuracy", where, hits, every),
        ("first_position_rate", where, first, read),
        ("unparsed_rate", where, ~read, every),
    ]
    return [
        *writer.shares(subject, asked, clusters),
        writer.share("accuracy_both_orders", subject, where, in_both, of_pairs),
        writer.share("accuracy_one_side", subject, where, drawn, of_pairs),
    ]
