"""How many more units would tell two subjects apart that were measured on the same ones."""

from collections.abc import Sequence
from math import ceil
from statistics import NormalDist

import numpy as np

from truerate.metrics.intervals import cluster_sums

MOST = 10_000_000  # more units than any set could be given: told as none


def more_units_to_separate(
    first: np.ndarray,
    second: np.ndarray,
    clusters: Sequence[object],
    *,
    n_pairs: int = 1,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int | None:
    """The units to add, of the kind that is there, for a paired test to find the observed difference.

    `first`, `second`: values on the same units, NaN where one does not count. Needed are N · Var(d̄) ·
    (z_{1−α/2m} + z_{power})² / d̄² units (the sample size of paired differences: Lachin 1981, eq. 1, with
    Bonferroni's level for m = `n_pairs`), d̄ the mean difference and Var(d̄) its variance over clusters, by the
    residuals of a ratio (Cochran 1977, 6.3): k/(k − 1) · Σ (D_c − d̄ n_c)² / N². 0 where the units that are there
    would do. None where the means do not differ, fewer than two clusters are common, or more than MOST are needed.
    """
    gaps = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    common = ~np.isnan(gaps)
    n = int(common.sum())
    if not n or not (mean := float(np.nansum(gaps)) / n):
        return None
    sums = cluster_sums(np.asarray(clusters, dtype=str)[common], np.column_stack([gaps, common])[common])
    k = len(sums)
    if k < 2:
        return None
    residuals = sums[:, 0] - mean * sums[:, 1]
    variance = k / (k - 1) * float((residuals**2).sum()) / n**2
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / (2 * max(1, n_pairs))) + normal.inv_cdf(power)
    needed = n * variance * reach**2 / mean**2
    return max(0, ceil(needed - 1e-9) - n) if needed <= MOST else None
