"""From a built board of public files to its committed result."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config import Source
from truerate.config.layout import Layout
from truerate.core.metric import Metric
from truerate.core.schemas import Item, Judgement, Outcome, Row, Sample, load, read_json
from truerate.flow.result_files import (
    SCORE_COLUMNS,
    MetricCard,
    Result,
    ResultCard,
    SetCard,
    facts_of,
    save_result,
    slice_texts,
)
from truerate.flow.result_labels import labels_of, save_labels
from truerate.flow.tracks import card_of, records_of
from truerate.real.recompute import MADE, SAME, recomputed
from truerate.real.sets import set_of
from truerate.sources import labels_by
from truerate.sources.joined import BETWEEN
from truerate.sources.public.unit_labels import Tables

LABELLED = {
    "gold": "people, several to a text where the set has it so",
    "published": "the labels that the set was published with",
    "silver": "known from how the texts were made",
}
KEYS = ["metric", "subject", "slice"]
COMPARED = ("value", "rank_low", "rank_high")
SOURCE = {"samples": Sample, "items": Item, "judgements": Judgement}  # of a source, what labels are made of


def commit_results(work: Path, boards: Sequence[str], to: Path) -> list[str]:
    """Write the result of each built board into a folder of its own in `to`; a line for each, which says what
    was left out. A board without ranked units has no result, and its line says so.
    """
    at = Layout.load(str(work / "params.yaml"))
    return [_commit(at, work, board, to) for board in boards]


def _commit(at: Layout, work: Path, board: str, to: Path) -> str:
    result = result_of(at, work, board)
    if result is None:
        return f"result: {board}: nothing on it is ranked by units, so there are no rows to commit"
    save_result(result, to / board)
    if (labels := labels_behind(at, work, board)) is not None:
        save_labels(labels, to / board)
    card, n_bytes = result.card, sum(path.stat().st_size for path in (to / board).iterdir())
    left = (
        f"; {card.n_left_out} scores rest on more than a mean over units and are not in it"
        if card.n_left_out
        else ""
    )
    return (
        f"result: {to / board} ({result.scores.height} scores of {card.n_subjects} subjects from {result.rows.height} "
        f"rows, {n_bytes // 1000} kB{left})"
    )


def labels_behind(at: Layout, work: Path, board: str) -> pl.DataFrame | None:
    """The labels behind a built board, by its source's reader; None for a set without any beside its units' values."""
    name = at.p.board(board).source
    rows_of = labels_by(at.p.source(name).reader)
    if rows_of is None:
        return None
    tables = Tables(*(load(table, work / at.source(name, of)) for of, table in SOURCE.items()))
    labels = labels_of(board, rows_of(tables))
    return None if labels.is_empty() else labels


def by_labelled_parts(outcomes: pl.DataFrame, labels: pl.DataFrame | None) -> pl.DataFrame:
    """The Outcome rows of the scores that labels are the values of, once more for each pair that the slices of the labels
    hold and those of the outcomes do not: by rarity and by region, of a board that has neither.
    """
    empty = outcomes.clear()
    if labels is None:
        return empty
    scores = labels.drop_nulls("metric").select("metric", where_told="where").unique(maintain_order=True)
    keyed = outcomes.with_columns(where_told=slice_texts(pl.col("slice")))
    whole = keyed.join(scores, on=["metric", "where_told"], how="semi", maintain_order="left").drop(
        "where_told"
    )
    known = outcomes["slice"].explode().struct.field("key").drop_nulls().unique(maintain_order=True).to_list()
    parts = (
        labels.select("subject", "unit_id", "slice")
        .unique(maintain_order=True)
        .explode("slice")
        .drop_nulls("slice")
    )
    parts = parts.filter(~pl.col("slice").struct.field("key").is_in(known)).rename({"slice": "pair"})
    found = whole.join(parts, on=["subject", "unit_id"], how="inner", maintain_order="left")
    with_pair = pl.concat_list("slice", "pair").list.eval(
        pl.element().sort_by(pl.element().struct.field("key"))
    )
    return pl.concat([empty, found.with_columns(slice=with_pair).select(outcomes.columns)])


def result_of(at: Layout, work: Path, board: str) -> Result | None:
    """The result of a built board: its ranked rows that follow from units, and these units; None where none does.

    Scores that are made of labels stand there by the parts of the set that the labels tell apart, too.
    """
    rows = load(Row, work / at.leaderboard("rows")).filter(
        pl.col("kind").is_in(["model", "baseline"]), board=board
    )
    outcomes = load(Outcome, work / at.scores(board, "outcomes"))
    if outcomes.is_empty():
        return None
    told = rows.with_columns(slice=slice_texts(pl.col("slice")))
    told = told.select(list(SCORE_COLUMNS)).with_columns(pl.col("value", "low", "high").round(6))
    records = records_of(at, board)
    card = _card(
        at, work, board, outcomes, {name: records[name] for name in outcomes["metric"].unique().sort()}
    )
    kinds = dict(rows.select("subject", "kind").unique(maintain_order=True).rows())
    parted = by_labelled_parts(outcomes, labels_behind(at, work, board))
    outcomes = pl.concat([outcomes, parted])
    own = recomputed(outcomes, card, kinds)
    kept = pl.concat([_kept(told, own), _parted(told, own, parted)], how="diagonal")
    kept = kept.unique(KEYS, keep="last", maintain_order=True).sort("metric", "slice", "subject")
    if kept.is_empty():
        return None
    bare = {
        one for one in kept.filter(~pl.col("has_interval"))["metric"] if records[one].interval not in MADE
    }
    metrics = tuple(
        metric.model_copy(update={"interval": ""} if metric.name in bare else {})
        for metric in card.metrics
        if metric.name in set(kept["metric"])
    )
    blank = [pl.when(~pl.col("metric").is_in(list(bare))).then(name).alias(name) for name in ("low", "high")]
    scores = kept.with_columns(blank).select(list(SCORE_COLUMNS))
    units = _of(outcomes, scores)
    sizes = {
        "n_subjects": units["subject"].n_unique(),
        "n_units": units["unit_id"].n_unique(),
        "n_clusters": units["cluster_id"].n_unique(),
        "n_left_out": told.join(scores, on=KEYS, how="anti", maintain_order="left").height,
        "metrics": metrics,
        "headline": _headline(at, board, scores),
    }
    return Result(card=ResultCard(**{**dict(card), **sizes}), scores=scores, rows=units)


def _kept(told: pl.DataFrame, own: pl.DataFrame) -> pl.DataFrame:
    """Of the scores of a board those that its units give, in value and rank range, as made from these; and
    whether the board's interval, too, is that of the units. A plain mean has theirs in any case, by the rule of its
    kind (Strict and a correlation stand on the board with an interval of another rule); an interval that rests on
    the error of what measured cannot be made of them.
    """
    both = own.drop("provenance").join(
        told, on=["metric", "subject", "slice"], how="inner", suffix="_told", maintain_order="left"
    )
    for name in COMPARED:
        both = both.filter(_is_same(name))
    return both.with_columns(has_interval=_is_same("low") & _is_same("high"))


def _parted(told: pl.DataFrame, own: pl.DataFrame, parted: pl.DataFrame) -> pl.DataFrame:
    """Of the scores made anew those of labelled parts, with the provenance of the board's own."""
    texts = parted.select("metric", "subject", slice=slice_texts(pl.col("slice"))).unique(maintain_order=True)
    made_by = told.select("metric", "subject", "provenance").unique(
        ["metric", "subject"], keep="first", maintain_order=True
    )
    found = own.drop("provenance").join(texts, on=KEYS, how="semi", maintain_order="left")
    return found.join(made_by, on=["metric", "subject"], how="inner", maintain_order="left").with_columns(
        has_interval=True
    )


