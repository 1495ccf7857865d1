"""The rate of one group of answers from flags of all and labels of some, and what more labels would give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import sqrt

import numpy as np

from truerate.metrics.estimators.choice import used
from truerate.metrics.estimators.designs import N_BANDS, band_ends
from truerate.metrics.estimators.grid import Combined, Plan, combined, design_effect_of, model_differences
from truerate.metrics.estimators.label_groups import (
    are_by_group,
    grouped_rate,
    n_labelled_groups,
    system_rate,
)
from truerate.metrics.estimators.prediction_powered import Fit, Target, clipped, fit_board, residuals, t_of
from truerate.metrics.estimators.registry import LABELS_ALONE, estimate_board
from truerate.metrics.estimators.sample import Cell, flagged_sums
from truerate.metrics.intervals import Interval, are_rising, jeffreys, share_interval, wilson
from truerate.metrics.rates import PREDICTION_POWERED, RAW
from truerate.metrics.score_writer import ALL

LEAST_LABELS = 10  # labelled answers of a group below which it has an interval and no point
MANY = 10**9  # answers of a system, where a comparison is about all that it would give
NOTHING_KNOWN = (0.0, 1.0)
EXACT, NOT_IDENTIFIED = "exact", "not-identified"
MOST_BANDS = 5  # values of a detector, or strata of a draw, that are bands as they are
LEAST_OF_BAND = 8  # labels for each band of a score
FEW_OPEN = 3  # answers without a label for which no approximation is good
HEAD = 1000  # units in which many values show already
ENOUGH = 20_000  # units, evenly over all, of which the bands of a score are those of all
BY_CHANCE = 0.001  # a chance below which labels were picked, not drawn
SURE_TURNED = 3.0  # standard errors from which a detector is called the wrong way round
LEAST_SKEW = 1e-6  # a smaller one is rounding


@dataclass(frozen=True)
class Rate:
    """The rate of one group. `n`, `k`: answers, labelled ones; `raw`: the flagged share with the interval of
    its draw; `value` None: not identified, `low` and `high` then say what labels leave open; all three None:
    nobody labelled. `estimator`: of the registry, or EXACT where all are labelled. `alone`: labels without
    the detector. `halved`: labels more that halve the interval; None where all answers would not. `system`:
    the rate of all that would be answered so, these answers being drawn. `groups`: labelled groups, where
    labels were given group by group.
    """

    group: str
    n: int
    k: int
    raw: Interval | None
    value: float | None
    low: float | None
    high: float | None
    estimator: str
    why: str
    alone: Interval | None = None
    halved: int | None = None
    system: Interval | None = None
    groups: int | None = None


def rate_of(
    group: str,
    cell: Cell,
    *,
    confidence: float = 0.95,
    is_by_group: bool | None = None,
    judged: Cell | None = None,
) -> Rate:
    """The rate of these very answers: exact where all are labelled; from labels that were given group by
    group (`is_by_group`; None: as `are_by_group` sees) `grouped_rate`; else by the estimator that the
    registry chooses.

    Fewer than LEAST_LABELS labels: the hull of its interval and of Wilson's of the labelled ones alone,
    without a point. Labels of one group: what the other answers leave open. No label at all: the flagged
    share alone. Labels of one kind of answers alone, by what the detector says: what the others leave open. Nothing
    in it: None everywhere. `judged`: the units whose flagged share is told; None: all.
    """
    key, raw = (group, ALL), raw_of(cell if judged is None else judged, confidence=confidence)
    if not cell.n or not cell.total.sum():
        return Rate(group, cell.n, cell.k, raw, None, None, None, "none", "no answers")
    names = (LABELS_ALONE, PREDICTION_POWERED)
    estimates = estimate_board({key: cell}, confidence=confidence, names=names)[key]
    intervals = {
        estimate.estimator: estimate.interval
        for estimate in estimates
        if isinstance(estimate.interval, Interval)
    }
    unlabelled = "nobody labelled answers here"
    rate = Rate(group, cell.n, cell.k, raw, None, None, None, RAW, unlabelled)
    if not cell.k:
        return rate
    rate = replace(rate, estimator=NOT_IDENTIFIED, system=system_rate(cell, confidence=confidence))
    if cell.k == cell.n:
        value = float(cell.gold.sum() / cell.total.sum())
        why = "all are labelled: exact for these answers"
        return replace(rate, value=value, low=value, high=value, estimator=EXACT, why=why)
    if are_by_group(cell) if is_by_group is None else is_by_group:
        return replace(_by_group(group, cell, confidence), raw=rate.raw, system=rate.system)
    if why := _of_one_kind(cell):
        low, high = _open(cell)
        return replace(rate, low=low, high=high, why=why, system=None)
    chosen = used(estimates)
    interval = intervals.get(chosen.estimate.estimator) if chosen.estimate else None
    if cell.k < LEAST_LABELS:
        low, high = _hull(cell, interval, confidence)
        return replace(rate, low=low, high=high, why=_few(cell))
    if chosen.estimate is None or interval is None:  # labelled answers without a word
        low, high = NOTHING_KNOWN
        return replace(rate, low=low, high=high, why=chosen.why, system=None)
    alone = intervals.get(LABELS_ALONE)
    if alone is not None:
        alone = wider(replace(cell, flagged=np.broadcast_to(0.0, cell.n)), alone, confidence=confidence)
    ends, more = wider(cell, interval, confidence=confidence), labels_to_halve(cell)
    name = chosen.estimate.estimator
    return replace(rate, **ends._asdict(), estimator=name, why=chosen.why, alone=alone, halved=more)


def _of_one_kind(cell: Cell) -> str:
    """Why nothing tells of the answers that the detector scores above, or below, all that are labelled: so many that a
    draw would have missed them in less than BY_CHANCE of cases. Else empty, as where labels have weights.
    """
    if cell.weight is not None or not (cell.total == 1).all():
        return ""
    of_labels = cell.flagged[cell.is_labelled]
    above, below = cell.flagged > of_labels.max(), cell.flagged < of_labels.min()
    for side, missed in (("above", above), ("below", below)):
        if 2 * (1 - missed.mean()) ** cell.k < BY_CHANCE:
            what = (
                f"none of the {missed.sum()} answers is labelled that the detector puts {side} all that are"
            )
            return f"{what}: labels were picked by it; draw them from all answers"
    return ""


def _few(cell: Cell) -> str:
    return f"{cell.k} labelled, {LEAST_LABELS} are needed for a point"


def _by_group(group: str, cell: Cell, confidence: float) -> Rate:
    """The rate from labels that were given group by group."""
    n_groups = n_labelled_groups(cell)
    open_rate = Rate(group, cell.n, cell.k, None, None, *_open(cell), NOT_IDENTIFIED, "", groups=n_groups)
    interval = grouped_rate({group: cell}, confidence=confidence)
    if interval is None:
        return replace(open_rate, why="all labels are of one group: nothing tells how groups differ")
    if cell.k < LEAST_LABELS:
        low, high = _hull(cell, interval, confidence)
        return replace(open_rate, low=low, high=high, why=_few(cell))
    alone = grouped_rate({group: replace(cell, flagged=np.broadcast_to(0.0, cell.n))}, confidence=confidence)
    why = f"labels were given group by group: variance between {n_groups} labelled groups"
    return replace(
        open_rate,
        **interval._asdict(),
        estimator=PREDICTION_POWERED,
        why=why,
        alone=alone,
        halved=labels_to_halve(cell),
    )


def _open(cell: Cell) -> tuple[float, float]:
    """The rates of these answers if none and if all of what is not labelled is hallucinated."""
    total, inside = float(cell.total.sum()), cell.is_labelled
    hallucinated = float(cell.gold[inside].sum())
    return hallucinated / total, 1 - (float(cell.total[inside].sum()) - hallucinated) / total


def _hull(cell: Cell, estimate: Interval | None, confidence: float) -> tuple[float, float]:
    """The ends that neither few labels alone nor the estimate leave, within what the answers without a label leave
    open; an answer counts as one row of them.
    """
    inside = cell.is_labelled
    share = float(cell.gold[inside].sum() / max(cell.total[inside].sum(), 1.0))
    of_labels = wilson(share * cell.k, cell.k, confidence=confidence)
    ends = [end for end in (of_labels, estimate) if end is not None]
    low, high = _open(cell)
    return max(low, min(end.low for end in ends)), min(high, max(end.high for end in ends))


def wider(cell: Cell, interval: Interval, *, confidence: float = 0.95) -> Interval:
    """Of whole verdicts the interval of `by_bands`; else the interval with each end the wider one of its own
    and of `for_skew`'s about its own value: a group alone has no board to lean on, and labels that hold none
    of the few answers in which most hallucinated words stand say too little of its upper end.
    """
    if (banded := by_bands([cell], confidence=confidence)) is not None:
        return banded
    other = for_skew(cell, confidence=confidence)
    if other is None:
        return interval
    return Interval(
        interval.value,
        max(0.0, min(interval.low, interval.value - other.value + other.low)),
        min(1.0, max(interval.high, interval.value - other.value + other.high)),
    )


def by_bands(cells: Sequence[Cell], *, confidence: float) -> Interval | None:
    """The rate of cells (systems, strata) post-stratified by what the detector says (`_bands`), in [0, 1]:
    Σ share of a band · its labelled rate, of unlike chances to be drawn the weighted one (Hájek 1971); with
    Jeffreys' interval of each band at the rows that its labels are worth (Kish's (Σw)² / Σw², over the share
    that has none), put together by square-and-add (Zou & Donner 2008). For a detector of yes and no this is
    PPI++ with a slope of each cell's own. Where FEW_OPEN answers or fewer have no label, the interval is all that
    they leave open. None where units are no single verdicts, or a cell has no label.

    In simulated draws of 20 to 200 labels at rates .02 to .3 it covers .93 to .98 (benchmarks/rate_peers.py).
    """
    if not all((cell.total == 1).all() and cell.k for cell in cells):
        return None
    n = sum(cell.n for cell in cells)
    value = below = above = 0.0
    for cell in cells:
        for size, gold, weight in _bands(cell):
            share = size / n
            left = 1 - len(gold) / size if cell.weight is None else _without_label(weight)
            rate = float(weight @ gold / weight.sum())
            value += share * rate
            if left > 0:
                worth = float(weight.sum() ** 2 / (weight @ weight)) / left
                low, high = jeffreys(rate * worth, worth, confidence=confidence)
                below += (share * (rate - low)) ** 2
                above += (share * (high - rate)) ** 2
    # what the other answers leave open bounds the rate, whatever the labels say
    hallucinated, sound = (sum(float((cell.gold == label).sum()) for cell in cells) for label in (1, 0))
    bounds = (hallucinated / n, 1 - sound / n)
    if n - hallucinated - sound <= FEW_OPEN:  # each may be either
        return Interval(clipped(value, bounds), *bounds)
    return Interval(*(clipped(end, bounds) for end in (value, value - sqrt(below), value + sqrt(above))))


def is_turned(cell: Cell) -> bool:
    """Return whether a detector flags labelled answers that are sound more often than hallucinated ones, by more
    than SURE_TURNED standard errors of the difference.
    """
    inside = cell.is_labelled
    flagged, gold = cell.flagged[inside] / cell.total[inside], cell.gold[inside] > 0
    if min(gold.sum(), (~gold).sum()) < 2:
        return False
    sides = [flagged[gold], flagged[~gold]]
    error = sqrt(sum(float(side.var(ddof=1)) / len(side) for side in sides) + 1 / cell.k**2)
    return float(sides[0].mean() - sides[1].mean()) < -SURE_TURNED * error


def _without_label(weight: np.ndarray) -> float:
    """The share of a band's variance that labels leave which were drawn with unlike chances."""
    return float(np.square(weight) @ (1 - 1 / weight) / (weight @ weight))


