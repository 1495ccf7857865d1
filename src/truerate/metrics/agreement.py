"""Agreement between raters: percent, Cohen's κ, Fleiss' κ, Krippendorff's α, majority votes, and κ over
marked spans.

Frames of ratings have columns `unit_id`, `rater`, `label` (any type; null: this rater said nothing of this
unit).
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
import polars as pl

Span = tuple[int, int]


def percent_agreement(counts: np.ndarray) -> float | None:
    """Mean over units of the share of rater pairs that agree, in [0, 1]. `counts` as from `rating_counts`.

    Units with fewer than two ratings hold no pair and are left out; None where no unit has two.
    """
    counts = _rated_twice(counts)
    if not len(counts):
        return None
    n = counts.sum(axis=1)
    return float(((counts * (counts - 1)).sum(axis=1) / (n * (n - 1))).mean())


def rating_counts(rows: pl.DataFrame) -> np.ndarray:
    """How many raters gave each label to each unit, (units, labels), both in sorted order, from `unit_id`,
    `label`; nulls are left out.
    """
    table = rows.drop_nulls("label").group_by("unit_id", "label").len()
    if table.is_empty():
        return np.zeros((0, 0))
    wide = (
        table.pivot(on="label", index="unit_id", values="len", aggregate_function="sum", sort_columns=True)
        .sort("unit_id")
        .fill_null(0)
    )
    return wide.drop("unit_id").to_numpy().astype(float)


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's κ of two raters on aligned units: (p_o − p_e) / (1 − p_e) with each rater's own label shares
    (Cohen 1960).

    Units that either left out (None) do not count. In [−1, 1]; None over no unit, or where both always say
    the same one label (p_e = 1).
    """
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not both:
        return None
    n = len(both)
    p_o = sum(a == b for a, b in both) / n
    left, right = Counter(a for a, _ in both), Counter(b for _, b in both)
    p_e = sum(left[label] * right[label] for label in left) / n**2
    return (p_o - p_e) / (1 - p_e) if p_e < 1 else None


def fleiss_kappa(counts: np.ndarray) -> float | None:
    """Fleiss' κ (Fleiss 1971), from `rating_counts`, with a definition that also holds where units have
    different numbers of raters.

    Over the units with n_i ≥ 2 ratings: P_i = Σ_j n_ij (n_ij − 1) / (n_i (n_i − 1)), the share of agreeing
    rater pairs; P̄ the plain mean of P_i over units; p_j the share of label j among all ratings of these
    units; P_e = Σ p_j²; κ = (P̄ − P_e) / (1 − P_e). With one n for all units this is Fleiss' own formula.
    None over no unit with two ratings, or where only one label occurs (P_e = 1).
    """
    counts = _rated_twice(counts)
    observed = percent_agreement(counts)
    if observed is None:
        return None
    shares = counts.sum(axis=0) / counts.sum()
    expected = float((shares**2).sum())
    return (observed - expected) / (1 - expected) if expected < 1 - 1e-12 else None


def krippendorff_alpha(counts: np.ndarray) -> float | None:
    """Krippendorff's α for nominal labels: 1 − D_o / D_e from the coincidence matrix, from `rating_counts`
    (Krippendorff 2011).

    Units with one rating hold no pair and are left out; different numbers of raters are weighted by their
    ratings, unlike in `fleiss_kappa`. None over no pair, or where only one label occurs (D_e = 0).
    """
    counts = _rated_twice(counts)
    if not len(counts):
        return None
    n_of_unit, n_of_label = counts.sum(axis=1), counts.sum(axis=0)
    n = n_of_label.sum()
    disagree = ((n_of_unit**2 - (counts**2).sum(axis=1)) / (n_of_unit - 1)).sum() / n
    expected = (n**2 - (n_of_label**2).sum()) / (n * (n - 1))
    return float(1 - disagree / expected) if expected > 0 else None


def max_voting(labels: Sequence[Hashable]) -> Hashable | None:
    """The label that most raters gave (HELMA 2.2's max-voting); None for a tie at the top or for no vote.
    Nulls are no votes.
    """
    votes = Counter(label for label in labels if label is not None).most_common(2)
    if not votes or (len(votes) == 2 and votes[0][1] == votes[1][1]):
        return None
    return votes[0][0]


def marked_units(
    spans: Sequence[Span], units: Sequence[Span], *, rule: Literal["inside", "overlap"]
) -> np.ndarray:
    """Which units (tokens as half-open offsets) a rater marked: `inside` one span as a whole, or
    `overlap`ping any span.
    """
    unit, span = np.asarray(units, dtype=int).reshape(-1, 2), np.asarray(spans, dtype=int).reshape(-1, 2)
    if rule == "inside":
        held = (span[None, :, 0] <= unit[:, None, 0]) & (unit[:, None, 1] <= span[None, :, 1])
    else:
        held = (span[None, :, 0] < unit[:, None, 1]) & (unit[:, None, 0] < span[None, :, 1])
    return np.asarray(held.any(axis=1))


def span_counts(
    raters: Sequence[Sequence[Span]], units: Sequence[Span], *, rule: Literal["inside", "overlap"]
) -> np.ndarray:
    """Ratings of each unit of one text as (units, 2) counts of unmarked and marked, one rater per list of
    spans (an empty list rates too).

    Stack the counts of many texts and hand them to `fleiss_kappa` or `krippendorff_alpha` for token-level
    agreement.
    """
    marks = sum(
        (marked_units(spans, units, rule=rule).astype(float) for spans in raters), np.zeros(len(units))
    )
    return np.stack([len(raters) - marks, marks], axis=1)


def characters(text: str) -> list[Span]:
    """The units of character-level agreement: every code point of the text."""
    return [(i, i + 1) for i in range(len(text))]


def _rated_twice(counts: np.ndarray) -> np.ndarray:
    counts = np.asarray(counts, dtype=float)
    return counts[counts.sum(axis=1) >= 2] if counts.size else counts.reshape(0, 0)
