"""What is known of the units of one cell of a board: what a detector flags of each, what people's labels of
some of them say, and what labelled texts say of the errors of the detector and of one person's label.

A *sampling unit* is what was drawn by chance to be labelled: a reply, or an article with all its replies. It
holds `total` things that may be hallucinated (tokens, facts, or one verdict).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np

from truerate.metrics.intervals import Interval, cluster_sums, effective_n, z_of
from truerate.metrics.rates import (
    RAW,
    ROGAN_GLADEN,
    Corrected,
    Errors,
    Estimate,
    clustered_share,
    corrected_rate,
    hr_est,
    hr_est_interval,
)
from truerate.metrics.score_writer import ScoreWriter

Key = tuple[str, str]  # of a cell: its model and its language
ONE_LANG = "all-langs"  # names the cells of a board of one language


@dataclass(frozen=True)
class Cell:
    """The sampling units of one model in one language.

    `total`, `flagged`, `gold` (units,): how many things a unit holds, how many of them the detector flags (a
    mean over its seeds may be no whole number), how many are hallucinated by its label, NaN where it has
    none. `clusters` (units,): names of what units have in common (articles, entities). `is_alone` (units,):
    whether a label is one person's and not settled by several; None where all are settled, or count as if
    they were. `weight` (units,): how many units a labelled one stands for, 1 over the chance that it had to
    be drawn; None where all had the same chance.
    """

    total: np.ndarray
    flagged: np.ndarray
    gold: np.ndarray
    clusters: np.ndarray
    is_alone: np.ndarray | None = None
    weight: np.ndarray | None = None

    @cached_property
    def is_labelled(self) -> np.ndarray:
        """Return which units have a label, (units,)."""
        return ~np.isnan(self.gold)

    @property
    def n(self) -> int:
        """Units."""
        return len(self.total)

    @cached_property
    def k(self) -> int:
        """Labelled units."""
        return int(self.is_labelled.sum())

    @property
    def labelled_share(self) -> float:
        """Labelled units per unit, f of a finite population; 0 over nothing."""
        return self.k / self.n if self.n else 0.0

    def only(self, inside: np.ndarray) -> "Cell":
        """Some of the units, `inside` (units,) of booleans, or their numbers."""
        if inside.dtype == bool:
            if inside.all():
                return self
            inside = np.flatnonzero(inside)  # found once, for all columns
        columns = (self.total, self.flagged, self.gold, self.clusters)
        more = (self.is_alone, self.weight)
        return Cell(
            *(_some(column, inside) for column in columns),
            *(None if column is None else column[inside] for column in more),
        )

    @property
    def drawn_weight(self) -> np.ndarray:
        """Return what each labelled unit counts beside the others, (k,), 1 on average."""
        if self.weight is None:
            return np.ones(self.k)
        weights = self.weight[self.is_labelled]
        return weights / weights.mean() if len(weights) else weights

    @property
    def without_label(self) -> np.ndarray:
        """The chance of each labelled unit not to be drawn, (k,); of weighted ones alone."""
        return 1 - 1 / self.weight[self.is_labelled] if self.weight is not None else np.zeros(self.k)


def _some(column: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows of a column; one of equal values that takes no room stays so."""
    return column[rows] if column.strides != (0,) else np.broadcast_to(column[:1], rows.shape)


Cells = Mapping[Key, Cell]


def verdicts(is_flagged: np.ndarray, label: np.ndarray, clusters: Sequence[object] | np.ndarray) -> Cell:
    """A cell whose units are single verdicts, each a total of 1; `label` (units,) is NaN without one."""
    flagged = np.asarray(is_flagged, dtype=float)
    return Cell(np.ones(len(flagged)), flagged, np.asarray(label, dtype=float), np.asarray(clusters))


def main_effects(keys: Sequence[Key]) -> np.ndarray:
    """A design of main effects, (cells, columns): ones, and all models and languages but the first."""
    columns = [np.ones(len(keys))]
    for axis in (0, 1):
        names = [key[axis] for key in keys]
        columns += [
            np.array([name == level for name in names], dtype=float) for level in sorted(set(names))[1:]
        ]
    return np.stack(columns, axis=1)


def additive_fit(keys: Sequence[Key], values: np.ndarray) -> np.ndarray:
    """The least squares fit of model and language main effects to the values of cells, (cells,): where every
    model has every language, the mean of its model and of its language less the grand mean.
    """
    design = main_effects(keys)
    return design @ np.linalg.lstsq(design, np.asarray(values, dtype=float), rcond=None)[0]


