"""How far two orders of the same subjects agree."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Agreement(NamedTuple):
    """Of two orders of the same subjects: Kendall's τ-b, the pairs of subjects, and those whose order is
    turned round. τ is None where it is not defined.
    """

    tau: float | None
    n_pairs: int
    flips: tuple[tuple[int, int], ...]


def kendall(first: Sequence[float], second: Sequence[float]) -> Agreement:
    """Kendall's τ-b of two lists over the same subjects (Kendall 1945), in [−1, 1]: concordant less discordant
    pairs, over the root of the pairs untied in the first times those untied in the second.

    A flip is a discordant pair, as places (i, j) with i < j; a tie on either side is none. τ is None where one
    list is constant or has fewer than two values.
    """
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    i, j = np.triu_indices(len(x), k=1)
    signs = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
    product = signs[0] * signs[1]
    untied = math.sqrt(int(np.count_nonzero(signs[0])) * int(np.count_nonzero(signs[1])))
    flips = tuple((int(i[k]), int(j[k])) for k in np.flatnonzero(product < 0))
    return Agreement(float(product.sum()) / untied if untied else None, len(i), flips)
