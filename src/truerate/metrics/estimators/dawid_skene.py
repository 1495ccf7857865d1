"""Dawid and Skene's model (1979) of labels that several raters gave, each with errors of their own.

Two classes: a unit is hallucinated with the rate of its group (who wrote the text); given that, each rater says so
independently of the others, with a TPR and a TNR of their own that hold in all groups. The maximum of the likelihood is
found by EM, which starts at the vote. Units of one group with the same labels are one *cell*: all that a unit says is in
which cell it lies, so that per-cluster counts of cells are what a resample needs (`metrics.intervals`).

Intervals resample clusters and fit the model anew on each resample: they hold the chance of the units and what is not
known of the raters. Labels are not imputed: a resample's rate is the mean posterior of its units.
"""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from truerate.metrics.intervals import (
    Interval,
    bootstrap_interval,
    bootstrap_sums,
    carrying,
    cluster_sums,
    share_interval,
)
from truerate.metrics.paired import holm
from truerate.metrics.ranking import Comparison, RankRange, rank_ranges

MOST, CLOSE = 1000, 1e-6  # steps of EM, and a change of every rate below which it ends
EDGE = 1e-9  # how near 0 and 1 a parameter may come
TRIPLE = 3  # labels of a unit from which the errors of each are identified
BLOCK = 4_000_000  # cells of resamples held at once


class Cells(NamedTuple):
    """Units by what is said of them: `group` (cells,) numbers who wrote them, `yes` and `n` (cells, raters) are how many
    labels each rater gave and how many of these call it hallucinated, `sums` (clusters, cells) the units.
    """

    group: np.ndarray
    yes: np.ndarray
    n: np.ndarray
    sums: np.ndarray

    @property
    def in_groups(self) -> np.ndarray:
        """Whether each cell is of each group, (cells, groups)."""
        return np.eye(int(self.group.max()) + 1)[self.group]


class Fit(NamedTuple):
    """The rate of each group (…, groups), NaN of one without units, and of each rater TPR and TNR (…, raters), ½ where
    nothing tells them."""

    rates: np.ndarray
    tpr: np.ndarray
    tnr: np.ndarray


class RatedGroup(NamedTuple):
    """A group's rate by the vote and by the model, each with the ranks that it may hold (lower is better)."""

    n: int
    vote: Interval | None
    vote_rank: RankRange
    model: Interval | None
    model_rank: RankRange


class Rater(NamedTuple):
    """A rater's labels, and by the model the share of the hallucinated that they find and of the others they pass."""

    n: int
    tpr: Interval | None
    tnr: Interval | None


class Raters(NamedTuple):
    """What the model makes of labels: `groups` and `raters` in their order; `unanimous`, `expected`: the share of units
    with two labels or more on which all agree, as it is and as the model has it. More than expected: raters err together.
    """

    groups: list[RatedGroup]
    raters: list[Rater]
    unanimous: float
    expected: float


def cells_of(groups: np.ndarray, labels: np.ndarray, clusters: Sequence[object]) -> Cells:
    """The cells of units: `groups` (units,) whole numbers from 0, `labels` (units, raters) 1 for hallucinated, 0 for not,
    NaN where the rater gave none, `clusters` what each unit stands with. A unit without a label is in no cell.
    """
    is_rated = ~np.isnan(labels).all(axis=1)
    keys = np.column_stack([groups, np.nan_to_num(labels, nan=-1)])[is_rated].astype(int)
    cells, index = np.unique(keys, axis=0, return_inverse=True)
    members = np.zeros((len(keys), len(cells)))
    members[np.arange(len(keys)), index.reshape(-1)] = 1
    kept = [cluster for cluster, is_in in zip(clusters, is_rated, strict=True) if is_in]
    labelled = cells[:, 1:]
    return Cells(
        cells[:, 0], (labelled == 1).astype(float), (labelled >= 0).astype(float), cluster_sums(kept, members)
    )


def are_seats(cells: Cells) -> bool:
    """Return whether raters disagree, and of each two who labelled common units one never calls hallucinated what the
    other does not: then their names are seats that were given out by what was said, and tell no two persons apart.
    """
    weights, no = cells.sums.sum(axis=0)[:, None], cells.n - cells.yes
    # (raters, raters): units that the first calls hallucinated and the second does not
    crossed = (weights * cells.yes).T @ no
    return bool(crossed.any()) and not (np.minimum(crossed, crossed.T) > 0).any()


