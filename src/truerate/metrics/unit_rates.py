"""The rate of hallucinated units behind what a detector flags, whatever the unit: a token, a fact, a turn, a
dialogue.

`raw` is the flagged share. `rogan-gladen` is corrected by the detector's TPR and FPR on labelled units of
another kind or of other models; it holds where these transfer. `prediction-powered` rests on labels of some of
the very units and needs nothing to transfer but that the labelled ones were drawn by chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerate.metrics.intervals import AGREED, Interval, cluster_sums, wilson, z_of
from truerate.metrics.rates import Corrected, Share, clustered_share, rogan_gladen
from truerate.metrics.score_writer import ScoreWriter

RAW, ROGAN_GLADEN, PREDICTION_POWERED = "raw", "rogan-gladen", "prediction-powered"


@dataclass(frozen=True)
class Estimate:
    """One estimate of a rate, by `estimator` and what it was calibrated on (None for raw); `found` is None
    where it cannot be told.
    """

    estimator: str
    calibration: str | None
    found: Interval | Corrected | None

    @property
    def where(self) -> dict[str, Any]:
        """Its place in a slice."""
        return {"estimator": self.estimator, "calibration": self.calibration}


@dataclass(frozen=True)
class Units:
    """Units that a detector judged: whether each is flagged, (units,), its cluster, and its label, (units,),
    NaN where there is none.
    """

    is_flagged: np.ndarray
    clusters: Sequence[str]
    label: np.ndarray

    @property
    def is_labelled(self) -> np.ndarray:
        """Which have a label, (units,)."""
        return ~np.isnan(self.label)

    def only(self, inside: np.ndarray) -> "Units":
        """Some of them."""
        clusters = np.asarray(self.clusters, dtype=str)[inside].tolist()
        return Units(self.is_flagged[inside], clusters, self.label[inside])


@dataclass(frozen=True)
class Errors:
    """A detector's TPR and FPR on labelled units, each with the number of rows that its clusters are worth."""

    tpr: Share
    fpr: Share


def errors_of(units: Units, *, confidence: float) -> Errors:
    """TPR and FPR over the labelled units; a share of nothing where a class has no two clusters."""
    known = units.only(units.is_labelled)
    label = known.label.astype(bool)
    shares = []
    for side in (label, ~label):
        columns = np.stack([side & known.is_flagged, side], axis=1)
        shares.append(clustered_share(*cluster_sums(known.clusters, columns).T, confidence=confidence))
    return Errors(*shares)


def corrected_rate(flagged: np.ndarray, errors: Errors, *, confidence: float) -> Corrected | None:
    """`rates.rogan_gladen` of sums within clusters, (clusters, 2): flagged units and all of them."""
    share = clustered_share(*flagged.T, confidence=confidence)
    return rogan_gladen(share, errors.tpr, errors.fpr, confidence=confidence)


def estimates(units: Units, calibrated: Mapping[str, Errors], writer: ScoreWriter) -> list[Estimate]:
    """The raw rate of some units, and corrected by the errors that the detector makes on labelled units of
    each kind.
    """
    every = np.ones(len(units.is_flagged))
    sums = cluster_sums(units.clusters, np.stack([units.is_flagged, every], axis=1))
    confidence = writer.statistics.confidence
    return [
        Estimate(RAW, None, writer.share_interval(*sums.T)),
        *(
            Estimate(ROGAN_GLADEN, kind, corrected_rate(sums, errors, confidence=confidence))
            for kind, errors in calibrated.items()
        ),
    ]


# ---- labels of some of the very units ----------------------------------------------------------------------


def slope(cells: Sequence[Units]) -> float:
    """How far labels follow flags: the pooled slope λ of PPI++ (Angelopoulos et al. 2023) over the labelled
    units of all cells, each about its own mean; 0 where flags do not vary.
    """
    products = squares = 0.0
    for units in cells:
        known = units.only(units.is_labelled)
        if len(known.label):
            flags = known.is_flagged - known.is_flagged.mean()
            products += float((flags * (known.label - known.label.mean())).sum())
            squares += float((flags**2).sum())
    return products / squares if squares else 0.0


def prediction_powered(units: Units, *, slope: float, confidence: float) -> Interval | None:
    """θ = λ q + mean of (label − λ flag) over the labelled units, q the flagged share of all units: the rate
    from labels of some of the very units and flags of all (PPI++, Angelopoulos et al. 2023).

    Exact on average for any slope λ where the labelled units were drawn by chance. The variance is that of the
    linearised sum over clusters, which keeps what labels and flags of one cluster have in common; the interval
    is Wilson's at the number of rows that the variance is worth, few labelled clusters widened by Student's t,
    so it stays in [0, 1]. Where the variance is 0 each labelled cluster counts as one row. None where fewer
    than two clusters hold labels.
    """
    from scipy.special import stdtrit

    known = units.is_labelled
    labels = np.where(known, units.label, 0.0)
    columns = [
        slope * units.is_flagged,
        np.ones(len(known)),
        labels - slope * known * units.is_flagged,
        known,
    ]
    sums = cluster_sums(units.clusters, np.stack(columns, axis=1))
    n_clusters = int((sums[:, 3] > 0).sum())
    if n_clusters < 2:
        return None
    flagged, n, residuals, n_known = sums.sum(axis=0)
    value = flagged / n + residuals / n_known
    moved = (sums[:, 0] - flagged / n * sums[:, 1]) / n
    moved += (sums[:, 2] - residuals / n_known * sums[:, 3]) / n_known
    variance = n_clusters / (n_clusters - 1) * float((moved**2).sum())
    share = min(1.0, max(0.0, float(value)))
    worth = share * (1 - share) / variance if 0 < share < 1 and variance > AGREED else float(n_clusters)
    worth *= (z_of(confidence) / float(stdtrit(n_clusters - 1, (1 + confidence) / 2))) ** 2
    return wilson(share * worth, worth, confidence=confidence)


# ---- rows --------------------------------------------------------------------------------------------------


def estimate_rows(
    metric: str, subject: str, where: Mapping[str, Any], each: Sequence[Estimate], n: int, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Score rows of estimates of one rate, and of Rogan–Gladen's whether it is identified (`is_identified`)."""
    made = []
    for one in each:
        slice_ = {**where, **one.where}
        interval = None if one.found is None or one.found.value is None else one.found[:3]
        made.append(writer.row(metric, subject, slice_, interval, n))
        if one.estimator == ROGAN_GLADEN:
            made.append(writer.row("is_identified", subject, slice_, float(interval is not None), n))
    return made
