"""Do a judge's errors carry over from induced texts to natural ones? The rate of hallucinated spontaneous
responses, of all responders together, behind what each judge flags: raw, corrected by its TPR and FPR on induced
texts against references (HalluDial 2.2), and by those on responses that people labelled.

A judge that finds induced hallucinations more easily than natural ones (TPR .976 against .179 in the paper's
Table 8) is taken for better than it is by the first correction, and its rate comes out too low.
"""

import polars as pl

from truerate.metrics.judged import over_seeds
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.unit_rates import Errors, Units, errors_of, estimate_rows, estimates
from truerate.tracks.halludial.dataset import NATURAL
from truerate.tracks.halludial.demonstrations import MATCHED
from truerate.tracks.halludial.judged_texts import INDUCED, SPONTANEOUS, ZERO_SHOT

RATE = "rate_by_judge"
MEASURED_ON = (INDUCED, NATURAL)


def score_transfer(rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Score rows of one judge or several, from `judged_texts`; a text counts once, with the share of its seeds that
    flag it. Verdicts that could not be read count nowhere. A judge of no spontaneous response has no row; errors
    that no text tells are left out.
    """
    made = []
    told = rows.filter(pl.col("verdict").is_not_null(), pl.col("kind").ne_missing(MATCHED), variant=ZERO_SHOT)
    for (judge,), said in told.sort("judge", "sample_id").group_by("judge", maintain_order=True):
        own = over_seeds(said)
        judged = _units(own.filter(scenario=SPONTANEOUS))
        if len(judged.is_flagged):
            each = estimates(judged, _errors(own, writer), writer)
            made += estimate_rows(RATE, str(judge), {}, each, len(judged.is_flagged), writer)
    return made


def _errors(rows: pl.DataFrame, writer: ScoreWriter) -> dict[str, Errors]:
    """A judge's errors by what they were measured on, of MEASURED_ON those that have texts."""
    parts = {kind: rows.filter(scenario=kind) for kind in MEASURED_ON}
    confidence = writer.statistics.confidence
    return {
        kind: errors_of(_units(part), confidence=confidence)
        for kind, part in parts.items()
        if not part.is_empty()
    }


def _units(rows: pl.DataFrame) -> Units:
    """Texts as units; clusters are dialogues."""
    label = rows["is_hallucinated"].cast(pl.Float64).to_numpy()
    return Units(rows["verdict"].cast(pl.Float64).to_numpy(), rows["group_id"].to_list(), label)
