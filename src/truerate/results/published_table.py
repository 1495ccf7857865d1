"""Boards of which figures alone are public: a table that others published, counts or shares per model, becomes a
committed result whose `table.csv` takes the place of rows.

Nothing can be paired: every test is that of two independent shares, whatever the models were asked.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config.data import PublishedShare, PublishedTable
from truerate.config.layout import Layout
from truerate.core.errors import SourceError, listed
from truerate.metrics.rates import Share, youden_interval
from truerate.results import figures
from truerate.results.board import RealBoard
from truerate.results.files import (
    ATTRIBUTES,
    AggregateCard,
    Headline,
    MetricCard,
    Result,
    ResultCard,
    SetCard,
    check_table,
    counts_of_table,
    read_csv_lines,
    refuse,
)
from truerate.results.recompute import scores_of_table
from truerate.results.sets import folder_named, names_of_table

VERSION = "version"  # the slice key of tables of which there are several
CONFIDENCE, ALPHA = 0.95, 0.05
PER_CENT = 100
EFFORTS = (
    "none",
    "minimal",
    "low",
    "medium",
    "high",
    "xhigh",
    "max",
)  # of a model's reasoning; others are not ordered
POWERS = tuple((math.log10(size), f"{size:g}") for size in (1, 3, 10, 30, 100, 300, 1000, 3000))


def tables_in(config: Layout, data: Path) -> dict[str, Path]:
    """The published tables of params.yaml whose folder is there, with that folder, by name."""
    folders = {}
    for name, entry in config.p.published_tables.items() if data.is_dir() else ():
        if folder := folder_named(data, names_of_table(entry)):
            folders[name] = data / folder
    return folders


def read_tables(config: Layout, folders: Mapping[str, Path]) -> tuple[dict[str, Result], dict[str, str]]:
    """The results of published tables in these folders, and why those of the others cannot be read, by name."""
    results, left_out = {}, {}
    for name, folder in folders.items():
        try:
            results[name] = result_of_table(name, config.p.published_tables[name], folder)
        except SourceError as error:
            left_out[name] = str(error)
    return results, left_out


def result_of_table(board: str, entry: PublishedTable, folder: Path) -> Result:
    """The result of a published table. Raises SourceError, one line, for a file that is not there, lacks a
    column, or holds a figure that cannot be.
    """
    tables = [read_version(entry, folder, version) for version in entry.files]
    table = pl.concat([tables[0].with_columns(slice=pl.lit("")), *(tables if len(tables) > 1 else [])])
    records = tuple(_record(name, share) for name, share in entry.metrics.items())
    lead, subjects = records[0], table.filter(slice="")
    of_judges = [row["subject"] for row in subjects.to_dicts() if row.get("maker") in entry.judge_makers]
    card = ResultCard(
        board=board,
        title=entry.title,
        track="labelled_replies",
        task=entry.task or "",
        dated=entry.dated,
        set=SetCard(**entry.set.model_dump()),
        unit=entry.unit,
        labelled_by="",
        judge=entry.judge,
        **counts_of_table(table),
        headline=Headline(
            metric=lead.name, label=lead.label, unit="share", direction=lead.direction or "down", slice="",
            what=lead.definition,
        ),
        command="truerate real DATA --commit-results results  # DATA holds " + entry.folder,
        caveats=entry.caveats,
        metrics=records,
        confidence=CONFIDENCE,
        n_bootstrap=100,
        alpha=ALPHA,
        seed=0,
        n_left_out=0,
        judges_own=tuple(sorted(of_judges)),
        aggregate=AggregateCard(files=tuple(entry.files.values())),
    )  # fmt: skip
    return Result(card=card, scores=scores_of_table(table, card), table=table)


def _record(name: str, share: PublishedShare) -> MetricCard:
    return MetricCard(
        name=name, label=share.label, definition=share.definition, table="rates", unit="share",
        direction=share.direction, chance=None, interval="share", source="",
    )  # fmt: skip


def read_version(entry: PublishedTable, folder: Path, version: str) -> pl.DataFrame:
    """A file of a published table: subject, slice and `n`, per metric how many of `n` it counts (not whole where shares alone are
    published), and ATTRIBUTES. Raises SourceError, one line.
    """
    path = folder / entry.files[version]
    where = f"published table {str(path)!r}"
    refuse(not path.is_file(), f"{where}: no such file; `published_tables` in params.yaml names it")
    lines = read_csv_lines(path, where, infer_schema=False)
    shares, numbers = entry.metrics.values(), [entry.n] if isinstance(entry.n, str) else []
    numbers += [*filter(None, [entry.answered]), *(name for share in shares for name in _columns(share))]
    missing = sorted({entry.subject, *numbers, *entry.attributes.values()} - set(lines.columns))
    refuse(bool(missing), f"{where} has no column {missing[:1]}; its columns: {listed(lines.columns)}")
    for name in numbers:
        value = pl.col(name).str.strip_chars().cast(pl.Float64, strict=False)
        wrong = lines.filter((value.is_finite() & (value >= 0)).fill_null(False).not_())[name].to_list()
        refuse(bool(wrong), f"{where}: {name} {str((wrong or [''])[0])[:40]!r} is no number of at least 0")
    table = lines.select(
        pl.col(entry.subject).alias("subject"),
        pl.lit(f"{VERSION}={version}").alias("slice"),
        _n_of(entry).alias("n"),
        *(_counted(share, _n_of(entry)).alias(name) for name, share in entry.metrics.items()),
        *(
            pl.col(entry.attributes[name]).fill_null("").alias(name)
            if name in entry.attributes
            else _implied(name, entry.subject).alias(name)
            for name in ATTRIBUTES
        ),
    )
    check_table(table, entry.metrics, where)
    return table.sort("subject")


def _columns(share: PublishedShare) -> tuple[str, ...]:
    return share.counts or (share.percent or "",)


def _n_of(entry: PublishedTable) -> pl.Expr:
    n = _number(entry.n) if isinstance(entry.n, str) else pl.lit(float(entry.n))
    answered = _number(entry.answered) / PER_CENT if entry.answered else pl.lit(1.0)
    return (n * answered).round().cast(pl.Int64)


def _counted(share: PublishedShare, n: pl.Expr) -> pl.Expr:
    if share.counts:
        return pl.sum_horizontal(_number(name) for name in share.counts)
    return (_number(share.percent or "") / PER_CENT * n).round(4)


def _number(column: str) -> pl.Expr:
    return pl.col(column).str.strip_chars().cast(pl.Float64)


def _implied(name: str, subject: str) -> pl.Expr:
    """An attribute that no column says: the maker of `maker/model`, else nothing."""
    parts = pl.col(subject).str.split("/")
    is_named = (pl.lit(name) == "maker") & (parts.list.len() > 1)
    return pl.when(is_named).then(parts.list.first()).otherwise(pl.lit(""))


def parts(board: RealBoard, table: pl.DataFrame) -> dict[str, Any]:
    """What real/aggregate.html.j2 shows of published figures: the headline against the day of launch and against
    size, and of models with several settings of effort the least and the most.
    """
    lead = table.filter(slice="")
    launched = pl.col("launched").str.to_date(strict=False)
    days = lead.select("subject", x=launched.dt.epoch("d").cast(pl.Float64)).drop_nulls()
    sizes = lead.select("subject", x=pl.col("billions").cast(pl.Float64, strict=False).log10()).drop_nulls()
    years = range(1970, 2200)
    starts = [(float((date(year, 1, 1) - date(1970, 1, 1)).days), str(year)) for year in years]
    return {
        "pictures": [
            ("launched", "By day of launch", "earlier", picture(board, lead, days, starts, "Launched")),
            (
                "size",
                "By size, where it is known",
                "smaller",
                picture(board, lead, sizes, POWERS, "Billions of parameters"),
            ),
        ],
        "efforts": efforts(board, lead),
    }


def picture(
    board: RealBoard, table: pl.DataFrame, places: pl.DataFrame, marks: Sequence[tuple[float, str]], name: str
) -> dict | None:
    """The headline of each model against a number `x` of it; named are those that are better than every model
    of a smaller `x`. None of fewer than three models.
    """
    x_of = {subject: x for subject, x in places.iter_rows() if x is not None}
    weights = dict(table.select("subject", "weights").iter_rows())
    scores = [score for score in board.ranked if score.subject in x_of and score.value is not None]
    if len(scores) < 3:
        return None
    low, high = min(x_of.values()), max(x_of.values())
    slack, best, points = (high - low or 1.0) / 40, len(scores), []
    position = {score.subject: number for number, score in enumerate(scores)}  # from the best on
    for score in sorted(scores, key=lambda score: (x_of[score.subject], position[score.subject])):
        is_named = position[score.subject] < best
        best = min(best, position[score.subject])
        points.append((x_of[score.subject], score, weights[score.subject], is_named))
    shown = [(mark, text) for mark, text in marks if low - slack <= mark <= high + slack]
    return figures.against(board, points, (low - slack, high + slack), shown, name)


def efforts(board: RealBoard, table: pl.DataFrame) -> list[dict]:
    """Of each model that stands there with several settings of effort: the headline with the least and with the
    most of it, and the difference with its interval (Newcombe 1998, independent shares); in the order of EFFORTS.
    """
    metric, text = board.headline.name, board.headline.text
    lines = []
    for (base,), rows in table.filter(pl.col("effort").is_in(EFFORTS)).group_by("base", maintain_order=True):
        by_effort = {row["effort"]: row for row in rows.to_dicts()}
        tried = [effort for effort in EFFORTS if effort in by_effort]
        if not base or len(tried) < 2:
            continue
        shares = [Share(by_effort[tried[end]][metric], by_effort[tried[end]]["n"]) for end in (0, -1)]
        ends = youden_interval(shares[1], shares[0], confidence=board.card["confidence"])
        gap = shares[1].rate - shares[0].rate
        lines.append({
            "base": base, "least": tried[0], "most": tried[-1], "gap": gap, "ends": ends,
            "values": [share.rate for share in shares], "texts": [text(share.rate) for share in shares],
            "is_apart": ends is not None and (ends[0] > 0 or ends[1] < 0),
        })  # fmt: skip
    return sorted(lines, key=lambda line: (line["gap"], line["base"]))
