"""Everything that is scored on a board of this track but what `labels.label` scores: detectors, rates in the
wild, the texts themselves.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import NO_ANSWERS, Score, frame, pair
from truerate.core.tags import TYPES
from truerate.metrics.rates import RAW
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.tokens import offsets_by
from truerate.tracks.mfava.analyses import WHERE, analysis_rows, headline, outcome_rows
from truerate.tracks.mfava.detection import detection_rows, mushroom_rows, windowed_rows
from truerate.tracks.mfava.marking import (
    AGAINST,
    Detector,
    Judgements,
    answers,
    in_parts,
    labelled_replies,
    pieces,
    scored_parts,
)
from truerate.tracks.mfava.ordering import ordering_rows
from truerate.tracks.mfava.rate_scores import (
    ALL_REPLIES,
    RATE,
    count_rows,
    languages_apart,
    measured,
    rate_rows,
    voices,
)
from truerate.tracks.mfava.rates import labelled_texts, strata_by_kind, stratum_rows

__all__ = ["score", "scored_judgements", "scored_parts"]

TEXTS = "texts"
# Steps whose replies may be rejected, in the order of the protocol.
STEPS = ("write", "insert", "translate", "translate_reference", "query", "check", "answer")


def scored_judgements(at: Layout, board: str, samples: pl.DataFrame, generations: pl.DataFrame) -> pl.Expr:
    """Of which judgements of detectors `score` makes something: those of texts that have labels, and of any text
    those of the rates' detector. What others mark of a reply without labels is for the sample browser alone.
    """
    replies = generations.filter(pl.col("purpose") == "answer")
    labelled_ids = pl.concat([samples["sample_id"], labelled_replies(samples, replies)["generation_id"]])
    is_leading = pl.col("judge") == at.p.track(board).detector.member
    return is_leading | pl.col("target_id").is_in(labelled_ids.implode())


def score(
    at: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame | Judgements,
    generations: pl.DataFrame,
    inputs: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All Score and Outcome rows of a board but those of its labels.

    `samples` are the data set's and the gold ones, `judgements` the detectors', all or by part (`scored_parts`),
    `generations` the data set's.
    """
    settings = at.p.track(board)
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    replies = answers(generations, items)
    by_part = (
        judgements
        if isinstance(judgements, Mapping)
        else in_parts(judgements, scored_parts(items, samples, generations))
    )
    chosen = Detector(settings.detector.member, settings.detector.scope, settings.detector.labels)
    heard = voices(pieces(items, samples, replies, by_part), chosen)
    cut = offsets_by(settings.tokenizer)
    found = measured(pieces(items, samples, replies, by_part), heard, cut, writer)
    is_apart = languages_apart(samples)
    made = [*span_rows(samples, writer), *rejected_rows(generations, writer), *answerable_rows(items, writer)]
    made += query_rows(items, generations, writer)
    made += (
        gold_rate_rows(found.gold, writer)
        + detection_rows(found.tokens, is_apart, writer)
        + windowed_rows(found.windows, writer)
        + ordering_rows(found.ordered, is_apart, writer)
    )
    marked, outcomes = mushroom_rows(
        *found.answered, heard.seeds_by_detector, writer, with_page=with_page(items)
    )
    made += marked
    made += unanswered_rows(generations, writer)
    if heard.seeds:
        cells, known = dict(sorted(found.cells.items())), found.known
        fit = headline(cells, writer.statistics.confidence, found.people)
        models = {alias: at.p.models[alias] for alias in at.p.models_of(board)}
        rates, estimated = rate_rows(cells, known, found.people, writer)
        made += rates + count_rows(cells, writer)
        strata = strata_by_kind(known)
        for kind, one in labelled_texts(known).items():
            made += stratum_rows(chosen, kind, strata[kind], one.clusters, writer)
        made += analysis_rows(cells, estimated, known, fit, models, writer, large_from=settings.large_from)
        outcomes = pl.concat([outcomes, outcome_rows(cells, fit, writer)])
    return frame(Score, made), outcomes


def with_page(items: pl.DataFrame) -> set[str]:
    """The items that have a document to look things up in."""
    return set(items.filter(pl.col("document_ids").list.len() > 0)["item_id"])


