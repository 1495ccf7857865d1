"""How often labelled responses that a source brought hallucinate: by people's labels, and as the rates' detector
flags them. They stand alone, so that of dialogues nothing is known.
"""

import polars as pl

from truerate.core.schemas import Outcome, frame, pair
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.unit_rates import RAW
from truerate.tracks.halludial.dataset import NATURAL
from truerate.tracks.halludial.rate_scores import DIALOGUE, RATE, TURN, verdicts_of

PEOPLE = "people"  # the writer of a response that no system wrote
LABELLED = "labelled_rate"
KEYS = ("scenario", "corpus", "system", "generation")


def score_written(
    samples: pl.DataFrame, judgements: pl.DataFrame, *, detector: str | None, writer: ScoreWriter
) -> tuple[list[dict], pl.DataFrame]:
    """Score rows per corpus and writer: `labelled_rate` by people's labels, `hallucination_rate` of turns as
    `detector` flags them, and an empty one of dialogues; and the Outcome rows of the first, on which writers are
    ranked, where there are several corpora over all of them, too. Intervals and tests are over groups (texts of
    knowledge).
    """
    rows = samples.filter(pl.col("label_source") != "silver")
    rows = rows.with_columns(*(pair("attributes", key) for key in KEYS))
    rows = rows.filter(pl.col("generation").is_null(), scenario=NATURAL).with_columns(
        writer=pl.coalesce("generator", "system", pl.lit(PEOPLE))
    )
    flags = verdicts_of(judgements, detector).rename({"target_id": "sample_id", "verdict": "flagged"})
    rows = rows.join(flags, on="sample_id", how="left", maintain_order="left").sort(
        "corpus", "writer", "sample_id"
    )
    made, outcomes = [], [frame(Outcome)]
    if rows["corpus"].n_unique() > 1:
        for (name,), part in rows.group_by("writer", maintain_order=True):
            made.append(_labelled(str(name), {"scenario": NATURAL}, part, writer))
            outcomes.append(writer.outcomes(LABELLED, {"scenario": NATURAL}, _units(part)))
    for (corpus, name), part in rows.group_by("corpus", "writer", maintain_order=True):
        where = {"scenario": NATURAL, "corpus": corpus}
        made.append(_labelled(str(name), where, part, writer))
        outcomes.append(writer.outcomes(LABELLED, where, _units(part)))
        if detector is not None:
            told = part.drop_nulls("flagged")
            slice_ = {**where, "unit": TURN, "estimator": RAW}
            flagged, groups = told["flagged"].to_list(), told["group_id"].to_list()
            made.append(writer.share(RATE, str(name), slice_, flagged, groups))
            made.append(writer.row(RATE, str(name), {**slice_, "unit": DIALOGUE}, None, 0))
    return made, pl.concat(outcomes)


def _labelled(name: str, where: dict, part: pl.DataFrame, writer: ScoreWriter) -> dict:
    label, clusters = part["is_hallucinated"].to_list(), part["group_id"].to_list()
    return writer.share(LABELLED, name, where, label, clusters)


def _units(part: pl.DataFrame) -> pl.DataFrame:
    """A writer's responses, by what they respond to: the same turn of two writers is one unit. Of several
    responses of a writer to one turn each is a unit of its own.
    """
    place = pl.int_range(pl.len()).over("item_id").cast(pl.String)
    return part.select(
        subject="writer",
        unit_id=pl.concat_str("item_id", place, separator="-"),
        cluster_id="group_id",
        value="is_hallucinated",
    )
