"""The rate of hallucinated units behind what a detector flags, whatever the unit: a token, a fact, a turn, a
dialogue.

`raw` is the flagged share. `rogan-gladen` is corrected by the detector's TPR and FPR on labelled units of
another kind or of other models; it holds where these transfer. `prediction-powered` rests on labels of some of
the very units (`estimators.prediction_powered`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerate.metrics.intervals import Interval, cluster_sums
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
    """Units that a detector judged: whether each is flagged (of several seeds the share that flags it), (units,), its
    cluster, and its label, (units,), NaN where there is none.
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
        columns = np.stack([side * known.is_flagged, side], axis=1)
        shares.append(clustered_share(*cluster_sums(known.clusters, columns).T, confidence=confidence))
    return Errors(*shares)


def corrected_rate(
    flagged: np.ndarray, errors: Errors, *, confidence: float, n_tests: int = 1
) -> Corrected | None:
    """`rates.rogan_gladen` of sums within clusters, (clusters, 2): flagged units and all of them."""
    share = clustered_share(*flagged.T, confidence=confidence)
    return rogan_gladen(share, errors.tpr, errors.fpr, confidence=confidence, n_tests=n_tests)


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
