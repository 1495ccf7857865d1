"""The judges of a committed board held against people's labels of the same replies, made from its rows alone."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from truerate.metrics.intervals import Interval, cluster_sums, share_interval
from truerate.site.real.results import JUDGE, Held, RealBoard, Share, Slice

UNIT = ["subject", "unit_id"]
MODEL = "model"  # the key of a slice that is one subject's replies


def held(board: RealBoard) -> tuple[Held, ...]:
    """Each further judge of a board that people labelled, against these labels: over everything, on each slice of one
    key (another rule of the labels is one), and of each subject's replies; by judge. Positive is hallucinated.

    Empty where nobody labelled the replies, or more hallucination is better. Replies that either side left open do
    not count.
    """
    if not board.card["labelled_by"] or not board.headline.is_lower_better:
        return ()
    found = []
    for judge in board.judges():
        said = board.rows.filter(pl.col("slice") == f"{JUDGE}={judge}").select(*UNIT, verdict="value")
        for where, labels in _labels(board):
            both = labels.join(said, on=UNIT, maintain_order="left").drop_nulls(["value", "verdict"])
            found.append(_held(judge, where, both, board.card["confidence"]))
    return tuple(one for one in found if one.n_hallucinated or one.n_right)


def _labels(board: RealBoard) -> Iterator[tuple[Slice, pl.DataFrame]]:
    """People's labels of all replies, on each slice, and of each subject's: subject, unit_id, cluster_id, value."""
    of_headline = board.rows.filter(pl.col("metric") == board.headline.name)
    whole = of_headline.filter(pl.col("slice") == "")
    yield (), whole
    for key, values in board.slice_keys.items():
        for value in values:
            yield ((key, value),), of_headline.filter(pl.col("slice") == f"{key}={value}")
    for model in board.models:
        yield ((MODEL, model.subject),), whole.filter(pl.col("subject") == model.subject)


def _held(judge: str, where: Slice, both: pl.DataFrame, confidence: float) -> Held:
    label, verdict = ((both[name] >= 0.5).to_numpy() for name in ("value", "verdict"))
    clusters = both["cluster_id"].to_list()
    tpr, tnr = (
        _share(hits, side, clusters, confidence) for hits, side in ((verdict, label), (~verdict, ~label))
    )
    return Held(judge, where, int(label.sum()), int((~label).sum()), tpr, tnr)


def _share(hits: np.ndarray, side: np.ndarray, clusters: list[str], confidence: float) -> Share:
    """The share of one side's replies that are hits, with its interval over clusters; None over nothing."""
    if not side.any():
        return Share(None, None, None)
    sums = cluster_sums(clusters, np.stack([hits & side, side], axis=1).astype(float))
    found: Interval | None = share_interval(*sums.T, confidence=confidence)
    value = float((hits & side).sum() / side.sum())
    return Share(value, found.low if found else None, found.high if found else None)
