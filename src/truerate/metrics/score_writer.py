"""Rows of scores: where they belong, and the interval of their kind of quantity (`RULES`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import polars as pl

from truerate.core.schemas import NO_ANSWERS, Outcome, emptied, pairs, schema, score_row
from truerate.metrics.agreement import KAPPA, cohen_kappa, weighted_cells
from truerate.metrics.intervals import (
    UNIT,
    Bounds,
    Interval,
    cluster_bootstrap,
    cluster_sums,
    ratio_intervals,
    share_interval,
)

ALL = "all"  # in a slice: a mean over languages, or all subjects together
# A ratio of sums over the same rows: its metric, its slice, numerators and denominators, one entry per row.
Ratio = tuple[str, Mapping[str, Any], np.ndarray, np.ndarray]

# The rule that makes the interval of each kind of quantity, in words; a metric names its kind.
RULES = {
    "share": "Wilson's interval; of rows in clusters on the number of independent rows that they are worth",
    "statistic": "accelerated bootstrap over clusters; where all clusters agree Wilson's over clusters",
    "mean": "the intervals of the cells, put together by the recovery of their variances",
    "corrected": "delta method or square-and-add, with the error of what corrects",
}


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
    """Where the scores of a board belong and how their intervals are made. A metric over nothing is a row
    with a null value, and one that rests on a single cluster has a value and no interval.
    """

    board: str
    inputs: str
    statistics: Statistics
    seed: int

    @property
    def drawn(self) -> dict[str, Any]:
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
        where: Mapping[str, Any],
        estimate: Interval | Sequence[float | None] | float | None,
        n: int,
    ) -> dict[str, Any]:
        """One Score row from (value, low, high), a plain value or None."""
        return score_row(metric, subject, where, estimate, n, board=self.board, inputs=self.inputs)

    def count(
        self, metric: str, subject: str, where: Mapping[str, Any], value: float, n: int
    ) -> dict[str, Any]:
        """A Score row of a plain count, without an interval."""
        return self.row(metric, subject, where, float(value), n)

    def no_answers(
        self, subject: str, where: Mapping[str, Any], rows: Sequence[dict[str, Any]], n: int
    ) -> list[dict[str, Any]]:
        """Score rows of a subject whose `n` replies are all dead letters: empty, and a count of them."""
        return [*emptied(rows), self.count(NO_ANSWERS, subject, where, n, n)]

    def no_verdicts(
        self, subject: str, where: Mapping[str, Any], rows: Sequence[dict[str, Any]], n: int, *, kept: str
    ) -> list[dict[str, Any]]:
        """Score rows of a subject without a readable reply: empty but for `kept`, and a count of them."""
        shown = [row if row["metric"] == kept else emptied([row])[0] for row in rows]
        return [*shown, self.count("no_verdicts", subject, where, n, n)]

    def outcomes(self, metric: str, where: Mapping[str, Any], units: pl.DataFrame) -> pl.DataFrame:
        """The Outcome rows of units, in columns: `subject`, `unit_id`, `cluster_id`, `value`. A board has
        millions.
        """
        where_of_all = pl.Series("slice", [pairs(**where)], dtype=schema(Outcome)["slice"])
        return units.select(
            "subject",
            "unit_id",
            "cluster_id",
            pl.col("value").cast(pl.Float64),
            board=pl.lit(self.board),
            metric=pl.lit(metric),
            slice=pl.lit(where_of_all).first(),
        ).select(schema(Outcome).names())

    # ---- shares --------------------------------------------------------------------------------------------

    def share(
        self,
        metric: str,
        subject: str,
        where: Mapping[str, Any],
        hits: Sequence[bool] | np.ndarray,
        clusters: Sequence[str],
        weights: np.ndarray | None = None,
    ) -> dict[str, Any]:
        """A Score row of `share_of`; n is the number of rows with weight."""
        n = len(hits) if weights is None else int((np.asarray(weights) > 0).sum())
        return self.row(metric, subject, where, self.share_of(hits, clusters, weights), n)

    def share_of(
        self, hits: Sequence[bool] | np.ndarray, clusters: Sequence[str], weights: np.ndarray | None = None
    ) -> Interval | None:
        """The share of rows that are hits, weighted where weights are given, by `share_interval`."""
        weights = np.ones(len(hits)) if weights is None else np.asarray(weights, dtype=float)
        if not weights.any():
            return None
        weights = weights / weights[weights > 0].mean()
        sums = cluster_sums(clusters, np.stack([weights * np.asarray(hits, dtype=float), weights], axis=1))
        return self.share_interval(*sums.T)

    def share_interval(self, numerators: np.ndarray, denominators: np.ndarray) -> Interval | None:
        """`intervals.share_interval` of sums within clusters, at the board's confidence."""
        return share_interval(numerators, denominators, confidence=self.statistics.confidence)

    def shares(self, subject: str, asked: Sequence[Ratio], clusters: Sequence[str]) -> list[dict[str, Any]]:
        """Score rows of several shares of the same rows; n counts the rows with a denominator."""
        _, bottoms, sums = _columns(asked, clusters)
        intervals = [self.share_interval(sums[:, j], sums[:, len(asked) + j]) for j in range(len(asked))]
        return self._rows(subject, asked, intervals, bottoms)

    def shares_by(
        self,
        rows: pl.DataFrame,
        hits: Mapping[str, pl.Expr],
        *,
        subject: str | pl.Expr,
        by: Sequence[str] = (),
        cluster: str = "group_id",
        **where: Any,
    ) -> list[dict[str, Any]]:
        """Score rows of every subject and value of the columns `by`, which with `where` are its slice:
        of each metric the share of the rows of which `hits` holds; a null one does not count.
        """
        score_rows = []
        for (name, *values), part in rows.group_by(subject, *by, maintain_order=True):
            slice_ = {**where, **dict(zip(by, values, strict=True))}
            for metric, is_hit in hits.items():
                counted = part.select(hit=is_hit, cluster=cluster).drop_nulls("hit")
                of_metric = counted["hit"].to_list(), counted["cluster"].to_list()
                score_rows.append(self.share(metric, str(name), slice_, *of_metric))
        return score_rows

    # ---- statistics of sums --------------------------------------------------------------------------------

    def mean(
        self,
        metric: str,
        subject: str,
        where: Mapping[str, Any],
        values: np.ndarray,
        clusters: Sequence[str],
        *,
        bounds: tuple[float, float] = UNIT,
    ) -> dict[str, Any]:
        """A Score row of the mean of values between `bounds`, clusters resampled whole."""
        columns = np.stack([np.asarray(values, dtype=float), np.ones(len(values))], axis=1)
        return self.statistic(
            metric, subject, where, columns, clusters, lambda sums: sums[:, 0] / sums[:, 1], bounds=bounds
        )

    def statistic(
        self,
        metric: str,
        subject: str,
        where: Mapping[str, Any],
        values: np.ndarray,
        clusters: Sequence[str],
        of: Callable[[np.ndarray], np.ndarray],
        *,
        bounds: tuple[float, float] = UNIT,
    ) -> dict[str, Any]:
        """A Score row of a statistic between `bounds`: `of` maps totals (draws, k) to (draws,)."""
        if not len(values):
            return self.row(metric, subject, where, None, 0)
        sums = cluster_sums(clusters, values)
        interval = self.intervals(sums, lambda totals: of(totals)[:, None], bounds=bounds)[0]
        return self.row(metric, subject, where, interval, len(values))

    def kappa(
        self,
        metric: str,
        subject: str,
        where: Mapping[str, Any],
        columns: tuple[np.ndarray, np.ndarray],
        clusters: Sequence[str],
        weights: np.ndarray | None = None,
    ) -> dict[str, Any]:
        """A Score row of Cohen's κ of two columns of yes and no, whose rows may be weighted."""
        cells = weighted_cells(*columns, np.ones(len(clusters)) if weights is None else weights)
        of_totals = lambda totals: cohen_kappa(totals.reshape(-1, 2, 2))  # noqa: E731
        return self.statistic(metric, subject, where, cells, clusters, of_totals, bounds=KAPPA)

    def ratios(self, subject: str, asked: Sequence[Ratio], clusters: Sequence[str]) -> list[dict[str, Any]]:
        """Score rows of several ratios in [0, 1] that are no shares of rows (F1), as from `statistic`."""
        m = len(asked)
        tops, bottoms, sums = _columns(asked, clusters)
        drawn = ratio_intervals(sums[:, :m], sums[:, m:], **self.drawn)
        totals = zip(tops.sum(axis=0), bottoms.sum(axis=0), strict=True)
        intervals = [
            interval or (Interval(float(top / bottom), np.nan, np.nan) if bottom else None)
            for interval, (top, bottom) in zip(drawn, totals, strict=True)
        ]
        return self._rows(subject, asked, intervals, bottoms)

    def intervals(
        self, sums: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray], *, bounds: Bounds = UNIT
    ) -> list[Interval]:
        """Values of statistics of column totals with their cluster-bootstrap intervals; NaN where a value or
        interval is not defined. `sums` (clusters, k); `statistic` maps totals (draws, k) to (draws, m), each
        between its `bounds`.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            values = statistic(np.asarray(sums, dtype=float).sum(axis=0, keepdims=True))[0]
        bootstrapped = cluster_bootstrap(sums, statistic, bounds=bounds, **self.drawn)
        return [
            interval or Interval(float(value), np.nan, np.nan)
            for interval, value in zip(bootstrapped or [None] * len(values), values, strict=True)
        ]

    def _rows(
        self, subject: str, asked: Sequence[Ratio], intervals: Sequence[Interval | None], bottoms: np.ndarray
    ) -> list[dict[str, Any]]:
        sizes = (bottoms > 0).sum(axis=0)
        return [
            self.row(metric, subject, where, interval, n)
            for (metric, where, *_), interval, n in zip(asked, intervals, sizes, strict=True)
        ]


def _columns(asked: Sequence[Ratio], clusters: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numerators and denominators of ratios, (rows, m) each, and their sums by cluster, (clusters, 2 m)."""
    shape = (len(clusters), len(asked))
    tops, bottoms = (
        np.array([entry[column] for entry in asked], dtype=float).T.reshape(shape) for column in (2, 3)
    )
    return tops, bottoms, cluster_sums(clusters, np.hstack([tops, bottoms]))
