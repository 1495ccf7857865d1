"""Rates of hallucinated tokens of each seed of a detector, for their spread over seeds."""

import numpy as np

from truerate.metrics.rates import hr_est


def flagged_rates(counts: np.ndarray) -> np.ndarray:
    """The raw rate of each seed from counts (…, 2) of detected and all tokens; NaN over no token."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return counts[..., 0] / counts[..., 1]


def seed_hr_est(totals: np.ndarray, counts: np.ndarray) -> float | None:
    """HR_est (`rates.hr_est`) of one seed from its totals (n, gold, detected, both) over labelled texts and its
    counts (detected, tokens) in the replies; None where it is not defined.
    """
    _, gold, detected, both = totals
    return hr_est(both / detected if detected else None, both / gold if gold else None, *counts)
