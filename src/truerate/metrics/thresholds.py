"""One number as a classifier: the cut that separates two classes best, and how well it orders them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

AT_ONCE = 1_000_000  # weights of scores that are held at once


class Threshold(NamedTuple):
    """A cut of one feature. Above it (strictly) texts are judged hallucinated where `is_above`, else below or
    at it. `p_above` and `p_below` are the shares of hallucinated texts on either side in the data it was
    learned from.
    """

    cut: float
    is_above: bool
    p_above: float
    p_below: float

    def verdicts(self, values: np.ndarray) -> np.ndarray:
        """Return which values are judged hallucinated."""
        return (np.asarray(values) > self.cut) == self.is_above

    def probabilities(self, values: np.ndarray) -> np.ndarray:
        """The share of hallucinated texts on the side each value lies on."""
        return np.where(np.asarray(values) > self.cut, self.p_above, self.p_below)


def best_threshold(values: np.ndarray, labels: np.ndarray) -> Threshold | None:
    """The cut and direction of highest balanced accuracy, halfway between two neighbouring values; the lowest
    such cut on a tie. Balanced accuracy, so that a rare class is not given up. None where a class is missing
    or all values are equal.
    """
    x, y = np.asarray(values, dtype=float), np.asarray(labels, dtype=bool)
    steps = np.unique(x)
    if len(steps) < 2 or y.all() or not y.any():
        return None
    cuts = (steps[:-1] + steps[1:]) / 2
    below, below_right = (np.searchsorted(np.sort(x[side]), cuts, side="right") for side in (y, ~y))
    gap = below_right / (~y).sum() - below / y.sum()  # recall + specificity − 1 of "above is hallucinated"
    best = int(np.argmax(np.round(np.abs(gap), 12)))
    above = x > cuts[best]
    return Threshold(float(cuts[best]), bool(gap[best] >= 0), float(y[above].mean()), float(y[~above].mean()))


def auroc(scores: np.ndarray, labels: np.ndarray) -> float | None:
    """P(a hallucinated text scores higher than another), in [0, 1], ties half; None where a class is missing."""
    area = weighted_auroc(scores, labels, np.ones((1, len(np.asarray(labels)))))[0]
    return None if np.isnan(area) else float(area)


def weighted_auroc(scores: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """`auroc` for many weightings at once, (resamples, rows) → (resamples,); NaN without a class."""
    y = np.asarray(labels, dtype=bool)
    steps, index = np.unique(np.asarray(scores, dtype=float), return_inverse=True)
    order = np.argsort(index, kind="stable")
    starts = np.searchsorted(index[order], np.arange(len(steps)))
    if not len(order):
        return np.full(len(weights), np.nan)
    positive, negative = (np.add.reduceat((weights * side)[:, order], starts, axis=1) for side in (y, ~y))
    return auroc_of_counts(positive, negative)


def grouped_auroc(
    scores: np.ndarray, labels: np.ndarray, groups: np.ndarray, weights: Iterable[np.ndarray]
) -> np.ndarray:
    """`weighted_auroc` of rows that have the weight of their group: blocks of `weights` (resamples, groups) →
    (resamples of all blocks,); `groups` (rows,): places of groups. Rows of one score, side and group are
    added up before they are weighed, so that no weight stands for each row: with many rows per group that
    would take as many times the memory.
    """
    from scipy.sparse import csr_array

    y, index_of_groups = np.asarray(labels, dtype=bool), np.asarray(groups)
    steps, index = np.unique(np.asarray(scores, dtype=float), return_inverse=True)
    shape = len(steps), int(index_of_groups.max(initial=-1)) + 1
    sides = [
        csr_array((np.ones(int(side.sum())), (index[side], index_of_groups[side])), shape=shape)
        for side in (y, ~y)
    ]
    n_at_once = max(1, AT_ONCE // max(1, len(steps)))
    parts = (block[k : k + n_at_once] for block in weights for k in range(0, len(block), n_at_once))
    return np.concatenate(
        [np.zeros(0), *(auroc_of_counts(*((side @ part.T).T for side in sides)) for part in parts)]
    )


def auroc_of_counts(positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """`auroc` of rows counted per ascending score, (…, scores) of either class → (…,)."""
    below = np.cumsum(negative, axis=-1) - negative / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return (positive * below).sum(axis=-1) / (positive.sum(axis=-1) * negative.sum(axis=-1))


def average_precision_of_counts(positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """Σ (recall − recall above) · precision over descending scores (scikit-learn's definition, without
    interpolation) of rows counted at each of some ascending scores, (…, scores) of either class → (…,). In
    [0, 1]; the share of positive rows for a constant score. NaN where a class has none.
    """
    n_hits, marked = (np.cumsum(counts[..., ::-1], axis=-1) for counts in (positive, positive + negative))
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(marked > 0, n_hits / marked, 0.0)
        value = (positive[..., ::-1] * precision).sum(axis=-1) / positive.sum(axis=-1)
    return np.where(negative.sum(axis=-1) > 0, value, np.nan)


def average_precision(scores: np.ndarray, labels: np.ndarray) -> float | None:
    """`average_precision_of_counts` of single rows (rows,); None where a class is missing."""
    y = np.asarray(labels, dtype=bool)
    steps, index = np.unique(np.asarray(scores, dtype=float), return_inverse=True)
    counts = [np.bincount(index[side], minlength=len(steps)).astype(float) for side in (y, ~y)]
    value = float(average_precision_of_counts(*counts))
    return None if np.isnan(value) else value


def best_f1_cut(scores: np.ndarray, labels: np.ndarray) -> float | None:
    """The cut above which (strictly) marking rows (rows,) gives the highest F1 against their labels: halfway
    between two neighbouring scores, or between 0 and the lowest; of equals the highest. Scores are not below
    0. None where no row is positive.
    """
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    if not y.any():
        return None
    steps, index = np.unique(np.concatenate([[0.0], x]), return_inverse=True)
    marked, both = (  # rows at each score but the lowest, or above it
        np.cumsum(np.bincount(index[1:][side], minlength=len(steps))[::-1])[::-1][1:]
        for side in (np.ones(len(y), dtype=bool), y)
    )
    if not len(marked):
        return None
    f1 = np.round(2 * both / (marked + y.sum()), 12)
    best = int(np.flatnonzero(f1 == f1.max())[-1])
    return float((steps[best] + steps[best + 1]) / 2)


def log_loss(p: np.ndarray, labels: np.ndarray) -> float | None:
    """Mean of −ln of the probability (rows,) given to what is so, p kept off 0 and 1; None over no row."""
    y = np.asarray(labels, dtype=bool)
    given = np.clip(np.where(y, p, 1 - np.asarray(p, dtype=float)), 1e-7, 1.0)
    return float(-np.log(given).mean()) if len(y) else None


def grouped_folds(groups: Sequence[str], *, n_folds: int, seed: int) -> np.ndarray:
    """The fold of each row, such that rows of one group share a fold and folds are of near-equal size. Groups
    are shuffled by the seed, then dealt, largest first, to the fold with the fewest rows. Fewer groups than
    folds: fewer folds.
    """
    names, index, sizes = np.unique(np.asarray(groups, dtype=str), return_inverse=True, return_counts=True)
    shuffled = np.random.default_rng(seed).permutation(len(names))
    filled, fold_of = np.zeros(max(1, min(n_folds, len(names)))), np.zeros(len(names), dtype=int)
    for group in sorted(shuffled, key=lambda g: -sizes[g]):
        fold_of[group] = int(np.argmin(filled))
        filled[fold_of[group]] += sizes[group]
    return fold_of[index] if len(index) else np.zeros(0, dtype=int)


N_BINS = 10


class Bin(NamedTuple):
    """Texts with p in [low, high) (last bin: to 1): n, mean p, hallucinated share; None without a text."""

    low: float
    high: float
    n: int
    mean_p: float | None
    rate: float | None


def bin_sums(p: np.ndarray, label: np.ndarray, *, n_bins: int = N_BINS) -> np.ndarray:
    """Return what reliability is made of, a row per text: whether it lies in each bin of p, of equal width,
    then its p there, then whether it is hallucinated there, (texts, 3 · bins).
    """
    p = np.asarray(p, dtype=float)
    bin_index = np.minimum((p * n_bins).astype(int), n_bins - 1)
    inside = (bin_index[:, None] == np.arange(n_bins)).astype(float)
    return np.hstack([inside, inside * p[:, None], inside * np.asarray(label, dtype=float)[:, None]])


def reliability(totals: np.ndarray) -> list[Bin]:
    """The bins from totals (3 · bins,) of `bin_sums`."""
    n, p, hallucinated = np.asarray(totals, dtype=float).reshape(3, -1)
    edges = np.arange(len(n) + 1) / len(n)
    means = [
        (float(p[i] / n[i]), float(hallucinated[i] / n[i])) if n[i] else (None, None) for i in range(len(n))
    ]
    return [
        Bin(float(low), float(high), int(size), *both)
        for low, high, size, both in zip(edges, edges[1:], n, means, strict=False)
    ]


def expected_calibration_error(totals: np.ndarray) -> np.ndarray:
    """ECE (Naeini et al. 2015; Guo et al. 2017) from totals (…, 3 · bins) of `bin_sums`: the mean over texts
    of |share hallucinated − mean p| of their bin, in [0, 1]; NaN over no text. A judge that is calibrated has
    an ECE above 0 by chance: read it beside its n.
    """
    n_bins = totals.shape[-1] // 3
    n, p, hallucinated = (totals[..., part * n_bins : (part + 1) * n_bins] for part in range(3))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.abs(hallucinated - p).sum(axis=-1) / n.sum(axis=-1)


class AtCut(NamedTuple):
    """What calling every text hallucinated whose p is `cut` or more gives: how many are called so
    (`n_flagged`), the share of these that is hallucinated, and the share of the hallucinated that is among
    them; None over nothing.
    """

    cut: float
    n_flagged: int
    precision: float | None
    recall: float | None


def at_cuts(bins: Sequence[Bin]) -> list[AtCut]:
    """Precision and recall at the lower edge of each bin, in ascending order, from the bins alone."""
    ordered = sorted(bins)
    hits = [group.n * (group.rate or 0.0) for group in ordered]
    n_all, cuts = sum(hits), []
    for index, group in enumerate(ordered):
        n, hit = sum(other.n for other in ordered[index:]), sum(hits[index:])
        cuts.append(AtCut(group.low, n, hit / n if n else None, hit / n_all if n_all else None))
    return cuts
