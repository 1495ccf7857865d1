"""What is known of the units of one cell of a board: what a detector flags of each, and what people's labels of
some of them say.

A *sampling unit* is what was drawn by chance to be labelled: a reply, or an article with all its replies. It
holds `total` things that may be hallucinated (tokens, facts, or one verdict).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truerate.metrics.intervals import cluster_sums

Key = tuple[str, str]  # of a cell: its model and its language


@dataclass(frozen=True)
class Cell:
    """The sampling units of one model in one language.

    `total`, `flagged`, `gold` (units,): how many things a unit holds, how many of them the detector flags
    (a mean over its seeds may be no whole number), how many are hallucinated by its label, NaN where it has
    none. `clusters` (units,): names of what units have in common (articles, entities). `is_alone` (units,): whether
    a label is one person's and not settled by several; None where all are settled, or count as if they were.
    `weight` (units,): how many units a labelled one stands for, 1 over the chance that it had to be drawn; None where
    all had the same chance. `strata` (units, strata, 2): how many flagged things, and things at all, a unit holds in
    each stratum in which a detector may err differently; None where there are no strata.
    """

    total: np.ndarray
    flagged: np.ndarray
    gold: np.ndarray
    clusters: np.ndarray
    is_alone: np.ndarray | None = None
    weight: np.ndarray | None = None
    strata: np.ndarray | None = None

    @property
    def is_labelled(self) -> np.ndarray:
        """Which units have a label, (units,)."""
        return ~np.isnan(self.gold)

    @property
    def n(self) -> int:
        """Units."""
        return len(self.total)

    @property
    def k(self) -> int:
        """Labelled units."""
        return int(self.is_labelled.sum())

    @property
    def labelled_share(self) -> float:
        """Labelled units per unit, f of a finite population; 0 over nothing."""
        return self.k / self.n if self.n else 0.0

    def only(self, inside: np.ndarray) -> "Cell":
        """Some of the units."""
        columns = (self.total, self.flagged, self.gold, self.clusters)
        more = (self.is_alone, self.weight, self.strata)
        return Cell(
            *(column[inside] for column in columns), *(None if one is None else one[inside] for one in more)
        )

    @property
    def drawn_weight(self) -> np.ndarray:
        """What each labelled unit counts beside the others, (k,), 1 on average."""
        if self.weight is None:
            return np.ones(self.k)
        own = self.weight[self.is_labelled]
        return own / own.mean() if len(own) else own

    @property
    def without_label(self) -> np.ndarray:
        """The chance of each labelled unit not to be drawn, (k,); of weighted ones alone."""
        return 1 - 1 / self.weight[self.is_labelled] if self.weight is not None else np.zeros(self.k)


Cells = Mapping[Key, Cell]


def verdicts(is_flagged: np.ndarray, label: np.ndarray, clusters: Sequence[object] | np.ndarray) -> Cell:
    """A cell whose units are single verdicts, each a total of 1; `label` (units,) is NaN where there is none."""
    flagged = np.asarray(is_flagged, dtype=float)
    return Cell(np.ones(len(flagged)), flagged, np.asarray(label, dtype=float), np.asarray(clusters))


def by_cluster(cell: Cell) -> Cell:
    """The cell with whole clusters as its sampling units, in the sorted order of their names: for labels that
    were drawn by article, or about all replies that a model would give.

    A cluster is labelled where each of its units is: labels of others are left out. Its label is one person's
    where that of a unit is. ValueError where units have weights: clusters were not drawn with these.
    """
    if cell.weight is not None:
        raise ValueError("units drawn with unlike chances cannot be put together by cluster")
    gold = np.where(cell.is_labelled, cell.gold, 0.0)
    is_alone = np.zeros(cell.n) if cell.is_alone is None else cell.is_alone
    columns = np.stack([cell.total, cell.flagged, gold, ~cell.is_labelled, is_alone], axis=1)
    total, flagged, gold, n_missing, n_alone = cluster_sums(cell.clusters, columns).T  # type: ignore[arg-type]
    names = np.unique(np.asarray(cell.clusters, dtype=str))
    alone = None if cell.is_alone is None else n_alone > 0
    return Cell(total, flagged, np.where(n_missing == 0, gold, np.nan), names, alone)


def main_effects(keys: Sequence[Key]) -> np.ndarray:
    """A design of model and language main effects, (cells, columns): a column of ones, and one per model and
    language but the first of each.
    """
    columns = [np.ones(len(keys))]
    for place in (0, 1):
        names = [key[place] for key in keys]
        columns += [np.array([name == one for name in names], dtype=float) for one in sorted(set(names))[1:]]
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
    it is; the writer's name for passages made by one), `clusters` (texts,). `strata` (texts, strata, 4): the same
    sums in each stratum, None where there are none.
    """

    sums: np.ndarray
    langs: np.ndarray
    models: np.ndarray
    clusters: np.ndarray
    strata: np.ndarray | None = None

    def of_lang(self, lang: str) -> "Calibration":
        """The texts of one language."""
        inside = self.langs == lang
        strata = None if self.strata is None else self.strata[inside]
        return Calibration(
            self.sums[inside], self.langs[inside], self.models[inside], self.clusters[inside], strata
        )
