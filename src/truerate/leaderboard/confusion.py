"""Confusion matrices of whole numbers that give printed scores, and the hidden labels that follow from them.

Nothing is searched over all matrices: accuracy and average recall are two linear equations of the two cells
TP and TN, so with the number of positives given, rounding leaves a band of a few dozen pairs, and the other
scores decide among these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from truerate.core.claims import HiddenSet, Matrices

BAND = ("accuracy", "avg_recall")  # without both there is no band
SCORES = (*BAND, "avg_precision", "f1_hallu", "f1_nonhallu", "macro_f1")  # as published.csv names them
SLACK = 1e-9  # of printed decimals read as binary numbers
REACH = 25  # how far from the stated number of positives others are tried
Figures = Mapping[str, float]  # printed percents by metric


@dataclass(frozen=True)
class Fits:
    """The matrices of one model that give its figures: true positives and negatives of each part, (fits,
    parts) each; `lacking`: the place of the first part without any, None where each has some.
    """

    tp: np.ndarray
    tn: np.ndarray
    n_figures: int
    lacking: int | None = None

    @property
    def n(self) -> int:
        """How many fit; 0 where the figures contradict one another."""
        return len(self.tp)


def scores(tp: np.ndarray, tn: np.ndarray, *, n: int, positives: int) -> dict[str, np.ndarray]:
    """Scores of binary verdicts in percent, by the names of published tables, from counts (fits,) of right
    verdicts on each class. Precision over nothing is 0, as evaluation scripts print it.
    """
    negatives = n - positives
    yes, no = tp + negatives - tn, tn + positives - tp
    shares = {
        "accuracy": (tp + tn) / n,
        "avg_recall": (tp / positives + tn / negatives) / 2,
        "avg_precision": (tp / np.maximum(yes, 1) + tn / np.maximum(no, 1)) / 2,
        "f1_hallu": 2 * tp / (yes + positives),
        "f1_nonhallu": 2 * tn / (no + negatives),
    }
    shares["macro_f1"] = (shares["f1_hallu"] + shares["f1_nonhallu"]) / 2
    return {name: 100 * share for name, share in shares.items()}


def fitting(figures: Figures, part: HiddenSet, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Counts TP and TN, (fits,) each, of all matrices of a part that give its figures within `tolerance`
    percentage points; empty where none does.
    """
    tp, tn = _band(figures, part, tolerance)
    is_fit = _agrees(scores(tp, tn, n=part.n, positives=part.positives), figures, tolerance)
    return tp[is_fit], tn[is_fit]


def joint(parts: Sequence[tuple[HiddenSet, Figures]], whole: Figures, tolerance: float) -> Fits:
    """The matrices of all parts whose sum gives the figures of the whole, too."""
    n_figures = len(whole) + sum(len(figures) for _, figures in parts)
    counts_of_parts = [fitting(figures, part, tolerance) for part, figures in parts]
    lacking = next((part for part, (tp, _) in enumerate(counts_of_parts) if not len(tp)), None)
    pairs = np.stack(np.meshgrid(*(np.arange(len(tp)) for tp, _ in counts_of_parts), indexing="ij"), axis=-1)
    pairs = pairs.reshape(-1, len(parts))
    tp, tn = (
        np.stack([counts[side][pairs[:, part]] for part, counts in enumerate(counts_of_parts)], axis=1)
        for side in (0, 1)
    )
    n, positives = sum(part.n for part, _ in parts), sum(part.positives for part, _ in parts)
    summed = scores(tp.sum(axis=1), tn.sum(axis=1), n=n, positives=positives)
    is_fit = _agrees(summed, whole, tolerance)
    return Fits(tp[is_fit], tn[is_fit], n_figures, lacking)


def inferred(claim: Matrices, printed: Sequence[tuple[Sequence[Figures], Figures]], index: int) -> range:
    """The numbers of positives of one part, around the stated one and without a gap, with which matrices fit
    as many models as with the stated one; the other parts keep theirs.

    `printed`: of each model the figures of the parts, and of the whole.
    """
    part = claim.parts[index]

    def fits(positives: int) -> int:
        varied = replace(part, positives=positives)
        return n_fitting((*claim.parts[:index], varied, *claim.parts[index + 1 :]), printed, claim.tolerance)

    wanted = fits(part.positives)
    fewer = range(part.positives - 1, max(part.positives - REACH, 0), -1)
    more = range(part.positives + 1, min(part.positives + REACH, part.n))
    low, high = (
        list(takewhile(lambda positives: fits(positives) >= wanted, steps)) for steps in (fewer, more)
    )
    return range(part.positives - len(low), part.positives + len(high) + 1)


def n_fitting(
    parts: Sequence[HiddenSet], printed: Sequence[tuple[Sequence[Figures], Figures]], tolerance: float
) -> int:
    """Of how many models matrices give all printed figures."""
    return sum(
        joint(list(zip(parts, of_parts, strict=True)), whole, tolerance).n > 0 for of_parts, whole in printed
    )


def _agrees(percents: Mapping[str, np.ndarray], figures: Figures, tolerance: float) -> np.ndarray:
    """Return which of the scores, (fits,), agree with all printed ones."""
    gaps = [np.abs(percents[name] - value) for name, value in figures.items()]
    return np.all(np.stack(gaps) <= tolerance + SLACK, axis=0)


def _band(figures: Figures, part: HiddenSet, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Counts TP and TN, (pairs,) each, that accuracy and average recall leave: TP + TN is n · accuracy, and
    TP / positives + TN / negatives twice the average recall.
    """
    n, positives, negatives = part.n, part.positives, part.n - part.positives
    accuracy, recall = (figures[name] / 100 for name in BAND)
    gap = tolerance / 100
    right = np.arange(np.ceil((accuracy - gap) * n - SLACK), np.floor((accuracy + gap) * n + SLACK) + 1)
    tilt = 1 / positives - 1 / negatives
    if tilt == 0:  # balanced: both equations are one, and TP is free
        low, width = np.zeros(len(right)), positives + 1
    else:
        ends = np.stack([(2 * (recall + sign * gap) - right / negatives) / tilt for sign in (-1, 1)])
        low, width = np.ceil(ends.min(axis=0) - SLACK), int(2 * 2 * gap / abs(tilt)) + 2
    tp = (low[:, None] + np.arange(width)).ravel()
    tn = np.repeat(right, width) - tp
    is_count = (tp >= 0) & (tp <= positives) & (tn >= 0) & (tn <= negatives)
    return tp[is_count], tn[is_count]
