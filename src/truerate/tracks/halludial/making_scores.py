"""What is told of a data set and its making: sizes and shares as in HalluDial's Table 1, rules that replies break,
and how far the published split by sample leaks.
"""

from collections.abc import Iterable, Iterator

import polars as pl

from truerate.config import Statistics
from truerate.core.schemas import pair
from truerate.core.text import words
from truerate.llm.generation import standing
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.topics import asked_text, failure_rows, lda_topics
from truerate.tracks.halludial import inducing
from truerate.tracks.halludial.judged_texts import SPONTANEOUS, ZERO_SHOT, judged_texts
from truerate.tracks.halludial.prompting import ANNOTATE, INDUCE, MATCH, MATCHED, RESPOND
from truerate.tracks.halludial.rate_scores import turns_of_dialogue

DATASET = "dataset"  # the subject of what is told of all texts
BY_DIALOGUE, BY_SAMPLE = "by-dialogue", "by-sample"
# The flags of replies of each purpose that were read, by the metric that is their share.
FLAGS = {
    RESPOND: {"too_long_rate": "too_long", "continued_rate": "continued"},
    INDUCE: {
        "too_long_rate": "too_long",
        "restated_rate": "restated",
        "not_located_rate": "not_located",
    },
    MATCH: {"too_long_rate": "too_long", "unchanged_rate": "unchanged"},
}


