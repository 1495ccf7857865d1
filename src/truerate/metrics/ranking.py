"""Rank ranges from paired tests of a board: models among models, and what stands beside them among them. And
which of its subjects may be the best, by comparisons with the best alone.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from math import comb, exp
from typing import NamedTuple

import numpy as np

from truerate.metrics.intervals import CELLS, KEPT, cluster_bootstrap, cluster_sums, numbered
from truerate.metrics.paired import (
    MOST,
    enough_resamples,
    holm,
    mcnemar,
    paired_bootstrap,
    two_shares,
    unpaired_bootstrap,
)

Pairs = Sequence[tuple[int, int]]
SHARED = 0.1  # of the units of the subject with fewer: below it a pair is tested on the units that each has
# a corrected p between alpha by it and alpha times it may fall on the other side with other resamples
IN_DOUBT = 3.0
FLIPS = 10_000  # draws of signs: a p-value of .05 is known to ± .004
NODES = np.linspace(-8.0, 8.0, 161)  # of the integral over a standard normal


class RankRange(NamedTuple):
    """Ranks a subject may hold: 1 + those significantly better, to all − those significantly worse."""

    rank_low: int
    rank_high: int


class Comparison(NamedTuple):
    """A paired test: mean difference first − second on common units, p-value, and Holm's correction of it."""

    first: int
    second: int
    difference: float
    p: float
    p_holm: float


def families(is_model: Sequence[bool]) -> list[Pairs]:
    """The pairs of subjects that are tested, by families of Holm's correction. The models among themselves
    are one family, each model against each other subject (baselines) is the second: how many baselines a
    board has then widens no model's range. Where there is no model all pairs are one family.
    """
    models, others = _parted(is_model)
    across = [(model, other) for model in models for other in others]
    pairs_by_family = [list(combinations(models or others, 2)), across]
    return [family for family in pairs_by_family if family]


def _parted(is_model: Sequence[bool]) -> tuple[list[int], list[int]]:
    models = [index for index, is_one_model in enumerate(is_model) if is_one_model]
    return models, [index for index, is_one_model in enumerate(is_model) if not is_one_model]


def compare_all(
    values: np.ndarray,
    clusters: Sequence[object],
    *,
    n_resamples: int,
    alpha: float,
    seed: int,
    is_model: Sequence[bool] | None = None,
) -> list[Comparison]:
    """The pairs of `families` tested on the units that both subjects have, Holm-corrected within each family.

    `values` has shape (subjects, units), NaN where a unit does not count for a subject; `clusters` names each
    unit's cluster; `is_model` says of each subject whether it is one (all, where it is not given). Where
    every unit is a cluster of its own and every value 0 or 1 the test is exact (`paired.mcnemar`), else the
    paired cluster bootstrap: with m pairs in a family its smallest p-value must be able to fall below alpha /
    m, so as many resamples are drawn as that needs (`enough_resamples`), and of pairs near `alpha` as many
    more as keep the seed out of the ranks (`_bootstrapped`). Subjects that share less than SHARED of their
    units (each answered questions of its own) are compared by the means over the units that each has,
    clusters resampled whole for both (`paired.unpaired_bootstrap`). A pair of which one has no unit is left
    out: nothing can be said of it.
    """
    asked = families([True] * len(values) if is_model is None else is_model)
    pairs = [pair for family in asked for pair in family]
    if not pairs or not values.shape[1]:
        return []
    if is_plain(values, clusters):
        differences, counts, p_values = _exact(values, pairs)
    else:
        each = np.stack([values[i] - values[j] for i, j in pairs], axis=1)
        sums = cluster_sums(clusters, np.hstack([np.nan_to_num(each), ~np.isnan(each)]))
        gaps, common = sums[:, : len(pairs)], sums[:, len(pairs) :]
        p_values = _bootstrapped(
            gaps, common, list(map(len, asked)), n_resamples=n_resamples, alpha=alpha, seed=seed
        )
        differences, counts = gaps.sum(axis=0), common.sum(axis=0)
    for index in _apart(values, pairs, np.asarray(counts)):
        pair_values = values[list(pairs[index])]
        differences[index], p_values[index] = _unpaired(
            pair_values, clusters, n_resamples=n_resamples, seed=seed
        )
        counts[index] = 1
    corrected = _within(list(map(len, asked)), p_values)
    tested = zip(pairs, differences, counts, p_values, corrected, strict=True)
    return [
        Comparison(i, j, float(d / n), p, p_holm)
        for (i, j), d, n, p, p_holm in tested
        if p is not None and p_holm is not None
    ]