@dataclass(frozen=True)
class Calibration:
    """Labelled texts on which a detector's errors are known, of the cells themselves or of other texts.
    `sums` (texts, 4): things, hallucinated ones, flagged ones and both at once; `langs`, `models` (whose text
    it is; the writer's name for passages made by one), `clusters` (texts,).
    """

    sums: np.ndarray
    langs: np.ndarray
    models: np.ndarray
    clusters: np.ndarray

    @classmethod
    def of_verdicts(
        cls, gold: np.ndarray, flagged: np.ndarray, clusters: np.ndarray, *, models: np.ndarray
    ) -> "Calibration":
        """Verdicts on labelled texts of a board of one language, each text as much as another."""
        sums = np.stack([np.ones(len(gold)), gold, flagged, gold * flagged], axis=1).astype(float)
        return cls(sums, np.full(len(gold), ONE_LANG), models, clusters)

    def of_lang(self, lang: str) -> "Calibration":
        """The texts of one language."""
        inside = self.langs == lang
        columns = (self.sums, self.langs, self.models, self.clusters)
        return Calibration(*(column[inside] for column in columns))


@dataclass(frozen=True)
class LabelError:
    """`ratio`: hallucinated things by the vote per thing that one person marks, by which counts of one person
    are multiplied; `relative_variance`: the variance of that ratio over its square; `noise`: the variance of
    one person's multiplied count about the vote, per thing that is hallucinated by the vote.
    """

    ratio: float = 1.0
    relative_variance: float = 0.0
    noise: float = 0.0


EXACT = LabelError()  # labels count as they are


def label_error(votes: np.ndarray, each: np.ndarray, clusters: Sequence[object]) -> LabelError | None:
    """The error of one person's labels on texts that several labelled.

    `votes` (texts,): hallucinated things of each text by the vote; `each` (texts, people): by each person,
    NaN for who did not label it; `clusters` (texts,). With m the mean over people, ratio = Σ votes / Σ m (a
    ratio estimate over texts; two-phase sampling, Cochran 1977, 12), its variance linearised over clusters;
    noise = Σ mean (ratio · each − votes)² / Σ votes. A person is a part of the vote, which makes both a
    little small. The vote itself counts as true. None with votes or marks of nothing, or fewer than two
    clusters.
    """
    votes, each = np.asarray(votes, dtype=float), np.asarray(each, dtype=float)
    is_told = ~np.isnan(each).all(axis=1) if each.size else np.zeros(0, dtype=bool)
    votes, each = votes[is_told], each[is_told]
    means = np.nanmean(each, axis=1) if len(each) else votes
    if not means.sum() or not votes.sum():
        return None
    ratio = float(votes.sum() / means.sum())
    names = np.asarray(clusters)[is_told].tolist()
    left = cluster_sums(names, votes - ratio * means)[:, 0]
    if len(left) < 2:
        return None
    variance = len(left) / (len(left) - 1) * float((left**2).sum()) / float(means.sum()) ** 2
    noise = np.nanmean((ratio * each - votes[:, None]) ** 2, axis=1).sum() / votes.sum()
    return LabelError(ratio, variance / ratio**2, float(noise))


def errors_of(cell: Cell, *, confidence: float) -> Errors:
    """TPR and FPR over labelled single verdicts; a share of nothing where a class has no two clusters."""
    labelled = cell.only(cell.is_labelled)
    label = labelled.gold.astype(bool)
    sides = (np.stack([side * labelled.flagged, side], axis=1) for side in (label, ~label))
    sums = [cluster_sums(labelled.clusters, side) for side in sides]
    return Errors(*(clustered_share(*of_side.T, confidence=confidence) for of_side in sums))


def estimates(cell: Cell, calibrated: Mapping[str, Errors], writer: ScoreWriter) -> list[Estimate]:
    """The raw rate of a cell, and corrected by errors on labelled units of each kind."""
    sums, confidence = flagged_sums(cell), writer.statistics.confidence
    corrected = {
        kind: corrected_rate(sums, errors, confidence=confidence) for kind, errors in calibrated.items()
    }
    raw = Estimate(RAW, None, writer.share_interval(*sums.T))
    return [raw, *(Estimate(ROGAN_GLADEN, kind, rate) for kind, rate in corrected.items())]


def flagged_sums(cell: Cell) -> np.ndarray:
    """Flagged things and all of them within clusters, (clusters, 2)."""
    return cluster_sums(cell.clusters, np.stack([cell.flagged, cell.total], axis=1))


def errors_on(texts: Calibration, *, confidence: float) -> Errors:
    """TPR and FPR over the things of labelled texts, each worth the rows that its clusters are."""
    total, gold, flagged, both = cluster_sums(texts.clusters, texts.sums).T
    return Errors(
        clustered_share(both, gold, confidence=confidence),
        clustered_share(flagged - both, total - gold, confidence=confidence),
    )


