"""Rows of scores of this track: rounded, with where they belong; intervals come from cluster sums."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truerate.config import Statistics
from truerate.core.schemas import score_row
from truerate.metrics.intervals import UNIT, Bounds, Interval, cluster_bootstrap, cluster_sums

ALL = "all"  # the language of a mean over languages


@dataclass(frozen=True)
class Tally:
    """Where the scores of a board belong and how their intervals are made."""

    board: str
    inputs: str
    statistics: Statistics
    seed: int

    def row(
        self, metric: str, subject: str, where: Mapping, interval: Interval | Sequence | float | None, n: int
    ) -> dict:
        """One Score row from an interval, a plain value or None; a metric over nothing is null."""
        return score_row(metric, subject, where, interval, n, board=self.board, inputs=self.inputs)

    def intervals(
        self, sums: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray], *, bounds: Bounds = UNIT
    ) -> list[Interval]:
        """Values of statistics of column totals with their cluster-bootstrap intervals; NaN where a value or
        interval is not defined.

        `sums` (clusters, k); `statistic` maps totals (draws, k) to (draws, m), each between its `bounds`.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            values = statistic(np.asarray(sums, dtype=float).sum(axis=0, keepdims=True))[0]
        found = (
            cluster_bootstrap(sums, statistic, bounds=bounds, **self.drawn)
            if len(sums) > 1
            else [None] * len(values)
        )
        return [
            one or Interval(float(value), np.nan, np.nan) for one, value in zip(found, values, strict=True)
        ]

    def mean(
        self,
        metric: str,
        subject: str,
        where: Mapping,
        values: np.ndarray,
        clusters: Sequence[str],
        *,
        bounds: Bounds = UNIT,
    ) -> dict:
        """A Score row of the mean of values between `bounds`, clusters resampled whole; null over no value."""
        if not len(values):
            return self.row(metric, subject, where, None, 0)
        sums = cluster_sums(
            clusters, np.stack([np.asarray(values, dtype=float), np.ones(len(values))], axis=1)
        )
        found = self.intervals(sums, lambda totals: totals[:, :1] / totals[:, 1:], bounds=bounds)[0]
        return self.row(metric, subject, where, found, len(values))

    @property
    def drawn(self) -> dict:
        """The settings of a bootstrap."""
        return {
            "n_resamples": self.statistics.n_bootstrap,
            "confidence": self.statistics.confidence,
            "seed": self.seed,
        }