def _is_same(name: str) -> pl.Expr:
    """Whether a cell is the board's own, up to the digits that are written; both may be empty."""
    gap = (pl.col(name) - pl.col(f"{name}_told")).abs() <= SAME
    return gap.fill_null(False) | (pl.col(name).is_null() & pl.col(f"{name}_told").is_null())


def _of(outcomes: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """The units behind these scores, in the order of their names."""
    keyed = outcomes.with_columns(text=slice_texts(pl.col("slice")))
    found = keyed.join(
        kept.select("metric", "subject", text="slice"),
        on=["metric", "subject", "text"],
        how="semi",
        maintain_order="left",
    )
    return found.sort("metric", "text", "subject", "unit_id").drop("text")


def _headline(at: Layout, board: str, kept: pl.DataFrame) -> dict[str, str]:
    """What the track ranks where that is kept, else the first metric that is, in its widest slice."""
    ranked = card_of(at, board).ranks
    wanted = {f"{key}={value}" for key, value in ranked.slice.items()}
    leading = kept.filter(pl.col("metric") == ranked.metric)
    slices = [text for text in leading["slice"].unique().sort() if wanted <= set(text.split(";"))]
    if slices:
        shortest = min(slices, key=lambda text: (text.count("="), text))
        return _leading(records_of(at, board)[ranked.metric], shortest, ranked.what)
    first = next((one for one in kept["metric"] if records_of(at, board)[one].direction), kept["metric"][0])
    widest = min(kept.filter(metric=first)["slice"], key=lambda text: (text.count("="), text))
    record = records_of(at, board)[first]
    return _leading(record, widest, record.label)


def _leading(record: Metric, where: str, what: str) -> dict[str, str]:
    told = {"label": record.label, "unit": record.unit, "direction": record.direction}
    return {"metric": record.name, **told, "slice": where, "what": what}


def _folders(source: Source) -> str:
    """The folders that a source is read of: its own, and that of what its detectors learn from."""
    read = [source.path, *([source.training.path] if source.training else [])]
    return " and ".join(Path(path).name for path in read if path)


def _card(
    at: Layout, work: Path, board: str, outcomes: pl.DataFrame, records: dict[str, Metric]
) -> ResultCard:
    """The card of a board before its scores are chosen."""
    entry, p = at.p.board(board), at.p
    source: dict[str, Any] = read_json(work / at.source(entry.source, "card.json"))
    track, public = card_of(at, board), set_of(p.source(entry.source).reader)
    told = load(Sample, work / at.labels(board, "samples"))["label_source"].unique().sort().to_list()
    return ResultCard(
        board=board,
        title=entry.title or f"{track.title} on {source['name']}",
        track=entry.track,
        set=SetCard(
            **{name: source[name] for name in ("name", "licence", "redistribution")},
            citation=source["citation"] or "not stated",
            url=(source.get("url") or "").partition(BETWEEN)[0] or None,  # of a joined source the first
        ),
        unit=source.get("unit") or track.unit,
        labelled_by=""
        if source.get("judge")
        else source.get("labelled_by")
        or (public.labelled_by if public else "; ".join(LABELLED[one] for one in told)),
        judge=source.get("judge"),
        n_subjects=1,
        n_units=1,
        n_clusters=1,
        headline=_leading(
            next((record for record in records.values() if record.direction), next(iter(records.values()))),
            "",
            "",
        ),
        command=f"truerate real DATA --commit-results results  # DATA holds {_folders(p.source(entry.source))}",
        caveats=tuple(source.get("caveats") or filter(None, [source.get("note")])),
        metrics=tuple(MetricCard(**facts_of(record)) for record in records.values()),
        confidence=p.statistics.confidence,
        n_bootstrap=p.statistics.n_bootstrap,
        alpha=p.statistics.alpha,
        seed=p.seed,
        n_left_out=0,
        judges_own=tuple(source.get("judges_own", ())),
    )
