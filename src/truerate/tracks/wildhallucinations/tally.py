"""Rows of scores of this track: shares and statistics of labelled facts, clustered by entity."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truerate.config import Statistics
from truerate.core.schemas import score_row
from truerate.metrics.intervals import UNIT, Interval, cluster_bootstrap, cluster_sums, wilson_clustered


@dataclass(frozen=True)
class Tally:
    """Where the scores of a board belong and how their intervals are made."""

    board: str
    inputs: str
    statistics: Statistics
    seed: int

    def row(
        self, metric: str, subject: str, where: Mapping, found: Sequence[float | None] | float | None, n: int
    ) -> dict:
        """One Score row; a metric over nothing is null."""
        return score_row(metric, subject, where, found, n, board=self.board, inputs=self.inputs)

    def share_of(self, hits: np.ndarray, weights: np.ndarray, clusters: Sequence[str]) -> Interval | None:
        """The weighted share of hits with its clustered Wilson interval, (value, NaN, NaN) on one cluster,
        None over nothing.
        """
        weights = np.asarray(weights, dtype=float)
        if not len(weights) or not weights.sum():
            return None
        weights = weights / weights[weights > 0].mean()
        tops, bottoms = cluster_sums(clusters, np.stack([weights * hits, weights], axis=1)).T
        found = wilson_clustered(tops, bottoms, confidence=self.statistics.confidence)
        return found or Interval(float(tops.sum() / bottoms.sum()), np.nan, np.nan)

    def share(
        self,
        metric: str,
        subject: str,
        where: Mapping,
        hits: np.ndarray,
        weights: np.ndarray,
        clusters: Sequence[str],
    ) -> dict:
        """A Score row of `share_of`; n is the number of rows with weight."""
        return self.row(
            metric,
            subject,
            where,
            self.share_of(hits, weights, clusters),
            int((np.asarray(weights) > 0).sum()),
        )

    def statistic(
        self,
        metric: str,
        subject: str,
        where: Mapping,
        values: np.ndarray,
        clusters: Sequence[str],
        of: Callable[[np.ndarray], np.ndarray],
        *,
        bounds: tuple[float, float] = UNIT,
    ) -> dict:
        """A Score row of a statistic of column sums (rows, k) between `bounds`: `of` maps totals (draws, k)
        to (draws,).

        Clusters are resampled whole.
        """
        if not len(values):
            return self.row(metric, subject, where, None, 0)
        sums = cluster_sums(clusters, values)
        found = cluster_bootstrap(
            sums,
            lambda totals: of(totals)[:, None],
            n_resamples=self.statistics.n_bootstrap,
            confidence=self.statistics.confidence,
            seed=self.seed,
            bounds=bounds,
        )[0]
        with np.errstate(invalid="ignore", divide="ignore"):
            alone = float(of(sums.sum(axis=0, keepdims=True))[0])
        return self.row(metric, subject, where, found or alone, len(values))
