"""What the stages call: the published replies are the data set, and no model is asked."""

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Generation, frame
from truerate.llm.counts import counts
from truerate.tracks.labelled_replies import word_match
from truerate.tracks.labelled_replies.context import contexts

__all__ = ["contexts", "exported", "targets"]
TARGET = ("item_id", "group_id", "lang", "task", "text", "spans")


def exported(
    at: Layout, board: str, tables, replies: dict[str, pl.DataFrame], beside: dict[str, pl.DataFrame]
) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """The source's items, replies and published verdicts, and what the match of words says where a right
    answer is known. Nobody labels anything here.
    """
    judgements = pl.concat([tables.judgements, word_match.judged(tables.samples, tables.items)])
    none = frame(Generation)
    return {
        "items": tables.items,
        "samples": tables.samples,
        "judgements": judgements.sort("judgement_id"),
        "generations": none,
        "counts": counts(none),
    }, []


def targets(samples: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """Return what published detectors judge: replies and labelled answers that have a text."""
    written = samples.filter(pl.col("text").str.strip_chars() != "")
    return written.select(pl.col("sample_id").alias("target_id"), *TARGET)