def compare_counts(counts: np.ndarray, n: np.ndarray) -> list[Comparison]:
    """Every pair of subjects of which only how many of `n` (subjects,) units count is known, (subjects,), as
    independent shares (`paired.two_shares`), Holm-corrected over all pairs; none with fewer than two.
    """
    pairs = list(combinations(range(len(n)), 2))
    if not pairs:
        return []
    first, second = np.array(pairs).T
    p_values = two_shares(counts[first], n[first], counts[second], n[second])
    gaps = counts[first] / n[first] - counts[second] / n[second]
    corrected = holm(p_values.tolist())
    return [
        Comparison(i, j, float(gap), float(p), float(p_holm or 0.0))
        for (i, j), gap, p, p_holm in zip(pairs, gaps, p_values, corrected, strict=True)
    ]


def _bootstrapped(
    gaps: np.ndarray, common: np.ndarray, sizes: Sequence[int], *, n_resamples: int, alpha: float, seed: int
) -> list[float | None]:
    """P-values of pairs in families of these sizes. Of those whose corrected p is so near `alpha` that other
    resamples could turn the verdict, anew from as many as can be kept.
    """
    n = enough_resamples(n_resamples, alpha / max(sizes), len(gaps))
    p_values = paired_bootstrap(gaps, common, n_resamples=n, seed=seed)
    doubtful = [
        index
        for index, p in enumerate(_within(sizes, p_values))
        if p is not None and alpha / IN_DOUBT < p < alpha * IN_DOUBT
    ]
    most = min(MOST, KEPT // max(1, len(gaps)))
    if doubtful and most > n:
        surer = paired_bootstrap(gaps[:, doubtful], common[:, doubtful], n_resamples=most, seed=seed)
        for index, p in zip(doubtful, surer, strict=True):
            p_values[index] = p
    return p_values


def may_be_best(
    values: np.ndarray,
    clusters: Sequence[object],
    *,
    alpha: float,
    seed: int,
    higher_is_better: bool = True,
) -> list[bool]:
    """Return of each subject whether it may be the best: by multiple comparisons with the best (Hsu 1981,
    Ann. Statist. 9:1026; 1984, 12:1136) it may unless some other is significantly better, at a level that
    holds for all others together. The set holds the true best with probability 1 − `alpha` at least, whatever
    the number of pairs among the rest.

    `values` (subjects, units), NaN where a unit does not count; `clusters` names each unit's. Subject i is
    compared with each j by t_j = Σ d / √Σ d², d the sums over a cluster of j's lead on the units that both
    have (a subject of other units by its mean, as in `compare_all`). i is out where p ≤ `alpha`, p the share
    of FLIPS draws of clusters' signs, one for all j, whose greatest t reaches the greatest observed one: the
    one-sided critical value of Dunnett 1955 with the correlation that is there (wild bootstrap under the null
    hypothesis: Cameron, Gelbach & Miller 2008; of two subjects the exact sign test of clusters). Such a t is
    beyond x with probability exp(−x²/2) at most (Hoeffding 1963), so that no draw is made where that decides.
    Equal subjects both may. False for one without a value on any unit, and for one alone.
    """
    rivals = np.flatnonzero((~np.isnan(values)).any(axis=1))
    result = np.zeros(len(values), dtype=bool)
    if len(rivals) < 2:
        return result.tolist()
    rated, index = values[rivals] * (1 if higher_is_better else -1), numbered(clusters)[1]
    # where nothing is missing, leads are differences of sums, which are then drawn once for all subjects
    sums = None if np.isnan(rated).any() else cluster_sums(index, rated.T).astype(np.float32)
    doubtful: list[tuple[int, np.ndarray, np.ndarray, float]] = []
    is_in, beyond = np.ones(len(rivals), dtype=bool), np.full(len(rivals), FLIPS)
    for i in range(len(rivals)):
        leads = _leads(rated, index, i, alpha=alpha)
        size = np.sqrt((leads**2).sum(axis=0))
        inverse = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0).astype(np.float32)
        top = float((leads.sum(axis=0) * inverse).max())
        is_in[i] = (len(rivals) - 1) * exp(-(top**2) / 2) > alpha
        if is_in[i] and top > 0:
            beyond[i], kept = 0, leads if sums is None else leads[:0]  # what the draws need
            doubtful.append((i, kept.astype(np.float32), inverse, top - 1e-4))
    for signs in _signs(int(index.max()) + 1, seed) if doubtful else ():
        drawn = None if sums is None else signs @ sums
        for i, kept, inverse, top in doubtful:
            moved = signs @ kept if drawn is None else drawn - drawn[:, i : i + 1]
            beyond[i] += ((moved * inverse).max(axis=1) >= top).sum()
    result[rivals] = is_in & ((1 + beyond) / (1 + FLIPS) > alpha)
    return result.tolist()


