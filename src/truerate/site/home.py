"""The home page: every board with its leading table, first the one that leads."""

from truerate.site.board import flags, others
from truerate.site.panels import panels
from truerate.site.sections import Page, Rows, page_of
from truerate.site.tables import Board, Tables
from truerate.site.views import Panel


def context(tables: Tables) -> dict:
    """What home.md.j2 shows: per board what opens it, or the first panel of its leading table, and who leads
    each column group.
    """
    return {
        "boards": [_entry(tables, board) for board in tables.boards],
        "is_recognition": bool(tables.boards) and all(board.is_recognition for board in tables.boards),
    }


def _entry(tables: Tables, board: Board) -> dict:
    page = page_of(board.track)
    rows = page.rows(tables.rows_of(board.name), board)
    found = _leading(rows, page, board)
    panel = found[0] if found else None
    models = page.asked(rows)
    return {
        "board": board,
        "panel": panel,
        "opening": page.opening(rows, board) if page.opening else None,
        "leaders": leaders(panel) if panel and models else [],
        "n_models": len(models),
        "flags": {subject: why for subject, why in flags(tables, board).items() if subject in models},
        "n_variants": len(found),
        "beyond": page.beyond,
    }


def _leading(rows: Rows, page: Page, board: Board) -> list[Panel]:
    """The panels of the track's leading table; of a track without one, those of the first table that ranks,
    else of any.
    """
    if page.leading:
        return panels(rows, page.leading, board.measures)
    blocks = [block["panels"] for _, block in others(rows, page, board.measures)]
    ranked = [found for found in blocks if any(column.is_ranked for column in found[0].columns)]
    return next(iter([*ranked, *blocks]), [])


def leaders(panel: Panel) -> list[dict]:
    """Per column group who may be first (rank range begins at 1): the models, best value first, and how many
    lines that are none.

    A group in which nothing is ranked is left out. `models` is empty where a baseline beats every model.
    """
    found = []
    for index, column in enumerate(panel.columns):
        if column.is_ranked and column.is_first:
            top = [line for line in panel.lines if line.cells[index] and line.cells[index].is_top]
            sign = 1 if column.measure.direction == "down" else -1
            models = [line for line in top if line.kind == "model"]
            models.sort(key=lambda line: (sign * line.cells[index].row["value"], line.subject))
            names = [line.subject for line in models]
            others = [line.subject for line in top if line.kind != "model"]
            if top:
                found.append(
                    {"group": column.group or column.measure.label, "models": names, "others": others}
                )
    return found
