"""Rank ranges from paired tests of a board: models among models, and what stands beside them among them."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from truerate.metrics.intervals import cluster_sums
from truerate.metrics.paired import enough_resamples, holm, paired_bootstrap

Pairs = Sequence[tuple[int, int]]


class RankRange(NamedTuple):
    """The ranks a subject may hold among the ranked: `rank_low` = 1 + those significantly better,
    `rank_high` = their number less those significantly worse.
    """

    rank_low: int
    rank_high: int


class Comparison(NamedTuple):
    """One paired test: the mean difference first − second on common units, and its p-value before and after
    Holm's correction within its family.
    """

    first: int
    second: int
    difference: float
    p: float
    p_holm: float


def families(is_model: Sequence[bool]) -> list[Pairs]:
    """The pairs of subjects that are tested, by families of Holm's correction.

    The models among themselves are one family, each model against each other subject (baselines) is the
    second: how many baselines a board has then widens no model's range. Where there is no model all pairs are
    one family.
    """
    models, others = _parted(is_model)
    across = [(model, other) for model in models for other in others]
    found = [list(combinations(models or others, 2)), across]
    return [family for family in found if family]


def _parted(is_model: Sequence[bool]) -> tuple[list[int], list[int]]:
    models = [place for place, one in enumerate(is_model) if one]
    return models, [place for place, one in enumerate(is_model) if not one]


def compare_all(
    values: np.ndarray,
    clusters: Sequence[object],
    *,
    n_resamples: int,
    alpha: float,
    seed: int,
    is_model: Sequence[bool] | None = None,
) -> list[Comparison]:
    """The pairs of `families` tested on the units that both subjects have, by the paired cluster bootstrap,
    Holm-corrected within each family.

    `values` has shape (subjects, units), NaN where a unit does not count for a subject; `clusters` names
    each unit's cluster; `is_model` says of each subject whether it is one (all, where it is not given).
    With m pairs in a family the smallest p-value must be able to fall below alpha / m, so as many resamples are
    drawn as that needs (`enough_resamples`). Pairs without a common unit are left out: nothing can be said of them.
    """
    asked = families([True] * len(values) if is_model is None else is_model)
    pairs = [pair for family in asked for pair in family]
    if not pairs or not values.shape[1]:
        return []
    gaps = np.stack([values[i] - values[j] for i, j in pairs], axis=1)
    common = ~np.isnan(gaps)
    sums = cluster_sums(clusters, np.hstack([np.nan_to_num(gaps), common]))
    differences, counts = sums[:, : len(pairs)], sums[:, len(pairs) :]
    n_resamples = enough_resamples(n_resamples, alpha / max(map(len, asked)), len(sums))
    p_values = paired_bootstrap(differences, counts, n_resamples=n_resamples, seed=seed)
    ends = np.cumsum([0, *map(len, asked)])
    corrected = [p for start, end in zip(ends, ends[1:], strict=False) for p in holm(p_values[start:end])]
    tested = zip(pairs, differences.sum(axis=0), counts.sum(axis=0), p_values, corrected, strict=True)
    return [
        Comparison(i, j, float(d / n), p, p_holm)
        for (i, j), d, n, p, p_holm in tested
        if p is not None and p_holm is not None
    ]


def rank_ranges(
    n_subjects: int,
    comparisons: Sequence[Comparison],
    *,
    alpha: float,
    higher_is_better: bool = True,
    is_model: Sequence[bool] | None = None,
) -> list[RankRange]:
    """The rank range of each subject from corrected comparisons; a subject compared with nobody may hold any
    rank.

    Models are ranked among models; of any other subject it is the place that it would take among them, from 1
    to their number and one. Where there is no model, or `is_model` is not given, all are ranked among all.
    "Not different" is not transitive, so these are ranges and not tie groups.
    """
    models, others = _parted([True] * n_subjects if is_model is None else is_model)
    ranked = set(models or others)
    better, worse = [0] * n_subjects, [0] * n_subjects
    for c in comparisons:
        if c.p_holm > alpha or c.difference == 0:
            continue
        winner, loser = (c.first, c.second) if (c.difference > 0) == higher_is_better else (c.second, c.first)
        better[loser] += winner in ranked
        worse[winner] += loser in ranked
    return [RankRange(1 + better[i], len(ranked) + (i not in ranked) - worse[i]) for i in range(n_subjects)]
