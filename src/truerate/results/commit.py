"""From a built board of public files to its committed result."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.metric import Metric
from truerate.core.schemas import Document, Item, Judgement, Outcome, Row, Sample, load, read_json
from truerate.pipeline.tracks import card_of, records_of
from truerate.results.files import (
    COUNTED,
    SCORE_COLUMNS,
    Headline,
    MetricCard,
    Result,
    ResultCard,
    SetCard,
    counts_of,
    facts_of,
    is_same,
    save_result,
    slice_texts,
)
from truerate.results.labels import labels_of, save_labels
from truerate.results.recompute import OF_ROWS, SAME, recomputed
from truerate.results.sets import set_of
from truerate.results.texts.drawn import texts_of
from truerate.results.texts.table import save_texts
from truerate.sources.cards import of_models
from truerate.sources.public.unit_labels import Tables
from truerate.sources.registry import labels_by
from truerate.sources.tables import BETWEEN

LABELLED = {
    "gold": "people, several to a text where the set has it so",
    "published": "the labels that the set was published with",
    "silver": "known from how the texts were made",
}
KEYS = ["metric", "subject", "slice"]
SOURCE = {"samples": Sample, "items": Item, "judgements": Judgement}  # of a source, what labels are made of
TEXTS_OF = SOURCE | {"documents": Document}  # and what texts are


def commit_results(work: Path, boards: Sequence[str], to: Path) -> list[str]:
    """Write the result of each built board into a folder of its own in `to`; returns a line for each, which
    says what was left out. A board without ranked units has no result, and its line says so.
    """
    config = Layout.load(str(work / "params.yaml"))
    return [_commit(config, work, board, to) for board in boards]


def _commit(config: Layout, work: Path, board: str, to: Path) -> str:
    result = result_of(config, work, board)
    if result is None:
        return f"result: {board}: nothing on it is ranked by units, so there are no rows to commit"
    save_result(result, to / board)
    if (labels := labels_behind(config, work, board)) is not None:
        save_labels(labels, to / board)
    texts = texts_behind(config, work, result)
    save_texts(texts, to / board)
    n_left, n_bytes = result.card.n_left_out, sum(path.stat().st_size for path in (to / board).iterdir())
    left = f"; {n_left} scores rest on more than a mean over units and are not in it" if n_left else ""
    counts = (
        f"{result.scores.height} scores of {result.card.n_subjects} subjects from {result.rows.height} rows, "
        f"{texts.height} texts to read"
    )
    return f"result: {to / board} ({counts}, {n_bytes // 1000} kB{left})"


def labels_behind(config: Layout, work: Path, board: str) -> pl.DataFrame | None:
    """Return the labels behind a built board, by its source's reader; None of a set without any."""
    name = config.p.board(board).source
    rows_of = labels_by(config.p.source(name).reader)
    if rows_of is None:
        return None
    tables = (load(schema, work / config.source(name, of)) for of, schema in SOURCE.items())
    labels = labels_of(board, rows_of(Tables(*tables)))
    return None if labels.is_empty() else labels


def texts_behind(config: Layout, work: Path, result: Result) -> pl.DataFrame:
    """Return the texts of a built board that are kept beside its result (`texts.drawn`); none where rights allow
    none.
    """
    name = config.p.board(result.card.board).source
    tables = {of: load(schema, work / config.source(name, of)) for of, schema in TEXTS_OF.items()}
    return texts_of(result, name, read_json(work / config.source(name, "card.json")), tables)


