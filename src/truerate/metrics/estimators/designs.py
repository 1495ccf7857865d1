"""Which answers to have labelled: the chance of each to be drawn, and a draw with these chances."""

from typing import NamedTuple

import numpy as np

LEAST_OF_STRATUM = 2  # labels of a stratum: fewer say nothing of how its answers differ
TRUST = 0.75  # of how far a score is from its mean, what is believed of it before anybody labels
LEAST_SPREAD = 0.1  # of an answer or stratum, a standard deviation √(p(1 − p)): nothing is as sure as 0 or 1
N_BANDS = (
    3  # strata of a score: more have too few labels each for a narrow interval (benchmarks/rate_draws.py)
)
OF_SCORE = 10.0  # labels that what a score says of a stratum counts as, beside earlier labels


class Design(NamedTuple):
    """The chance of each of n rows to be drawn, (n,) in (0, 1], of sum k; and its stratum, (n,), from 0."""

    probability: np.ndarray
    stratum: np.ndarray


def uniform(n: int, k: int) -> Design:
    """Return the design that gives each of `n` rows the chance k/n; all of them where k is n or more."""
    return Design(np.full(n, min(1.0, k / n) if n else 0.0), np.zeros(n, dtype=int))


def stratified(
    stratum: np.ndarray, k: int, score: np.ndarray | None = None, *, label: np.ndarray | None = None
) -> Design:
    """Return the design with a fixed number of labels a stratum and equal chances within: k split by size,
    with a `score` (n,) in [0, 1] by size times √(p(1 − p)) of the mean of its `chances` there (Neyman 1934), at
    least LEAST_OF_STRATUM each (all of a smaller one), at most all. The sum exceeds k where the least alone does.

    `label` (n,), NaN without one: of an earlier draw with equal chances within strata, of which k counts the
    labels too. p of a stratum is then that of its labels and of OF_SCORE labels like its score (of none, half of
    one), and no stratum has fewer than it had (two-phase allocation, Sukhatme 1935).
    """
    _, row, sizes = np.unique(stratum, return_inverse=True, return_counts=True)
    before = np.zeros(len(sizes))
    p = np.full(len(sizes), 0.5) if score is None else np.bincount(row, chances(score)) / sizes
    if label is not None:
        is_labelled = ~np.isnan(label)
        before = np.bincount(row[is_labelled], minlength=len(sizes)).astype(float)
        n_hallucinated = np.bincount(row[is_labelled], label[is_labelled], minlength=len(sizes))
        p = (n_hallucinated + OF_SCORE * p) / (before + OF_SCORE)
    least = np.maximum(before, np.minimum(sizes, LEAST_OF_STRATUM))
    share = _bounded(sizes * _spread(p), max(min(k, len(row)), int(least.sum())), least=least, most=sizes)
    taken = np.floor(share + 1e-9)
    # whole numbers by the largest remainders
    for index in np.argsort(taken - share, kind="stable")[: round(float(share.sum() - taken.sum()))]:
        taken[index] += 1
    return Design((taken / sizes)[row], row)


def remaining(design: Design, is_labelled: np.ndarray) -> Design:
    """Return the design of `stratified` for what an earlier draw did not label: with its rows, `is_labelled` (n,),
    each stratum then has the labels that `design` gives it. Labelled rows have the chance 0.
    """
    sizes, before = np.bincount(design.stratum), np.bincount(design.stratum, is_labelled)
    wanted = np.bincount(design.stratum, design.probability) - before
    chance = np.maximum(wanted, 0.0) / np.maximum(sizes - before, 1.0)
    return Design(np.where(is_labelled, 0.0, chance[design.stratum]), design.stratum)


def uncertain(score: np.ndarray, k: int) -> Design:
    """Return the design with chances ∝ √(p(1 − p)) of a score's `chances` p (n,), LEAST_SPREAD at least: the
    choice of least variance where p is the chance of a hallucination (Zrnic & Candès 2024, Active statistical
    inference).
    """
    n = len(score)
    spread = _spread(chances(score))
    return Design(
        _bounded(spread, min(k, n), least=np.zeros(n), most=np.ones(n)),
        np.zeros(n, dtype=int),
    )


def chances(score: np.ndarray) -> np.ndarray:
    """Return what a score (n,) in [0, 1] says of each row before anybody labels: its mean and TRUST of the rest,
    as no judge is right whenever it is sure. Of a judge of yes and no that flags .2 it is .8 and .05.
    """
    return np.clip(score.mean() + TRUST * (score - score.mean()), 0.0, 1.0) if len(score) else score


def bands(score: np.ndarray) -> np.ndarray:
    """The strata of a score in [0, 1] where no field is named, (n,) from 0 (`band_ends`)."""
    return np.searchsorted(band_ends(score, N_BANDS), score, side="left")


def band_ends(score: np.ndarray, n_bands: int) -> np.ndarray:
    """The greatest value of each band of a score (n,) in [0, 1] but the last: its values are bands where they are
    `n_bands` at most; else these have equal sums of √(p(1 − p)) of its `chances`, ties together, so that a draw gives
    each as many labels (Dalenius & Hodges 1959).
    """
    values = np.unique(score)
    if len(values) <= n_bands:
        return values[:-1]
    score = np.sort(score)
    total = np.cumsum(_spread(chances(score)))
    ends = np.unique(score[np.searchsorted(total, total[-1] * np.arange(1, n_bands) / n_bands)])
    return ends[ends < score[-1]]


def drawn(design: Design, rng: np.random.Generator) -> np.ndarray:
    """Return the rows of one draw, sorted: systematic (Madow 1949) over strata, in random order within each,
    so that the chances are met exactly, and the number of a stratum up to one.
    """
    order = np.lexsort((rng.random(len(design.stratum)), design.stratum))
    ends = np.cumsum(design.probability[order])
    starts = np.concatenate([[0.0], ends[:-1]])
    start = rng.uniform(1e-9, 1 - 1e-9)
    return np.sort(order[np.floor(ends - start) > np.floor(starts - start)])


def _spread(p: np.ndarray) -> np.ndarray:
    return np.maximum(np.sqrt(p * (1 - p)), LEAST_SPREAD)


def _bounded(size: np.ndarray, total: float, *, least: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Return c · size between `least` and `most`, c such that the sum is `total`, by bisection."""
    if total >= most.sum():
        return most.astype(float)
    low, high = 0.0, 2.0 * float(most.max()) / float(size.min()) if len(size) else 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if np.clip(middle * size, least, most).sum() > total else (middle, high)
    return np.clip(high * size, least, most)
