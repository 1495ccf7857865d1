"""results/ as the site reads it: every committed result as a board, with what would tell its neighbours apart."""

from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from truerate.config.track_blocks import found as tracks_found
from truerate.core.card import Words
from truerate.core.errors import SourceError
from truerate.flow.published_beside import beside, records_of, tally
from truerate.flow.real_held import held
from truerate.flow.real_judges import swaps
from truerate.flow.real_orders import orders
from truerate.flow.real_suspects import suspects
from truerate.flow.result_files import ROWS, SCORES, load_result, slice_texts
from truerate.flow.result_labels import LABELS, load_labels
from truerate.metrics.label_quantities import ASKS, asked_in_words
from truerate.metrics.power import more_units_to_separate
from truerate.site.measures import Measure
from truerate.site.real.results import NO_WORDS, Printed, RealBoard, RealScore, Slice
from truerate.tracks.protocol import card_of_track

RESULTS = "results"  # beside params.yaml
MOST_DIGITS = 12  # of a figure: what is printed with more was written by a program, as that of ours would be


def real_boards(folder: str | Path = RESULTS) -> tuple[RealBoard, ...]:
    """Every board of a folder laid out as results/ is, in order of name; none where there is no such folder.

    Raises SourceError, one line that names the file, for a folder that breaks the format.
    """
    folders = sorted(path for path in Path(folder).glob("[!.]*") if path.is_dir())
    return tuple(read_board(path) for path in folders)


def read_board(folder: Path) -> RealBoard:
    """One result as a board; its leading slice is "over everything". Raises SourceError."""
    result = load_result(folder)
    leads = _leads(result.scores, _pairs(result.card.headline.slice))
    scores = tuple(
        RealScore(**row | {"slice": _beside(_pairs(row["slice"]), leads[row["metric"]])})
        for row in result.scores.to_dicts()
    )
    keyed = result.rows.with_columns(slice=slice_texts(pl.col("slice")))
    named = {
        (metric, text): _text(_beside(_pairs(text), leads[metric]))
        for metric, text in keyed.select("metric", "slice").unique(maintain_order=True).iter_rows()
    }
    told = [named[key] for key in keyed.select("metric", "slice").iter_rows()]
    rows = keyed.with_columns(slice=pl.Series(told, dtype=pl.String))
    records = result.card.records
    measures = {
        name: Measure.of(records[name])
        for name in (result.card.headline.metric, *result.scores["metric"].unique(maintain_order=True))
    }
    found, of, labels = beside(result, folder), records_of(result), load_labels(folder, result)
    printed = tuple(
        Printed(
            Measure.of(of[one.metric]),
            one.subject,
            tuple(
                pair for pair in _beside(_pairs(one.slice), leads.get(one.metric, ())) if pair[0] not in ASKS
            ),
            one.printed,
            _in_digits(one.ours, one.printed),
            one.verdict.value,
            one.source,
            one.note,
            asked=asked_in_words(dict(_pairs(one.slice))),
        )
        for one in found
    )
    board = RealBoard(
        result.card.model_dump(mode="json"),
        scores,
        rows,
        measures,
        published=printed,
        tally=tally(found),
        n_labels=0 if labels is None else labels.height,
        words=_words(result.card.track),
    )
    if not board.ranked:
        raise SourceError(
            f"result {folder.name!r}: {SCORES} has no line of the metric and slice that card.json leads with"
        )
    return replace(
        board,
        more_units=more_units(board),
        orders=orders(board),
        swaps=swaps(board),
        held=held(board),
        suspects=suspects(board),
    )


def _words(track: str) -> Words:
    """The words of a track; none for one that is not there, as results of others may have."""
    return card_of_track(track).words if track in tracks_found() else NO_WORDS


def tables_of(board: str, folder: str | Path = RESULTS) -> dict[str, Path]:
    """Where the rows of a board lie, and its labels where it has any, by the names under which pages offer them."""
    files = {"rows": ROWS, "labels": LABELS}
    places = {f"{board}-{name}.parquet": Path(folder) / board / file for name, file in files.items()}
    return {name: place for name, place in places.items() if place.is_file()}


def _in_digits(value: float | None, printed: str) -> str | None:
    """A figure with one digit more than the printed one beside it has, as long as it has that many; a whole number
    beside a whole one as it is.
    """
    digits = len(printed.partition(".")[2])
    if value is not None and not digits and value == int(value):
        return str(int(value))
    return None if value is None else f"{value:.{min(digits + 1, MOST_DIGITS)}f}"


def _pairs(text: str) -> Slice:
    """A slice as sorted pairs; empty over everything."""
    return tuple(
        sorted((key, value) for key, _, value in (part.partition("=") for part in text.split(";")) if key)
    )


def _leads(scores: pl.DataFrame, lead: Slice) -> dict[str, Slice]:
    """The slice of each metric that is "over everything": the one that leads the board, or where a metric has none such
    the one that all of its slices hold (the share that responds has a rule of its own, and no estimator).
    """
    slices: dict[str, set[Slice]] = {}
    for metric, text in scores.select("metric", "slice").unique(maintain_order=True).iter_rows():
        slices.setdefault(metric, set()).add(_pairs(text or ""))
    return {metric: _lead(own, lead) for metric, own in slices.items()}


def _lead(slices: Collection[Slice], lead: Slice) -> Slice:
    if any(set(lead) <= set(one) for one in slices):
        return lead
    widest = min(slices, key=len)
    return widest if all(set(widest) <= set(one) for one in slices) else lead


def _beside(where: Slice, lead: Slice) -> Slice:
    """A slice without the pairs of the one that leads, where it holds them all: what leads is "over everything" then."""
    return tuple(pair for pair in where if pair not in lead) if set(lead) <= set(where) else where


def _text(where: Slice) -> str:
    return ";".join(f"{key}={value}" for key, value in where)


def more_units(board: RealBoard) -> dict[tuple[str, str], int | None]:
    """Of each two neighbours among a board's models the units to add until a paired test tells them apart, at
    the level that Bonferroni leaves each pair of them.
    """
    whole = board.rows.filter((pl.col("metric") == board.headline.name) & (pl.col("slice") == ""))
    if whole.is_empty():
        return {}
    wide = whole.pivot(on="subject", index=["unit_id", "cluster_id"], values="value")
    names = [
        model.subject for model in board.models if model.value is not None and model.subject in wide.columns
    ]
    n_pairs, clusters = len(names) * (len(names) - 1) // 2, wide["cluster_id"].to_list()
    values = {name: wide[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in names}
    return {
        (first, second): more_units_to_separate(values[first], values[second], clusters, n_pairs=n_pairs)
        for first, second in pairwise(names)
    }