def by_labelled_parts(outcomes: pl.DataFrame, labels: pl.DataFrame | None) -> pl.DataFrame:
    """The Outcome rows of the scores that labels are the values of, once more for each pair that the slices
    of the labels hold and those of the outcomes do not: by rarity and by region, of a board that has neither.
    """
    empty = outcomes.clear()
    if labels is None:
        return empty
    key = pl.element().struct.field("key")
    of_labels = labels.drop_nulls("metric").select("metric", text="where").unique(maintain_order=True)
    named = outcomes.with_columns(text=slice_texts(pl.col("slice")))
    whole = named.join(of_labels, on=["metric", "text"], how="semi", maintain_order="left")
    keys = outcomes["slice"].explode().struct.field("key").drop_nulls().unique(maintain_order=True).to_list()
    parts = labels.select("subject", "unit_id", pair="slice").unique(maintain_order=True).explode("pair")
    parts = parts.drop_nulls("pair").filter(~pl.col("pair").struct.field("key").is_in(keys))
    parted = whole.join(parts, on=["subject", "unit_id"], how="inner", maintain_order="left")
    with_pair = pl.concat_list("slice", "pair").list.eval(pl.element().sort_by(key))
    return pl.concat([empty, parted.with_columns(slice=with_pair).select(outcomes.columns)])


def result_of(config: Layout, work: Path, board: str) -> Result | None:
    """The result of a built board: its ranked rows that follow from units, and these units; None where none
    does.

    Scores that are made of labels stand there by the parts of the set that the labels tell apart, too.
    """
    rows = load(Row, work / config.leaderboard("rows"))
    rows = rows.filter(pl.col("kind").is_in(["model", "baseline"]), board=board)
    outcomes = load(Outcome, work / config.scores(board, "outcomes"))
    if outcomes.is_empty():
        return None
    built = rows.with_columns(slice=slice_texts(pl.col("slice")))
    built = built.select(list(SCORE_COLUMNS)).with_columns(pl.col("value", "low", "high").round(6))
    records = records_of(config, board)
    card = _card(config, work, board, [records[name] for name in outcomes["metric"].unique().sort()])
    parted = by_labelled_parts(outcomes, labels_behind(config, work, board))
    outcomes = pl.concat([outcomes, parted])
    anew = recomputed(outcomes, card, dict(rows.select("subject", "kind").unique(maintain_order=True).rows()))
    kept = pl.concat([_kept(built, anew), _parted(built, anew, parted)], how="diagonal")
    kept = kept.unique(KEYS, keep="last", maintain_order=True).sort("metric", "slice", "subject")
    if kept.is_empty():
        return None
    # an interval that does not follow from units is not committed, nor the kind of it
    of_rows = [name for name in records if records[name].interval in OF_ROWS]
    has_none = ~pl.col("has_interval") & ~pl.col("metric").is_in(of_rows)
    bare = kept.filter(has_none)["metric"].unique(maintain_order=True).to_list()
    blank = [pl.when(~pl.col("metric").is_in(bare)).then(name).alias(name) for name in ("low", "high")]
    scores = kept.with_columns(blank).select(list(SCORE_COLUMNS))
    units = outcomes.with_columns(text=slice_texts(pl.col("slice")))
    of_scores = scores.select("metric", "subject", text="slice")
    units = units.join(of_scores, on=of_scores.columns, how="semi", maintain_order="left")
    units = units.sort("metric", "text", "subject", "unit_id").drop("text")
    metrics = [metric for metric in card.metrics if metric.name in set(kept["metric"])]
    facts = {
        **counts_of(units),
        "n_left_out": built.join(scores, on=KEYS, how="anti", maintain_order="left").height,
        "headline": _headline(config, board, scores),
        "metrics": tuple(
            metric.model_copy(update={"interval": ""}) if metric.name in bare else metric
            for metric in metrics
        ),
    }
    return Result(card=card.model_copy(update=facts), scores=scores, rows=units)


def _kept(built: pl.DataFrame, anew: pl.DataFrame) -> pl.DataFrame:
    """Of the scores of a board those that its units give, in value and rank range, as computed from these;
    and whether the board's interval, too, is that of the units. A plain mean has theirs in any case, by the
    rule of its kind (Strict and a correlation stand on the board with an interval of another rule); an
    interval that rests on the error of what measured cannot be computed from them.
    """
    both = anew.drop("provenance").join(built, on=KEYS, how="inner", suffix="_built", maintain_order="left")
    both = both.filter(_is_same("value"), _is_same("rank_low"), _is_same("rank_high"))
    return both.with_columns(has_interval=_is_same("low") & _is_same("high"))


