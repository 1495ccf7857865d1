"""Scores of predicted spans against gold spans, by the characters they cover.

A span is a pair (start, end) of code points, half-open. Overlapping spans of one side count each character
once.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

Span = tuple[int, int]


class Overlap(NamedTuple):
    """Characters inside gold spans, inside predicted spans, and inside both."""

    n_gold: int
    n_predicted: int
    n_both: int


def union(spans: Iterable[Span]) -> list[Span]:
    """The spans' union as sorted, disjoint, non-empty intervals; touching ones are joined."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def covered(spans: Iterable[Span]) -> int:
    """How many characters lie in at least one span."""
    return sum(end - start for start, end in union(spans))


def overlap(gold: Sequence[Span], predicted: Sequence[Span]) -> Overlap:
    """The character counts behind every score of this module; sum them over texts for micro-averages."""
    n_gold, n_predicted = covered(gold), covered(predicted)
    return Overlap(n_gold, n_predicted, n_gold + n_predicted - covered([*gold, *predicted]))


def iou(o: Overlap) -> float:
    """Intersection over union of the marked characters, in [0, 1]; 1 where neither side marks any
    (Mu-SHROOM's definition).
    """
    whole = o.n_gold + o.n_predicted - o.n_both
    return o.n_both / whole if whole else 1.0


# ---- as statistics of sums, totals (…, 3): characters inside gold, inside predicted, inside both ------------


def span_sums(gold: Iterable[Sequence[Span]], predicted: Iterable[Sequence[Span]]) -> np.ndarray:
    """The character counts of many texts, (texts, 3)."""
    rows = [overlap(*both) for both in zip(gold, predicted, strict=True)]
    return np.array(rows, dtype=float).reshape(-1, 3)


def span_precision(totals: np.ndarray) -> np.ndarray:
    """Of the predicted characters, the share that is gold. NaN where none is predicted."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return totals[..., 2] / totals[..., 1]


def span_recall(totals: np.ndarray) -> np.ndarray:
    """Of the gold characters, the share that is predicted. NaN where none is gold."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return totals[..., 2] / totals[..., 0]


def span_f1(totals: np.ndarray) -> np.ndarray:
    """2 · both / (gold + predicted). NaN where neither side marks any."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return 2 * totals[..., 2] / (totals[..., 0] + totals[..., 1])
