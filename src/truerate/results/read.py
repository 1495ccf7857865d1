"""results/ as the site reads it: every committed result as a board."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.config.track_blocks import track_names
from truerate.core.errors import SourceError
from truerate.metrics.label_quantities import ASKS, asked_in_words
from truerate.pipeline import pages
from truerate.results import analyses
from truerate.results.board import NO_WORDS, Printed, RealScore, Reannotation, Slice
from truerate.results.files import ROWS, SCORES, TABLE, load_result, slice_texts
from truerate.results.labels import LABELS, load_labels, rater_errors, span_recall
from truerate.results.pages import DrawnBoard
from truerate.results.published import Beside, beside, records_of, tally
from truerate.results.ranges.counting import multiverse_of
from truerate.results.texts.table import TEXTS, load_texts
from truerate.site.measures import Measure
from truerate.tracks.protocol import card_of_track

RESULTS = "results"  # beside params.yaml
MODELS = "models.yaml"  # in it: which names of its boards are one model
MOST_DIGITS = 12  # of a figure: what is printed with more was written by a program, as that of ours would be


def real_boards(folder: str | Path = RESULTS) -> tuple[DrawnBoard, ...]:
    """Every board of a folder laid out as results/ is, in order of name; none where there is no such folder.

    Raises SourceError, one line that names the file, for a folder that breaks the format.
    """
    return tuple(read_board(path) for path in sorted(Path(folder).glob("[!.]*")) if path.is_dir())


def read_board(folder: Path) -> DrawnBoard:
    """One result as a board; its leading slice is "over everything". Raises SourceError."""
    result = load_result(folder)
    card, records = result.card, result.card.records
    leads = _leads(result.scores, _pairs(card.headline.slice))
    scores = tuple(
        RealScore(**row | {"slice": _beyond(_pairs(row["slice"]), leads[row["metric"]])})
        for row in result.scores.to_dicts()
    )
    keyed = result.rows.with_columns(slice=slice_texts(pl.col("slice")))
    texts = {
        (metric, text): ";".join(f"{key}={value}" for key, value in _beyond(_pairs(text), leads[metric]))
        for metric, text in keyed.select("metric", "slice").unique(maintain_order=True).iter_rows()
    }
    slices = [texts[key] for key in keyed.select("metric", "slice").iter_rows()]
    figures, measured, labels = beside(result, folder), records_of(result), load_labels(folder, result)
    board = DrawnBoard(
        card.model_dump(mode="json"),
        scores,
        keyed.with_columns(slice=pl.Series(slices, dtype=pl.String)),
        {
            name: Measure.of(records[name])
            for name in dict.fromkeys([card.headline.metric, *result.scores["metric"]])
        },
        published=tuple(
            _printed(figure, Measure.of(measured[figure.metric]), leads.get(figure.metric, ()))
            for figure in figures
        ),
        tally=tally(figures),
        n_labels=0 if labels is None else labels.height,
        words=card_of_track(card.track).words if card.track in track_names() else NO_WORDS,
        table=result.table,
        texts=load_texts(folder, result),
    )
    if not board.ranked:
        what = f"{SCORES} has no line of the metric and slice that card.json leads with"
        raise SourceError(f"result {folder.name!r}: {what}")
    board = replace(board, multiverse=multiverse_of(board, labels))
    if result.table is not None:
        return replace(board, orders=analyses.orders(board), may_be_best=analyses.best(board))
    first = analyses.first_labels(board)
    spans = () if labels is None else span_recall(labels, card.confidence)
    return replace(
        board,
        may_be_best=analyses.best(board),
        more_units=analyses.more_units(board),
        orders=analyses.orders(board),
        swaps=analyses.swaps(board),
        judge_errors=analyses.judge_errors(board),
        suspects=analyses.suspects(board),
        reannotation=Reannotation(first, spans) if first else None,
        raters=None if labels is None else rater_errors(labels, card),
    )


def tables_of(board: str, folder: str | Path = RESULTS) -> dict[str, Path]:
    """The rows of a board or the table in their place, and its labels where it has any, by the names under which pages offer them."""
    paths = {f"{board}-{file}": Path(folder) / board / file for file in (ROWS, LABELS, TEXTS, TABLE)}
    return {name: path for name, path in paths.items() if path.is_file()}


def _printed(figure: Beside, measure: Measure, lead: Slice) -> Printed:
    """A published figure as pages show it; ours has one digit more than the printed one, as long as it has
    that many, and a whole number beside a whole one stays so.
    """
    digits, ours = len(figure.printed.partition(".")[2]), None
    if figure.ours is not None:
        is_whole = not digits and figure.ours == int(figure.ours)
        ours = str(int(figure.ours)) if is_whole else f"{figure.ours:.{min(digits + 1, MOST_DIGITS)}f}"
    pairs = _pairs(figure.slice)
    return Printed(
        measure,
        figure.subject,
        tuple(pair for pair in _beyond(pairs, lead) if pair[0] not in ASKS),
        figure.printed,
        ours,
        figure.verdict.value,
        figure.source,
        figure.note,
        asked_in_words(dict(pairs)),
    )


def _pairs(text: str) -> Slice:
    """A slice as sorted pairs; empty over everything."""
    parts = (part.partition("=") for part in text.split(";"))
    return tuple(sorted((key, value) for key, _, value in parts if key))


def _leads(scores: pl.DataFrame, lead: Slice) -> dict[str, Slice]:
    """The slice of each metric that is "over everything": the one that leads the board, or where a metric has
    none such the one that all of its slices hold (the share that responds has a rule, and no estimator).
    """
    slices: dict[str, set[Slice]] = {}
    for metric, text in scores.select("metric", "slice").unique(maintain_order=True).iter_rows():
        slices.setdefault(metric, set()).add(_pairs(text or ""))
    return {metric: _lead(each, lead) for metric, each in slices.items()}


def _lead(slices: Collection[Slice], lead: Slice) -> Slice:
    if any(set(lead) <= set(where) for where in slices):
        return lead
    widest = min(slices, key=len)
    return widest if all(set(widest) <= set(where) for where in slices) else lead


def _beyond(where: Slice, lead: Slice) -> Slice:
    """Return a slice without the pairs of the one that leads, where it holds them all."""
    return tuple(pair for pair in where if pair not in lead) if set(lead) <= set(where) else where


def render(config: Layout) -> None:
    """Write the pages of the build and of every committed board (`pipeline.pages.render`)."""
    boards = real_boards()
    tables = {name: path for board in boards for name, path in tables_of(board.name).items()}
    pages.render(config, boards, tables, aliases=Path(RESULTS) / MODELS)
