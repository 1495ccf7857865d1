"""Rogan and Gladen's rate where a detector errs otherwise from model to model: the variance between models of
TPR and FPR, and its place in the interval.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from truerate.metrics.estimators.sample import Calibration
from truerate.metrics.intervals import cluster_sums, effective_n, z_of
from truerate.metrics.rates import Corrected

LEAST_SPREAD = (
    0.01  # p(1 − p) of a share, at least: a cell of few texts with none flagged is not known so well
)


class Between(NamedTuple):
    """Variances between models of a detector's TPR and FPR, and how many models' texts tell them."""

    tpr: float
    fpr: float
    n_models: int


def between_models(texts: Calibration) -> Between:
    """DerSimonian and Laird's (1986) variance between models within languages, of TPR and of FPR.

    0 where no language has two models: the interval then says nothing of models that were not labelled.
    """
    total, gold, flagged, both = np.asarray(texts.sums, dtype=float).T
    return Between(
        between_groups(both, gold, texts),
        between_groups(flagged - both, total - gold, texts),
        len(np.unique(texts.models)),
    )


def between_groups(tops: np.ndarray, bottoms: np.ndarray, texts: Calibration) -> float:
    """τ² of the shares Σ tops / Σ bottoms of each model within each language; `tops`, `bottoms` (texts,).

    With weights w = 1/v of shares p: Q = Σ w (p − p_l)², τ² = max(0, (Q − Σ(K_l − 1)) / Σ_l (Σw − Σw²/Σw)), K_l
    the models of a language. v = p_l(1 − p_l) · design effect / n, the design effect that of clusters in the
    language.
    """
    excess = scale = 0.0
    for lang in np.unique(texts.langs):
        inside = (texts.langs == lang) & (bottoms > 0)
        sums = cluster_sums(texts.models[inside].tolist(), np.stack([tops[inside], bottoms[inside]], axis=1))
        if len(sums) < 2:
            continue
        share = float(sums[:, 0].sum() / sums[:, 1].sum())
        effect = _design_effect(tops[inside], bottoms[inside], texts.clusters[inside])
        weights = sums[:, 1] / (max(share * (1 - share), LEAST_SPREAD) * effect)
        excess += float((weights * (sums[:, 0] / sums[:, 1] - share) ** 2).sum()) - (len(sums) - 1)
        scale += float(weights.sum() - (weights**2).sum() / weights.sum())
    return max(0.0, excess / scale) if scale else 0.0


def _design_effect(tops: np.ndarray, bottoms: np.ndarray, clusters: np.ndarray) -> float:
    """Rows per row of independent ones, at least 1."""
    sums = cluster_sums(clusters.tolist(), np.stack([tops, bottoms], axis=1))
    worth = effective_n(*sums.T)
    return max(1.0, float(bottoms.sum()) / worth) if worth else 1.0


def widened(found: Corrected | None, gap: float, between: Between, *, confidence: float) -> Corrected | None:
    """A Rogan–Gladen rate with the variance between models in its interval: each side is the root of its own
    square and of (z · sd)², sd² = (τ_F²(1 − π)² + τ_T²π²)/(TPR − FPR)². `gap`: TPR − FPR.
    """
    if found is None or found.value is None or found.low is None or found.high is None:
        return found
    rate = found.value
    more = z_of(confidence) ** 2 * (between.fpr * (1 - rate) ** 2 + between.tpr * rate**2) / gap**2
    low = rate - sqrt((rate - found.low) ** 2 + more)
    high = rate + sqrt((found.high - rate) ** 2 + more)
    return found._replace(low=max(0.0, low), high=min(1.0, high))
