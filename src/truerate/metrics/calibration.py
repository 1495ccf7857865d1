"""Are a judge's probabilities what they say? Reliability by bins, and the expected calibration error."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

N_BINS = 10


class Bin(NamedTuple):
    """Texts whose p lies in [low, high) (the last bin: up to 1): how many, their mean p, and the share of them
    that is hallucinated; both None without a text.
    """

    low: float
    high: float
    n: int
    mean_p: float | None
    rate: float | None


def bin_sums(p: np.ndarray, label: np.ndarray, *, n_bins: int = N_BINS) -> np.ndarray:
    """What reliability is made of, a row per text: whether it lies in each bin of p, of equal width, then its p
    there, then whether it is hallucinated there, (texts, 3 · bins).
    """
    p = np.asarray(p, dtype=float)
    place = np.minimum((p * n_bins).astype(int), n_bins - 1)
    inside = (place[:, None] == np.arange(n_bins)).astype(float)
    return np.hstack([inside, inside * p[:, None], inside * np.asarray(label, dtype=float)[:, None]])


def reliability(totals: np.ndarray) -> list[Bin]:
    """The bins from totals (3 · bins,) of `bin_sums`."""
    n, p, hallucinated = np.asarray(totals, dtype=float).reshape(3, -1)
    edges = np.arange(len(n) + 1) / len(n)
    return [
        Bin(
            float(edges[place]),
            float(edges[place + 1]),
            int(size),
            float(p[place] / size) if size else None,
            float(hallucinated[place] / size) if size else None,
        )
        for place, size in enumerate(n)
    ]


def expected_calibration_error(totals: np.ndarray) -> np.ndarray:
    """ECE (Naeini et al. 2015; Guo et al. 2017) from totals (…, 3 · bins) of `bin_sums`: the mean over texts of
    |share hallucinated − mean p| of their bin, in [0, 1]; NaN over no text.

    A judge that is calibrated has an ECE above 0 by chance: read it beside its n.
    """
    n_bins = totals.shape[-1] // 3
    n, p, hallucinated = (totals[..., part * n_bins : (part + 1) * n_bins] for part in range(3))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.abs(hallucinated - p).sum(axis=-1) / n.sum(axis=-1)


class AtCut(NamedTuple):
    """What calling every text hallucinated whose p is `cut` or more gives: how many are called so (`n_flagged`), the
    share of these that is hallucinated, and the share of the hallucinated that is among them; None over nothing.
    """

    cut: float
    n_flagged: int
    precision: float | None
    recall: float | None


def at_cuts(bins: Sequence[Bin]) -> list[AtCut]:
    """Precision and recall at the lower edge of each bin, in ascending order of the edges: from the bins alone, so
    that whoever has them can make it anew.
    """
    ordered = sorted(bins)
    hits = [one.n * (one.rate or 0.0) for one in ordered]
    n_all = sum(hits)
    found = []
    for place, one in enumerate(ordered):
        n, hit = sum(other.n for other in ordered[place:]), sum(hits[place:])
        found.append(AtCut(one.low, n, hit / n if n else None, hit / n_all if n_all else None))
    return found
