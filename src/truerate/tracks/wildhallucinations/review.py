"""Error analysis of verdicts (WildHallucinations Tables 7 and 8): why facts count as unsupported, and which
supported ones are not.

The paper reviews unsupported facts alone, which can only raise a score. Here both kinds are drawn, with
weights, and the score that both imply is told as a correction.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import pair
from truerate.metrics.intervals import Interval
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import review_correction, supported_share

# retrieval: the passages did not hold what decides the fact. entailment: they did, and were misread.
# generation: the model made it up. contradictory-web: pages contradict one another. outdated: a page, or the
# model, is behind. unverifiable: an opinion or the like.
# model-retrieval: what the model was given by its own search did not hold it, or was wrong; only where that is told.
MODEL_RETRIEVAL = "model-retrieval"
ERROR_KINDS = ("retrieval", "entailment", "generation", "contradictory-web", "outdated", "unverifiable")
CORRECT = "correct"  # the verdict holds, and nothing more is said
KINDS = (*ERROR_KINDS, CORRECT)
OVERTURNING = (
    "retrieval",
    "entailment",
)  # errors of the evaluation (Table 7): the verdict was wrong. All others leave it standing.
VERDICTS = ("unsupported", "supported")
ALL = "all"


def allowed(is_given: bool) -> tuple[str, ...]:
    """The labels of a review: KINDS, and MODEL_RETRIEVAL (Table 8) of a reply that came with what its model was given."""
    return (*KINDS, MODEL_RETRIEVAL) if is_given else KINDS


def review_rows(reviewed: Sequence[dict], facts: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`error_rate` of each kind among unsupported and among supported facts, and `review_correction`, over
    all subjects and of each.

    `reviewed`: tasks with their `label` (one of KINDS). `facts`: with `is_supported` and `share`
    (`wildfact.with_share`); a fact's weight in the correction is how many it stands for times its share of
    its reply's score, so that it corrects the mean over replies.
    """
    made = []
    own = facts.filter(pl.col("fact_id").is_in([task["fact_id"] for task in reviewed]))
    share_of = dict(own.select("fact_id", "share").iter_rows())
    subjects = sorted({task["subject"] for task in reviewed})
    for subject in [ALL, *subjects] if reviewed else []:
        rows = [task for task in reviewed if subject in (ALL, task["subject"])]
        known = facts if subject == ALL else facts.filter(subject=subject)
        for verdict in VERDICTS:
            made += error_rows(
                subject, verdict, [task for task in rows if task["verdict"] == verdict], writer
            )
        made.append(_correction_row(subject, rows, known, share_of, writer))
    return made


def error_rows(subject: str, verdict: str, rows: Sequence[dict], writer: ScoreWriter) -> list[dict]:
    """The weighted share of each kind among the reviewed facts of one verdict, clustered by entity; they sum
    to 1. Null over nothing. The model's own retrieval is a kind where any of the reviews told of it.
    """
    weights, clusters = np.array([row["weight"] for row in rows]), [row["item_id"] for row in rows]
    kinds = allowed(any(row.get("retrieved") for row in rows))
    hits = {kind: np.array([row["label"] == kind for row in rows], dtype=float) for kind in kinds}
    return [
        writer.share("error_rate", subject, {"kind": kind, "verdict": verdict}, hits[kind], clusters, weights)
        for kind in kinds
    ]


def given_rows(generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`retrieved_rate`: the share of a subject's replies that came with what its model was given (citations, results of
    its own search or tools); no row for subjects of which nothing is told.
    """
    is_told = pair("attributes", "retrieved").is_not_null()
    replies = generations.filter(purpose="generate").filter(pl.col("status") != "dead")
    rows = replies.select("model", "item_id", is_told=is_told).sort("model", "item_id", "is_told")
    return [
        writer.share("retrieved_rate", model, {}, part["is_told"].to_list(), part["item_id"].to_list())
        for (model,), part in rows.group_by("model", maintain_order=True)
        if part["is_told"].any()
    ]


def overturned(rows: Sequence[dict], share_of: dict[str, float], writer: ScoreWriter) -> Interval | None:
    """The share of reviewed facts whose verdict was wrong, each weighted as in the score; None over nothing."""
    hits = np.array([row["label"] in OVERTURNING for row in rows], dtype=float)
    weights = np.array([row["weight"] * (share_of.get(row["fact_id"]) or 0.0) for row in rows])
    return writer.share_of(hits, [row["item_id"] for row in rows], weights)


def _correction_row(
    subject: str, rows: Sequence[dict], facts: pl.DataFrame, share_of: dict[str, float], writer: ScoreWriter
) -> dict:
    kinds = [
        overturned([row for row in rows if row["verdict"] == verdict], share_of, writer)
        for verdict in VERDICTS
    ]
    correction = review_correction(supported_share(facts), *kinds)
    return writer.row("review_correction", subject, {}, correction, len(rows))