def _bands(cell: Cell) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """The units of a cell by what the detector says: where it was drawn by that, the strata of the draw
    (`_drawn_from`); else each value where these are MOST_BANDS at most, else the bands by which a draw would go
    (`designs.band_ends`), LEAST_OF_BAND labels for each; together where one has no label. Of each its units, and of
    the labelled ones label and weight.
    """
    inside = cell.is_labelled
    flagged, gold = cell.flagged[inside], cell.gold[inside]
    weight = np.ones(cell.k) if cell.weight is None else cell.weight[inside]
    ends = None if cell.weight is None else _drawn_from(flagged, weight)
    if ends is None:
        values = np.unique(cell.flagged[:HEAD])
        ends = (np.unique(cell.flagged) if len(values) <= MOST_BANDS else values)[:-1]
        if len(ends) >= MOST_BANDS:
            some = cell.flagged[:: max(1, cell.n // ENOUGH)]
            ends = band_ends(some, max(1, min(N_BANDS, cell.k // LEAST_OF_BAND)))
    from_each = [cell.n, *(int((cell.flagged > end).sum()) for end in ends), 0]
    band = np.searchsorted(ends, flagged, side="left")
    bands = [
        (here - above, gold[band == index], weight[band == index])
        for index, (here, above) in enumerate(pairwise(from_each))
    ]
    return bands if all(len(gold) for _, gold, _ in bands) else [(cell.n, gold, weight)]


def _drawn_from(flagged: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
    """What the detector says half-way between the strata by which labels were drawn, where these are ranges of it:
    weights change at 1 to MOST_BANDS − 1 places along it. Else None. Both arguments (k,), of labelled units.
    """
    order = np.lexsort((weight, flagged))
    weight, flagged = weight[order], flagged[order]
    first = np.flatnonzero(~np.isclose(weight[1:], weight[:-1])) + 1
    if not 0 < len(first) < MOST_BANDS or (flagged[first] == flagged[first - 1]).any():
        return None
    ends: np.ndarray = (flagged[first] + flagged[first - 1]) / 2
    return ends


def for_skew(cell: Cell, *, confidence: float) -> Interval | None:
    """The rate with the interval of a mean of skewed values: the roots of Hall's cubic transformation of
    Student's t (Hall 1992, On the removal of skewness by transformation), of what labels leave of each
    answer. None with fewer than two labels, or where these leave nothing or do not vary.
    """
    fit = _fit({"": cell}, "these", confidence)
    if not fit.cells or cell.k == cell.n:
        return None
    ((key, cell_residuals),) = fit.cells.items()
    cell_spread, value = fit.own_spreads[key], fit.rates[key]
    left = cell_residuals.left(fit.slope)
    deviation = float(left.std())
    if not deviation or not cell_spread.variance:
        return None
    skew = float(np.mean((left - left.mean()) ** 3)) / deviation**3
    t = t_of(cell_spread.degrees, confidence)
    below, above = (unskewed(end, skew, cell.k) * sqrt(cell_spread.variance) for end in (t, -t))
    return Interval(value, value - below, value - above)


def unskewed(t: float, skew: float, n: int) -> float:
    """The inverse of g(t) = t + γ (t² / 3 + 1/6) / √n + γ² t³ / 27n, by which a mean of n values with
    skewness γ over its standard error becomes nearly normal: (√n · 3/γ) (∛(1 + γ (t / √n − γ / 6n)) − 1); t
    where γ is 0.
    """
    if abs(skew) < LEAST_SKEW:
        return t
    return sqrt(n) * 3 / skew * float(np.cbrt(1 + skew * (t / sqrt(n) - skew / (6 * n))) - 1)


def labels_to_halve(cell: Cell) -> int:
    """Return how many more labels, drawn alike, leave a quarter of the variance, (1 − k/n) / k of one label's."""
    return int(np.ceil(1 / (1 / cell.n + (1 / cell.k - 1 / cell.n) / 4))) - cell.k


def _fit(cells: Mapping[str, Cell], target: Target, confidence: float) -> Fit:
    by_key = {(name, ALL): left for name, cell in cells.items() if (left := residuals(cell)) is not None}
    return fit_board(by_key, slope=None, target=target, confidence=confidence)


@dataclass(frozen=True)
class Separation:
    """Two systems by their corrected rates: the difference first − second with its interval, its p-value
    after Holm's correction, and how many labels in all a system needs until a difference of this size is told
    apart (power .8); `labels` None where there is no difference.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    labels: int | None


@dataclass(frozen=True)
class Systems:
    """The systems of a file compared over all answers they would give, paired by question."""

    cells: Mapping[str, Cell]
    confidence: float = 0.95

    @cached_property
    def fit(self) -> Fit:
        """θ of the systems with LEAST_LABELS labels at least."""
        enough = {name: cell for name, cell in self.cells.items() if cell.k >= LEAST_LABELS}
        return _fit(enough, "model", self.confidence)

    def pairs(self) -> list[Separation]:
        """Every two systems that have labels enough, in the order of their names."""
        names = sorted(name for name, _ in self.fit.cells)
        return [self._separation(*difference) for difference in model_differences(self.fit, names, [ALL])]

    def _separation(self, first: str, second: str, combination: Combined, p: float) -> Separation:
        interval = combination.interval(self.confidence, bounds=(-1.0, 1.0))
        middle = np.mean([self.fit.rates[name, ALL] for name in (first, second)])
        plan = Plan(MANY, 1, float(np.clip(middle, 0.01, 0.99)), design_effect_of(self.fit), self.confidence)
        gap = abs(interval.value)
        labels = plan.labels_to_separate(gap) if gap > 1e-6 else None
        return Separation(first, second, interval.value, interval.low, interval.high, p, labels)


def over_systems(cells: Mapping[str, Cell], *, confidence: float = 0.95) -> Interval | None:
    """The rate of all answers put together from those of the systems by what they hold: right where systems
    were labelled in unlike shares, answer by answer (group by group: `grouped_rate`). None where one of them
    has fewer than two labels.
    """
    fit = _fit(cells, "these", confidence)
    sizes = {name: float(cell.total.sum()) for name, cell in cells.items()}
    weights = {(name, ALL): size / sum(sizes.values()) for name, size in sizes.items()}
    combination = combined(fit, weights)
    return None if combination is None else combination.mean(confidence)


def with_unjudged(total: np.ndarray, flagged: np.ndarray) -> np.ndarray:
    """Flags with unjudged ones (NaN) at the share of all others; 0 where nothing was judged."""
    is_told = ~np.isnan(flagged)
    n_judged = total[is_told].sum()
    share = flagged[is_told].sum() / n_judged if n_judged else 0.0
    return flagged if is_told.all() else np.where(is_told, flagged, share * total)


def raw_of(cell: Cell, *, confidence: float = 0.95) -> Interval | None:
    """The flagged share with the interval of its draw, of units that were all judged; None over nothing."""
    if not cell.n or not cell.total.sum():
        return None
    is_alone = are_rising(cell.clusters)  # no sums to copy
    sums = (cell.flagged, cell.total) if is_alone else flagged_sums(cell).T
    return share_interval(*sums, confidence=confidence)


def groups(values: Sequence[str]) -> dict[str, np.ndarray]:
    """The rows of each value, (rows,) of booleans, values in sorted order."""
    names = np.asarray(values, dtype=object)
    return {value: names == value for value in sorted(set(values))}