def score_making(
    items: pl.DataFrame, samples: pl.DataFrame, generations: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """All Score rows of this module."""
    return [
        *size_rows(items, writer),
        *label_rows(samples, writer),
        *leak_rows(samples, writer),
        *reply_rows(generations, items, writer),
    ]


# ---- sizes and labels --------------------------------------------------------------------------------------


def size_rows(items: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`n_dialogues`, `n_turns` and `turns_per_dialogue`; a source that tells no dialogues has turns alone."""
    sizes = (
        items.select("group_id", n=turns_of_dialogue())
        .drop_nulls("n")
        .unique("group_id", keep="first", maintain_order=True)
    )
    n_turns = items.height
    if sizes.is_empty():
        return [writer.count("n_turns", DATASET, {}, n_turns, n_turns)]
    return [
        writer.count("n_turns", DATASET, {}, n_turns, n_turns),
        writer.count("n_dialogues", DATASET, {}, sizes.height, n_turns),
        writer.row("turns_per_dialogue", DATASET, {}, float(sizes["n"].to_numpy().mean()), sizes.height),
    ]


def label_rows(samples: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Per scenario, and per scenario and split: `n_samples` and `hallucinated_rate`; per scenario the mean words
    of a response (`words_per_response`); and `n_by_kind`. Paraphrases, our addition, are counted by kind alone.
    """
    columns = ["sample_id", "group_id", "text", "is_hallucinated", "split"]
    rows = samples.select(*columns, pair("attributes", "scenario"), pair("attributes", "kind")).sort(
        "sample_id"
    )
    made = []
    for (scenario,), part in (
        rows.drop_nulls("scenario").sort("scenario").group_by("scenario", maintain_order=True)
    ):
        where = {"scenario": scenario}
        published = part.filter(pl.col("kind").ne_missing(MATCHED))
        made += _labelled(published, where, writer)
        for (split,), some in published.sort("split").group_by("split", maintain_order=True):
            made += _labelled(some, {**where, "split": split}, writer)
        n_words = [len(words(text)) for text in part["text"].to_list()]
        made.append(
            writer.row("words_per_response", DATASET, where, sum(n_words) / len(n_words), len(n_words))
        )
        for (kind,), some in part.drop_nulls("kind").sort("kind").group_by("kind", maintain_order=True):
            made.append(writer.count("n_by_kind", DATASET, {**where, "kind": kind}, some.height, part.height))
    return made


def _labelled(part: pl.DataFrame, where: dict, writer: ScoreWriter) -> list[dict]:
    clusters, label = part["group_id"].to_list(), part["is_hallucinated"].to_list()
    return [
        writer.count("n_samples", DATASET, where, part.height, part.height),
        writer.share("hallucinated_rate", DATASET, where, label, clusters),
    ]


# ---- the splits --------------------------------------------------------------------------------------------


def leak_rows(samples: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Of the split by dialogue and of that by sample, as published, per scenario: the share of contexts and of
    dialogues that have texts on both sides (`shared_context_rate`, `shared_dialogue_rate`), and of test texts
    with one of their context in train (`sibling_rate`). Samples without the published split have no rows.
    """
    columns = ["sample_id", "item_id", "group_id", "split"]
    side = pair("attributes", "split_by_sample").alias("side")
    rows = samples.select(*columns, pair("attributes", "scenario"), side)
    rows = rows.drop_nulls("side")
    made = []
    for (scenario,), part in rows.sort("scenario").group_by("scenario", maintain_order=True):
        for name, column in ((BY_DIALOGUE, "split"), (BY_SAMPLE, "side")):
            where = {"scenario": scenario, "split": name}
            for metric, unit in (("shared_context_rate", "item_id"), ("shared_dialogue_rate", "group_id")):
                made.append(_shared(part, metric, unit, column, where, writer))
            made.append(_siblings(part, column, where, writer))
    return made


def _shared(part: pl.DataFrame, metric: str, unit: str, side: str, where: dict, writer: ScoreWriter) -> dict:
    keys = list(dict.fromkeys([unit, "group_id"]))
    units = part.group_by(keys, maintain_order=True).agg(n=pl.col(side).n_unique()).sort(keys)
    return writer.share(metric, DATASET, where, (units["n"] > 1).to_list(), units["group_id"].to_list())


def _siblings(part: pl.DataFrame, side: str, where: dict, writer: ScoreWriter) -> dict:
    learned = part.filter(pl.col(side) == "train")["item_id"].unique(maintain_order=True).to_list()
    test = part.filter(pl.col(side) == "test").sort("sample_id")
    hits = test["item_id"].is_in(learned).to_list()
    return writer.share("sibling_rate", DATASET, where, hits, test["group_id"].to_list())


# ---- replies -----------------------------------------------------------------------------------------------


def reply_rows(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Per writer, purpose (`step`) and kind: `unread_rate`, the share of requests from which no text
    was read, and of the texts that were read the share that breaks each rule; of induced ones any
    (`broken_rate`); of the annotator's Yes the share without a segment that stands in the response.
    """
    made = []
    for step, flags in FLAGS.items():
        keys = dict.fromkeys(["kind", *flags.values()])
        rows = replies_of(step, keys, generations, items)
        for (model, kind), part in rows.group_by("model", "kind", maintain_order=True):
            made += _rules(str(model), step, {"step": step, "kind": kind}, part, writer)
    annotated = replies_of(ANNOTATE, ("verdict", "segments"), generations, items)
    for (model,), part in annotated.filter(verdict="yes").group_by("model", maintain_order=True):
        is_lost, clusters = part["segments"].is_null().to_list(), part["group_id"].to_list()
        where = {"step": ANNOTATE}
        made.append(writer.share("not_located_rate", str(model), where, is_lost, clusters))
    return made


def replies_of(
    purpose: str, keys: Iterable[str], generations: pl.DataFrame, items: pl.DataFrame
) -> pl.DataFrame:
    """The replies of a purpose that stand: `model`, `generation_id`, `status`, `group_id` and these attributes."""
    columns = ["model", "generation_id", "item_id", "status", "purpose", "attributes"]
    rows = standing(generations.select(columns).filter(purpose=purpose))
    rows = rows.with_columns(*(pair("attributes", key) for key in keys)).drop("attributes", "purpose")
    known = rows.join(items.select("item_id", "group_id"), on="item_id", how="inner", maintain_order="left")
    return known.sort("model", "generation_id")


def _rules(model: str, step: str, where: dict, part: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    is_lost = (part["status"] != "ok").to_list()
    made = [writer.share("unread_rate", model, where, is_lost, part["group_id"].to_list())]
    read = part.filter(status="ok")
    clusters = read["group_id"].to_list()
    for metric, flag in FLAGS[step].items():
        made.append(writer.share(metric, model, where, _is_set(read[flag]), clusters))
    if step == INDUCE:
        flags = [_is_set(read[flag]) for flag in inducing.BROKEN]
        is_broken = [any(of_text) for of_text in zip(*flags, strict=True)]
        made.append(writer.share("broken_rate", model, where, is_broken, clusters))
    return made


def _is_set(column: pl.Series) -> list[bool]:
    return (column == "yes").fill_null(False).to_list()


# ---- Topics of a board's turns by LDA: on which judges fail, and on which r --------------------------------


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
        made += [{"task": kind, "judge": subject, **row, "share": _share_of_texts(row, rows)} for row in rows]
    return made


def _share_of_texts(row: dict, rows: list[dict]) -> float | None:
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
