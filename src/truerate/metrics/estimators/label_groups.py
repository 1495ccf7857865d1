"""Labels given group by group (all answers to one question): detection, and rates with group variance."""

from collections.abc import Iterable, Mapping
from math import sqrt

import numpy as np

from truerate.metrics.estimators.prediction_powered import (
    Target,
    clipped,
    clustered_rate,
    pooled_slope,
    residuals,
    t_of,
    wilson_of,
)
from truerate.metrics.estimators.sample import Cell
from truerate.metrics.intervals import AGREED, Interval, are_rising, cluster_sums, numbered, share_interval

BY_CHANCE = 4.0  # standard deviations of a dispersion above which labels do not fall on groups as by chance
ANYTHING = (0.0, 1.0)
MANY = 20_000  # answers, above which no group is left out in turn
N, K, ALL_THINGS = 0, 1, 9  # columns of `_sums`: labelled things, labelled answers, things of all answers


def are_by_group(cell: Cell) -> bool:
    """Return whether the labels of a cell were given to whole groups (clusters), not answer by answer.

    So where every group of two answers or more is labelled whole or not at all, and one is; or where labels
    are more concentrated in groups than a draw of single answers would have them: Σ (k − fn)² / (n f(1 − f))
    over groups of n answers, k labelled, whose mean is the number of groups and whose variance follows from
    the binomial's. Never where all or none are labelled, or answers have weights: then single ones were drawn.
    """
    if not 0 < cell.k < cell.n or cell.weight is not None or are_rising(cell.clusters):
        return False
    sums = cluster_sums(cell.clusters, np.stack([np.ones(cell.n), cell.is_labelled], axis=1))
    n, k = sums[sums[:, 0] > 1].T
    if not k.any():
        return False
    if ((k == 0) | (k == n)).all():
        return True
    noise = cell.labelled_share * (1 - cell.labelled_share)
    variance = (2 + (1 - 6 * noise) / (n * noise)).sum()
    return bool(
        ((k - n * cell.labelled_share) ** 2 / (n * noise)).sum() > len(n) + BY_CHANCE * sqrt(variance)
    )


def n_labelled_groups(cell: Cell) -> int:
    """Groups that hold a label."""
    return len(set(cell.clusters[cell.is_labelled].tolist()))


def grouped_rate(
    cells: Mapping[str, Cell], *, target: Target = "these", confidence: float = 0.95
) -> Interval | None:
    """The rate from labels that were given group by group: Σ over cells (systems) of their share of all
    things · (R + λ(q − Q)), λ of all labels (`prediction_powered`).

    Its variance is the jackknife's, each group left out of all cells and of λ in turn: (C − 1)/C Σ (θ₋ − θ)²
    over the C labelled ones. For `these` very answers that is multiplied by the share of things without
    labels; about the `model` groups without labels, which move q, are left out in turn too. Each end is the
    wider one of θ ± t√v and of Wilson's interval at the number of rows that v is worth, t with C − 1 degrees.
    In simulated worlds (6 to 40 groups of 1 to 16 answers, rates .05 to .5, intraclass correlation .5) it
    covers .91 to 1.0, .96 on average. None with labels of fewer than two groups, or where a cell has fewer
    than two labels.
    """
    labelled = _names(cell.clusters[cell.is_labelled] for cell in cells.values())
    if len(labelled) < 2 or any(cell.k < 2 for cell in cells.values()):
        return None
    names = labelled if target == "these" else _names(cell.clusters for cell in cells.values())
    sums = np.stack([_sums(cell, names) for cell in cells.values()], axis=1)
    of_all = np.array([[cell.total.sum(), cell.flagged.sum()] for cell in cells.values()])
    whole = sums.sum(axis=0)
    value = float(_theta(whole[None], of_all[None])[0])
    # A group alone in a cell cannot be left out of it.
    without, without_of_all = whole - sums, of_all - sums[:, :, ALL_THINGS:] * (target == "model")
    can_go = (without[:, :, K] > 0).all(axis=1) & (without_of_all[:, :, 0] > 0).all(axis=1)
    gaps = _theta(without[can_go], without_of_all[can_go]) - value
    n = int(sums[can_go][:, :, K].any(axis=1).sum())
    if n < 2:
        return None
    finite = 1 - float(whole[:, N].sum() / of_all[:, 0].sum()) if target == "these" else 1.0
    variance = finite * (n - 1) / n * float((gaps**2).sum())
    t = t_of(n - 1, confidence)
    rate, half = clipped(value), t * sqrt(variance)
    of_rows = wilson_of(rate, variance, n=n / max(finite, AGREED), t=t, confidence=confidence)
    return Interval(rate, max(0.0, min(of_rows.low, rate - half)), min(1.0, max(of_rows.high, rate + half)))


