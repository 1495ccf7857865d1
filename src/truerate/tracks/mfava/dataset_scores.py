"""What is scored of a board's texts and requests alone: spans and rates of the labels, the queries, and what
was rejected.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from truerate.core.schemas import pair
from truerate.core.spans.tags import TYPES
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.tracks.mfava.marking import AGAINST, flat_spans

TEXTS = "texts"  # the subject of what is counted of all texts
# Steps whose replies may be rejected, in the order of the protocol.
STEPS = ("write", "insert", "translate", "translate_reference", "query", "check", "answer")


def by_language(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each language, and all of them; nothing of no rows."""
    for lang in sorted(rows["lang"].drop_nulls().unique()):
        yield lang, rows.filter(lang=lang)
    if not rows.is_empty():
        yield ALL, rows


def span_rows(samples: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `n_texts`, `n_spans` and `span_rate` (share of texts that hold one) of each type, language, kind
    of labels and task (mFAVA Table 2). Spans that do not count as marked (p ≤ 0.5) are not counted. Type
    `all` counts every span.
    """
    keys = ["task", "label_source", "lang"]
    marked = flat_spans(samples.select("sample_id", *keys, "spans"))
    marked = marked.filter(pl.col("p").is_null() | (pl.col("p") > 0.5))
    whole = pl.concat([marked, marked.with_columns(type=pl.lit(ALL))])
    counted = whole.group_by(*keys, "type", maintain_order=True).agg(pl.len(), pl.col("sample_id").n_unique())
    counts = {row[:4]: row[4:] for row in counted.iter_rows()}
    rows = []
    for *key, n in samples.group_by(keys, maintain_order=True).len().sort(keys).iter_rows():
        where = dict(zip(keys, key, strict=True))
        rows.append(writer.count("n_texts", TEXTS, where, n, n))
        occurring = {kind for *of, kind in counts if of == key and kind is not None}
        for kind in [*TYPES, ALL] if occurring & set(TYPES) else sorted(occurring | {ALL}):
            n_spans, n_holding = counts.get((*key, kind), (0, 0))
            rows.append(writer.count("n_spans", TEXTS, {**where, "type": kind}, n_spans, n))
            rows.append(writer.row("span_rate", TEXTS, {**where, "type": kind}, n_holding / n, n))
    return rows


def gold_rate_rows(counts: Mapping[tuple[str, str], tuple[int, int, int]], writer: ScoreWriter) -> list[dict]:
    """Return `hallucinated_token_rate`: the share of tokens that the labels themselves mark, per kind of
    labels and language (`scores.gold_counts`).
    """
    rows = []
    for against, lang in sorted(counts, key=lambda key: (AGAINST.index(key[0]), key[1])):
        top, bottom, n = counts[against, lang]
        where, share = {"against": against, "lang": lang}, top / bottom if bottom else None
        rows.append(writer.row("hallucinated_token_rate", TEXTS, where, share, n))
    return rows


def query_rows(items: pl.DataFrame, generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `answerable_rate`: of the queries that were checked, the share that their reference answers; and
    of those that a model was asked `n_articles`, `n_queries`, `n_categories` (mFAVA Table 9): per language,
    and over all.

    Categories are counted where every article of a language names its own.
    """
    checked = items.with_columns(pair("attributes", "answerable")).drop_nulls("answerable").sort("item_id")
    rows = []
    for lang, part in by_language(checked):
        hits, groups = (part["answerable"] == "yes").to_numpy().astype(float), part["group_id"].to_list()
        rows.append(writer.share("answerable_rate", TEXTS, {"lang": lang}, hits, groups))
    asked = generations.filter(purpose="answer").select("item_id")
    wild = items.filter(task="wild").join(asked, on="item_id", how="semi", maintain_order="left")
    category = pair("attributes", "category")
    counted = wild.group_by("lang", maintain_order=True).agg(
        n_articles=pl.col("group_id").n_unique(),
        n_queries=pl.len(),
        n_categories=pl.when(category.null_count() == 0).then(category.n_unique()),
    )
    for name in ("n_articles", "n_queries", "n_categories"):
        counts = dict(counted.drop_nulls(name).sort("lang").select("lang", name).iter_rows())
        if counts and len(counts) == counted.height:
            counts[ALL] = sum(counts.values())
        rows += [writer.count(name, TEXTS, {"lang": lang}, n, n) for lang, n in counts.items()]
    return rows


def rejected_rows(generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `n_rejected` and `rejected_rate` of each step and model: replies that could not be used, by
    reason and over all reasons, by language.

    Step `passage`: passages that were begun and did not come through all six insertions, so that no sample
    was made of them, by the reason of the last try of the last round.
    """
    asked = generations.filter(pl.col("purpose").is_in(STEPS)).with_columns(
        *(pair("attributes", key) for key in ("lang", "type", "try")),
        cause=pl.when(pl.col("status") != "ok").then(pl.coalesce("reason", "status")),
    )
    rounds = {None: 0} | {type_: number for number, type_ in enumerate(TYPES, 1)}
    passages = asked.filter(pl.col("purpose").is_in(["write", "insert"])).with_columns(
        round=pl.col("type").replace_strict(rounds, return_dtype=pl.Int8),
        attempt=pl.col("try").fill_null("1").cast(pl.Int64),
    )
    last = (
        passages.sort("model", "item_id", "round", "attempt")
        .group_by("model", "item_id", maintain_order=True)
        .last()
    )
    is_whole = (pl.col("status") == "ok") & (pl.col("round") == len(TYPES))
    cause = pl.coalesce("reason", "cause", pl.lit("unfinished"))
    lost = last.with_columns(purpose=pl.lit("passage"), cause=pl.when(~is_whole).then(cause))
    columns = ("purpose", "model", "lang", "cause")
    whole = pl.concat([asked.select(columns), lost.select(columns)])
    rows = []
    for (step, model), part in sorted(
        whole.group_by("purpose", "model", maintain_order=True), key=lambda group: group[0]
    ):
        for lang, of_lang in by_language(part):
            causes, n = of_lang["cause"].drop_nulls(), of_lang.height
            counts = dict(causes.value_counts().sort("cause").iter_rows()) | {ALL: len(causes)}
            for reason, count in counts.items():
                where = {"step": step, "lang": lang, "reason": reason}
                rows.append(writer.count("n_rejected", str(model), where, count, n))
                rows.append(writer.row("rejected_rate", str(model), where, count / n, n))
    return rows