def pooled(cells: Cells) -> Cells:
    """The cells as though one rater had given all labels: raters with errors in common, who need not be told apart."""
    keys = np.column_stack([cells.group, cells.yes.sum(axis=1), cells.n.sum(axis=1)]).astype(int)
    kinds, index = np.unique(keys, axis=0, return_inverse=True)
    sums = cluster_sums(index.reshape(-1), cells.sums.T).T
    return Cells(kinds[:, 0], kinds[:, 1:2].astype(float), kinds[:, 2:].astype(float), sums)


def is_identified(cells: Cells) -> bool:
    """Return whether the labels tell the raters' errors: some unit has three labels or more, and every other rater shares
    a unit with one whose errors are so told. Two labels leave more unknowns than what can be counted.
    """
    raters = [set(np.flatnonzero(row).tolist()) for row in cells.n]
    several = cells.n.sum(axis=1) >= TRIPLE
    seeds = (row for row, has_three in zip(raters, several, strict=True) if has_three)
    resolved: set[int] = set[int]().union(*seeds)
    while more := {rater for row in raters if row & resolved for rater in row} - resolved:
        resolved |= more
    return bool(resolved) and resolved == set[int]().union(*raters)


def fit(cells: Cells, weights: np.ndarray, start: Fit | None = None) -> Fit:
    """Fit the model to `weights` (…, cells), units of each cell, by EM from the vote, or from another fit. Of every two
    steps of EM the course is carried on (SQUAREM, Varadhan and Roland 2008), or many would be needed.
    """
    weights = np.asarray(weights, dtype=float)
    if start is None:
        vote = np.broadcast_to(cells.yes.sum(axis=1) / cells.n.sum(axis=1), weights.shape)
    else:
        vote = posterior(cells, start)
    now = _maximized(cells, weights, vote)
    is_open = np.ones(weights.shape[:-1], dtype=bool)
    for _ in range(MOST):
        at, of = now[is_open], weights[is_open]
        first = _stepped(cells, of, at)
        second = _stepped(cells, of, first)
        change = first - at
        bend = second - first - change
        length = np.linalg.norm(change, axis=-1, keepdims=True)
        ahead = np.maximum(1.0, length / np.maximum(np.linalg.norm(bend, axis=-1, keepdims=True), EDGE))
        far = np.clip(at + 2 * ahead * change + ahead**2 * bend, EDGE, 1 - EDGE)
        now[is_open] = _stepped(cells, of, far)
        is_open[is_open] = length[..., 0] > CLOSE
        if not is_open.any():
            break
    return _oriented(cells, weights, now)


