"""The rate of hallucination behind what an imperfect detector flags: mFAVA's estimate and Rogan–Gladen's."""

from math import sqrt
from typing import NamedTuple

from truerate.metrics.intervals import wilson, z_of


class Share(NamedTuple):
    """A share of `n` rows, given by its successes; `n` may be an effective number where rows are clustered."""

    successes: float
    n: float

    @property
    def rate(self) -> float:
        """Successes per row; only where n is above 0."""
        return self.successes / self.n


class Corrected(NamedTuple):
    """A corrected rate with its interval, in [0, 1]. `raw` is the estimate before it was cut to [0, 1].

    `is_identified` is false where the detector cannot tell (the interval of TPR − FPR holds 0): value, low, high and raw are then None.
    """

    value: float | None
    low: float | None
    high: float | None
    raw: float | None
    is_identified: bool


def hr_est(precision: float | None, recall: float | None, detected: float, tokens: float) -> float | None:
    """mFAVA Eq. 1: precision · detected / (recall · tokens), the share of hallucinated tokens behind `detected` flagged ones.

    It needs precision to transfer, which depends on prevalence: exact only where calibration data and wild data have the same share.
    May exceed 1. None where precision or recall is None, recall is 0, or there are no tokens.
    """
    if precision is None or not recall or not tokens:
        return None
    return precision * detected / (recall * tokens)


def youden_interval(tpr: Share, fpr: Share, *, confidence: float) -> tuple[float, float] | None:
    """The interval of TPR − FPR, two independent shares, by Newcombe's hybrid of Wilson intervals (Newcombe 1998, method 10)."""
    hit, alarm = wilson(*tpr, confidence=confidence), wilson(*fpr, confidence=confidence)
    if hit is None or alarm is None:
        return None
    gap = hit.value - alarm.value
    low = gap - sqrt((hit.value - hit.low) ** 2 + (alarm.high - alarm.value) ** 2)
    return low, gap + sqrt((hit.high - hit.value) ** 2 + (alarm.value - alarm.low) ** 2)


def rogan_gladen(flagged: Share, tpr: Share, fpr: Share, *, confidence: float) -> Corrected | None:
    """(flagged rate − FPR) / (TPR − FPR), the rate behind a flagged one (Rogan & Gladen 1978), with the detector's error in its interval.

    The interval is the delta method on shares moved towards 1/2, with Lang & Reiczigel's (2014) shift: z² pseudo-rows for the flagged
    share, 2 for TPR and FPR, which keeps its coverage on small samples. Value and bounds are cut to [0, 1]; `raw` is not.
    It holds where TPR and FPR transfer: say what they were calibrated on. Not identified where the interval of TPR − FPR holds 0.
    None where any of the three is over nothing.
    """
    gap = youden_interval(tpr, fpr, confidence=confidence)
    if gap is None or flagged.n <= 0:
        return None
    if gap[0] <= 0 <= gap[1]:
        return Corrected(None, None, None, None, False)
    raw = (flagged.rate - fpr.rate) / (tpr.rate - fpr.rate)
    middle, half = _delta(flagged, tpr, fpr, z=z_of(confidence))
    low, high = _cut(min(raw, middle - half)), _cut(max(raw, middle + half))
    return Corrected(_cut(raw), low, high, raw, True)


def _delta(flagged: Share, tpr: Share, fpr: Share, *, z: float) -> tuple[float, float]:
    """Middle and half-width of Lang & Reiczigel's interval."""
    n, n_hit, n_alarm = flagged.n + z * z, tpr.n + 2, fpr.n + 2
    q, hit, alarm = (flagged.successes + z * z / 2) / n, (tpr.successes + 1) / n_hit, (fpr.successes + 1) / n_alarm
    gap = hit - alarm
    rate = (q - alarm) / gap
    of_hit, of_alarm = hit * (1 - hit) / n_hit, alarm * (1 - alarm) / n_alarm
    variance = (q * (1 - q) / n + rate**2 * of_hit + (1 - rate) ** 2 * of_alarm) / gap**2
    shift = 2 * z * z * (rate * of_hit - (1 - rate) * of_alarm)
    return rate + shift, z * sqrt(variance)


def _cut(rate: float) -> float:
    return min(1.0, max(0.0, rate))
