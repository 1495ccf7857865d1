"""The rate of hallucination behind what an imperfect detector flags: mFAVA's estimate and Rogan–Gladen's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, isclose, sqrt
from typing import Any, NamedTuple

import numpy as np

from truerate.metrics.intervals import NARROW, Interval, effective_n, wilson, z_of
from truerate.metrics.score_writer import ScoreWriter

# How far a detector's rates may move from inserted to natural hallucinations in a sensitivity band. A judge
# measured on both kept less than a fifth of its TPR (HalluDial Tables 7 and 8: .976 to .181), so half is no
# worst case.
TPR_FACTORS, FPR_FACTORS = (0.5, 1.0), (0.5, 2.0)


class Share(NamedTuple):
    """A share of `n` rows, given by its successes; `n` may be an effective number of clustered rows."""

    successes: float
    n: float

    @property
    def rate(self) -> float:
        """Successes per row; only where n is above 0."""
        return self.successes / self.n


class Corrected(NamedTuple):
    """A corrected rate with its interval, in [0, 1]. `raw` is the estimate before it was cut to [0, 1].
    `is_identified` is false where the detector cannot tell (the interval of TPR − FPR holds 0), or its TPR
    and FPR cannot be those of the texts (`is_refuted`): value, low, high and raw are then None.
    """

    value: float | None
    low: float | None
    high: float | None
    raw: float | None
    is_identified: bool


def hr_est(precision: float | None, recall: float | None, detected: float, tokens: float) -> float | None:
    """mFAVA Eq. 1: precision · detected / (recall · tokens), the share of hallucinated tokens behind
    `detected` flagged ones. It needs precision to transfer, which depends on prevalence: exact only where
    calibration data and wild data have the same share. May exceed 1. None where precision or recall is None,
    recall is 0, or there are no tokens.
    """
    if precision is None or not recall or not tokens:
        return None
    return precision * detected / (recall * tokens)


def youden_interval(tpr: Share, fpr: Share, *, confidence: float) -> tuple[float, float] | None:
    """The interval of TPR − FPR, by Newcombe's method 10 (1998), in [−1, 1]."""
    hit, alarm = wilson(*tpr, confidence=confidence), wilson(*fpr, confidence=confidence)
    if hit is None or alarm is None:
        return None
    gap = hit.value - alarm.value
    low = gap - sqrt((hit.value - hit.low) ** 2 + (alarm.high - alarm.value) ** 2)
    return low, gap + sqrt((hit.high - hit.value) ** 2 + (alarm.value - alarm.low) ** 2)


NOT_IDENTIFIED = Corrected(None, None, None, None, False)


def is_refuted(flagged: Share, tpr: Share, fpr: Share, *, confidence: float) -> bool:
    """Return whether fewer are flagged than false alarms alone would give, or more than if all were
    hallucinated, beyond chance: then TPR and FPR are not those of these texts, and no rate can be told from
    them.

    Two one-sided tests at the level 1 − `confidence`, by Newcombe's interval of the difference of two shares,
    which holds the sampling error of both. False over nothing.
    """
    two_sided = 1 - 2 * (1 - confidence)
    lower, upper = sorted((tpr, fpr), key=lambda share: share.rate if share.n > 0 else 0.0)
    below = youden_interval(flagged, lower, confidence=two_sided)
    above = youden_interval(flagged, upper, confidence=two_sided)
    return below is not None and above is not None and (below[1] < 0 or above[0] > 0)


def rogan_gladen(flagged: Share, tpr: Share, fpr: Share, *, confidence: float) -> Corrected | None:
    """(flagged rate − FPR) / (TPR − FPR), the rate behind a flagged one (Rogan & Gladen 1978), with the
    detector's error in its interval.

    The interval is the delta method on shares moved towards 1/2, with Lang & Reiczigel's (2014) shift: z²
    pseudo-rows for the flagged share, 2 for TPR and FPR, which keeps its coverage on small samples. Value and
    bounds are cut to [0, 1]; `raw` is not. It holds where TPR and FPR transfer: say what they were calibrated
    on. Not identified where the interval of TPR − FPR holds 0, and where the flagged share refutes them
    (`is_refuted`). Where the whole interval lies outside [0, 1] and chance may explain it,
    it is opened to what holds whatever they are (`opened`). None where any of the three is over nothing.
    """
    gap = youden_interval(tpr, fpr, confidence=confidence)
    if gap is None or flagged.n <= 0:
        return None
    if gap[0] <= 0 <= gap[1] or is_refuted(flagged, tpr, fpr, confidence=confidence):
        return NOT_IDENTIFIED
    raw = (flagged.rate - fpr.rate) / (tpr.rate - fpr.rate)
    middle, half = _delta(flagged, tpr, fpr, z=z_of(confidence))
    low, high = _cut(min(raw, middle - half)), _cut(max(raw, middle + half))
    if high - low < NARROW and (counted := wilson(*flagged, confidence=confidence)) is not None:
        low, high = opened(round(low), counted, tpr.rate, fpr.rate)
    return Corrected(_cut(raw), low, high, raw, True)


