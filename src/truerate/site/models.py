"""A page per model of the build: where it stands on every board, and where it is weak; and one page of all subjects."""

from collections.abc import Iterable

from truerate.site.board import page_and_rows
from truerate.site.measures import Measure
from truerate.site.tables import Board, Tables

FEW = 8  # weak slices that are told of one board
Row = dict


def models_of(tables: Tables) -> list[str]:
    """The models that any board measures, by name."""
    asked = (
        page_and_rows(tables, board)[0].models_asked(tables.rows_of(board.name)) for board in tables.boards
    )
    return sorted({name for found in asked for name in found if name in tables.models})


def context(tables: Tables, name: str) -> dict:
    """What model.md.j2 shows of one model."""
    boards = [
        _on(board, [row for row in tables.rows_of(board.name) if _is_of(row, name)])
        for board in tables.boards
    ]
    shown = [board for board in boards if board["lines"]]
    flags = [one["board"].is_simulated for one in shown] or [bool(tables.models[name].get("is_simulated"))]
    return {
        "name": name,
        "card": tables.models[name],
        "boards": shown,
        "is_simulated": any(flags),
        "is_whole": all(flags),
    }


def everyone(tables: Tables) -> dict:
    """What models.md.j2 shows: the build's models, and of every model of a real board where it stands.

    A board of rules alone, which measure texts and no model, is not among them.
    """
    boards = [board for board in tables.real if any(one.kind == "model" for one in board.ranked)]
    ranked = [(board, {one.subject: one for one in board.ranked if one.kind == "model"}) for board in boards]
    names = sorted({name for _, found in ranked for name in found}, key=_by_name)
    return {
        "models": [(name, tables.models[name]) for name in models_of(tables)],
        "real": boards,
        "lines": [(name, [(board, found.get(name)) for board, found in ranked]) for name in names],
        "is_simulated": tables.is_simulated,
    }


def _by_name(name: str) -> tuple[str, str]:
    """Names that differ in case alone keep one order in every run."""
    return name.casefold(), name


def _is_of(row: Row, name: str) -> bool:
    return row["kind"] == "model" and row["subject"] == name and row["value"] is not None


def _on(board: Board, rows: list[Row]) -> dict:
    """Of one board the ranked rows of a model, and its weakest slices of the same metrics."""
    ranked = [row for row in rows if row["is_leading"] is not None]
    ranked.sort(key=lambda row: (list(board.measures).index(row["metric"]), sorted(row["slice"].items())))
    return {
        "board": board,
        "lines": [_line(board.measures[row["metric"]], row) for row in ranked],
        "weak": [
            _line(board.measures[row["metric"]], row, whole)
            for row, whole in weak_slices(board, rows, ranked)
        ],
    }


def _line(measure: Measure, row: Row, whole: Row | None = None) -> dict:
    where = ", ".join(f"{key}: {value}" for key, value in row["slice"].items())
    return {"measure": measure, "row": row, "where": where or "everything", "whole": whole}


def _narrowed(row: Row) -> set[tuple[str, str]]:
    """What a row is a part by: its slice without the keys of which it holds all."""
    return {(key, value) for key, value in row["slice"].items() if value != "all"}


def weak_slices(board: Board, rows: Iterable[Row], ranked: list[Row]) -> list[tuple[Row, Row]]:
    """The slices in which a model is worse than on the ranked row that they are part of, each with that row.

    A slice is told where its whole interval lies on the worse side of the ranked value; the widest gaps first,
    FEW at most. A metric that is neither better nor worse has none.
    """
    found = []
    for whole in ranked:
        direction = board.measures[whole["metric"]].direction
        for row in rows:
            is_part = row["metric"] == whole["metric"] and _narrowed(row) > _narrowed(whole)
            if is_part and direction and row["low"] is not None and row["high"] is not None:
                is_worse = row["high"] < whole["value"] if direction == "up" else row["low"] > whole["value"]
                found += [(row, whole)] if is_worse else []
    found.sort(key=lambda pair: (-abs(pair[0]["value"] - pair[1]["value"]), sorted(pair[0]["slice"].items())))
    return found[:FEW]
