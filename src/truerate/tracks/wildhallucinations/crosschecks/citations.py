"""Scores of citations: recall, precision and F1 of models whose replies came with results of a search (ALCE, Gao
et al. 2023, section 3), from the judgements of `citing`.
"""

import numpy as np
import polars as pl

from truerate.core.aggregates import average
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.wildhallucinations.crosschecks.citing import (
    CITATION,
    DANGLING,
    PAGE,
    SENTENCE,
    UNCITED,
    UNTOLD,
)

RECALL, PRECISION, F1 = "citation_recall", "citation_precision", "citation_f1"
STAGES = (SENTENCE, CITATION)


def citation_rows(
    judgements: pl.DataFrame, scored: pl.DataFrame, judge: str | None, writer: ScoreWriter
) -> list[dict]:
    """Return Score rows per subject with a reply that came with results and states something; else none.

    `citation_recall`: of the sentences that state something the share that what they cite supports, of each
    reply, mean over replies. `citation_precision`: of the citations the share that are precise
    (`citing.precise`), a dangling one being imprecise, of each reply that cites, mean over these.
    `citation_f1`: 2 R P / (R + P) of the two means, 0 where both are. Sentences and citations without a verdict
    are left out of these. `uncited_rate`: of the sentences, without a citation. Of all citations
    `dangling_citation_rate` (to a result that was never told), `untold_citation_rate` (to one of which no text
    is known); and `page_citation_rate`, of those that were judged by a text the share by a page in place of what
    the server told. Entities are the clusters. `judgements`: pruned ones.
    """
    rows = judgements.filter(pl.col("judge") == (judge or ""), pl.col("stage").is_in(STAGES))
    if rows.is_empty():
        return []
    of_reply = scored.select("generation_id", "subject", "entity").cast({"generation_id": pl.String})
    rows = rows.select(
        pl.col("stage", "kind").cast(pl.String),
        "verdict",
        "target_id",
        generation_id=pl.col("target_id").str.split(":").list.first(),
    )
    rows = rows.join(of_reply, on="generation_id", maintain_order="left").sort("subject", "target_id")
    score_rows = []
    for (name,), part in rows.group_by("subject", maintain_order=True):
        score_rows += _means(str(name), part, writer)
    by_stage = {stage: rows.filter(stage=stage) for stage in STAGES}
    kind = pl.col("kind")
    score_rows += writer.shares_by(
        by_stage[SENTENCE],
        {"uncited_rate": (kind == UNCITED).fill_null(False)},
        subject="subject",
        cluster="entity",
    )
    shares = {
        "dangling_citation_rate": kind == DANGLING,
        "untold_citation_rate": kind == UNTOLD,
        "page_citation_rate": pl.when(~kind.is_in([DANGLING, UNTOLD])).then(kind == PAGE),
    }
    return score_rows + writer.shares_by(by_stage[CITATION], shares, subject="subject", cluster="entity")


def _means(subject: str, rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Recall, precision and F1 of one subject."""
    is_right = (~pl.col("verdict")).cast(pl.Float64)
    of_stage = [average(is_right.filter(pl.col("stage") == stage)) for stage in STAGES]
    replies = rows.group_by("generation_id", "entity", maintain_order=True).agg(
        recall=of_stage[0], precision=of_stage[1]
    )
    score_rows = []
    for metric, column in ((RECALL, "recall"), (PRECISION, "precision")):
        with_value = replies.drop_nulls(column)
        values, entities = with_value[column].to_numpy(), with_value["entity"].to_list()
        score_rows.append(writer.mean(metric, subject, {}, values, entities))
    sums = replies.select(
        pl.col("recall").fill_null(0),
        pl.col("precision").fill_null(0),
        n_recall=pl.col("recall").is_not_null().cast(pl.Float64),
        n_precision=pl.col("precision").is_not_null().cast(pl.Float64),
    ).to_numpy()
    score_rows.append(writer.statistic(F1, subject, {}, sums, replies["entity"].to_list(), _f1))
    return score_rows


def _f1(sums: np.ndarray) -> np.ndarray:
    """F1 of totals (…, 4): recall, precision and over how many replies each is; NaN where either is of none."""
    recall, precision = sums[..., 0] / sums[..., 2], sums[..., 1] / sums[..., 3]
    both = recall + precision
    return np.where(both == 0, 0.0, 2 * recall * precision / np.where(both == 0, 1.0, both))
