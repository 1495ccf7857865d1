"""Rank ranges from all paired tests of a board."""

from collections.abc import Sequence
from itertools import combinations
from math import ceil
from typing import NamedTuple

import numpy as np

from truerate.metrics.intervals import cluster_sums
from truerate.metrics.paired import holm, paired_bootstrap


class RankRange(NamedTuple):
    """The ranks a subject may hold. `rank_low` = 1 + number significantly better, `rank_high` = N − number
    significantly worse.
    """

    rank_low: int
    rank_high: int


class Comparison(NamedTuple):
    """One paired test: the mean difference first − second on common units, and its p-value before and after
    Holm's correction.
    """

    first: int
    second: int
    difference: float
    p: float
    p_holm: float


def compare_all(
    values: np.ndarray, clusters: Sequence[object], *, n_resamples: int, alpha: float, seed: int
) -> list[Comparison]:
    """Every pair of subjects tested on the units that both have, by the paired cluster bootstrap,
    Holm-corrected over all pairs.

    `values` has shape (subjects, units), NaN where a unit does not count for a subject; `clusters` names each
    unit's cluster. With m pairs the smallest p-value must be able to fall below alpha / m, so at least 10 m /
    alpha resamples are drawn. Pairs without a common unit are left out: nothing can be said of them.
    """
    pairs = list(combinations(range(len(values)), 2))
    if not pairs or not values.shape[1]:
        return []
    gaps = np.stack([values[i] - values[j] for i, j in pairs], axis=1)
    common = ~np.isnan(gaps)
    sums = cluster_sums(clusters, np.hstack([np.nan_to_num(gaps), common]))
    differences, counts = sums[:, : len(pairs)], sums[:, len(pairs) :]
    n_resamples = max(n_resamples, ceil(10 * len(pairs) / alpha))
    p_values = paired_bootstrap(differences, counts, n_resamples=n_resamples, seed=seed)
    tested = zip(pairs, differences.sum(axis=0), counts.sum(axis=0), p_values, holm(p_values), strict=True)
    return [
        Comparison(i, j, float(d / n), p, p_holm)
        for (i, j), d, n, p, p_holm in tested
        if p is not None and p_holm is not None
    ]


def rank_ranges(
    n_subjects: int, comparisons: Sequence[Comparison], *, alpha: float, higher_is_better: bool = True
) -> list[RankRange]:
    """The rank range of each subject from corrected comparisons; a subject compared with nobody may hold any
    rank.

    "Not different" is not transitive, so these are ranges and not tie groups.
    """
    better, worse = [0] * n_subjects, [0] * n_subjects
    for c in comparisons:
        if c.p_holm > alpha or c.difference == 0:
            continue
        winner, loser = (c.first, c.second) if (c.difference > 0) == higher_is_better else (c.second, c.first)
        better[loser] += 1
        worse[winner] += 1
    return [RankRange(1 + better[i], n_subjects - worse[i]) for i in range(n_subjects)]