def _leads(values: np.ndarray, index: np.ndarray, subject: int, *, alpha: float) -> np.ndarray:
    """By how much each subject is above one of them, summed within clusters: (clusters, subjects). Of two that
    share next to no units it is told where an exact permutation of their clusters could tell them apart.
    """
    is_defined = ~np.isnan(values)
    both, n = is_defined & is_defined[subject], is_defined.sum(axis=1)
    leads = np.where(both, values - values[subject], 0.0)
    for other in np.flatnonzero(both.sum(axis=1) < SHARED * np.minimum(n, n[subject])):
        pair = np.stack([values[other], values[subject]])
        first, second = (len(np.unique(index[~np.isnan(each)])) for each in pair)
        residuals = np.nan_to_num(pair - np.nanmean(pair)) / (~np.isnan(pair)).sum(axis=1, keepdims=True)
        # they sum to the difference of the two means
        leads[other] = (residuals[0] - residuals[1]) * (comb(first + second, first) >= 1 / alpha)
    return cluster_sums(index, leads.T)


def _signs(n_clusters: int, seed: int) -> Iterator[np.ndarray]:
    """FLIPS draws of a sign for each cluster, in blocks (≤ draws, clusters)."""
    rng, block = np.random.default_rng(seed), max(1, CELLS // n_clusters)
    for start in range(0, FLIPS, block):
        size = (min(block, FLIPS - start), n_clusters)
        yield (2 * rng.integers(0, 2, size=size, dtype=np.int8) - 1).astype(np.float32)


def may_be_best_by_counts(
    counts: np.ndarray, n: np.ndarray, *, alpha: float, higher_is_better: bool = True
) -> list[bool]:
    """`may_be_best` of subjects of which only how many of `n` (subjects,) units count is known, (subjects,).

    t is that of two independent shares (`paired.two_shares`), its critical value Dunnett's for these numbers
    of units: P(max t ≤ x) = ∫ φ(z) Π_j Φ((x √(1/n_i + 1/n_j) + z/√n_i) √n_j) dz. False for one alone.
    """
    from scipy.special import log_ndtr, ndtri

    rivals = np.flatnonzero(n)
    result = np.zeros(len(n), dtype=bool)
    if len(rivals) < 2:
        return result.tolist()
    density = np.exp(-(NODES**2) / 2)
    shares = np.divide(counts, n, out=np.zeros(len(n)), where=n > 0) * (1 if higher_is_better else -1)
    for i in rivals:
        others = rivals[rivals != i]
        p_values = two_shares(counts[[i]], n[[i]], counts[others], n[others])
        top = float(np.max(np.sign(shares[others] - shares[i]) * -ndtri(p_values / 2)))
        reach = top * np.sqrt(1 / n[i] + 1 / n[others]) + NODES[:, None] / np.sqrt(n[i])
        below = density @ np.exp(log_ndtr(reach * np.sqrt(n[others])).sum(axis=1)) / density.sum()
        result[i] = top <= 0 or 1 - below > alpha
    return result.tolist()


def _apart(values: np.ndarray, pairs: Pairs, counts: np.ndarray) -> list[int]:
    """The places of pairs that share next to no units, each of whose subjects has some."""
    n = (~np.isnan(values)).sum(axis=1)
    fewer = np.array([min(n[i], n[j]) for i, j in pairs])
    return np.flatnonzero((fewer > 0) & (counts < SHARED * fewer)).tolist()


def _unpaired(
    values: np.ndarray, clusters: Sequence[object], *, n_resamples: int, seed: int
) -> tuple[float, float | None]:
    """The difference of the means of two subjects, values (2, units), and its p-value."""
    is_defined = ~np.isnan(values)
    sums = cluster_sums(clusters, np.vstack([np.nan_to_num(values), is_defined]).T.astype(float))
    sums = sums[sums[:, 2:].any(axis=1)]
    means = sums.sum(axis=0)[:2] / sums.sum(axis=0)[2:]
    return float(means[0] - means[1]), unpaired_bootstrap(sums, n_resamples=n_resamples, seed=seed)


def _within(sizes: Sequence[int], p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction within each of the families that stand one behind the other."""
    ends = np.cumsum([0, *sizes])
    return [p for start, end in zip(ends, ends[1:], strict=False) for p in holm(p_values[start:end])]


def is_plain(values: np.ndarray, clusters: Sequence[object]) -> bool:
    """Return whether each unit is a cluster of its own, and each value 0, 1 or NaN."""
    is_single = len(set(clusters)) == len(clusters)
    return is_single and bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def _exact(values: np.ndarray, pairs: Pairs) -> tuple[np.ndarray, np.ndarray, list[float | None]]:
    """Summed differences, common units and exact p-values of pairs of subjects, from how many units each got
    where the other one did not.
    """
    got, missed = (values == 1).astype(float), (values == 0).astype(float)
    alone, total = got @ missed.T, got + missed
    left, right = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    first, second, counts = alone[left, right], alone[right, left], (total @ total.T)[left, right]
    tested = mcnemar(first, second)
    p_values = [float(p) if n else None for p, n in zip(tested, counts, strict=True)]
    return first - second, counts, p_values


def rank_ranges(
    n_subjects: int,
    comparisons: Sequence[Comparison],
    *,
    alpha: float,
    higher_is_better: bool = True,
    is_model: Sequence[bool] | None = None,
) -> list[RankRange]:
    """The rank range of each subject from corrected comparisons; a subject compared with nobody may hold any
    rank. Models are ranked among models; of any other subject it is the place that it would take among them,
    from 1 to their number and one. Where there is no model, or `is_model` is not given, all are ranked among
    all. "Not different" is not transitive, so these are ranges and not tie groups.
    """
    ranked = _ranked(n_subjects, is_model)
    better, worse = [0] * n_subjects, [0] * n_subjects
    for winner, loser in _decided(comparisons, alpha, higher_is_better):
        better[loser] += winner in ranked
        worse[winner] += loser in ranked
    return [RankRange(1 + better[i], len(ranked) + (i not in ranked) - worse[i]) for i in range(n_subjects)]


def leading(
    n_subjects: int,
    comparisons: Sequence[Comparison],
    *,
    alpha: float,
    higher_is_better: bool = True,
    is_model: Sequence[bool] | None = None,
) -> list[bool]:
    """Return whether each subject may be first: ranked, and nothing is significantly better."""
    ranked = _ranked(n_subjects, is_model)
    beaten = {loser for _, loser in _decided(comparisons, alpha, higher_is_better)}
    return [len(ranked) > 1 and index in ranked and index not in beaten for index in range(n_subjects)]


def _ranked(n_subjects: int, is_model: Sequence[bool] | None) -> set[int]:
    """The places of those that are ranked: the models, all where there is none."""
    models, others = _parted([True] * n_subjects if is_model is None else is_model)
    return set(models or others)


def _decided(
    comparisons: Sequence[Comparison], alpha: float, higher_is_better: bool
) -> Iterator[tuple[int, int]]:
    """(winner, loser) of each significant comparison."""
    for c in comparisons:
        if c.p_holm <= alpha and c.difference != 0:
            yield (c.first, c.second) if (c.difference > 0) == higher_is_better else (c.second, c.first)


class Difference(NamedTuple):
    """The difference of two subjects, first − second, with its interval and uncorrected p-value; `n` units are
    common to both. Not `is_paired`: each has units of its own, and the means over these differ so.
    """

    first: int
    second: int
    value: float
    low: float
    high: float
    p: float
    n: int
    is_paired: bool


def differences(
    values: np.ndarray,
    clusters: Sequence[object],
    *,
    n_resamples: int,
    confidence: float,
    alpha: float,
    seed: int,
) -> list[Difference]:
    """Every pair of subjects: `value` and `p` are those of `compare_all`, whose arguments these are. The interval
    is `intervals.cluster_bootstrap` of the mean difference on the common units, or of the difference of both
    means where the pair shares less than SHARED of its units, in [−1, 1]: values are shares. NaN ends where
    there are fewer than two clusters. A pair of which one has no unit is left out.
    """
    compared = compare_all(values, clusters, n_resamples=n_resamples, alpha=alpha, seed=seed)
    pairs = [(pair.first, pair.second) for pair in compared]
    if not pairs:
        return []
    each = np.stack([values[i] - values[j] for i, j in pairs], axis=1)
    sums = cluster_sums(clusters, np.hstack([np.nan_to_num(each), ~np.isnan(each)]))
    common = sums[:, len(pairs) :].sum(axis=0)
    bootstrap = partial(
        cluster_bootstrap, n_resamples=n_resamples, confidence=confidence, seed=seed, bounds=(-1.0, 1.0)
    )
    m = len(pairs)
    intervals = bootstrap(sums, lambda totals: totals[:, :m] / totals[:, m:])
    apart = set(_apart(values, pairs, common))
    for index in apart:
        of_both = values[list(pairs[index])]
        sums = cluster_sums(clusters, np.vstack([np.nan_to_num(of_both), ~np.isnan(of_both)]).T)
        intervals[index] = bootstrap(sums[sums[:, 2:].any(axis=1)], _of_means)[0]
    ends = [(np.nan, np.nan) if interval is None else interval[1:] for interval in intervals]
    return [
        Difference(*pair, test.difference, float(low), float(high), test.p, int(n), index not in apart)
        for index, (pair, test, (low, high), n) in enumerate(zip(pairs, compared, ends, common, strict=True))
    ]


def _of_means(totals: np.ndarray) -> np.ndarray:
    """The difference of two means from sums of values, then numbers of units, (draws, 4)."""
    return totals[:, [0]] / totals[:, [2]] - totals[:, [1]] / totals[:, [3]]
