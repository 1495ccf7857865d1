"""Rates of hallucinated tokens behind what several seeds of a detector flag in replies, corrected by what the
seeds do on labelled texts.

`counts` (replies, seeds, 2): detected and all tokens of each reply; `sums` (texts, seeds, 4): n, gold, detected
and both of each labelled text. `groups` name the cluster of each reply or text.
"""

from collections.abc import Sequence

import numpy as np

from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.rates import Corrected, Share, clustered_share, hr_est, hr_est_interval
from truerate.metrics.unit_rates import Errors, corrected_rate


def flagged_sums(counts: np.ndarray, groups: Sequence[str]) -> np.ndarray:
    """Detected and all tokens per cluster, averaged over seeds, (clusters, 2): the raw rate is the share of the
    first in the second.
    """
    return cluster_sums(groups, counts.mean(axis=1))


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


def mean_hr_est(
    counts: np.ndarray,
    reply_groups: Sequence[str],
    sums: np.ndarray,
    text_groups: Sequence[str],
    *,
    confidence: float,
) -> Interval | None:
    """HR_est as the mean over the seeds where it is defined; its interval keeps the relative width that the
    seeds' mean counts have (`rates.hr_est_interval`).

    NaN ends where these have none; None where no seed has a value.
    """
    each = [
        estimate
        for estimate in map(seed_hr_est, sums.sum(axis=0), counts.sum(axis=0))
        if estimate is not None
    ]
    if not each:
        return None
    # Replies and labelled texts of one group are one cluster, so that what they have in common is kept.
    n, value = len(reply_groups), float(np.mean(each))
    sides = np.zeros((n + len(text_groups), 4))
    sides[:n, :2], sides[n:, 2:] = counts.mean(axis=1), sums.mean(axis=1)[:, 1:3]
    around = hr_est_interval(
        cluster_sums(np.concatenate([reply_groups, text_groups]).tolist(), sides), confidence=confidence
    )
    if around is None:
        return Interval(value, np.nan, np.nan)
    return Interval(value, *(value * end / around.value for end in around[1:]))


def detector_shares(sums: np.ndarray, groups: Sequence[str], *, confidence: float) -> tuple[Share, Share]:
    """TPR and FPR over tokens from counts averaged over seeds, each worth the rows that its clusters are
    (`rates.clustered_share`).
    """
    n, gold, detected, both = cluster_sums(groups, sums.mean(axis=1)).T
    return clustered_share(both, gold, confidence=confidence), clustered_share(
        detected - both, n - gold, confidence=confidence
    )


def token_rogan_gladen(
    counts: np.ndarray,
    reply_groups: Sequence[str],
    sums: np.ndarray,
    text_groups: Sequence[str],
    *,
    confidence: float,
) -> Corrected | None:
    """The Rogan–Gladen rate of tokens (`rates.rogan_gladen`) from counts averaged over seeds, every share with
    the number of rows that its clusters are worth.
    """
    errors = Errors(*detector_shares(sums, text_groups, confidence=confidence))
    return corrected_rate(flagged_sums(counts, reply_groups), errors, confidence=confidence)
