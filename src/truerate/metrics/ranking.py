"""Rank ranges from paired tests of a board: models among models, and what stands beside them among them."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from truerate.metrics.intervals import KEPT, cluster_sums
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
