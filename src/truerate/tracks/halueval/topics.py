"""Topics of a board's items by LDA, and the topics on which a judge fails (HELMA 3.2)."""

import polars as pl

from truerate.config import Statistics
from truerate.metrics.recognition_scores import is_right
from truerate.metrics.topics import asked_text, failure_rows, lda_topics
from truerate.tracks.halueval.judged import PLAIN, judged


def topic_table(
    items: pl.DataFrame,
    documents: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    *,
    n_topics: int,
    statistics: Statistics,
    seed: int,
) -> list[dict]:
    """Per task: each topic's words, and per judge (plain variant) how many texts of it were judged wrongly
    and whether it is *failed*.

    Topics are of what is asked about (question and knowledge, document, query), never of the texts judged, so
    all judges share them. Rows: `task`, `topic`, `words`, `judge`, `n`, `n_failed`, `rate`, `p_holm`,
    `is_failed`.
    """
    rows = judged(samples, judgements).filter(pl.col("variant") == PLAIN)
    rows = rows.with_columns(is_wrong=pl.Series(1.0 - is_right(rows), dtype=pl.Float64))
    texts = dict(documents.select("document_id", "text").iter_rows())
    drawn = {"n_resamples": statistics.n_bootstrap, "alpha": statistics.alpha, "seed": seed}
    made = []
    for task in sorted(rows["task"].unique()):
        asked = items.filter(
            pl.col("item_id").is_in(rows.filter(pl.col("task") == task)["item_id"].unique().to_list())
        ).sort("item_id")
        topics = lda_topics(
            [asked_text(item, texts) for item in asked.iter_rows(named=True)], n_topics=n_topics, seed=seed
        )
        topic_of = dict(zip(asked["item_id"].to_list(), topics.topic_of, strict=True))
        for (judge,), part in rows.filter(pl.col("task") == task).group_by("judge", maintain_order=True):
            failures = failure_rows(part, topic_of, topics.words, **drawn)
            made.extend({"task": task, "judge": judge, **row} for row in failures)
    return made
