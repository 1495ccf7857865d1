"""Topics of a board's turns by LDA: on which judges fail, and on which responders hallucinate more than elsewhere
(HalluDial Figures 2, 4 and 5), as rates beside the topic's share of all texts.
"""

from collections.abc import Iterator

import polars as pl

from truerate.config import Statistics
from truerate.core.schemas import pair
from truerate.metrics.topics import asked_text, failure_rows, lda_topics
from truerate.tracks.halludial.judged_texts import SPONTANEOUS, ZERO_SHOT, judged_texts

JUDGES, RESPONDERS, DATA = "judges", "responders", "data"


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
    """Rows of each subject and topic: `task` (whose rows: `data` all labelled texts, `judges`, `responders`),
    `judge` (the subject), `topic`, `words`, `n`, `n_failed`, `rate`, `p_holm`, `is_failed`, and `share`, the
    topic's of all the subject's texts.

    Topics are of what is asked about (question and knowledge), so that all subjects share them. What is counted
    (`n_failed`): of the data and of responders hallucinated texts by their labels, of judges wrong verdicts;
    unread ones are wrong. `is_failed`: more than elsewhere beyond chance, Holm-corrected over topics.
    """
    parts = list(_subjects(samples, judgements))
    asked = items.filter(pl.col("item_id").is_in(_items_of(parts))).sort("item_id")
    if asked.is_empty():
        return []
    texts = dict(documents.select("document_id", "text").iter_rows())
    words_of_items = [asked_text(item, texts) for item in asked.iter_rows(named=True)]
    topics = lda_topics(words_of_items, n_topics=n_topics, seed=seed)
    topic_of = dict(zip(asked["item_id"].to_list(), topics.topic_of, strict=True))
    drawn = {"n_resamples": statistics.n_bootstrap, "alpha": statistics.alpha, "seed": seed}
    made = []
    for kind, subject, part in parts:
        rows = failure_rows(
            part.filter(pl.col("item_id").is_in([*topic_of])), topic_of, topics.words, **drawn
        )
        made += [{"task": kind, "judge": subject, **row, "share": _share(row, rows)} for row in rows]
    return made


def _share(row: dict, rows: list[dict]) -> float | None:
    n = sum(row["n"] for row in rows)
    return round(row["n"] / n, 6) if n else None


def _items_of(parts: list[tuple[str, str, pl.DataFrame]]) -> list[str]:
    return sorted({name for *_, part in parts for name in part["item_id"].unique()})


def _subjects(samples: pl.DataFrame, judgements: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Whose rows, the subject, and `item_id`, `group_id`, `is_wrong` of its texts: all spontaneous and labelled
    ones of a source together, by who wrote them, and the verdicts of each judge on those of the test split.
    """
    scenario = pair("attributes", "scenario")
    natural = samples.filter(pl.col("label_source") != "gold", scenario == SPONTANEOUS)
    if natural.is_empty():
        natural = samples.filter(pair("attributes", "generation").is_null())
    texts = natural.sort("sample_id").select("item_id", "group_id", "generator", is_wrong="is_hallucinated")
    if not texts.is_empty():
        yield DATA, "all", texts
    for (name,), part in (
        texts.drop_nulls("generator").sort("generator").group_by("generator", maintain_order=True)
    ):
        yield RESPONDERS, str(name), part
    rows = judged_texts(natural, judgements, ("item_id",)).filter(variant=ZERO_SHOT)
    wrong = (pl.col("verdict") != pl.col("is_hallucinated")).fill_null(True)
    for (judge,), part in rows.with_columns(is_wrong=wrong).group_by("judge", maintain_order=True):
        if not (part["status"] == "dead").all():
            yield JUDGES, str(judge), part.select("item_id", "group_id", "is_wrong")
