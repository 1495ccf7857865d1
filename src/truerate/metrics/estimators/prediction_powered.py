"""The rate of a cell from labels of some of its own units and flags of all: labels alone, PPI and PPI++
(Angelopoulos et al. 2023; double sampling, Tenenbein 1970), as ratios over things (tokens, facts).

Of a cell with n units, k of them drawn by chance and labelled: q is the flagged share of all units, Q and R
the flagged and the hallucinated share of the labelled ones. θ = R + λ(q − Q). The slope λ is 0 for labels
alone, 1 for PPI; for PPI++ it is the one that fits the labels of the whole board best. It is right on average
for any slope and any detector, as nothing but the draw of the labelled units is used.

Intervals of a dozen labels (`Fit`): a cell's own variance leans on the board's, which grows with p(1 − p) as
that of a share does; each end is the wider one of Student's t and of a score interval (Wilson's idea), as t
is too short above rates near 0 and the score is too sure below them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np

from truerate.metrics.estimators.sample import EXACT, Cell, Key, LabelError, additive_fit
from truerate.metrics.intervals import AGREED, UNIT, Interval, cluster_sums, numbered, wilson, z_of

Target = Literal["these", "model"]  # the rate of these very units, or of all that the model would give
# weight of what the board says of a cell's variance beside its own, in degrees of freedom
PSEUDO_DEGREES = 10.0
SURE_OF = (0.01, 0.99)  # between which a rate is taken to lie where its variance is foretold from it


@dataclass(frozen=True)
class Residuals:
    """What a cell's ratios leave of each unit, per mean total of a unit: `gold` e = (G − R N)/N̄ and
    `flagged` d = (D − Q N)/N̄ of the labelled units, (k,), N̄ their mean; `flagged_of_all` (D − q N)/N̄,
    (n,), N̄ the mean of all.
    """

    cell: Cell
    gold_rate: float
    flagged_rate: float
    flagged_rate_of_labelled: float
    gold: np.ndarray
    flagged: np.ndarray
    flagged_of_all: np.ndarray

    def rate(self, slope: float) -> float:
        """θ = R + λ(q − Q); may leave [0, 1]."""
        return self.gold_rate + slope * (self.flagged_rate - self.flagged_rate_of_labelled)

    def left(self, slope: float) -> np.ndarray:
        """u = e − λ d of the labelled units, (k,)."""
        return self.gold - slope * self.flagged

    def influence(self, slope: float, target: Target) -> np.ndarray:
        """Return how far each unit moves θ, (n,), sum 0: by its label, and about the `model` by its flags."""
        moved = np.zeros(self.cell.n)
        moved[self.cell.is_labelled] = self.left(slope) / self.cell.k
        return moved + slope * self.flagged_of_all / self.cell.n if target == "model" else moved


def residuals(cell: Cell, people: LabelError = EXACT) -> Residuals | None:
    """The residuals of a cell, one person's counts multiplied by their ratio to votes; None where fewer than
    two units are labelled, or these hold nothing. Units drawn with unlike chances count by their weights
    (Hájek 1971).
    """
    inside = cell.is_labelled
    total, flagged, gold = cell.total[inside], cell.flagged[inside], cell.gold[inside]
    if cell.is_alone is not None:
        gold = np.where(cell.is_alone[inside], people.ratio * gold, gold)
    if cell.weight is not None:
        total, flagged, gold = (cell.drawn_weight * counts for counts in (total, flagged, gold))
    if len(total) < 2 or not total.sum():
        return None
    shares = [float(counts.sum() / total.sum()) for counts in (gold, flagged)]
    all_flagged = float(cell.flagged.sum() / cell.total.sum())
    return Residuals(
        cell,
        shares[0],
        all_flagged,
        shares[1],
        (gold - shares[0] * total) / total.mean(),
        (flagged - shares[1] * total) / total.mean(),
        (cell.flagged - all_flagged * cell.total) / cell.total.mean(),
    )


def pooled_slope(cells: Iterable[Residuals]) -> float:
    """λ of PPI++: Σ e d / Σ d² over the labelled units of all cells; 0 where flags do not vary. One slope for
    a board: of the dozen labels of a cell it would be noise.
    """
    products = squares = 0.0
    for cell in cells:
        products += float(cell.gold @ cell.flagged)
        squares += float(cell.flagged @ cell.flagged)
    return products / squares if squares > AGREED else 0.0


class Spread(NamedTuple):
    """How far θ would move if others had been drawn: the variance that one labelled thing would have alone,
    its degrees of freedom, labelled things, the share of the variance that things without labels leave, and
    what people's errors add to it.
    """

    variance_of_one: float
    degrees: float
    n_things: float
    finite: float
    noise: float = 0.0

    @property
    def variance(self) -> float:
        """The variance of θ."""
        return self.finite * self.variance_of_one / self.n_things + self.noise


def spread(left: Residuals, slope: float, target: Target) -> Spread | None:
    """The linearised variance of θ. For `these` units k/(k − 1) Σ(u/k)², times the share of all things that
    are in units without labels (1 − k/n where units are alike; of weighted units each one's chance not to be
    drawn); for the `model` C/(C − 1) times the squares of the influence summed within clusters, C the
    clusters with labels. Units of strata are taken as drawn from all: too wide where a stratum tells its
    labels. None with labels in fewer than two clusters.
    """
    cell = left.cell
    inside = cell.is_labelled
    n_things = float((cell.drawn_weight * cell.total[inside]).sum())
    if target == "these":
        squares = left.left(slope) ** 2
        variance = float(squares.sum()) / (cell.k * (cell.k - 1))
        return Spread(variance * n_things, cell.k - 1, n_things, _finite(cell, squares, n_things))
    moved = cluster_sums(cell.clusters, left.influence(slope, target))[:, 0]
    n_clusters = len(numbered(cell.clusters[inside])[0])
    if n_clusters < 2:
        return None
    variance = float((moved**2).sum()) * n_clusters / (n_clusters - 1)
    return Spread(variance * n_things, n_clusters - 1, n_things, 1.0)


def _finite(cell: Cell, squares: np.ndarray, n_things: float) -> float:
    """The share of a variance of these units that their labels leave. `squares` (k,): of residuals."""
    if cell.weight is None:
        return 1 - n_things / float(cell.total.sum())
    left = cell.without_label
    return float((left * squares).sum() / squares.sum() if squares.sum() > AGREED else left.mean())


class Clustered(NamedTuple):
    """A cell by cluster: sorted `names`, and `sums` (clusters, 3) of influence, units, labelled units."""

    names: np.ndarray
    sums: np.ndarray


def clustered_rate(cell: Cell, *, slope: float, confidence: float) -> Interval | None:
    """θ of the model behind one cell on its own, nothing pooled: Wilson's interval at the number of rows that
    its clustered variance is worth, few labelled clusters widened by Student's t, so it stays in [0, 1].
    Where the variance is 0 each labelled cluster counts as one row. None where fewer than two clusters hold
    labels.
    """
    left = residuals(cell)
    drawn = None if left is None else spread(left, slope, "model")
    if left is None or drawn is None:
        return None
    t = t_of(drawn.degrees, confidence)
    return wilson_of(
        clipped(left.rate(slope)), drawn.variance, n=drawn.degrees + 1, t=t, confidence=confidence
    )


def wilson_of(rate: float, variance: float, *, n: float, t: float, confidence: float) -> Interval:
    """Wilson's interval of a rate at the rows that its variance is worth, `n` where the variance is 0 or the
    rate at an edge (both within rounding), widened from the normal quantile to `t`.
    """
    is_known = variance > AGREED and AGREED < rate < 1 - AGREED
    worth = (rate * (1 - rate) / variance if is_known else n) * (z_of(confidence) / t) ** 2
    return wilson(rate * worth, worth, confidence=confidence)  # type: ignore[return-value]


def t_of(degrees: float, confidence: float) -> float:
    """The two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))


