"""Rates of cells that lean on one another: Fay and Herriot's (1979) estimate for small areas."""

from math import sqrt

import numpy as np

from truerate.metrics.estimators.prediction_powered import t_of
from truerate.metrics.intervals import Interval

WIDEST = 0.05  # between-cell variance of rates that is looked for at most: a standard deviation of 22 points
STEPS = 60  # halvings, to the last digit


def fay_herriot(
    values: np.ndarray, variances: np.ndarray, design: np.ndarray, *, confidence: float
) -> list[Interval] | None:
    """γ y + (1 − γ) x'β of each cell, γ = σ²/(σ² + ψ), from direct estimates y with variances ψ, (cells,), and a
    design (cells, columns): model and language.

    σ² is the root of Σ (y − x'β)²/(ψ + σ²) = C − p (0 where the left side is smaller already), β weighted least
    squares. Mean squared error: γψ + (1 − γ)² x'(X'WX)⁻¹x + 4ψ²(ψ + σ²)⁻³ C/(ΣW)² (Datta & Lahiri 2000); Student's
    t with C − p degrees; cut to [0, 1]. Cells that are far from what their model and language say are drawn in: no
    headline. None where there are no more cells than columns. A cell without variance keeps its value.
    """
    values, variances = np.asarray(values, dtype=float), np.asarray(variances, dtype=float)
    degrees = len(values) - int(np.linalg.matrix_rank(design))
    if degrees < 1:
        return None
    psi = np.maximum(variances, LEAST)
    between = _between(values, psi, design, degrees)
    weights = 1 / (psi + between)
    fitted = design @ _weighted(values, weights, design)
    kept = between / (between + psi)
    information = np.linalg.pinv(design.T @ (weights[:, None] * design))
    leverage = np.einsum("ij,jk,ik->i", design, information, design)
    error = kept * psi + (1 - kept) ** 2 * leverage
    error += 4 * psi**2 * (psi + between) ** -3 * len(values) / weights.sum() ** 2
    error = np.where(variances > 0, error, 0.0)
    estimates = np.where(variances > 0, kept * values + (1 - kept) * fitted, values)
    t = t_of(degrees, confidence)
    return [
        Interval(*(min(1.0, max(0.0, float(end))) for end in (value, value - half, value + half)))
        for value, half in zip(estimates, (t * sqrt(one) for one in error), strict=True)
    ]


LEAST = 1e-12  # variance of a cell that is known without error, as weights need one


def _weighted(values: np.ndarray, weights: np.ndarray, design: np.ndarray) -> np.ndarray:
    root = np.sqrt(weights)
    return np.linalg.lstsq(root[:, None] * design, root * values, rcond=None)[0]


def _between(values: np.ndarray, psi: np.ndarray, design: np.ndarray, degrees: int) -> float:
    """σ² by bisection in [0, WIDEST]: the weighted squares fall in it."""

    def excess(between: float) -> float:
        weights = 1 / (psi + between)
        left = values - design @ _weighted(values, weights, design)
        return float((left**2 * weights).sum()) - degrees

    low, high = 0.0, WIDEST
    if excess(low) <= 0:
        return 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2
