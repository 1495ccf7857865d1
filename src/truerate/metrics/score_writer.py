"""Rows of scores: where they belong, and the interval that fits how their rows hang together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from truerate.core.schemas import NO_ANSWERS, emptied, score_row
from truerate.metrics.intervals import (
    UNIT,
    Bounds,
    Interval,
    cluster_bootstrap,
    cluster_sums,
    ratio_intervals,
    wilson,
    wilson_clustered,
)

ALL = "all"  # in a slice: a mean over languages, or all subjects together
# A ratio of sums over the same rows: its metric, its slice, numerators and denominators, one entry per row.
Ratio = tuple[str, Mapping, np.ndarray, np.ndarray]


class Statistics(Protocol):
    """What intervals are made with: the confidence, and how many resamples a bootstrap draws."""

    @property
    def confidence(self) -> float:
        """The confidence of every interval, below 1."""

    @property
    def n_bootstrap(self) -> int:
        """Resamples of a bootstrap."""


@dataclass(frozen=True)
class ScoreWriter:
    """Where the scores of a board belong and how their intervals are made.

    A metric over nothing is a row with a null value, and one that rests on a single cluster has a value and no
    interval.
    """

    board: str
    inputs: str
    statistics: Statistics
    seed: int

    @property
    def drawn(self) -> dict:
        """The settings of a bootstrap."""
        return {
            "n_resamples": self.statistics.n_bootstrap,
            "confidence": self.statistics.confidence,
            "seed": self.seed,
        }

    # ---- rows of what is known already ---------------------------------------------------------------------

    def row(
        self,
        metric: str,
        subject: str,
        where: Mapping,
        found: Interval | Sequence[float | None] | float | None,
        n: int,
    ) -> dict:
        """One Score row from (value, low, high), a plain value or None."""
        return score_row(metric, subject, where, found, n, board=self.board, inputs=self.inputs)

    def count(self, metric: str, subject: str, where: Mapping, value: float, n: int) -> dict:
        """A Score row of a plain count, without an interval."""
        return self.row(metric, subject, where, float(value), n)

    def no_answers(self, subject: str, where: Mapping, rows: Sequence[dict], n: int) -> list[dict]:
        """Score rows of a subject whose `n` replies are all dead letters: empty, as nothing was measured, and
        a row that counts them.
        """
        return [*emptied(rows), self.count(NO_ANSWERS, subject, where, n, n)]

    # ---- shares --------------------------------------------------------------------------------------------

    def share(
        self, metric: str, subject: str, where: Mapping, hits: Sequence[bool], clusters: Sequence[str]
    ) -> dict:
        """A Score row of the share of rows that are hits."""
        top = np.asarray(hits, dtype=float)
        return self.ratios(subject, [(metric, where, top, np.ones_like(top))], clusters)[0]

    def ratios(
        self,
        subject: str,
        asked: Sequence[Ratio],
        clusters: Sequence[str],
        *,
        is_share: bool = True,
    ) -> list[dict]:
        """Score rows of ratios of sums over the same rows; n counts the rows with a denominator.

        With `is_share` false (F1) a Wilson interval does not apply and independent rows are resampled as
        clusters of one.
        """
        if not asked:
            return []
        tops, bottoms = (
            np.stack([np.asarray(entry[place], dtype=float) for entry in asked], axis=1) for place in (2, 3)
        )
        names = np.asarray(clusters, dtype=str)
        totals = list(zip(tops.sum(0), bottoms.sum(0), strict=True))
        if is_share and len(set(clusters)) == len(names):
            found = [wilson(top, n, confidence=self.statistics.confidence) for top, n in totals]
        else:
            sums = cluster_sums(names, np.hstack([tops, bottoms]))
            drawn = ratio_intervals(sums[:, : len(asked)], sums[:, len(asked) :], **self.drawn)
            found = [one or _plain(*pair) for one, pair in zip(drawn, totals, strict=True)]
        sizes = (bottoms > 0).sum(axis=0)
        return [
            self.row(metric, subject, where, one, n)
            for (metric, where, *_), one, n in zip(asked, found, sizes, strict=True)
        ]

    def weighted_share(
        self,
        metric: str,
        subject: str,
        where: Mapping,
        hits: np.ndarray,
        weights: np.ndarray,
        clusters: Sequence[str],
    ) -> dict:
        """A Score row of `share_of`; n is the number of rows with weight."""
        found = self.share_of(hits, weights, clusters)
        return self.row(metric, subject, where, found, int((np.asarray(weights) > 0).sum()))

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
        return found or _plain(tops.sum(), bottoms.sum())

    # ---- statistics of sums --------------------------------------------------------------------------------

    def mean(
        self,
        metric: str,
        subject: str,
        where: Mapping,
        values: np.ndarray,
        clusters: Sequence[str],
        *,
        bounds: tuple[float, float] = UNIT,
    ) -> dict:
        """A Score row of the mean of values between `bounds`, clusters resampled whole."""
        columns = np.stack([np.asarray(values, dtype=float), np.ones(len(values))], axis=1)
        return self.statistic(
            metric, subject, where, columns, clusters, lambda sums: sums[:, 0] / sums[:, 1], bounds=bounds
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
        """A Score row of any statistic of column sums (rows, k) between `bounds`: `of` maps totals (draws, k)
        to (draws,). Clusters are resampled whole.
        """
        if not len(values):
            return self.row(metric, subject, where, None, 0)
        sums = cluster_sums(clusters, values)
        found = self.intervals(sums, lambda totals: of(totals)[:, None], bounds=bounds)[0]
        return self.row(metric, subject, where, found, len(values))

    def intervals(
        self, sums: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray], *, bounds: Bounds = UNIT
    ) -> list[Interval]:
        """Values of statistics of column totals with their cluster-bootstrap intervals; NaN where a value or
        interval is not defined.

        `sums` (clusters, k); `statistic` maps totals (draws, k) to (draws, m), each between its `bounds`.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            values = statistic(np.asarray(sums, dtype=float).sum(axis=0, keepdims=True))[0]
        found = cluster_bootstrap(sums, statistic, bounds=bounds, **self.drawn)
        return [
            one or Interval(float(value), np.nan, np.nan)
            for one, value in zip(found or [None] * len(values), values, strict=True)
        ]


def _plain(top: float, bottom: float) -> Interval | None:
    """The value of a ratio that has no interval; None over nothing."""
    return Interval(float(top / bottom), np.nan, np.nan) if bottom else None
