"""Which of the estimates of one rate stands for it, and why."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from truerate.metrics.estimators.registry import NATURAL, PREDICTED, ROGAN_GLADEN_BETWEEN
from truerate.metrics.rates import PREDICTION_POWERED, Estimate


class Used(NamedTuple):
    """The estimate that is shown and ranked, None where the rate is not identified, and why that one."""

    estimate: Estimate | None
    why: str


CHOICE: tuple[tuple[str, str], ...] = (
    (PREDICTION_POWERED, "people labelled some of these very replies"),
    (
        PREDICTED,
        "nobody labelled replies here: what labels of the same model in other languages let one expect",
    ),
    (
        ROGAN_GLADEN_BETWEEN,
        "nobody labelled replies of this model: corrected by the detector's errors on labelled replies of "
        "others",
    ),
)
NOT_IDENTIFIED = "nobody labelled replies that could tell what the detector's flags are worth here"


def used(estimates: Sequence[Estimate]) -> Used:
    """Return which of a cell's estimates stands for it: the first of CHOICE that is told and rests on labels
    of replies. Flags alone, and errors on inserted hallucinations, tell no rate of replies: then it is not
    identified.
    """
    by_name = _identified([estimate for estimate in estimates if estimate.calibration == NATURAL])
    return next(
        (Used(by_name[name], why) for name, why in CHOICE if name in by_name), Used(None, NOT_IDENTIFIED)
    )


def _identified(estimates: Sequence[Estimate]) -> dict[str, Estimate]:
    return {
        estimate.estimator: estimate
        for estimate in estimates
        if estimate.interval is not None and estimate.interval.value is not None
    }


NARROWER: Mapping[str, str] = MappingProxyType(
    {
        PREDICTION_POWERED: "its own labels, with the flags of all, leave less open than errors known from "
        "all models",
        ROGAN_GLADEN_BETWEEN: "errors known from the labels of all models, with what models differ by, leave "
        "less open than its own labels",
    }
)
OWN_ALONE = (
    "labels are too few to say how far the detector's errors differ between models: its own labels alone"
)
POOLED_ALONE = "too few of its own were labelled: errors known from the labels of other models"
LEAST_POOLED = 200  # labels of all models together below which what models differ by is not seen


def narrower(estimates: Sequence[Estimate], *, n_labels: int) -> Used:
    """Return which of two honest estimates stands for a rate where a detector's errors are known from labels
    of several models, some of which may be its own: the one that leaves less open. `n_labels`: of all models
    together.

    Own labels carry the noise of few of them, the pooled correction what models differ by; each has that in
    its interval. Below LEAST_POOLED labels the second is not seen: in simulated boards of six models whose
    false alarms differ by ±.1 the pooled interval held .87 with 60 labels, .90 with 120 and .96 with 240,
    PPI++ .99 with each. Raw, labels without the flags and corrections that take models for alike never stand
    for a rate.
    """
    by_name = _identified([estimate for estimate in estimates if estimate.estimator in NARROWER])
    if not by_name:
        return Used(None, NOT_IDENTIFIED)
    if len(by_name) == 1:
        ((name, estimator),) = by_name.items()
        return Used(estimator, POOLED_ALONE if name == ROGAN_GLADEN_BETWEEN else OWN_ALONE)
    if n_labels < LEAST_POOLED:
        return Used(by_name[PREDICTION_POWERED], OWN_ALONE)
    name = min(by_name, key=lambda estimator: (_width(by_name[estimator]), list(NARROWER).index(estimator)))
    return Used(by_name[name], NARROWER[name])


def _width(estimate: Estimate) -> float:
    interval = estimate.interval
    is_open = interval is None or interval.low is None or interval.high is None
    return 1.0 if is_open else interval.high - interval.low  # type: ignore[union-attr,operator]
