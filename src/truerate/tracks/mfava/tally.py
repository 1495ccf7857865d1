"""Rows of scores of this track: rounded, with where they belong; intervals come from cluster sums."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truerate.metrics.intervals import Interval, cluster_bootstrap, cluster_sums, wilson
from truerate.params import Statistics
from truerate.schemas import score_row

ALL = "all"  # the language of a mean over languages


@dataclass(frozen=True)
class Tally:
    """Where the scores of a board belong and how their intervals are made."""

    board: str
    inputs: str
    statistics: Statistics
    seed: int

    def row(self, metric: str, subject: str, where: Mapping, interval: Interval | Sequence | float | None, n: int) -> dict:
        """One Score row from an interval, a plain value or None; a metric over nothing is null."""
        return score_row(metric, subject, where, interval, n, board=self.board, inputs=self.inputs)

    def intervals(self, sums: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray]) -> list[Interval]:
        """Values of statistics of column totals with their cluster-bootstrap intervals; NaN where a value or interval is not defined.

        `sums` (clusters, k); `statistic` maps totals (draws, k) to (draws, m). Where every cluster agrees on 0 or on 1, a bootstrap would
        claim certainty: there Wilson's interval over the number of clusters in which the statistic is defined is given.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            values = statistic(np.asarray(sums, dtype=float).sum(axis=0, keepdims=True))[0]
            n_defined = (~np.isnan(statistic(np.asarray(sums, dtype=float)))).sum(axis=0)
        found = cluster_bootstrap(sums, statistic, **self.drawn) if len(sums) > 1 else [None] * len(values)
        return [self._told(one, float(value), int(n)) for one, value, n in zip(found, values, n_defined, strict=True)]

    def _told(self, found: Interval | None, value: float, n_clusters: int) -> Interval:
        if found is None:
            return Interval(value, np.nan, np.nan)
        if found.low == found.high and value in (0.0, 1.0):
            return wilson(value * n_clusters, n_clusters, confidence=self.statistics.confidence)
        return found

    def mean(self, metric: str, subject: str, where: Mapping, values: np.ndarray, clusters: Sequence[str]) -> dict:
        """A Score row of the mean of values, clusters resampled whole; null over no value."""
        if not len(values):
            return self.row(metric, subject, where, None, 0)
        sums = cluster_sums(clusters, np.stack([np.asarray(values, dtype=float), np.ones(len(values))], axis=1))
        return self.row(metric, subject, where, self.intervals(sums, lambda totals: totals[:, :1] / totals[:, 1:])[0], len(values))

    @property
    def drawn(self) -> dict:
        """The settings of a bootstrap."""
        return {"n_resamples": self.statistics.n_bootstrap, "confidence": self.statistics.confidence, "seed": self.seed}
