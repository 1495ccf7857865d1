"""What refinement is worth (HELMA 3.3): how many texts are flagged before and after, and whether a rewriting says the right
answer where that is known.
"""

import numpy as np
import polars as pl

from truerate.core.schemas import Score, emptied, frame, pair
from truerate.core.text import normalise
from truerate.metrics.judged import is_unanswered
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.tracks.halueval import refinement
from truerate.tracks.halueval.recognition import PLAIN, judged

ANSWERED = ("qa",)  # tasks whose right answer is a value, so that a text can be held against it
LABELS = {True: "hallucinated", False: "right"}


def score_refinement(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return the share of labelled texts flagged before and after refinement, per judge and task; after, also by the
    verdicts of another judge where there are any.

    After: a flagged text counts by the judgement of its rewritten form; where there is none (no rewriting, no verdict) it
    stays flagged.
    """
    keys = ("stage", "variant", "sample", "refined_by")
    refined = judgements.with_columns(*(pair("attributes", key) for key in keys)).filter(stage="refined")
    own = refined.filter(pl.col("refined_by").is_null())
    own = own.select("judge", sample_id="sample", after="verdict")
    other = refined.drop_nulls("refined_by")
    other = other.select(judge="refined_by", sample_id="sample", after_judge="verdict")
    if own.is_empty():
        return frame(Score)
    refining = pl.col("judge").is_in(own["judge"].unique().to_list())  # models, none of which has seeds
    rows = judged(samples, judgements.filter(refining)).filter(pl.col("variant") == PLAIN)
    for after in (own, other):
        rows = rows.join(after, on=["judge", "sample_id"], how="left", maintain_order="left")
    rows = rows.with_columns(before=pl.col("verdict").fill_null(False)).with_columns(
        (pl.col("before") & pl.col(after).fill_null(True)).alias(after) for after in ("after", "after_judge")
    )
    elsewhere = set(other["judge"])
    made = []
    for (judge, task), part in rows.group_by("judge", "task", maintain_order=True):
        names = ("before", "after", "after_judge") if judge in elsewhere else ("before", "after")
        every = np.ones(part.height)
        entries = [(f"flagged_rate_{when}", {"task": task}, part[when].to_numpy(), every) for when in names]
        score_rows = writer.shares(judge, entries, part["group_id"].to_list())
        made += emptied(score_rows) if is_unanswered(part) else score_rows
    return frame(Score, made)


def score_rewritings(
    generations: pl.DataFrame, items: pl.DataFrame, samples: pl.DataFrame, writer: ScoreWriter
) -> pl.DataFrame:
    """Return whether flagged answers, rewritten, say the right answer: per model and task of `ANSWERED`, over all texts
    that were to be rewritten and over those of each label.

    Texts are compared as `normalise` leaves them (case, articles and punctuation levelled): `refined_same_rate` where the
    rewriting equals the right answer, `refined_contains_rate` where the right answer's words stand in it in a row. A
    rewriting that did not come or could not be read is neither.
    """
    known = (pair("attributes", "sample"), pair("attributes", "task"))
    rows = generations.filter(pl.col("purpose") == refinement.PURPOSE).with_columns(*known)
    rows = (
        rows.filter(pl.col("task").is_in(ANSWERED))
        .join(items.select("item_id", "group_id", "right_answer"), on="item_id", maintain_order="left")
        .join(samples.select("is_hallucinated", sample="sample_id"), on="sample", maintain_order="left")
        .drop_nulls("right_answer")
        .sort("model", "task", "generation_id")
    )
    made = []
    for (model, task), part in rows.group_by("model", "task", maintain_order=True):
        compared = np.array([_compared(*row) for row in part.select("text", "right_answer", "status").rows()])
        label, entries = part["is_hallucinated"].to_numpy().astype(bool), list[Ratio]()
        slices = [({"task": task}, np.ones(part.height, dtype=bool))]
        slices += [({"task": task, "label": name}, label == value) for value, name in LABELS.items()]
        for where, inside in slices:
            for column, name in enumerate(("refined_same_rate", "refined_contains_rate")):
                entries.append((name, where, compared[:, column] & inside, inside))
        made += writer.shares(model, entries, part["group_id"].to_list())
    return frame(Score, made)


def _compared(text: str, right: str, status: str) -> tuple[bool, bool]:
    """Whether a rewriting is the right answer, and whether it contains it."""
    rewritten, answer = normalise(text), normalise(right)
    is_read = status == "ok"
    return is_read and rewritten == answer, is_read and bool(answer) and f" {answer} " in f" {rewritten} "
