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
from truerate.pipeline.tracks import protocol_of
from truerate.results.markers import read_between, write_between

NAME = "real"  # of the markers
PLAIN = "plain"  # the way of asking in which a model stands beside detectors
_BOARD = re.compile(r"^\*\*Board `([^`\n]+)`\*\*", re.MULTILINE)


def write_tables(work: Path, boards: list[str], path: Path) -> list[str]:
    """Put the tables of built boards between the markers of a file; return the names of those that stay."""
    config = Layout.load(str(work / "params.yaml"))
    text, kept = merged(
        read_between(path, NAME)[1], tables_of(config, work, boards), list(config.p.public_data)
    )
    write_between(path, NAME, text)
    return kept


def merged(text: str, tables: Mapping[str, str], order: Sequence[str]) -> tuple[str, list[str]]:
    """A text with tables of boards in which those of `tables` are new, and the boards whose tables were kept.

    Boards stand in the `order` given, those that are not in it behind. What stands before the first board is
    none's and is left out.
    """
    _, *parts = _BOARD.split(text)
    old = dict(zip(parts[::2], parts[1::2], strict=True))
    whole = {board: f"{_heading(board)}{rest.rstrip()}\n" for board, rest in old.items()} | tables
    lines = "\n".join(whole[board] for board in dict.fromkeys([*order, *whole]) if board in whole)
    return lines, [board for board in old if board not in tables]


def _heading(board: str) -> str:
    return f"**Board `{board}`**"


def tables_of(config: Layout, work: Path, boards: list[str]) -> dict[str, str]:
    """The tables of each board as Markdown; a table without rows is left out."""
    texts = {}
    for board in boards:
        lines = [_heading(board), ""]
        for title, table in _tables(config, work, board):
            lines += [f"*{title}*", "", *markdown(table), ""] if table.height else []
        texts[board] = "\n".join(lines)
    return texts


def _tables(config: Layout, work: Path, board: str) -> list[tuple[str, pl.DataFrame]]:
    samples = load(Sample, work / config.labels(board, "samples"))
    scores = load(Score, work / config.scores(board, "scores"))
    if public := protocol_of(config, board).public_tables:
        return public(
            samples, scores, read_json(work / config.source(config.p.board(board).source, "card.json"))
        )
    rows = load(Row, work / config.leaderboard("rows")).filter(board=board)
    shortcuts = shortcut_table(load(Score, work / config.audit(board)))
    what = "Detectors (cross-fitted) and models (asked plainly), accuracy with 95 % interval"
    if rows.filter(kind="model").is_empty():
        what = "Detectors that need no call, cross-fitted (accuracy, 95 % interval)"
    return [
        ("Labels", label_statistics(samples)),
        ("Shortcut audit: how well a trivial rule tells hallucinated from right", shortcuts),
        (what, detector_table(rows)),
        ("Agreement of annotators", agreement_table(scores)),
    ]


def shortcut_table(audit: pl.DataFrame) -> pl.DataFrame:
    """One line per shortcut, task and scheme: cross-validated accuracy, AUROC and pairwise share."""
    wanted = {"shortcut_accuracy": "accuracy", "shortcut_auroc": "AUROC", "shortcut_pairwise": "pairwise"}
    long = audit.with_columns(pair("slice", "task"), pair("slice", "scheme"))
    long = long.filter(pl.col("metric").is_in(list(wanted)))
    # schemes stand apart, never averaged
    is_pooled = pl.col("scheme").is_null() & pl.col("scheme").is_not_null().any().over("task")
    long = long.filter(~is_pooled, pl.col("subject") != "trailing-space")
    cells = long.with_columns(pl.col("metric").replace(wanted), cell=figure())
    keys = ["task", "scheme", "subject"]
    table = cells.pivot("metric", index=keys, values="cell", aggregate_function="first")
    return table.select(*keys, *[name for name in wanted.values() if name in table.columns])


def detector_table(rows: pl.DataFrame) -> pl.DataFrame:
    """One line per detector, and per model as it is asked plainly: accuracy per task (and scheme)."""
    column = pl.concat_str([pair("slice", "task"), pair("slice", "scheme")], separator=" ", ignore_nulls=True)
    is_plain = pair("slice", "variant").fill_null(PLAIN) == PLAIN
    long = rows.filter(is_plain, metric="accuracy").with_columns(column=column, cell=figure())
    if long.is_empty():
        return long
    table = long.pivot("column", index=["subject", "kind"], values="cell", aggregate_function="first")
    return table.sort("kind", "subject")


def agreement_table(scores: pl.DataFrame) -> pl.DataFrame:
    """Agreement coefficients with their n; definitions in `metrics.agreement` and on the methods page."""
    is_agreement = pl.col("metric").str.contains("kappa|agreement|alpha")
    coefficients = scores.filter(is_agreement, pl.col("value").is_not_null())
    return coefficients.select("metric", pair("slice", "task"), pair("slice", "unit"), value=figure(), n="n")


def markdown(table: pl.DataFrame) -> list[str]:
    """A frame as lines of a Markdown table, a dash for what is missing. Names come from files of others: none
    ends a cell or a line, or is markup.
    """

    def cell(value: object) -> str:
        return "–" if value is None else " ".join(str(value).split()).replace("|", r"\|").replace("<", "&lt;")

    head = [f"| {' | '.join(map(cell, table.columns))} |", f"|{' --- |' * table.width}"]
    return head + [f"| {' | '.join(map(cell, row))} |" for row in table.iter_rows()]
