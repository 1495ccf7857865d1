"""The home page: every board with its leading table, first the one that leads; real ones stand before all."""

from truerate.site.board import flags, page_and_rows
from truerate.site.panels import panels
from truerate.site.registry import page_of
from truerate.site.tables import Board, Tables
from truerate.site.views import Panel


def context(tables: Tables) -> dict:
    """What home.md.j2 shows: per board what opens it, or the first panel of its leading table, and who leads
    each column group.
    """
    used = (script for board in tables.boards for script in page_of(board.track).scripts)
    return {
        "scripts": list(dict.fromkeys(used)),
        # boards of models before those of simple rules alone, those with the most subjects first
        "real": [
            board.home_card()
            for board in sorted(
                tables.real,
                key=lambda one: (not one.has_models, -len(one.models), -one.card["n_units"], one.name),
            )
        ],
        "boards": [_entry(tables, board) for board in tables.boards],
        "is_recognition": bool(tables.boards) and all(board.is_recognition for board in tables.boards),
    }


def _entry(tables: Tables, board: Board) -> dict:
    page, rows = page_and_rows(tables, board)
    found = panels(rows, page.leading, board.vocabulary) if page.leading else []
    panel = found[0] if found else None
    models = page.models_asked(rows)
    return {
        "board": board,
        "panel": panel,
        "opening": page.opening.make(rows, board) if page.opening else None,
        "template": page.opening.template if page.opening else "",
        "leaders": leaders(panel) if panel and models else [],
        "n_models": len(models),
        "flags": {subject: why for subject, why in flags(tables, board).items() if subject in models},
        "beyond": page.beyond_variants.format(n=len(found))
        if len(found) > 1 and page.beyond_variants
        else page.beyond,
    }


def leaders(panel: Panel) -> list[dict]:
    """Per column group who may be first: the models, best value first, and `others`: lines that are none and to which
    no model is significantly superior.

    A group in which nothing is ranked is left out. `models` is empty where every model is beaten by some row.
    """
    found = []
    for index, column in enumerate(panel.columns):
        if column.is_ranked and column.is_first:
            lines = [line for line in panel.lines if line.cells[index]]
            sign = 1 if column.measure.direction == "down" else -1
            models = [line for line in lines if line.kind == "model" and line.cells[index].is_top]
            models.sort(key=lambda line: (sign * line.cells[index].row["value"], line.subject))
            names = [line.subject for line in models]
            others = [
                line.subject
                for line in lines
                if line.kind != "model" and line.cells[index].row["rank_low"] == 1
            ]
            if names or others:
                found.append(
                    {"group": column.group or column.measure.label, "models": names, "others": others}
                )
    return found