def clipped(rate: float, bounds: tuple[float, float] = UNIT) -> float:
    """The rate, or the nearer bound."""
    return min(bounds[1], max(bounds[0], rate))


def wider_ends(rate: float, variance: float, growth: float, t: float) -> Interval:
    """The interval of a rate whose variance at p is `variance` + growth · (p(1 − p) − rate(1 − rate)): each
    end the wider one of rate ± t√variance and of the score interval, the p with (p − rate)² = t² · variance
    at p. `rate` in [0, 1]. With variance = growth · rate(1 − rate) the score interval is Wilson's of 1/growth
    rows.
    """
    c = t * t * growth
    half, middle = t * sqrt(variance), rate + c / 2
    # (1 + c) p² − (2 rate + c) p + rate² − t² variance + c rate(1 − rate) = 0
    root = sqrt(max(0.0, middle**2 - (1 + c) * (rate**2 - half**2 + c * rate * (1 - rate))))
    low, high = ((middle + sign * root) / (1 + c) for sign in (-1, 1))
    return Interval(rate, max(0.0, min(low, rate - half)), min(1.0, max(high, rate + half)))


# ---- a board -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    """θ of all cells of a board that have labels, with one slope and variances that lean on one another."""

    cells: Mapping[Key, Residuals]
    own_spreads: Mapping[Key, Spread]
    slope: float
    target: Target
    confidence: float
    people: LabelError = EXACT

    @cached_property
    def rates(self) -> dict[Key, float]:
        """θ of each cell; may leave [0, 1]."""
        return {key: left.rate(self.slope) for key, left in self.cells.items()}

    @cached_property
    def foretold(self) -> dict[Key, float]:
        """p(1 − p) of each cell, p half its own rate, half by its model and language (`additive_fit`)."""
        keys = list(self.rates)
        rates = np.array(list(self.rates.values()))
        middle = np.clip((rates + additive_fit(keys, rates)) / 2, *SURE_OF)
        return dict(zip(keys, (middle * (1 - middle)).tolist(), strict=True))

    @cached_property
    def design_effect(self) -> float:
        """Return how many labelled things tell as much as one drawn alone, over the board: Σ degrees ·
        variance of one labelled thing / Σ degrees · p(1 − p). 0 where no cell varies. Of things, not of
        units: in simulated boards whose models write 12 to 200 words both hold over all cells, and this one
        in more of the worst (of short replies with one long one among them).
        """
        squares = sum(drawn.degrees * drawn.variance_of_one for drawn in self.own_spreads.values())
        expected = sum(drawn.degrees * self.foretold[key] for key, drawn in self.own_spreads.items())
        return squares / expected if squares > AGREED else 0.0

    @cached_property
    def spreads(self) -> dict[Key, Spread]:
        """Each cell's variance, its own and at PSEUDO_DEGREES what the board's design effect foretells; a
        board of one cell has its own alone. Where nothing varies each labelled unit counts as one row.
        """
        return {key: self._leaning(key, cell_spread) for key, cell_spread in self.own_spreads.items()}

    def _leaning(self, key: Key, cell_spread: Spread) -> Spread:
        # The spread of labels holds that of people's errors; what is finite of it does not take these away.
        alone, rate = self.alone(key), clipped(self.rates[key])
        noise = (1 - cell_spread.finite) * alone * self.people.noise * rate / cell_spread.n_things
        foretold = self.growth(key) * self.foretold[key]
        if not self.design_effect:
            return cell_spread._replace(variance_of_one=foretold, noise=noise)
        more = PSEUDO_DEGREES if len(self.cells) > 1 else 0.0
        degrees = cell_spread.degrees + more
        variance = (cell_spread.degrees * cell_spread.variance_of_one + more * foretold) / degrees
        return cell_spread._replace(variance_of_one=variance, degrees=degrees, noise=noise)

    def alone(self, key: Key) -> float:
        """The share of a cell's labelled things whose label is one person's."""
        cell = self.cells[key].cell
        if cell.is_alone is None:
            return 0.0
        return float(cell.total[cell.is_labelled & cell.is_alone].sum()) / self.own_spreads[key].n_things

    def tilt(self, key: Key) -> float:
        """The standard deviation that the ratio of people to votes gives θ: the same error in all cells."""
        return self.alone(key) * self.rates[key] * sqrt(self.people.relative_variance)

    @cached_property
    def clusters(self) -> dict[Key, tuple[np.ndarray, np.ndarray]]:
        """The sorted names of each cell's clusters, and the place of each unit's among them (`numbered`)."""
        return {key: numbered(left.cell.clusters) for key, left in self.cells.items()}

    @cached_property
    def by_cluster(self) -> dict[Key, Clustered]:
        """Return what each cell's clusters move."""
        return {key: self._clustered(key, left) for key, left in self.cells.items()}

    def _clustered(self, key: Key, left: Residuals) -> Clustered:
        names, cluster = self.clusters[key]
        each = (left.influence(self.slope, self.target), None, left.cell.is_labelled)
        return Clustered(names, np.stack([np.bincount(cluster, weights) for weights in each], axis=1))

    def growth(self, key: Key) -> float:
        """Return how fast the variance of one labelled thing grows with p(1 − p): a design effect."""
        return self.design_effect or self.own_spreads[key].n_things / self.cells[key].cell.k

    def growth_of_rate(self, key: Key) -> float:
        """Return how fast the variance of a cell's θ grows with p(1 − p)."""
        drawn = self.spreads[key]
        return drawn.finite * self.growth(key) / drawn.n_things

    def interval(self, key: Key) -> Interval:
        """The interval of a cell, in [0, 1]; of width 0 where all is labelled and people do not err. In
        simulated boards of 30 cells it covers .95 to .98 on average and .90 or more in the worst cell from a
        dozen labels on (benchmarks/rates.py); a board of one cell has nothing to lean on: .93 with 30 labels,
        .86 with 12 at a rate of .1, .80 at .02, where a dozen replies often hold no hallucination at all.
        """
        drawn, rate = self.spreads[key], clipped(self.rates[key])
        variance = drawn.variance + self.tilt(key) ** 2
        return wider_ends(rate, variance, self.growth_of_rate(key), t_of(drawn.degrees, self.confidence))


