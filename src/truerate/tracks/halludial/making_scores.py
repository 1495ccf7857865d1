"""What is scored of a data set and its making: sizes and shares as in HalluDial's Table 1, rules that replies
break, how far the published split by sample leaks, and topics on which judges fail and responders
hallucinate.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from truerate.config import Statistics
from truerate.core.schemas import pair, unpaired
from truerate.core.text import words
from truerate.llm.generation import standing
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.topics import items_of_texts, rows_by_topic
from truerate.tracks.halludial.dataset import BY_DETECTORS, NEITHER
from truerate.tracks.halludial.judged_texts import SPONTANEOUS, ZERO_SHOT, judged_texts
from truerate.tracks.halludial.prompting import ANNOTATE, INDUCE, MATCH, MATCHED, RESPOND
from truerate.tracks.halludial.rate_scores import turns_of_dialogue
from truerate.tracks.halludial.silver import BROKEN

DATASET = "dataset"  # the subject of what is scored of all texts
SPLITS = {"by-dialogue": BY_DETECTORS, "by-sample": "split_by_sample"}
# The flags of replies of each purpose that were read; `…_rate` is their share.
FLAGS = {
    RESPOND: ("too_long", "continued"),
    INDUCE: ("too_long", "restated", "not_located"),
    MATCH: ("too_long", "unchanged"),
}
JUDGES, RESPONDERS, DATA = "judges", "responders", "data"


def score_making(
    items: pl.DataFrame, samples: pl.DataFrame, generations: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """Return all Score rows of this module."""
    return [
        *size_rows(items, writer),
        *label_rows(samples, writer),
        *leak_rows(samples, writer),
        *reply_rows(generations, items, writer),
    ]


def size_rows(items: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `n_turns`, and where a source tells dialogues `n_dialogues`, `turns_per_dialogue`."""
    sizes = items.select("group_id", n=turns_of_dialogue()).drop_nulls("n")
    sizes, n_turns = sizes.unique("group_id", keep="first", maintain_order=True), items.height
    rows = [writer.count("n_turns", DATASET, {}, n_turns, n_turns)]
    if not sizes.is_empty():
        rows.append(writer.count("n_dialogues", DATASET, {}, sizes.height, n_turns))
        mean = float(sizes["n"].to_numpy().mean())
        rows.append(writer.row("turns_per_dialogue", DATASET, {}, mean, sizes.height))
    return rows


