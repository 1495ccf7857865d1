"""Tables of the boards of public files: what the labels are, what shortcuts tell, what detectors get, who
agrees.

A track may have tables of its own (`public_tables` of the contract).
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.core.result_tables import figure, label_statistics
from truerate.core.schemas import Row, Sample, Score, load, pair, read_json
from truerate.flow.tracks import protocol_of
from truerate.real.markers import read_between, write_between

NAME = "real"  # of the markers
_BOARD = re.compile(r"^\*\*Board `([^`\n]+)`\*\*", re.MULTILINE)


def write_tables(work: Path, boards: list[str], path: Path) -> list[str]:
    """Put the tables of these built boards between the markers of a file, those of other boards stay; returns
    the names of these.
    """
    at = Layout.load(str(work / "params.yaml"))
    text, kept = merged(read_between(path, NAME)[1], tables_of(at, work, boards), list(at.p.public_data))
    write_between(path, NAME, text)
    return kept


def merged(text: str, tables: Mapping[str, str], order: Sequence[str]) -> tuple[str, list[str]]:
    """A text with tables of boards in which those of `tables` are new, and the boards whose tables were kept.

    Boards stand in the `order` given, those that are not in it behind. What stands before the first board is
    none's and is left out.
    """
    parts = _BOARD.split(text)[1:]
    old = {
        board: f"{_heading(board)}{rest.rstrip()}\n"
        for board, rest in zip(parts[::2], parts[1::2], strict=True)
    }
    whole = old | tables
    lines = "\n".join(whole[board] for board in dict.fromkeys([*order, *whole]) if board in whole)
    return lines, [board for board in old if board not in tables]


def tables_of(at: Layout, work: Path, boards: list[str]) -> dict[str, str]:
    """The tables of each board as Markdown."""
    return {board: "\n".join(board_tables(at, work, board)) for board in boards}


def _heading(board: str) -> str:
    return f"**Board `{board}`**"


def board_tables(at: Layout, work: Path, board: str) -> list[str]:
    """The Markdown lines of one board; a table without rows is left out."""
    samples = load(Sample, work / at.labels(board, "samples"))
    scores = load(Score, work / at.scores(board, "scores"))
    card = read_json(work / at.source(at.p.board(board).source, "card.json"))
    if public := protocol_of(at, board).public_tables:
        tables = public(samples, scores, card)
    else:
        audit = load(Score, work / at.audit(board))
        rows = load(Row, work / at.leaderboard("rows")).filter(board=board)
        tables = [
            ("Labels", label_statistics(samples)),
            ("Shortcut audit: how well a trivial rule tells hallucinated from right", shortcut_table(audit)),
            ("Detectors that need no call, cross-fitted (accuracy, 95 % interval)", detector_table(rows)),
            ("Agreement of annotators", agreement_table(scores)),
        ]
    lines = [_heading(board), ""]
    for title, table in tables:
        if table.height:
            lines += [f"*{title}*", "", *markdown(table), ""]
    return lines


def shortcut_table(audit: pl.DataFrame) -> pl.DataFrame:
    """One line per shortcut, task and scheme: cross-validated accuracy, AUROC and pairwise share."""
    wanted = {"shortcut_accuracy": "accuracy", "shortcut_auroc": "AUROC", "shortcut_pairwise": "pairwise"}
    long = audit.with_columns(pair("slice", "task"), pair("slice", "scheme")).filter(
        pl.col("metric").is_in(list(wanted))
    )
    pooled = pl.col("scheme").is_null() & pl.col("scheme").is_not_null().any().over(
        "task"
    )  # schemes stand apart, never averaged
    long = long.filter(~pooled, pl.col("subject") != "trailing-space")
    cells = long.with_columns(pl.col("metric").replace(wanted), cell=figure())
    table = cells.pivot(
        "metric", index=["task", "scheme", "subject"], values="cell", aggregate_function="first"
    )
    return table.select(
        "task", "scheme", "subject", *[name for name in wanted.values() if name in table.columns]
    )


def detector_table(rows: pl.DataFrame) -> pl.DataFrame:
    """One line per detector: accuracy per task (and scheme)."""
    long = rows.filter(metric="accuracy").with_columns(
        pair("slice", "task"), pair("slice", "scheme"), cell=figure()
    )
    long = long.with_columns(
        column=pl.concat_str([pl.col("task"), pl.col("scheme")], separator=" ", ignore_nulls=True)
    )
    if long.is_empty():
        return long
    return long.pivot("column", index=["subject", "kind"], values="cell", aggregate_function="first").sort(
        "kind", "subject"
    )


def agreement_table(scores: pl.DataFrame) -> pl.DataFrame:
    """Agreement coefficients with their n; definitions in `metrics.agreement` and on the methods page."""
    named = scores.filter(
        pl.col("metric").str.contains("kappa|agreement|alpha"), pl.col("value").is_not_null()
    )
    return named.select("metric", pair("slice", "task"), pair("slice", "unit"), value=figure(), n="n")


def markdown(table: pl.DataFrame) -> list[str]:
    """A frame as lines of a Markdown table, a dash for what is missing. Names come from files of others: none ends a cell
    or a line, or is markup.
    """
    head = [f"| {' | '.join(map(_cell, table.columns))} |", f"|{' --- |' * table.width}"]
    return head + [f"| {' | '.join(map(_cell, row))} |" for row in table.iter_rows()]


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return " ".join(str(value).split()).replace("|", r"\|").replace("<", "&lt;")
