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

from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.token_rates import (
    flagged_rates,
    flagged_sums,
    mean_hr_est,
    seed_hr_est,
    token_rogan_gladen,
)
from truerate.metrics.unit_rates import RAW, ROGAN_GLADEN, Estimate
from truerate.tracks.mfava.marking import CALIBRATIONS, Labelled, Run, Texts, token_sums

HR_EST = "hr_est"
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

    @property
    def counts(self) -> np.ndarray:
        """Detected and all tokens, (replies, seeds, 2)."""
        return np.stack([self.detected, self.tokens], axis=2)

    def only(self, inside: np.ndarray) -> "Replies":
        """Some of them."""
        parts = (self.groups, self.units, self.subsets, self.is_kept, self.tokens, self.detected)
        return Replies(  # type: ignore[call-arg]
            *(one[inside] for one in parts), {name: values[inside] for name, values in self.flaws.items()}
        )


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


def estimates(replies: Replies, calibrated: Mapping[str, Calibration], writer: ScoreWriter) -> list[Estimate]:
    """Every estimate of one model's rate in one language; `calibrated`: what the detector is known to do
    there, by kind of labels.
    """
    found = [Estimate(RAW, None, writer.share_interval(*flagged_sums(replies.counts, replies.groups).T))]
    for kind, known in calibrated.items():
        told = replies.counts, replies.groups, known.sums, known.groups
        confidence = writer.statistics.confidence
        found.append(Estimate(HR_EST, kind, mean_hr_est(*told, confidence=confidence)))
        found.append(Estimate(ROGAN_GLADEN, kind, token_rogan_gladen(*told, confidence=confidence)))
    return found


def grid_estimates(
    replies: Replies, calibrated: Mapping[str, Calibration]
) -> dict[tuple[str, str | None], np.ndarray]:
    """Raw rate and HR_est of each detector seed and reply seed, (detector seeds, reply seeds), by (estimator,
    calibration).
    """
    subsets = sorted(set(replies.subsets))
    counts = np.stack([replies.counts[replies.subsets == one].sum(axis=0) for one in subsets], axis=1)
    found: dict[tuple[str, str | None], np.ndarray] = {(RAW, None): flagged_rates(counts)}
    for kind, calibration in calibrated.items():
        totals = calibration.sums.sum(axis=0)
        grid = [[seed_hr_est(total, pair) for pair in row] for total, row in zip(totals, counts, strict=True)]
        found[HR_EST, kind] = np.array(grid, dtype=float)
    return found
