"""Reliability rows become curves: bins with their numbers, thresholds made from the bins alone."""

import polars as pl

from truerate.core.schemas import Row, frame, pairs
from truerate.pipeline.publishing.detector_curves import curves


def row(metric: str, value: float | None, n: int, where: dict, *, kind: str = "baseline") -> dict:
    return {"board": "b", "table": "reliability", "subject": "length", "kind": kind, "metric": metric,
            "slice": pairs(**where), "rank_low": None, "rank_high": None, "is_leading": None, "value": value, "low": None, "high": None,
            "n": n, "provenance": "0" * 12}  # fmt: skip


def rows(*lines: dict) -> pl.DataFrame:
    return frame(Row, list(lines))


def test_bins_and_what_each_threshold_gives():
    table = rows(
        row("bin_p", 0.75, 4, {"bin": "0.5–1.0", "scenario": "all"}),
        row("bin_rate", 0.75, 4, {"bin": "0.5–1.0", "scenario": "all"}),
        row("bin_p", 0.25, 6, {"bin": "0.0–0.5", "scenario": "all"}),
        row("bin_rate", 0.5, 6, {"bin": "0.0–0.5", "scenario": "all"}),
        row("ece", 0.1, 10, {"scenario": "all"}),
    )
    (curve,) = curves(table)
    assert (curve.subject, curve.where, curve.n) == ("length", (("scenario", "all"),), 10)
    assert [(one.low, one.n, one.rate) for one in curve.bins] == [(0.0, 6, 0.5), (0.5, 4, 0.75)]
    # 3 of 6 and 3 of 4 are hallucinated: at .5 three of four flagged are, and three of six are found
    assert [tuple(vars(one).values()) for one in curve.cuts] == [(0.0, 10, 0.6, 1.0), (0.5, 4, 0.75, 0.5)]


def test_a_slice_without_a_text_and_planted_rows_give_no_curve():
    empty = [row(metric, None, 0, {"bin": "0.0–1.0"}) for metric in ("bin_p", "bin_rate")]
    planted = [row("bin_rate", 0.5, 6, {"bin": "0.0–1.0"}, kind="planted")]
    assert curves(rows(*empty)) == () and curves(rows(*planted)) == ()
