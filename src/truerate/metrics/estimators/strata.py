"""Rogan and Gladen's rate over strata (the sentence's place, the reply's length) in which a detector errs
differently: each stratum corrected by its own errors, and put together by what units hold there.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from truerate.metrics.rates import Corrected
from truerate.metrics.unit_rates import Errors, corrected_rate


def stratified(flagged: np.ndarray, errors: Sequence[Errors], *, confidence: float) -> Corrected | None:
    """Σ share of a stratum · its Rogan–Gladen rate before edges cut it, cut to [0, 1].

    `flagged` (clusters, strata, 2): flagged things and all of them in each stratum of each cluster; `errors`: the
    detector's in each stratum. Sides are put together by square-and-add (Zou & Donner 2008), each stratum's
    interval around its own cut rate. A stratum that holds nothing is left out; not identified where one that
    holds something is not; None where one has no errors told or nothing is held at all.
    """
    held = flagged[..., 1].sum(axis=0)
    if not held.sum():
        return None
    shares = held / held.sum()
    n_tests = int((held > 0).sum())
    told = [
        (share, corrected_rate(flagged[:, place], errors[place], confidence=confidence, n_tests=n_tests))
        for place, share in enumerate(shares.tolist())
        if share
    ]
    rate = below = above = 0.0
    for share, found in told:
        if found is None:
            return None
        if found.value is None or found.low is None or found.high is None or found.raw is None:
            return Corrected(None, None, None, None, False)
        rate += share * found.raw
        below += (share * (found.value - found.low)) ** 2
        above += (share * (found.high - found.value)) ** 2
    value = min(1.0, max(0.0, rate))
    return Corrected(value, max(0.0, value - sqrt(below)), min(1.0, value + sqrt(above)), rate, True)