def fit_board(
    cells: Mapping[Key, Residuals],
    *,
    slope: float | None,
    target: Target,
    confidence: float,
    people: LabelError = EXACT,
) -> Fit:
    """θ of every cell with labels, about the `model` in two clusters at least. `slope`: None for the pooled
    one (PPI++), 0 for labels alone, 1 for PPI. `people`: the error of labels by one person (`residuals` too).
    """
    slope = pooled_slope(cells.values()) if slope is None else slope
    spreads = {
        key: drawn for key, left in cells.items() if (drawn := spread(left, slope, target)) is not None
    }
    return Fit({key: cells[key] for key in spreads}, spreads, slope, target, confidence, people)


LEAST_LANGS = (
    3  # labelled languages of a model; of two the spread between languages has one degree of freedom
)


def predicted(fit: Fit, cells: Mapping[Key, Cell]) -> dict[Key, Interval]:
    """Predictive intervals of the cells that have no labels, by the same model's labelled languages.

    y = θ − β q, β the slope of rates on flagged shares between languages within models, 0 where these do not
    vary. A new language has ȳ of the model + β q, and varies by the variance between languages τ² (of y,
    pooled over models, by moments) and that of ȳ: ± t · √(τ²(1 + 1/L) + Σv/L²), t with L − 1 degrees, as what
    is new in a language is new for all its models. In [0, 1], about the nearer bound where the line leaves
    it. A model with fewer than LEAST_LANGS labelled languages has none: it is not identified, and its flagged
    share alone says nothing of its rate.
    """
    by_model: dict[str, list[Key]] = {}
    for key in fit.cells:
        by_model.setdefault(key[0], []).append(key)
    by_model = {model: keys for model, keys in by_model.items() if len(keys) >= LEAST_LANGS}
    if not by_model:
        return {}
    slope = _slope_between(fit, by_model)
    between = _between_languages(fit, by_model, slope)
    intervals = {}
    for key, cell in cells.items():
        if key in fit.cells or key[0] not in by_model or not cell.total.sum():
            continue
        labelled_keys = by_model[key[0]]
        n = len(labelled_keys)
        rate = float(np.mean([_level(fit, labelled, slope) for labelled in labelled_keys]))
        rate += slope * float(cell.flagged.sum() / cell.total.sum())
        variance = sum(fit.spreads[labelled].variance for labelled in labelled_keys) / n**2
        half = t_of(n - 1, fit.confidence) * sqrt(between * (1 + 1 / n) + variance)
        value = min(1.0, max(0.0, rate))
        intervals[key] = Interval(value, max(0.0, value - half), min(1.0, value + half))
    return intervals