def _stepped(cells: Cells, weights: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """One step of EM: rates, TPR and TNR side by side, (…, groups + 2 raters)."""
    return _maximized(cells, weights, posterior(cells, _parted(cells, parameters)))


def _parted(cells: Cells, parameters: np.ndarray) -> Fit:
    n_groups, n_raters = cells.in_groups.shape[1], cells.n.shape[1]
    return Fit(*np.split(parameters, [n_groups, n_groups + n_raters], axis=-1))


def _maximized(cells: Cells, weights: np.ndarray, posteriors: np.ndarray) -> np.ndarray:
    """The parameters that are likeliest where units are hallucinated as the posteriors have it; ½ of nothing."""
    wrong, is_of = weights * posteriors, cells.in_groups
    right = weights - wrong
    tops = (wrong @ is_of, wrong @ cells.yes, right @ (cells.n - cells.yes))
    bottoms = (weights @ is_of, wrong @ cells.n, right @ cells.n)
    return np.concatenate([_share(*part) for part in zip(tops, bottoms, strict=True)], axis=-1)


def _share(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    return np.where(bottom > EDGE, top / np.maximum(bottom, EDGE), 0.5)


def posterior(cells: Cells, model: Fit) -> np.ndarray:
    """The probability by a fit that a unit of each cell is hallucinated, (…, cells)."""
    rates, tpr, tnr = (np.clip(np.nan_to_num(part, nan=0.5), EDGE, 1 - EDGE) for part in model)
    odds = np.log(rates / (1 - rates)) @ cells.in_groups.T
    odds = odds + np.log(tpr / (1 - tnr)) @ cells.yes.T + np.log((1 - tpr) / tnr) @ (cells.n - cells.yes).T
    return 1 / (1 + np.exp(-np.clip(odds, -700, 700)))


def _oriented(cells: Cells, weights: np.ndarray, parameters: np.ndarray) -> Fit:
    """The fit in which raters are right more often than not: the same likelihood has the classes exchanged. NaN of a
    group without units.
    """
    model = _parted(cells, parameters)
    is_turned = (model.tpr + model.tnr - 1).sum(axis=-1, keepdims=True) < 0
    rates, tpr, tnr = (
        np.where(is_turned, 1 - part, as_is)
        for part, as_is in ((model.rates, model.rates), (model.tnr, model.tpr), (model.tpr, model.tnr))
    )
    return Fit(np.where(weights @ cells.in_groups > 0, rates, np.nan), tpr, tnr)


def expected_unanimity(cells: Cells, model: Fit) -> tuple[float, float]:
    """Return the share of units with two labels or more on which all agree, and as a fit has it; NaN without any."""
    weights, several = cells.sums.sum(axis=0), cells.n.sum(axis=1) >= 2
    rates, (_, tpr, tnr) = model.rates[cells.group], model

    def alike(p: np.ndarray) -> np.ndarray:
        return (p**cells.n).prod(axis=1) + ((1 - p) ** cells.n).prod(axis=1)

    by_model = rates * alike(tpr) + (1 - rates) * alike(tnr)
    agreed = np.isin(cells.yes.sum(axis=1) / cells.n.sum(axis=1), (0, 1))
    total = (weights * several).sum() or np.nan
    return float((weights * several * agreed).sum() / total), float(
        (weights * several * by_model).sum() / total
    )


def rated(cells: Cells, *, n_resamples: int, confidence: float, alpha: float, seed: int) -> Raters | None:
    """The rates of groups by the vote (ties left out) and by the model, and the errors of raters, with intervals over
    clusters; ranks by tests of all pairs on the same resamples, normal tails, Holm-corrected. None where the raters'
    errors are not identified, or there is one cluster in all. Where all raters always agree the model is the vote.
    """
    if not is_identified(cells) or len(cells.sums) < 2:
        return None
    weights, is_of = cells.sums.sum(axis=0), cells.in_groups
    best, sizes = fit(cells, weights), (is_of.shape[1], cells.n.shape[1])

    def statistic(totals: np.ndarray) -> np.ndarray:
        block = max(1, BLOCK // totals.shape[1])
        parts = (fit(cells, totals[at : at + block], best) for at in range(0, len(totals), block))
        return np.concatenate([np.hstack(part) for part in parts])

    draws = bootstrap_sums(cells.sums, n_resamples=n_resamples, seed=seed)
    fits, left_out = statistic(draws), statistic(weights - cells.sums)
    n_defined, ends_of = (
        carrying(cells.sums, statistic),
        partial(bootstrap_interval, n_clusters=len(cells.sums), confidence=confidence),
    )
    intervals = [
        ends_of(value, fits[:, j], left_out=left_out[:, j], n_defined=int(n_defined[j]))
        for j, value in enumerate(np.hstack(best))
    ]
    share = np.divide(cells.yes.sum(axis=1), cells.n.sum(axis=1))
    tops, bottoms = ((share > 0.5)[:, None] * is_of, (share != 0.5)[:, None] * is_of)
    with np.errstate(invalid="ignore", divide="ignore"):
        votes, vote_draws = ((t @ tops) / (t @ bottoms) for t in (weights, draws))
    by_vote = _ranks(votes, vote_draws, alpha)
    by_model = _ranks(best.rates, fits[:, : sizes[0]], alpha)
    n_of = weights @ is_of
    groups = [
        RatedGroup(
            int(n_of[g]),
            share_interval(cells.sums @ tops[:, g], cells.sums @ bottoms[:, g], confidence=confidence),
            by_vote[g], intervals[g], by_model[g],
        )
        for g in range(sizes[0])
    ]  # fmt: skip
    errors = zip(weights @ cells.n, intervals[sizes[0] :], intervals[sum(sizes) :], strict=False)
    return Raters(groups, [Rater(int(n), *ends) for n, *ends in errors], *expected_unanimity(cells, best))


def _ranks(values: np.ndarray, draws: np.ndarray, alpha: float) -> list[RankRange]:
    """The ranks that groups may hold, lowest rate first: of each pair the difference over the spread of its draws."""
    from scipy.special import ndtr

    pairs = list(combinations(range(len(values)), 2))
    gaps = [values[i] - values[j] for i, j in pairs]
    spreads = [float(np.nanstd(draws[:, i] - draws[:, j])) for i, j in pairs]
    p = [
        2 * float(ndtr(-abs(gap) / spread)) if spread > 0 else float(gap == 0)
        for gap, spread in zip(gaps, spreads, strict=True)
    ]
    tests = zip(pairs, gaps, p, holm(p), strict=True)
    compared = [
        Comparison(*pair, float(gap), p, p_holm) for pair, gap, p, p_holm in tests if p_holm is not None
    ]
    return rank_ranges(len(values), compared, alpha=alpha, higher_is_better=False)
