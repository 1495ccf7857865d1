"""What replies brought beside the text that was asked for, and rewritings that changed nothing: counted, not
judged.
"""

import numpy as np
import polars as pl

from truerate.core.schemas import Score, frame, pair
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.tracks.halueval import refinement, sampling


def score_cleaned(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """`cleaned_rate`: of the readable candidates of a model, task and scheme the share from which something
    was cut, and by kind (`cut`: `llm.replies.reading.CUTS`; a thought counts as one). `unchanged_rate`: of
    the texts that a model was to rewrite the share that came back as they were.
    """
    known = [pair("attributes", key) for key in ("task", "scheme", "cut", "thought", "outcome")]
    rows = generations.filter(pl.col("purpose").is_in([sampling.PURPOSE, refinement.PURPOSE]))
    rows = rows.with_columns(*known).join(
        items.select("item_id", "group_id"), on="item_id", maintain_order="left"
    )
    rows = rows.sort("model", "generation_id")
    made = []
    read = rows.filter((pl.col("purpose") == sampling.PURPOSE) & (pl.col("status") == "ok"))
    for (model, task, scheme), part in read.group_by("model", "task", "scheme", maintain_order=True):
        made.extend(_cleaned(model, {"task": task, "scheme": scheme}, part, writer))
    asked = rows.filter(purpose=refinement.PURPOSE)
    for (model, task), part in asked.group_by("model", "task", maintain_order=True):
        is_same = (part["outcome"] == "unchanged").fill_null(False).to_list()
        made.append(
            writer.share("unchanged_rate", model, {"task": task}, is_same, part["group_id"].to_list())
        )
    return frame(Score, made)


def _cleaned(model: str, where: dict, part: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """The share of candidates with any cut, and of each kind that occurs."""
    kinds = [
        {*(cut.split("+") if cut else ()), *(("thought",) if thought else ())}
        for cut, thought in part.select("cut", "thought").rows()
    ]
    every, entries = np.ones(part.height), list[Ratio]()
    entries.append(("cleaned_rate", where, np.array([bool(some) for some in kinds]), every))
    for kind in sorted(set().union(*kinds)):
        has_it = np.array([kind in some for some in kinds])
        entries.append(("cleaned_rate", {**where, "cut": kind}, has_it, every))
    return writer.shares(model, entries, part["group_id"].to_list())