def _level(fit: Fit, key: Key, slope: float) -> float:
    return fit.rates[key] - slope * fit.cells[key].flagged_rate


def _slope_between(fit: Fit, by_model: Mapping[str, list[Key]]) -> float:
    """β by least squares about each model's means, in [0, 1]: more flags never foretell a lower rate."""
    products = squares = 0.0
    for keys in by_model.values():
        rates = np.array([fit.rates[key] for key in keys])
        flags = np.array([fit.cells[key].flagged_rate for key in keys])
        products += float(((rates - rates.mean()) * (flags - flags.mean())).sum())
        squares += float(((flags - flags.mean()) ** 2).sum())
    return min(1.0, max(0.0, products / squares)) if squares else 0.0


def _between_languages(fit: Fit, by_model: Mapping[str, list[Key]], slope: float) -> float:
    """τ²: the variance of y between languages less what sampling gives, pooled over models; at least 0."""
    squares = degrees = 0.0
    for keys in by_model.values():
        levels = np.array([_level(fit, key, slope) for key in keys])
        sampled = float(np.mean([fit.spreads[key].variance for key in keys]))
        squares += (len(keys) - 1) * (float(levels.var(ddof=1)) - sampled)
        degrees += len(keys) - 1
    return max(0.0, squares / degrees)