def _parted(built: pl.DataFrame, anew: pl.DataFrame, parted: pl.DataFrame) -> pl.DataFrame:
    """Of the scores computed anew those of labelled parts, with the provenance of the board's."""
    texts = parted.select("metric", "subject", slice=slice_texts(pl.col("slice"))).unique(maintain_order=True)
    pair = ["metric", "subject"]
    provenance = built.select(*pair, "provenance").unique(pair, keep="first", maintain_order=True)
    scores = anew.drop("provenance").join(texts, on=KEYS, how="semi", maintain_order="left")
    scores = scores.join(provenance, on=pair, how="inner", maintain_order="left")
    return scores.with_columns(has_interval=True)


def _is_same(name: str) -> pl.Expr:
    """Return whether a cell is the board's, up to the digits that are written; both may be empty."""
    return is_same(pl.col(name), pl.col(f"{name}_built"), SAME)


def _headline(config: Layout, board: str, scores: pl.DataFrame) -> Headline:
    """Return what the track ranks where that is kept, else the first metric that is, in its widest slice."""
    ranked, records = card_of(config, board).ranks, records_of(config, board)
    wanted = {f"{key}={value}" for key, value in ranked.slice.items()}
    slices = [text for text in scores.filter(metric=ranked.metric)["slice"] if wanted <= set(text.split(";"))]
    metric, what = ranked.metric, ranked.what
    if not slices:
        metric = next((name for name in scores["metric"] if records[name].direction), scores["metric"][0])
        slices, what = scores.filter(metric=metric)["slice"].to_list(), records[metric].label
    widest = min(slices, key=lambda text: (text.count("="), text))
    return headline_of(records[metric], widest, what)


def headline_of(record: Metric, where: str, what: str) -> Headline:
    """Return what leads, as a card has it."""
    facts = {"label": record.label, "unit": record.unit, "direction": record.direction}
    return Headline(metric=record.name, slice=where, what=what, **facts)


def _card(config: Layout, work: Path, board: str, records: Sequence[Metric]) -> ResultCard:
    """The card of a board before its scores are chosen."""
    entry, p = config.p.board(board), config.p
    read_from, track = p.source(entry.source), card_of(config, board)
    source: dict[str, Any] = read_json(work / config.source(entry.source, "card.json"))
    public, kinds = (
        set_of(read_from.reader),
        load(Sample, work / config.labels(board, "samples"))["label_source"],
    )
    by = public.labelled_by if public else "; ".join(LABELLED[kind] for kind in kinds.unique().sort())
    folders = [read_from.path, *([read_from.training.path] if read_from.training else [])]
    return ResultCard(
        board=board,
        title=entry.title or f"{track.title} on {source['name']}",
        track=entry.track,
        **of_models(read_from.reader, read_from.part),
        set=SetCard(
            **{name: source[name] for name in ("name", "licence", "redistribution")},
            citation=source["citation"] or "not stated",
            url=(source.get("url") or "").partition(BETWEEN)[0] or None,  # of a joined source the first
        ),
        unit=source.get("unit") or track.unit,
        labelled_by="" if source.get("judge") else source.get("labelled_by") or by,
        judge=source.get("judge"),
        **dict.fromkeys(COUNTED, 1),
        headline=headline_of(next((record for record in records if record.direction), records[0]), "", ""),
        command="truerate real DATA --commit-results results  # DATA holds "
        + " and ".join(Path(path).name for path in folders if path),
        caveats=tuple(source.get("caveats") or filter(None, [source.get("note")])),
        metrics=tuple(MetricCard(**facts_of(record)) for record in records),
        confidence=p.statistics.confidence,
        n_bootstrap=p.statistics.n_bootstrap,
        alpha=p.statistics.alpha,
        seed=p.seed,
        n_left_out=0,
        judges_own=tuple(source.get("judges_own", ())),
    )
