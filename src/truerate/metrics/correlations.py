"""How two lists of numbers hang together, and whether two groups of numbers differ."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np


class Correlation(NamedTuple):
    """Pearson's r, the two-sided p-value that it is 0, and the number of points. r and p are None where they
    are not defined.
    """

    r: float | None
    p: float | None
    n: int


class Difference(NamedTuple):
    """Mean of the first group − mean of the second, the two-sided p-value that it is 0, and the number of
    points.
    """

    value: float | None
    p: float | None
    n: int


def pearson(
    first: Sequence[float | None], second: Sequence[float | None], *, n_fitted: int = 0
) -> Correlation:
    """Pearson's product-moment correlation over the points that both lists have, its p-value from Student's t
    with n − 2 degrees.

    `n_fitted`: degrees that were spent before, as by taking group means off the points. It treats the points
    as independent. None where no degree is left (without `n_fitted`, over fewer than three points) or where
    one list is constant; p is 0 at |r| = 1.
    """
    points = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    x, y = np.array(points, dtype=float).reshape(-1, 2).T
    degrees = len(x) - 2 - n_fitted
    if degrees < 1 or np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return Correlation(None, None, len(x))
    from scipy.special import stdtr

    r = float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))
    p = 0.0 if abs(r) == 1 else 2 * float(stdtr(degrees, -abs(r) * np.sqrt(degrees / (1 - r * r))))
    return Correlation(r, p, len(x))


def pearson_within(
    first: Sequence[float], second: Sequence[float], groups: Sequence[Hashable]
) -> Correlation:
    """`pearson` over all points once each list has lost its mean of every group, so that what differs between
    groups alone does not count; a degree is spent on each mean but the first.
    """
    names = list(dict.fromkeys(groups))
    group_index = np.array([names.index(group_name) for group_name in groups], dtype=int)
    sizes = np.bincount(group_index, minlength=len(names))
    centred = [
        np.asarray(each, dtype=float)
        - (np.bincount(group_index, each, minlength=len(names)) / sizes)[group_index]
        for each in (first, second)
    ]
    return pearson(*(each.tolist() for each in centred), n_fitted=max(0, len(names) - 1))


def t_test(first: Sequence[float], second: Sequence[float]) -> Difference:
    """Student's two-sample t-test with pooled variance (Student 1908). It treats every value as independent
    of all others.

    p is None where a group has no value, fewer than three values are there in all, or nothing varies.
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    n, degrees = len(a) + len(b), len(a) + len(b) - 2
    if not len(a) or not len(b):
        return Difference(None, None, n)
    gap = float(a.mean() - b.mean())
    spread = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
    if degrees < 1 or spread <= 0:
        return Difference(gap, None, n)
    from scipy.special import stdtr

    error = np.sqrt(spread / degrees * (1 / len(a) + 1 / len(b)))
    return Difference(gap, 2 * float(stdtr(degrees, -abs(gap) / error)), n)
