"""How often labelled responses that a source brought hallucinate: by people's labels, and as the rates' detector
flags them. They stand alone, so that of dialogues nothing is known.
"""

import polars as pl

from truerate.core.schemas import pair
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.unit_rates import RAW
from truerate.tracks.halludial.dataset import NATURAL
from truerate.tracks.halludial.rate_scores import DIALOGUE, RATE, TURN, verdicts_of

PEOPLE = "people"  # the writer of a response that no system wrote
KEYS = ("scenario", "corpus", "system", "generation")


def score_written(
    samples: pl.DataFrame, judgements: pl.DataFrame, *, detector: str | None, writer: ScoreWriter
) -> list[dict]:
    """Score rows per corpus and writer: `hallucinated_rate` by people's labels, `hallucination_rate` of turns as
    `detector` flags them, and an empty one of dialogues. Intervals are over groups (texts of knowledge).
    """
    rows = samples.filter(pl.col("label_source") != "silver")
    rows = rows.with_columns(*(pair("attributes", key) for key in KEYS))
    rows = rows.filter(pl.col("generation").is_null(), scenario=NATURAL).with_columns(
        writer=pl.coalesce("generator", "system", pl.lit(PEOPLE))
    )
    flags = verdicts_of(judgements, detector).rename({"target_id": "sample_id", "verdict": "flagged"})
    rows = rows.join(flags, on="sample_id", how="left").sort("corpus", "writer", "sample_id")
    made = []
    for (corpus, name), part in rows.group_by("corpus", "writer", maintain_order=True):
        where = {"scenario": NATURAL, "corpus": corpus}
        label, clusters = part["is_hallucinated"].to_list(), part["group_id"].to_list()
        made.append(writer.share("hallucinated_rate", name, where, label, clusters))
        if detector is not None:
            told = part.drop_nulls("flagged")
            slice_ = {**where, "unit": TURN, "estimator": RAW}
            flagged, groups = told["flagged"].to_list(), told["group_id"].to_list()
            made.append(writer.share(RATE, name, slice_, flagged, groups))
            made.append(writer.row(RATE, name, {**slice_, "unit": DIALOGUE}, None, 0))
    return made
