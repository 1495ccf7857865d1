"""What a detector flags of a cell, and what labelled texts, which need not be the cell's own, say of its errors:
for mFAVA's HR_est and Rogan and Gladen's rate (`unit_rates.corrected_rate`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerate.metrics.estimators.sample import Calibration, Cell
from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.rates import clustered_share, hr_est, hr_est_interval
from truerate.metrics.unit_rates import Errors


def flagged_sums(cell: Cell) -> np.ndarray:
    """Flagged things and all of them within clusters, (clusters, 2)."""
    return cluster_sums(cell.clusters, np.stack([cell.flagged, cell.total], axis=1))  # type: ignore[arg-type]


def flagged_strata(cell: Cell) -> np.ndarray:
    """Flagged things and all of them in each stratum within clusters, (clusters, strata, 2), of a cell with strata."""
    strata = np.asarray(cell.strata, dtype=float)
    return cluster_sums(cell.clusters, strata.reshape(len(strata), -1)).reshape(-1, *strata.shape[1:])  # type: ignore[arg-type]


def errors_by_stratum(texts: Calibration, *, confidence: float) -> list[Errors]:
    """`errors_on` of the things of each stratum, of texts with strata."""
    strata = np.asarray(texts.strata, dtype=float)
    each = (replace(texts, sums=strata[:, place], strata=None) for place in range(strata.shape[1]))
    return [errors_on(one, confidence=confidence) for one in each]


def errors_on(texts: Calibration, *, confidence: float) -> Errors:
    """TPR and FPR over the things of labelled texts, each worth the rows that its clusters are."""
    total, gold, flagged, both = cluster_sums(texts.clusters, texts.sums).T  # type: ignore[arg-type]
    return Errors(
        clustered_share(both, gold, confidence=confidence),
        clustered_share(flagged - both, total - gold, confidence=confidence),
    )


def estimated(cell: Cell, texts: Calibration, *, confidence: float) -> Interval | None:
    """mFAVA's HR_est (`rates.hr_est_interval`) of the cell; units and texts of one cluster are kept together.

    NaN ends where nothing says how far it may move; None where precision or recall is not defined or is 0.
    """
    _, gold, flagged, both = texts.sums.sum(axis=0)
    value = hr_est(
        both / flagged if flagged else None,
        both / gold if gold else None,
        cell.flagged.sum(),
        cell.total.sum(),
    )
    if value is None:
        return None
    n = cell.n
    sides = np.zeros((n + len(texts.sums), 4))
    sides[:n, 0], sides[:n, 1], sides[n:, 2:] = cell.flagged, cell.total, texts.sums[:, 1:3]
    names: Sequence[object] = np.concatenate([cell.clusters, texts.clusters]).tolist()
    interval = hr_est_interval(cluster_sums(names, sides), confidence=confidence)
    return interval or Interval(float(value), np.nan, np.nan)


def shares_clusters(cells: Sequence[Cell], texts: Sequence[Calibration]) -> bool:
    """Whether a cluster stands behind two languages' estimates, which then depend on one another. `texts`: what
    each language was calibrated on; empty for estimates without.
    """
    names = [np.unique(np.asarray(cell.clusters, dtype=str)) for cell in cells]
    for place, one in enumerate(texts):
        names[place] = np.union1d(names[place], np.asarray(one.clusters, dtype=str))
    return len(np.unique(np.concatenate(names))) < sum(map(len, names)) if names else False
