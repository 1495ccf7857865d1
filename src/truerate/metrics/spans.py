"""Scores of predicted spans against gold spans, by the characters they cover.

A span is a pair (start, end) of code points, half-open. Overlapping spans of one side count each character
once.
"""

from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.keys import draw
from truerate.metrics.ngrams import form

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
    """Return how many characters lie in at least one span."""
    return sum(end - start for start, end in union(spans))


def overlap(gold: Sequence[Span], predicted: Sequence[Span]) -> Overlap:
    """The character counts behind every score of this module; sum them over texts for micro-averages."""
    n_gold, n_predicted = covered(gold), covered(predicted)
    return Overlap(n_gold, n_predicted, n_gold + n_predicted - covered([*gold, *predicted]))


def iou(o: Overlap) -> float:
    """Intersection over union of the marked characters, in [0, 1]; 1 where neither side marks any."""
    whole = o.n_gold + o.n_predicted - o.n_both
    return o.n_both / whole if whole else 1.0


# ---- statistics of totals (…, 3): characters inside gold, inside predicted, inside both --------------------


def span_sums(gold: Iterable[Sequence[Span]], predicted: Iterable[Sequence[Span]]) -> np.ndarray:
    """The character counts of many texts, (texts, 3)."""
    rows = [overlap(*both) for both in zip(gold, predicted, strict=True)]
    return np.array(rows, dtype=float).reshape(-1, 3)


def span_precision(totals: np.ndarray) -> np.ndarray:
    """Of the predicted characters, the share that is gold, in [0, 1]. NaN where none is predicted."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return totals[..., 2] / totals[..., 1]


def span_recall(totals: np.ndarray) -> np.ndarray:
    """Of the gold characters, the share that is predicted, in [0, 1]. NaN where none is gold."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return totals[..., 2] / totals[..., 0]


def span_f1(totals: np.ndarray) -> np.ndarray:
    """2 · both / (gold + predicted), in [0, 1]. NaN where neither side marks any."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return 2 * totals[..., 2] / (totals[..., 0] + totals[..., 1])


HARD = 0.5
Soft = tuple[int, int, float | None]


def hard_spans(soft_spans: Iterable[Soft], threshold: float = HARD) -> list[Span]:
    """The spans that count as marked: p above the threshold, or no p."""
    return [(start, end) for start, end, p in soft_spans if p is None or p > threshold]


def answer_iou(gold: Iterable[Soft], predicted: Iterable[Soft], threshold: float = HARD) -> float:
    """IoU of hard characters, the predicted ones above the threshold, in [0, 1]; 1 where neither marks any."""
    return iou(overlap(hard_spans(gold), hard_spans(predicted, threshold)))


def probabilities(n: int, soft_spans: Iterable[Soft]) -> np.ndarray:
    """The probability of every character of a text, (n,); where spans overlap the highest holds."""
    highest = np.zeros(n)
    for start, end, p in soft_spans:
        highest[start:end] = np.maximum(highest[start:end], 1.0 if p is None else p)
    return highest


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's rank correlation of two aligned vectors, in [−1, 1], ties with average ranks; values are compared after
    rounding to 8 digits. Where a vector is constant: 1 if both are, else 0 (the task's rule), so marking all
    and marking nothing get the same.
    """
    a, b = np.round(first, 8), np.round(second, 8)
    is_constant = [len(vector) == 0 or bool((vector == vector[0]).all()) for vector in (a, b)]
    if any(is_constant):
        return float(all(is_constant))
    return float(np.corrcoef(average_ranks(a), average_ranks(b))[0, 1])


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1; equal values share the mean of their ranks."""
    _, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[index]


def answer_correlation(n: int, gold: Iterable[Soft], predicted: Iterable[Soft]) -> float:
    """Spearman's correlation of both sides' probabilities over the `n` characters of an answer, in [−1, 1]."""
    return spearman(probabilities(n, gold), probabilities(n, predicted))


EXACT = 8  # up to so many words lengths are matched to the word, above in bins of a tenth
STEP = 1.1

Shape = tuple[int, bool]


def shape(text: str) -> Shape:
    """The bin of a text's length in words, and whether it ends with a full stop."""
    text_form = form(text)
    n = int(text_form.n_words)
    binned = n if n <= EXACT else EXACT + int(log(n / EXACT) / log(STEP)) + 1
    return binned, bool(text_form.has_final_stop)


def matched(hallucinated: Sequence[Shape], right: Sequence[Shape], order: Sequence[float]) -> np.ndarray:
    """Return which pairs stand in the matched subset, (pairs,) of bool.

    A pair whose sides have one shape is in it. Of pairs with the shapes A and B as many as have the
    hallucinated side in A are kept as have it in B, those first by `order` (a seeded draw per pair). Among
    the kept pairs each shape is therefore as frequent on one side as on the other, and a judge that looks at
    shapes alone has the balanced accuracy of a guess: exactly one half. Empty where no pair has a
    counterpart.
    """
    kept = np.zeros(len(order), dtype=bool)
    places_by_shape: dict[frozenset[Shape], tuple[list[int], list[int]]] = {}
    for index in sorted(range(len(order)), key=lambda number: (order[number], number)):
        first, second = hallucinated[index], right[index]
        if first == second:
            kept[index] = True
        else:
            places_by_shape.setdefault(frozenset((first, second)), ([], []))[first > second].append(index)
    for number, other in places_by_shape.values():
        n = min(len(number), len(other))
        kept[number[:n] + other[:n]] = True
    return kept


def one_side(rows: pl.DataFrame, *, seed: int) -> np.ndarray:
    """Return which rows a protocol that asks one side per pair would have asked, (rows,) of bool:
    hallucinated or right with equal chance, by a recorded seed. From `pair_id`, `is_hallucinated`.
    """
    names = rows["pair_id"].unique(maintain_order=True).drop_nulls()
    is_drawn = {name: draw(seed, "side", name) < 0.5 for name in names}
    sides = rows.select("pair_id", "is_hallucinated").iter_rows()
    return np.array([name is not None and is_drawn[name] == label for name, label in sides], dtype=bool)


def in_matched_pairs(rows: pl.DataFrame, *, seed: int) -> np.ndarray:
    """Return which rows are sides of the pairs matched in form (`matched`), (rows,) of bool, from `pair_id`,
    `is_hallucinated`, `text`. A pair of which one side alone was judged is in none.
    """
    sides = (
        rows.drop_nulls("pair_id").select("pair_id", "is_hallucinated", "text").unique(maintain_order=True)
    )
    both = sides.filter("is_hallucinated").join(
        sides.filter(~pl.col("is_hallucinated")), on="pair_id", suffix="_right", maintain_order="left"
    )
    both = both.sort("pair_id").unique("pair_id", keep="none", maintain_order=True)
    hallucinated, right = ([shape(text) for text in both[name].to_list()] for name in ("text", "text_right"))
    names = both["pair_id"].to_list()
    kept = matched(hallucinated, right, [draw(seed, "matched", name) for name in names])
    chosen = {name for name, is_kept in zip(names, kept, strict=True) if is_kept}
    return np.array([name in chosen for name in rows["pair_id"].to_list()], dtype=bool)