def estimated(cell: Cell, texts: Calibration, *, confidence: float) -> Interval | None:
    """mFAVA's HR_est (`rates.hr_est_interval`) of the cell; units and texts of one cluster are kept together.
    NaN ends where nothing says how far it may move; None where precision or recall is not defined or is 0.
    """
    _, gold, flagged, both = texts.sums.sum(axis=0)
    precision, recall = (both / n if n else None for n in (flagged, gold))
    value = hr_est(precision, recall, cell.flagged.sum(), cell.total.sum())
    if value is None:
        return None
    n = cell.n
    sides = np.zeros((n + len(texts.sums), 4))
    sides[:n, 0], sides[:n, 1], sides[n:, 2:] = cell.flagged, cell.total, texts.sums[:, 1:3]
    names: Sequence[object] = np.concatenate([cell.clusters, texts.clusters]).tolist()
    interval = hr_est_interval(cluster_sums(names, sides), confidence=confidence)
    return interval or Interval(float(value), np.nan, np.nan)


def shares_clusters(cells: Sequence[Cell], texts: Sequence[Calibration]) -> bool:
    """Return whether a cluster stands behind two languages' estimates, which then depend on one another.
    `texts`: what each language was calibrated on; empty for estimates without.
    """
    if len(cells) < 2 and not texts:
        return False
    names = [np.unique(np.asarray(cell.clusters, dtype=str)) for cell in cells]
    for number, calibration in enumerate(texts):
        names[number] = np.union1d(names[number], np.asarray(calibration.clusters, dtype=str))
    return len(np.unique(np.concatenate(names))) < sum(map(len, names)) if names else False


# ---- how far a detector's errors differ between models -----------------------------------------------------

LEAST_SPREAD = (
    0.01  # p(1 − p) of a share, at least: a cell of few texts with none flagged is not known so well
)


class Between(NamedTuple):
    """Variances between models of a detector's TPR and FPR, and how many models' texts tell them."""

    tpr: float
    fpr: float
    n_models: int


def between_models(texts: Calibration) -> Between:
    """DerSimonian and Laird's (1986) variance between models within languages, of TPR and of FPR. 0 where no
    language has two models: the interval then says nothing of models that were not labelled.
    """
    total, gold, flagged, both = np.asarray(texts.sums, dtype=float).T
    return Between(
        between_groups(both, gold, texts),
        between_groups(flagged - both, total - gold, texts),
        len(np.unique(texts.models)),
    )


def between_groups(tops: np.ndarray, bottoms: np.ndarray, texts: Calibration) -> float:
    """τ² of the shares Σ tops / Σ bottoms of each model within each language; `tops`, `bottoms` (texts,).
    With weights w = 1/v of shares p: Q = Σ w (p − p_l)², τ² = max(0, (Q − Σ(K_l − 1)) / Σ_l (Σw − Σw²/Σw)),
    K_l the models of a language. v = p_l(1 − p_l) · design effect / n, the design effect that of clusters in
    the language.
    """
    excess = scale = 0.0
    for lang in np.unique(texts.langs):
        inside = (texts.langs == lang) & (bottoms > 0)
        sums = cluster_sums(texts.models[inside].tolist(), np.stack([tops[inside], bottoms[inside]], axis=1))
        if len(sums) < 2:
            continue
        share = float(sums[:, 0].sum() / sums[:, 1].sum())
        effect = _design_effect(tops[inside], bottoms[inside], texts.clusters[inside])
        weights = sums[:, 1] / (max(share * (1 - share), LEAST_SPREAD) * effect)
        excess += float((weights * (sums[:, 0] / sums[:, 1] - share) ** 2).sum()) - (len(sums) - 1)
        scale += float(weights.sum() - (weights**2).sum() / weights.sum())
    return max(0.0, excess / scale) if scale else 0.0


def _design_effect(tops: np.ndarray, bottoms: np.ndarray, clusters: np.ndarray) -> float:
    """Rows per row of independent ones, at least 1."""
    sums = cluster_sums(clusters.tolist(), np.stack([tops, bottoms], axis=1))
    worth = effective_n(*sums.T)
    return max(1.0, float(bottoms.sum()) / worth) if worth else 1.0


def widened(
    rate_found: Corrected | None, gap: float, between: Between, *, confidence: float
) -> Corrected | None:
    """A Rogan–Gladen rate with the variance between models in its interval: each side is the root of its own
    square and of (z · sd)², sd² = (τ_F²(1 − π)² + τ_T²π²)/(TPR − FPR)². `gap`: TPR − FPR.
    """
    if rate_found is None or rate_found.value is None or rate_found.low is None or rate_found.high is None:
        return rate_found
    rate = rate_found.value
    more = z_of(confidence) ** 2 * (between.fpr * (1 - rate) ** 2 + between.tpr * rate**2) / gap**2
    low = rate - sqrt((rate - rate_found.low) ** 2 + more)
    high = rate + sqrt((rate_found.high - rate) ** 2 + more)
    return rate_found._replace(low=max(0.0, low), high=min(1.0, high))
