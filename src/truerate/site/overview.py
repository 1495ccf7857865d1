"""The pages of all boards together: home, detectors, data, methods, models, and one per model."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from markupsafe import Markup

from truerate.site.board import flags, page_and_rows
from truerate.site.downloads.boards import names_of
from truerate.site.home.strips import choices, sentences, strips
from truerate.site.measures import Measure
from truerate.site.panels import panels
from truerate.site.registry import page_of
from truerate.site.safety import coded, inert
from truerate.site.tables import Board, CommittedBoard, Tables
from truerate.site.views import Panel, View

ANY = View("detectors", switch="task", across=("scheme",), head="Judge")
PLAIN = "plain"  # the variant that all detectors share: the text alone
RIGHTS = {
    "yes": "text may be republished",
    "ids-only": "ids only, no text",
    "no": "nothing may be republished",
}
EVERY_TRACK = "All tracks"
FEW = 8  # weak slices that are told of one board


class MeasuredBoard(Protocol):
    """A board of which slices are held against the whole: its measures by name."""

    @property
    def measures(self) -> Mapping[str, Measure]: ...


def home(tables: Tables) -> dict:
    """Return what home.md.j2 shows: what each kind of task says of real models, the list of their boards, and
    the boards of the build; beside real ones those of a closed world stand on a page of their own.
    """
    shown = [board for board in tables.boards if not (tables.real and board.is_simulated)]
    lines = strips(tables)
    # the newest first; boards of simple rules alone behind them
    listed = sorted(tables.real, key=lambda board: (board.has_models, board.card["dated"]), reverse=True)
    return {
        **boards_of(tables, shown),
        "strips": lines,
        "sentences": sentences(lines),
        "choices": choices(lines),
        "real": [board.in_short() for board in listed],
        "has_checks": len(shown) < len(tables.boards),
        "is_recognition": bool(tables.boards) and all(board.is_recognition for board in tables.boards),
    }


def checks(tables: Tables) -> dict:
    """Return what checks.md.j2 shows: the boards of a closed world, whose truth is known."""
    return boards_of(tables, [board for board in tables.boards if board.is_simulated])


def boards_of(tables: Tables, boards: Sequence[Board]) -> dict:
    """Per board its opening or leading panel, and the leaders per column group; and the scripts of all."""
    used = (script for board in boards for script in page_of(board.track).scripts)
    return {"scripts": list(dict.fromkeys(used)), "boards": [_entry(tables, board) for board in boards]}


def _entry(tables: Tables, board: Board) -> dict:
    page, rows = page_and_rows(tables, board)
    shown = panels(rows, page.leading, board.vocabulary) if page.leading else []
    panel = shown[0] if shown else None
    models = page.models_asked(rows)
    has_variants = len(shown) > 1 and page.beyond_variants
    return {
        "board": board,
        "panel": panel,
        "opening": page.opening.make(rows, board) if page.opening else None,
        "template": page.opening.template if page.opening else "",
        "leaders": leaders(panel) if panel and models else [],
        "n_models": len(models),
        "flags": {subject: why for subject, why in flags(tables, board).items() if subject in models},
        "beyond": page.beyond_variants.format(n=len(shown)) if has_variants else page.beyond,
    }


def leaders(panel: Panel) -> list[dict]:
    """Per column group who may be the best: the models, best value first, and `others`: lines that are none and
    to which no model is significantly superior.

    A group in which nothing is ranked is left out. `models` is empty where every model is beaten by some row.
    """
    groups = []
    for index, column in enumerate(panel.columns):
        if column.is_ranked and column.is_first:
            lines = [line for line in panel.lines if line.cells[index]]
            sign = 1 if column.measure.direction == "down" else -1
            models = [line for line in lines if line.kind == "model" and line.cells[index].is_top]
            models.sort(key=lambda line: (sign * line.cells[index].row["value"], line.subject))
            first = [line for line in lines if line.cells[index].row["rank_low"] == 1]
            others = [line.subject for line in first if line.kind != "model"]
            if models or others:
                group = column.group or column.measure.label
                names = [line.subject for line in models]
                groups.append({"group": group, "models": names, "others": others})
    return groups


def detectors(tables: Tables) -> dict:
    """Return what detectors.md.j2 shows: real boards' judges held against people; per board the quality of
    everything that judges a text, task by task; and the detectors in words.

    Rows of the table `detectors` where a track has one, else of the table that its layout names, without a
    variant or in the plain one.
    """
    boards = []
    for board in tables.boards:
        page, rows = page_and_rows(tables, board)
        plain = [_without_variant(row) for row in rows if row["slice"].get("variant", PLAIN) == PLAIN]
        is_any = any(row["table"] == "detectors" for row in rows) or not page.detectors
        shown = panels(plain, ANY if is_any else page.detectors, board.vocabulary)
        boards.append({"board": board, "panels": shown, "flags": flags(tables, board)})
    errors = [(real, [error for error in real.judge_errors if not error.where]) for real in tables.real]
    return {
        "boards": boards,
        "as_judges": True,
        "held": [(real, some) for real, some in errors if some],
        "rules": tables.detector_docs,
    }


def _without_variant(row: dict) -> dict:
    """A row of the shared variant, which then need not be said."""
    return row | {"slice": {key: value for key, value in row["slice"].items() if key != "variant"}}


def data(tables: Tables) -> dict:
    """Return what data.md.j2 shows: the sets behind real boards, and the sources of the build, each with its
    rights and its boards, whose files are named.
    """
    real: dict[tuple, list[CommittedBoard]] = {}
    for board in tables.real:
        real.setdefault(tuple(board.card["set"].items()), []).append(board)
    cards = {board.source: board.source_card for board in tables.boards if board.source_card}
    sources = [
        {
            **card,
            "name": name,
            "boards": [(board, names_of(board)) for board in tables.boards if board.source == name],
        }
        for name, card in cards.items()
    ]
    return {
        "real": [dict(card) | {"boards": boards} for card, boards in real.items()],
        "sources": sources,
        "rights_of": lambda card: RIGHTS.get(str(card.get("redistribution")), "rights not stated"),
        "schemas": tables.schema_docs,
    }


def prose(doc: str | None) -> Markup:
    """Return a docstring as inert HTML: paragraphs, code between backticks, indented blocks, lists."""
    paragraphs = [part for part in re.split(r"\n\s*\n", (doc or "").strip()) if part.strip()]
    return Markup("").join(_paragraph(part) for part in paragraphs)


def _paragraph(part: str) -> Markup:
    is_block = all(line.startswith((" ", "\t")) for line in part.split("\n") if line.strip())
    if is_block:
        return Markup('<pre class="tr-formula">{}</pre>').format(inert(part))
    return Markup("<p>{}</p>").format(coded(" ".join(part.split())))


def models_of(tables: Tables) -> list[str]:
    """The models that any board measures, by name."""
    names: set[str] = set()
    for board in tables.boards:
        page, _ = page_and_rows(tables, board)
        names |= page.models_asked(tables.rows_of(board.name))
    return sorted(names & tables.models.keys())


def model(tables: Tables, name: str) -> dict:
    """Return what model.md.j2 shows of one model."""
    card, shown = tables.models[name], []
    for board in tables.boards:
        rows = [row for row in tables.rows_of(board.name) if _is_of(row, name)]
        shown += [entry] if (entry := _on(board, rows))["lines"] else []
    flags = [entry["board"].is_simulated for entry in shown] or [bool(card.get("is_simulated"))]
    values = {"name": name, "card": card, "boards": shown}
    return values | {"is_simulated": any(flags), "is_whole": all(flags)}


def _is_of(row: dict, name: str) -> bool:
    return row["kind"] == "model" and row["subject"] == name and row["value"] is not None


def _on(board: Board, rows: list[dict]) -> dict:
    """Of one board the ranked rows of a model, and its weakest slices of the same metrics."""
    ranked = [row for row in rows if row["is_leading"] is not None]
    ranked.sort(key=lambda row: (list(board.measures).index(row["metric"]), sorted(row["slice"].items())))
    lines = [_line(board, row) for row in ranked]
    weak = [_line(board, row, whole) for row, whole in weak_slices(board, rows, ranked)]
    return {"board": board, "lines": lines, "weak": weak}


def _line(board: Board, row: dict, whole: dict | None = None) -> dict:
    where = ", ".join(f"{key}: {value}" for key, value in row["slice"].items()) or "everything"
    return {"measure": board.measures[row["metric"]], "row": row, "where": where, "whole": whole}


def _narrowed(row: dict) -> set[tuple[str, str]]:
    """Return what a row is a part by: its slice without the keys of which it holds all."""
    return {(key, value) for key, value in row["slice"].items() if value != "all"}


def weak_slices(
    board: MeasuredBoard, rows: Iterable[dict], ranked: list[dict], *, is_better: bool = False
) -> list[tuple[dict, dict]]:
    """Return the FEW widest slices whose whole interval is worse (`is_better`: better) than the ranked row they
    are part of.
    """
    apart = []
    for whole in ranked:
        direction = board.measures[whole["metric"]].direction
        for row in rows:
            is_part = row["metric"] == whole["metric"] and _narrowed(row) > _narrowed(whole)
            if is_part and direction and row["low"] is not None and row["high"] is not None:
                is_below, is_above = row["high"] < whole["value"], row["low"] > whole["value"]
                is_apart = is_below if (direction == "up") != is_better else is_above
                apart += [(row, whole)] if is_apart else []
    apart.sort(key=lambda pair: (-abs(pair[0]["value"] - pair[1]["value"]), sorted(pair[0]["slice"].items())))
    return apart[:FEW]
