"""Mu-SHROOM's two scores of one answer (SemEval-2025 Task 3): characters marked hard, and probabilities of
every character.

A soft span is (start, end, p); characters outside all spans have probability 0. A hard mark is p > 0.5, or
above the threshold that a detector chose for itself; a span without p is sure (1). Scores of a language are
means over its answers.
"""

from collections.abc import Iterable

import numpy as np

from truerate.metrics.spans import Span, iou, overlap

HARD = 0.5
Soft = tuple[int, int, float | None]


def hard_spans(soft_spans: Iterable[Soft], threshold: float = HARD) -> list[Span]:
    """The spans that count as marked: p above the threshold, or no p."""
    return [(start, end) for start, end, p in soft_spans if p is None or p > threshold]


def answer_iou(gold: Iterable[Soft], predicted: Iterable[Soft], threshold: float = HARD) -> float:
    """Intersection over union of the characters that both sides mark hard, the predicted ones above the
    threshold; 1 where neither marks any.
    """
    return iou(overlap(hard_spans(gold), hard_spans(predicted, threshold)))


def probabilities(n: int, soft_spans: Iterable[Soft]) -> np.ndarray:
    """The probability of every character of a text of `n` characters, (n,); where spans overlap the highest
    holds.
    """
    highest = np.zeros(n)
    for start, end, p in soft_spans:
        highest[start:end] = np.maximum(highest[start:end], 1.0 if p is None else p)
    return highest


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's rank correlation of two aligned vectors, ties with average ranks; values are compared after
    rounding to 8 digits.

    Where a vector is constant: 1 if both are, else 0 (the task's rule), so marking all and marking nothing
    get the same.
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
    """Spearman's correlation of both sides' probabilities over the `n` characters of an answer."""
    return spearman(probabilities(n, gold), probabilities(n, predicted))
