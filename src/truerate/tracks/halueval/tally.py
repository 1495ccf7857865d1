"""Rows of scores with the interval that fits how their rows hang together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truerate.config import Statistics
from truerate.core.schemas import NO_ANSWERS, emptied, score_row
from truerate.metrics.intervals import (
    UNIT,
    Interval,
    cluster_bootstrap,
    cluster_sums,
    ratio_intervals,
    wilson,
)


@dataclass(frozen=True)
class Tally:
    """Where scores belong and how their intervals are made: Wilson where every cluster holds one row, the
    cluster bootstrap else.
    """

    board: str
    inputs: str
    statistics: Statistics
    seed: int

    def row(self, metric: str, subject: str, where: dict, interval: Interval | None, n: int) -> dict:
        """One Score row; a metric over nothing is null."""
        return score_row(metric, subject, where, interval, n, board=self.board, inputs=self.inputs)

    def count(self, metric: str, subject: str, where: dict, value: int, n: int) -> dict:
        """A Score row of a plain count, without an interval."""
        return self.row(metric, subject, where, None, n) | {"value": float(value)}

    def no_answers(self, subject: str, where: dict, made: Sequence[dict], n: int) -> list[dict]:
        """Score rows of a subject whose `n` replies are all dead letters: empty, as nothing was measured, and
        a row that counts them.
        """
        return [*emptied(made), self.count(NO_ANSWERS, subject, where, n, n)]

    def share(
        self, metric: str, subject: str, where: dict, hits: Sequence[bool], clusters: Sequence[str]
    ) -> dict:
        """A Score row of the share of rows that are hits."""
        top = np.asarray(hits, dtype=float)
        return self.ratios(subject, [(metric, where, top, np.ones_like(top))], clusters)[0]

    def ratios(
        self,
        subject: str,
        asked: Sequence[tuple[str, dict, np.ndarray, np.ndarray]],
        clusters: Sequence[str],
        *,
        is_share: bool = True,
    ) -> list[dict]:
        """Score rows of ratios of sums over the same rows: each `(metric, slice, numerators, denominators)`,
        one entry per row.

        With `is_share` false (F1) a Wilson interval does not apply and independent rows are resampled as
        clusters of one.
        """
        if not asked:
            return []
        tops, bottoms = (
            np.stack([np.asarray(entry[place], dtype=float) for entry in asked], axis=1) for place in (2, 3)
        )
        names = np.asarray(clusters, dtype=str)
        if is_share and len(set(clusters)) == len(names):
            found = [
                wilson(top, n, confidence=self.statistics.confidence)
                for top, n in zip(tops.sum(0), bottoms.sum(0), strict=True)
            ]
        else:
            sums = cluster_sums(names, np.hstack([tops, bottoms]))
            found = ratio_intervals(sums[:, : len(asked)], sums[:, len(asked) :], **self._drawn)
            found = [
                self._alone(one, *pair)
                for one, pair in zip(found, zip(tops.sum(0), bottoms.sum(0), strict=True), strict=True)
            ]
        sizes = (bottoms > 0).sum(axis=0)
        return [
            self.row(name, subject, where, one, n)
            for (name, where, *_), one, n in zip(asked, found, sizes, strict=True)
        ]

    def statistic(
        self,
        metric: str,
        subject: str,
        where: dict,
        values: np.ndarray,
        clusters: Sequence[str],
        of,
        *,
        bounds: tuple[float, float] = UNIT,
    ) -> dict:
        """A Score row of any statistic of column sums (rows, k) between `bounds`: `of` maps totals (draws, k)
        to (draws,).
        """
        sums = cluster_sums(clusters, values)
        found = (
            cluster_bootstrap(sums, lambda totals: of(totals)[:, None], bounds=bounds, **self._drawn)
            if len(sums)
            else [None]
        )
        if found[0] is None and len(sums):
            with np.errstate(invalid="ignore", divide="ignore"):
                found = [self._alone(None, float(of(sums.sum(axis=0, keepdims=True))[0]), 1.0)]
        return self.row(metric, subject, where, found[0], len(values))

    @property
    def _drawn(self) -> dict:
        return {
            "n_resamples": self.statistics.n_bootstrap,
            "confidence": self.statistics.confidence,
            "seed": self.seed,
        }

    @staticmethod
    def _alone(found: Interval | None, top: float, bottom: float) -> Interval | None:
        """A value that rests on one cluster has no interval but is still a value."""
        if found is not None or not bottom or np.isnan(top):
            return found
        return Interval(top / bottom, np.nan, np.nan)