def label_rows(samples: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `n_samples` and `hallucinated_rate` per scenario and per split; `words_per_response` and
    `n_by_kind` per scenario. Paraphrases, our addition, are counted by kind alone.
    """
    keyed = samples.with_columns(pair("attributes", "scenario"), pair("attributes", "kind"))
    keyed = keyed.drop_nulls("scenario").sort("scenario", "sample_id")
    published, rows = keyed.filter(pl.col("kind").ne_missing(MATCHED)), []
    for by in (("scenario",), ("scenario", "split")):
        is_hallucinated = {"hallucinated_rate": pl.col("is_hallucinated")}
        shares = writer.shares_by(published, is_hallucinated, subject=pl.lit(DATASET), by=by)
        sizes = [(unpaired(row["slice"]), row["n"]) for row in shares]
        rows += [*shares, *(writer.count("n_samples", DATASET, where, n, n) for where, n in sizes)]
    for (scenario,), part in keyed.group_by("scenario", maintain_order=True):
        where, n_words = {"scenario": scenario}, [len(words(text)) for text in part["text"]]
        mean = sum(n_words) / len(n_words)
        rows.append(writer.row("words_per_response", DATASET, where, mean, len(n_words)))
        for kind, n in part["kind"].drop_nulls().value_counts().sort("kind").iter_rows():
            rows.append(writer.count("n_by_kind", DATASET, {**where, "kind": kind}, n, part.height))
    return rows


def leak_rows(samples: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return per scenario, of the split by dialogue and of that by sample, as published: the share of
    contexts and of dialogues with texts on both sides (`shared_context_rate`, `shared_dialogue_rate`), and of
    test texts with one of their context in train (`sibling_rate`). Samples without the published split have
    no rows; where detectors take it as published, there is no other.
    """
    whole = samples.with_columns(pair("attributes", key) for key in ("scenario", *SPLITS.values()))
    whole = whole.drop_nulls("split_by_sample").sort("scenario", "sample_id")
    whole, rows = whole.with_columns(pl.coalesce(BY_DETECTORS, "split").alias(BY_DETECTORS)), []
    for name, side in SPLITS.items():
        if name == "by-dialogue" and whole[side].equals(whole["split_by_sample"]):
            continue
        keyed = whole.filter(pl.col(side) != NEITHER)
        how: dict[str, Any] = {"subject": pl.lit(DATASET), "by": ("scenario",), "split": name}
        for metric, unit in (("shared_context_rate", "item_id"), ("shared_dialogue_rate", "group_id")):
            units = keyed.group_by("scenario", unit, cluster="group_id", maintain_order=True).agg(
                n=pl.col(side).n_unique()
            )
            units = units.sort("scenario", unit, "cluster")
            rows += writer.shares_by(units, {metric: pl.col("n") > 1}, cluster="cluster", **how)
        is_trained = (pl.col(side) == "train").any().over("scenario", "item_id")
        test = keyed.with_columns(sibling_rate=is_trained).filter(pl.col(side) == "test")
        rows += writer.shares_by(test, {"sibling_rate": pl.col("sibling_rate")}, **how)
    return rows


# ---- replies -----------------------------------------------------------------------------------------------


def reply_rows(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return per writer, purpose (`step`) and kind `unread_rate`, and of the texts that were read the share
    that breaks each rule; of induced ones any (`broken_rate`); of the annotator's Yes the share without a
    segment that stands in the response.
    """
    rows = []
    for step, flags in FLAGS.items():
        replies = replies_of(step, ("kind", *flags), generations, items)
        rules = {flag: pl.col(flag) == "yes" for flag in flags}
        if step == INDUCE:
            rules["broken"] = pl.any_horizontal(pl.col(list(BROKEN)) == "yes")
        is_read = pl.col("status") == "ok"
        shares: dict[str, pl.Expr] = {"unread_rate": ~is_read}
        for name, rule in rules.items():
            shares[f"{name}_rate"] = pl.when(is_read).then(rule.fill_null(False))
        rows += writer.shares_by(replies, shares, subject="model", by=("kind",), step=step)
    positive = replies_of(ANNOTATE, ("verdict", "segments"), generations, items).filter(verdict="yes")
    not_located = {"not_located_rate": pl.col("segments").is_null()}
    return rows + writer.shares_by(positive, not_located, subject="model", step=ANNOTATE)


def replies_of(
    purpose: str, keys: Iterable[str], generations: pl.DataFrame, items: pl.DataFrame
) -> pl.DataFrame:
    """Return the replies of a purpose that stand, with their group and these attributes."""
    columns = ["model", "generation_id", "item_id", "status"]
    rows = standing(generations.select(*columns, "purpose", "attributes").filter(purpose=purpose))
    rows = rows.select(*columns, *(pair("attributes", key) for key in keys))
    joined = rows.join(items.select("item_id", "group_id"), on="item_id", how="inner", maintain_order="left")
    return joined.sort("model", "generation_id")


# ---- topics ------------------------------------------------------------------------------------------------


def topic_table(
    items: pl.DataFrame,
    documents: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    *,
    n_topics: int,
    of_texts: bool = False,
    statistics: Statistics,
    seed: int,
) -> list[dict]:
    """Return rows of each subject and topic (LDA): `task` (whose rows: `data` all labelled texts, `judges`,
    `responders`), `judge` (the subject), `topic`, `words`, `n`, `n_failed`, `rate`, `p_holm`, `is_failed`,
    and `share`, the topic's of all the subject's texts.

    Topics are of what is asked about (question and knowledge), so that all subjects share them. `n_failed`
    counts hallucinated texts of the data and of responders, and wrong or unread verdicts of judges.
    `is_failed`: more than elsewhere beyond chance, Holm-corrected over topics. `of_texts`: topics are of the
    texts with what is asked about, and of judges only hallucinated texts count, which they fail to flag.
    """
    subjects = _subjects(samples, judgements, of_texts=of_texts)
    items = items_of_texts(samples, items) if of_texts else items
    parts = [({"task": kind, "judge": subject}, part) for kind, subject, part in subjects]
    how = {"n_resamples": statistics.n_bootstrap, "alpha": statistics.alpha, "seed": seed}
    rows = rows_by_topic(parts, items, documents, n_topics=n_topics, **how)
    n_of: Counter[tuple[str, str]] = Counter()
    for row in rows:
        n_of[row["task"], row["judge"]] += row["n"]
    n_each = [n_of[row["task"], row["judge"]] for row in rows]
    shares = [round(row["n"] / n, 6) if n else None for row, n in zip(rows, n_each, strict=True)]
    return [row | {"share": share} for row, share in zip(rows, shares, strict=True)]


def _subjects(
    samples: pl.DataFrame, judgements: pl.DataFrame, *, of_texts: bool
) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Whose rows, the subject, and `item_id` (`of_texts`: the sample's id), `group_id`, `is_wrong` of its
    texts: all spontaneous and labelled ones of a source together, by who wrote them, and the verdicts of each
    judge on those of the test split (`of_texts`: on the hallucinated ones).
    """
    unit = {"item_id": pl.col("sample_id" if of_texts else "item_id")}
    scenario = pair("attributes", "scenario")
    natural = samples.filter(pl.col("label_source") != "gold", scenario == SPONTANEOUS)
    if natural.is_empty():
        natural = samples.filter(pair("attributes", "generation").is_null())
    texts = natural.sort("sample_id").select("group_id", "generator", **unit, is_wrong="is_hallucinated")
    if not texts.is_empty():
        yield DATA, "all", texts
    by_writer = texts.drop_nulls("generator").sort("generator").group_by("generator", maintain_order=True)
    for (name,), part in by_writer:
        yield RESPONDERS, str(name), part
    wrong = (pl.col("verdict") != pl.col("is_hallucinated")).fill_null(True)
    rows = judged_texts(natural, judgements, ("item_id",)).filter(variant=ZERO_SHOT)
    rows = rows.filter(pl.col("is_hallucinated") | (not of_texts)).with_columns(is_wrong=wrong)
    for (judge,), part in rows.group_by("judge", maintain_order=True):
        if not (part["status"] == "dead").all():
            yield JUDGES, str(judge), part.select("group_id", "is_wrong", **unit)
