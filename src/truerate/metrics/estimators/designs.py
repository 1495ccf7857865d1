"""Which answers to have labelled: the chance of each to be drawn, and a draw with these chances."""

from typing import NamedTuple

import numpy as np

LEAST_OF_STRATUM = 2  # labels of a stratum: fewer say nothing of how its answers differ
LEAST_SPREAD = (
    0.15  # of an answer or stratum, a standard deviation √(p(1 − p)): no score is as sure as 0 or 1
)
N_BANDS = 5  # strata of a score where no field is named


class Design(NamedTuple):
    """The chance of each of n rows to be drawn, (n,) in (0, 1], of sum k; and its stratum, (n,), from 0."""

    probability: np.ndarray
    stratum: np.ndarray


def uniform(n: int, k: int) -> Design:
    """Return the design that gives each of `n` rows the chance k/n; all of them where k is n or more."""
    return Design(np.full(n, min(1.0, k / n) if n else 0.0), np.zeros(n, dtype=int))


def stratified(stratum: np.ndarray, k: int, score: np.ndarray | None = None) -> Design:
    """Return the design with a fixed number of labels a stratum and equal chances within: k split by size,
    with a `score` (n,) in [0, 1] by size times √(p(1 − p)) of its mean p there (Neyman 1934), at least
    LEAST_OF_STRATUM each (all of a smaller one), at most all. The sum exceeds k where the least alone does.
    """
    _, row, sizes = np.unique(stratum, return_inverse=True, return_counts=True)
    spread = np.ones(len(sizes)) if score is None else _spread(np.bincount(row, score) / sizes)
    least = np.minimum(sizes, LEAST_OF_STRATUM)
    share = _bounded(sizes * spread, max(min(k, len(row)), int(least.sum())), least=least, most=sizes)
    taken = np.floor(share + 1e-9)
    # whole numbers by the largest remainders
    for index in np.argsort(taken - share, kind="stable")[: round(float(share.sum() - taken.sum()))]:
        taken[index] += 1
    return Design((taken / sizes)[row], row)


def uncertain(score: np.ndarray, k: int) -> Design:
    """Return the design with chances ∝ √(p(1 − p)) of a score p (n,) in [0, 1], that of a p nearer to 0 or 1
    than LEAST_SPREAD allows as at it: the choice of least variance where p is the chance of a hallucination
    (Zrnic & Candès 2024, Active statistical inference).
    """
    n = len(score)
    spread = _spread(score)
    return Design(
        _bounded(spread, min(k, n), least=np.zeros(n), most=np.ones(n)),
        np.zeros(n, dtype=int),
    )


def bands(score: np.ndarray) -> np.ndarray:
    """The strata of a score where no field is named, (n,): N_BANDS of equal numbers, ties together."""
    edges = np.quantile(score, np.arange(1, N_BANDS) / N_BANDS) if len(score) else []
    return np.searchsorted(np.unique(edges), score, side="left")


def drawn(design: Design, rng: np.random.Generator) -> np.ndarray:
    """Return the rows of one draw, sorted: systematic (Madow 1949) over strata, in random order within each,
    so that the chances are met exactly, and the number of a stratum up to one.
    """
    order = np.lexsort((rng.random(len(design.stratum)), design.stratum))
    ends = np.cumsum(design.probability[order])
    starts = np.concatenate([[0.0], ends[:-1]])
    start = rng.uniform(1e-9, 1 - 1e-9)
    return np.sort(order[np.floor(ends - start) > np.floor(starts - start)])


def _spread(score: np.ndarray) -> np.ndarray:
    p = np.clip(score, 0.0, 1.0)
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