# ---- texts -------------------------------------------------------------------------------------------------


def span_rows(samples: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`n_texts`, `n_spans` and `span_rate` (share of texts that hold one) of each type, language, kind of
    labels and task (mFAVA Table 2).

    Spans that do not count as marked (p ≤ 0.5) are not counted. Type `all` counts every span.
    """
    keys = ["task", "label_source", "lang"]
    known = samples.select("sample_id", *keys, "spans")
    n_texts = {tuple(row[:3]): row[3] for row in known.group_by(keys, maintain_order=True).len().iter_rows()}
    spans = (
        known.filter(pl.col("spans").list.len() > 0)
        .explode("spans")
        .unnest("spans")
        .filter(pl.col("p").is_null() | (pl.col("p") > 0.5))
    )
    spans = pl.concat([spans, spans.with_columns(type=pl.lit(ALL))])
    found = {
        tuple(row[:4]): row[4:]
        for row in spans.group_by([*keys, "type"], maintain_order=True)
        .agg(pl.len(), pl.col("sample_id").n_unique())
        .iter_rows()
    }
    made = []
    for (task, source, lang), n in sorted(n_texts.items()):
        where = {"task": task, "label_source": source, "lang": lang}
        made.append(writer.row("n_texts", TEXTS, where, float(n), n))
        occurring = {kind for *key, kind in found if tuple(key) == (task, source, lang) and kind is not None}
        for kind in [*TYPES, ALL] if occurring & set(TYPES) else sorted(occurring | {ALL}):
            n_spans, n_held = found.get((task, source, lang, kind), (0, 0))
            made.append(writer.row("n_spans", TEXTS, {**where, "type": kind}, float(n_spans), n))
            made.append(writer.row("span_rate", TEXTS, {**where, "type": kind}, n_held / n, n))
    return made


def gold_rate_rows(counts: Mapping[tuple[str, str], tuple[int, int, int]], writer: ScoreWriter) -> list[dict]:
    """`hallucinated_token_rate`: the share of tokens that the labels themselves mark, per kind of labels and
    language (`measured.gold_counts`).
    """
    made = []
    for against, lang in sorted(counts, key=lambda key: (AGAINST.index(key[0]), key[1])):
        top, bottom, n = counts[against, lang]
        where = {"against": against, "lang": lang}
        made.append(writer.row("hallucinated_token_rate", TEXTS, where, top / bottom if bottom else None, n))
    return made


def unanswered_rows(generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Empty rates, raw and headline, and `no_answers`, how many were asked, of every model and language whose
    every reply is a dead letter.

    Over all languages where that holds of each of them.
    """
    asked = generations.filter(purpose="answer").select("model", "status", pair("attributes", "lang"))
    whole = pl.concat([asked, asked.with_columns(lang=pl.lit(ALL))])
    silent = (
        whole.group_by("model", "lang", maintain_order=True)
        .agg(pl.len(), is_dead=(pl.col("status") == "dead").all())
        .filter("is_dead")
        .sort("model", "lang")
    )
    made = []
    for model, lang, n, _ in silent.iter_rows():
        for where in ({"estimator": RAW, "replies": ALL_REPLIES}, WHERE):
            made.append(writer.row(RATE, model, {"lang": lang, **where}, None, 0))
        made.append(writer.row(NO_ANSWERS, model, {"lang": lang, "replies": ALL_REPLIES}, float(n), n))
    return made


def answerable_rows(items: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`answerable_rate`: of the queries that were checked, the share that their reference answers, per
    language and over all.
    """
    checked = (
        items.with_columns(answerable=pair("attributes", "answerable"))
        .filter(pl.col("answerable").is_not_null())
        .sort("item_id")
    )
    made = []
    for lang in [*sorted(checked["lang"].unique()), ALL] if not checked.is_empty() else []:
        part = checked if lang == ALL else checked.filter(pl.col("lang") == lang)
        found = (part["answerable"] == "yes").to_numpy().astype(float)
        made.append(writer.share("answerable_rate", TEXTS, {"lang": lang}, found, part["group_id"].to_list()))
    return made


def query_rows(items: pl.DataFrame, generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`n_articles`, `n_queries`, `n_categories` of the queries that a model was asked, per language, and `all`, their
    sums (mFAVA Table 9).

    Categories are counted where every article of a language names its own. Nothing asked, no rows.
    """
    asked = generations.filter(pl.col("purpose") == "answer").select("item_id").unique(maintain_order=True)
    wild = items.filter(pl.col("task") == "wild")
    known = wild.join(asked, on="item_id", how="semi", maintain_order="left").select(
        "lang", "group_id", category=pair("attributes", "category")
    )
    counted = known.group_by("lang", maintain_order=True).agg(
        n_articles=pl.col("group_id").n_unique(),
        n_queries=pl.len(),
        n_categories=pl.when(pl.col("category").null_count() == 0).then(pl.col("category").n_unique()),
    )
    made = []
    for name in ("n_articles", "n_queries", "n_categories"):
        told = dict(counted.drop_nulls(name).sort("lang").select("lang", name).iter_rows())
        whole = {ALL: sum(told.values())} if told and len(told) == counted.height else {}
        made += [writer.row(name, TEXTS, {"lang": lang}, float(n), n) for lang, n in (told | whole).items()]
    return made


def rejected_rows(generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`n_rejected` and `rejected_rate` of each step and model: replies that could not be used, by reason and
    over all reasons, by language.

    Step `passage`: passages that were begun and did not come through all six insertions, so that no sample
    was made of them, by the reason of the last try.
    """
    known = generations.filter(pl.col("purpose").is_in(STEPS)).select(
        "purpose",
        "model",
        "item_id",
        "status",
        "reason",
        *(pair("attributes", key) for key in ("lang", "type", "try")),
    )
    made = []
    for (step, model), part in sorted(
        known.group_by("purpose", "model", maintain_order=True), key=lambda found: found[0]
    ):
        for lang in [*sorted(part["lang"].drop_nulls().unique()), ALL]:
            rows = part if lang == ALL else part.filter(pl.col("lang") == lang)
            bad = rows.filter(pl.col("status") != "ok").with_columns(
                pl.col("reason").fill_null(pl.col("status"))
            )
            counted = dict(bad["reason"].value_counts().sort("reason").iter_rows())
            made += _rejected(
                {"step": step, "lang": lang}, model, {**counted, ALL: bad.height}, rows.height, writer
            )
    return made + _lost_passages(known, writer)


def _lost_passages(known: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """What became of every passage that was begun: its last round decides, and there the last try."""
    rounds = {None: 0} | {type_: place for place, type_ in enumerate(TYPES, 1)}
    last = (
        known.filter(pl.col("purpose").is_in(["write", "insert"]))
        .with_columns(
            round=pl.col("type").replace_strict(rounds, return_dtype=pl.Int8),
            tried=pl.col("try").fill_null("1").cast(pl.Int64),
        )
        .sort("model", "item_id", "round", "tried")
        .group_by("model", "item_id", maintain_order=True)
        .last()
    )
    is_whole = (pl.col("status") == "ok") & (pl.col("round") == len(TYPES))
    cause = pl.coalesce("reason", pl.when(pl.col("status") != "ok").then("status"), pl.lit("unfinished"))
    told = last.with_columns(cause=pl.when(~is_whole).then(cause))
    made = []
    for (model,), part in sorted(told.group_by("model", maintain_order=True), key=lambda found: found[0]):
        for lang in [*sorted(part["lang"].drop_nulls().unique()), ALL]:
            causes = (part if lang == ALL else part.filter(pl.col("lang") == lang))["cause"]
            lost = dict(causes.drop_nulls().value_counts().sort("cause").iter_rows())
            counted = {**lost, ALL: sum(lost.values())}
            made += _rejected({"step": "passage", "lang": lang}, model, counted, len(causes), writer)
    return made


def _rejected(
    where: dict, model: str, counted: dict[str, int], n: int, writer: ScoreWriter
) -> Iterable[dict]:
    for reason, found in counted.items():
        yield writer.row("n_rejected", model, {**where, "reason": reason}, float(found), n)
        yield writer.row("rejected_rate", model, {**where, "reason": reason}, found / n if n else np.nan, n)
