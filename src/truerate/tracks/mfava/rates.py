"""How much models hallucinate in the wild: flagged tokens, and what the detector's own error makes of them
(mFAVA section 4).

`raw` is the flagged share. `hr_est` is mFAVA's Eq. 1 (needs precision to transfer from the calibration texts,
which depends on how much is hallucinated there). `rogan-gladen` needs TPR and FPR to transfer. Both are
marked by what they were calibrated on: silver and gold are inserted hallucinations, natural are labelled
replies. Replies are pooled over reply seeds; values are means over detector seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from truerate.metrics.intervals import Interval, cluster_sums, ratio_intervals
from truerate.metrics.rates import (
    Corrected,
    Share,
    clustered_share,
    hr_est,
    hr_est_interval,
    rogan_gladen,
)
from truerate.tracks.mfava.marking import CALIBRATIONS, Labelled, Run, Texts, token_sums
from truerate.tracks.mfava.tally import Tally

RAW, HR_EST, ROGAN_GLADEN = "raw", "hr_est", "rogan-gladen"
FLAWS = ("repeats", "dont_know", "cut", "wrong_language")


@dataclass(frozen=True)
class Calibration:
    """The labelled texts of one kind in one language: `groups` (texts,), `sums` (texts, seeds, 4) of n, gold,
    detected, both.
    """

    groups: np.ndarray
    sums: np.ndarray


@dataclass(frozen=True)
class Replies:
    """A model's replies in one language: `groups`, `units`, `subsets`, `is_kept` (replies,), `tokens` and
    `detected` (replies, seeds).
    """

    groups: np.ndarray
    units: np.ndarray
    subsets: np.ndarray
    is_kept: np.ndarray
    tokens: np.ndarray
    detected: np.ndarray
    flaws: Mapping[str, np.ndarray]

    def only(self, inside: np.ndarray) -> "Replies":
        """Some of them."""
        parts = (self.groups, self.units, self.subsets, self.is_kept, self.tokens, self.detected)
        return Replies(  # type: ignore[call-arg]
            *(one[inside] for one in parts), {name: values[inside] for name, values in self.flaws.items()}
        )


@dataclass(frozen=True)
class Estimate:
    """One estimate of a rate, by `estimator` and what it was calibrated on (None for raw); `found` is None
    where it cannot be told.
    """

    estimator: str
    calibration: str | None
    found: Interval | None

    @property
    def where(self) -> dict:
        """Its place in a slice."""
        return {"estimator": self.estimator, "calibration": self.calibration}


Cells = dict[tuple[str, str], Replies]


def replies_of(answers: pl.DataFrame, texts: Texts, runs: Sequence[Run]) -> Cells:
    """The replies by (model, language), with their tokens and what each seed of the rates' detector marked of
    them.
    """
    place = np.array([texts.place_of[name] for name in answers["generation_id"]], dtype=int)
    judged = np.stack([run.is_judged for run in runs], axis=1)[place]
    tokens = texts.line.sizes[place][:, None] * judged
    detected = np.stack([texts.line.per_text(run.is_marked) for run in runs], axis=1)[place] * judged
    flaws = {name: (answers[name] == "yes").fill_null(False).to_numpy() for name in FLAWS}
    units = (answers["item_id"] + "/" + answers["replicate"].fill_null("0")).to_numpy()
    columns = (answers["group_id"].to_numpy(), units, answers["subset_seed"].fill_null("").to_numpy())
    whole = Replies(*columns, ~np.any(list(flaws.values()), axis=0), tokens, detected, flaws)
    keys = answers.select("model", "lang").unique().sort("model", "lang").rows()
    models, langs = answers["model"].to_numpy(), answers["lang"].to_numpy()
    return {(model, lang): whole.only((models == model) & (langs == lang)) for model, lang in keys}


def calibrations(
    held: Mapping[str, Labelled], texts: Texts, runs: Sequence[Run]
) -> dict[tuple[str, str], Calibration]:
    """What the detector is known to do in each language, by (kind of labels, language)."""
    found = {}
    for against in CALIBRATIONS:
        sums = np.stack([token_sums(held[against], run, texts.line) for run in runs], axis=1)
        for lang in sorted(set(held[against].langs)):
            inside = held[against].langs == lang
            if sums[inside][..., 0].any():
                found[against, lang] = Calibration(held[against].groups[inside], sums[inside])
    return found


# ---- estimates of one cell ---------------------------------------------------------------------------------


def estimates(replies: Replies, calibrated: Mapping[str, Calibration], tally: Tally) -> list[Estimate]:
    """Every estimate of one model's rate in one language; `calibrated`: what the detector is known to do
    there, by kind of labels.
    """
    found = [Estimate(RAW, None, raw_rate(replies, tally))]
    for kind, calibration in calibrated.items():
        found.append(Estimate(HR_EST, kind, corrected_by_precision(replies, calibration, tally)))
        found.append(Estimate(ROGAN_GLADEN, kind, corrected_by_rates(replies, calibration, tally)))
    return found


def raw_rate(replies: Replies, tally: Tally) -> Interval | None:
    """The flagged share of tokens with its cluster-bootstrap interval."""
    sums = _reply_sums(replies)
    if not sums[:, 1].any():
        return None
    found = ratio_intervals(sums[:, :1], sums[:, 1:], **tally.drawn)[0]
    return found or Interval(float(sums[:, 0].sum() / sums[:, 1].sum()), np.nan, np.nan)


def _reply_sums(replies: Replies) -> np.ndarray:
    """Detected and all tokens per cluster, (clusters, 2), averaged over detector seeds."""
    return cluster_sums(
        replies.groups, np.stack([replies.detected.mean(axis=1), replies.tokens.mean(axis=1)], axis=1)
    )


def corrected_by_precision(replies: Replies, calibration: Calibration, tally: Tally) -> Interval | None:
    """HR_est, mean over detector seeds; its interval keeps the width that the seeds' mean counts have
    (`rates.hr_est_interval`).
    """
    totals, counts = (
        calibration.sums.sum(axis=0),
        np.stack([replies.detected.sum(axis=0), replies.tokens.sum(axis=0)], axis=1),
    )
    each = [one for one in map(seed_hr_est, totals, counts) if one is not None]
    if not each:
        return None
    n = len(replies.groups)
    sides = np.zeros((n + len(calibration.groups), 4))
    sides[:n, 0], sides[:n, 1] = replies.detected.mean(axis=1), replies.tokens.mean(axis=1)
    sides[n:, 2:] = calibration.sums.mean(axis=1)[:, 1:3]
    around = hr_est_interval(
        cluster_sums(np.concatenate([replies.groups, calibration.groups]), sides),
        confidence=tally.statistics.confidence,
    )
    value = float(np.mean(each))
    return (
        Interval(value, np.nan, np.nan)
        if around is None
        else Interval(value, *(value * end / around.value for end in around[1:]))
    )


def seed_hr_est(totals: np.ndarray, counts: np.ndarray) -> float | None:
    """HR_est of one detector seed from its calibration totals (n, gold, detected, both) and its counts
    (detected, tokens) in the wild.
    """
    _, gold, detected, both = totals
    return hr_est(both / detected if detected else None, both / gold if gold else None, *counts)


def corrected_by_rates(replies: Replies, calibration: Calibration, tally: Tally) -> Corrected | None:
    """The Rogan–Gladen rate from counts averaged over detector seeds, every share with the number of rows its
    clusters are worth.
    """
    confidence = tally.statistics.confidence
    sums = _reply_sums(replies)
    flagged = clustered_share(sums[:, 0], sums[:, 1], confidence=confidence)
    tpr, fpr = detector_shares(calibration, confidence=confidence)
    return rogan_gladen(flagged, tpr, fpr, confidence=confidence)


def detector_shares(calibration: Calibration, *, confidence: float) -> tuple[Share, Share]:
    """TPR and FPR over tokens, each worth what its clusters are."""
    n, gold, detected, both = cluster_sums(calibration.groups, calibration.sums.mean(axis=1)).T
    return clustered_share(both, gold, confidence=confidence), clustered_share(
        detected - both, n - gold, confidence=confidence
    )


def grid_estimates(
    replies: Replies, calibrated: Mapping[str, Calibration]
) -> dict[tuple[str, str | None], np.ndarray]:
    """Raw rate and HR_est of each detector seed and reply seed, (detector seeds, reply seeds), by (estimator,
    calibration).
    """
    subsets = sorted(set(replies.subsets))
    counts = np.stack(
        [
            [replies.detected[replies.subsets == one].sum(0), replies.tokens[replies.subsets == one].sum(0)]
            for one in subsets
        ]
    )
    counts = counts.transpose(2, 0, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: dict[tuple[str, str | None], np.ndarray] = {(RAW, None): counts[..., 0] / counts[..., 1]}
    for kind, calibration in calibrated.items():
        totals = calibration.sums.sum(axis=0)
        grid = [[seed_hr_est(total, pair) for pair in row] for total, row in zip(totals, counts, strict=True)]
        found[HR_EST, kind] = np.array(grid, dtype=float)
    return found