def _names(clusters: Iterable[np.ndarray]) -> np.ndarray:
    return numbered(np.concatenate(list(clusters)))[0]


def _sums(cell: Cell, names: np.ndarray) -> np.ndarray:
    """Sums of each group, (groups, columns): of its labelled answers things, answers, hallucinated and
    flagged things and the products that a slope needs; of all its answers things and flagged ones.
    """
    n, g, d = (np.where(cell.is_labelled, column, 0.0) for column in (cell.total, cell.gold, cell.flagged))
    columns = (n, cell.is_labelled, g, d, g * d, g * n, d * n, d * d, n * n, cell.total, cell.flagged)
    row = np.searchsorted(names, cell.clusters)
    row = np.where(names[np.minimum(row, len(names) - 1)] == cell.clusters, row, len(names))
    each = [np.bincount(row, column, minlength=len(names) + 1)[: len(names)] for column in columns]
    return np.stack(each, axis=1)


def _theta(sums: np.ndarray, of_all: np.ndarray) -> np.ndarray:
    """θ of sums of labelled answers (draws, cells, columns) and of all (draws, cells, 2)."""
    n, k, g, d, gd, gn, dn, dd, nn = np.moveaxis(sums[:, :, :ALL_THINGS], -1, 0)
    rate, share = g / n, d / n
    scale = (k / n) ** 2  # residuals are per mean total of an answer
    products = (scale * (gd - share * gn - rate * dn + rate * share * nn)).sum(axis=1)
    squares = (scale * (dd - 2 * share * dn + share**2 * nn)).sum(axis=1)
    is_told = squares > AGREED
    slope = np.where(is_told, products / np.where(is_told, squares, 1.0), 0.0)
    things, flagged = np.moveaxis(of_all, -1, 0)
    weights = things / things.sum(axis=1, keepdims=True)
    return (weights * (rate + slope[:, None] * (flagged / things - share))).sum(axis=1)


def system_rate(cell: Cell, *, confidence: float = 0.95) -> Interval | None:
    """The rate of all that the system behind a cell would answer, groups being drawn. All labelled, or one:
    the labels' own interval, as a board has it (`share_interval`: Wilson's on answers, else on what groups
    are worth). Else `grouped_rate` about the model, of answers drawn with unlike chances, and of more
    than MANY, of which the jackknife is what linearised variance is, `clustered_rate`. No label: None. Labels
    of several answers or words of one group alone: the share, with anything between 0 and 1.
    """
    inside = cell.is_labelled
    total = float(cell.total[inside].sum())
    if not total:
        return None
    sums = cluster_sums(cell.clusters[inside], np.stack([cell.gold, cell.total], axis=1)[inside])
    of_labels = share_interval(*sums.T, confidence=confidence)
    if cell.k == cell.n:
        drawn = None
    elif cell.weight is None and cell.n <= MANY:
        drawn = grouped_rate({"": cell}, target="model", confidence=confidence)
    else:
        left = residuals(cell)
        slope = pooled_slope([left] if left else [])
        drawn = clustered_rate(cell, slope=slope, confidence=confidence)
    if drawn is not None:
        return drawn
    if of_labels is None or np.isnan(of_labels.low):
        return Interval(float(cell.gold[inside].sum()) / total, *ANYTHING)
    return of_labels