def opened(edge: int, flagged: Interval, tpr: float, fpr: float) -> tuple[float, float]:
    """The interval of a corrected rate whose every estimate lies beyond an edge of [0, 1]: TPR and FPR cannot
    be those of these texts.

    At 0 fewer are flagged than the false alarms alone would give, so the FPR is lower: with none at all the
    rate is flagged / TPR, its upper end that of the flagged share. At 1 the TPR is higher: with all found the
    rate is (flagged − FPR) / (1 − FPR), from its lower end. A detector that flags the right ones more often
    (TPR < FPR) is read the other way round.
    """
    if tpr < fpr:
        flagged, tpr, fpr = Interval(1 - flagged.value, 1 - flagged.high, 1 - flagged.low), 1 - tpr, 1 - fpr
    if edge == 0:
        return 0.0, _cut(flagged.high / tpr)
    return _cut((flagged.low - fpr) / (1 - fpr)), 1.0


def clustered_share(tops: np.ndarray, bottoms: np.ndarray, *, confidence: float) -> Share:
    """A share of clustered rows as one of independent rows: its rate, and the number of rows it is worth
    (`intervals.effective_n`). `tops`, `bottoms` (clusters,). Few clusters are widened by Student's t (Korn &
    Graubard 1998), as in `intervals.wilson_clustered`. Over nothing, or over one cluster, it is a share of
    nothing.
    """
    from scipy.special import stdtrit

    n_clusters, total = int((np.asarray(bottoms) > 0).sum()), float(np.sum(bottoms))
    if n_clusters < 2:
        return Share(0.0, 0.0)
    t = float(stdtrit(n_clusters - 1, (1 + confidence) / 2))
    n = effective_n(tops, bottoms) * (z_of(confidence) / t) ** 2
    return Share(float(np.sum(tops)) / total * n, n)


def hr_est_interval(sums: np.ndarray, *, confidence: float) -> Interval | None:
    """HR_est (mFAVA Eq. 1) with an interval that carries the detector's own error.

    `sums` (clusters, 4): H, N of the replies; gold, detected of the calibration texts. As P / R = gold /
    detected, HR_est is H · gold / (N · detected). Delta method on the logarithm with the linearised variance
    over clusters; a cluster that holds both replies and calibration texts keeps what they have in common.
    Student's t by the side with fewer clusters. None where a sum is 0, a side has one cluster, or all
    clusters agree on the ratio, so that nothing says how far it may move.
    """
    from scipy.special import stdtrit

    sums = np.asarray(sums, dtype=float).reshape(-1, 4)
    totals = sums.sum(axis=0)
    n_clusters = min(int((sums[:, 1] > 0).sum()), int((sums[:, 2:].sum(axis=1) > 0).sum()))
    if (totals <= 0).any() or n_clusters < 2:
        return None
    residuals = (sums / totals) @ np.array([1.0, -1.0, 1.0, -1.0])
    error = sqrt(n_clusters / (n_clusters - 1) * float((residuals**2).sum()))
    if isclose(error, 0, abs_tol=NARROW):
        return None
    value = float(totals[0] * totals[2] / (totals[1] * totals[3]))
    spread = exp(float(stdtrit(n_clusters - 1, (1 + confidence) / 2)) * error)
    return Interval(value, value / spread, value * spread)


def sensitivity_band(flagged: float, tpr: float, fpr: float) -> tuple[float, float] | None:
    """The range of the Rogan–Gladen rate while TPR and FPR move by TPR_FACTORS and FPR_FACTORS, in [0, 1]: what
    can be said without natural labels.

    The rate falls in both, so the ends are the corners; where TPR does not exceed FPR at the upper corner,
    the end is 1. A band that lies whole beyond 0 or 1 is opened like an interval (`opened`). None where TPR
    does not exceed FPR even at the most favourable corner, or nothing is flagged and the band would be 0
    alone: nothing can be said.
    """
    hits = [min(1.0, tpr * factor) for factor in TPR_FACTORS]
    alarms = [min(1.0, fpr * factor) for factor in FPR_FACTORS]
    if max(hits) <= min(alarms):
        return None
    ends = [(hit, alarm) for hit, alarm in ((max(hits), max(alarms)), (min(hits), min(alarms)))]
    low, high = ((flagged - alarm) / (hit - alarm) if hit > alarm else None for hit, alarm in ends)
    band = (0.0 if low is None else _cut(low), 1.0 if high is None else _cut(high))
    if band[1] - band[0] < NARROW:
        edge = round(band[0])
        corner = (max(hits), max(alarms)) if edge else (min(hits), min(alarms))
        band = opened(edge, Interval(flagged, flagged, flagged), *corner)
    return band if band[1] - band[0] >= NARROW else None


def mean_of_intervals(
    estimates: list[Interval | Corrected | None], *, is_independent: bool = True
) -> Interval | None:
    """The mean of estimates with its interval by the recovery of their variances (Zou & Donner 2008).

    Each end is the mean moved by the root of the summed squares of the estimates' own distances to that end,
    over their number. Estimates that are not independent (the same reference in several languages) may move
    together as one: there each end is the mean of the ends, which no correlation can make too short. None
    where an estimate is missing or there is none.
    """
    intervals: list[tuple[float, float, float]] = [
        estimate[:3]  # type: ignore[misc]
        for estimate in estimates
        if estimate is not None and None not in estimate[:3]
    ]
    if not estimates or len(intervals) < len(estimates):
        return None
    n, value = len(estimates), sum(middle for middle, _, _ in intervals) / len(estimates)
    below = [middle - low for middle, low, _ in intervals]
    above = [high - middle for middle, _, high in intervals]
    if not is_independent:
        return Interval(value, value - sum(below) / n, value + sum(above) / n)
    down, up = (sqrt(sum(gap**2 for gap in gaps)) / n for gaps in (below, above))
    return Interval(value, value - down, value + up)


def _delta(flagged: Share, tpr: Share, fpr: Share, *, z: float) -> tuple[float, float]:
    """Middle and half-width of Lang & Reiczigel's interval."""
    n, n_hit, n_alarm = flagged.n + z * z, tpr.n + 2, fpr.n + 2
    q = (flagged.successes + z * z / 2) / n
    hit, alarm = (tpr.successes + 1) / n_hit, (fpr.successes + 1) / n_alarm
    gap = hit - alarm
    rate = (q - alarm) / gap
    of_hit, of_alarm = hit * (1 - hit) / n_hit, alarm * (1 - alarm) / n_alarm
    variance = (q * (1 - q) / n + rate**2 * of_hit + (1 - rate) ** 2 * of_alarm) / gap**2
    shift = 2 * z * z * (rate * of_hit - (1 - rate) * of_alarm)
    return rate + shift, z * sqrt(variance)


def _cut(rate: float) -> float:
    return min(1.0, max(0.0, rate))


RAW, ROGAN_GLADEN, PREDICTION_POWERED = "raw", "rogan-gladen", "prediction-powered"


@dataclass(frozen=True)
class Estimate:
    """An estimate by `estimator` and its calibration (None for raw); `interval` None: not identified."""

    estimator: str
    calibration: str | None
    interval: Interval | Corrected | None

    @property
    def where(self) -> dict[str, Any]:
        """Its place in a slice."""
        return {"estimator": self.estimator, "calibration": self.calibration}


@dataclass(frozen=True)
class Errors:
    """A detector's TPR and FPR on labelled units, each of the rows that its clusters are worth."""

    tpr: Share
    fpr: Share


def corrected_rate(flagged: np.ndarray, errors: Errors, *, confidence: float) -> Corrected | None:
    """`rates.rogan_gladen` of sums within clusters, (clusters, 2): flagged units and all of them."""
    share = clustered_share(*flagged.T, confidence=confidence)
    return rogan_gladen(share, errors.tpr, errors.fpr, confidence=confidence)


# ---- rows --------------------------------------------------------------------------------------------------


def estimate_rows(
    metric: str, subject: str, where: Mapping[str, Any], each: Sequence[Estimate], n: int, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Score rows of estimates of one rate, and whether Rogan–Gladen's is identified (`is_identified`)."""
    rows = []
    for estimate in each:
        slice_ = {**where, **estimate.where}
        rate = estimate.interval
        interval = None if rate is None or rate.value is None else rate[:3]
        rows.append(writer.row(metric, subject, slice_, interval, n))
        if estimate.estimator == ROGAN_GLADEN:
            rows.append(writer.row("is_identified", subject, slice_, float(interval is not None), n))
    return rows
