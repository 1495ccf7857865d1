"""The paper's tables and figures on a board's page: where each stands, how much of it, or why it does not."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from truerate.core.paper_tables import PaperTable, read_paper
from truerate.site.layout import Page, Rows
from truerate.site.registry import TRACKS
from truerate.site.tables import Board

MORE = "More figures"


@cache
def paper_of(track: str) -> tuple[PaperTable, ...]:
    """Return the records of a track's paper.yaml; none without one. Raises TruerateError."""
    return read_paper(TRACKS / track / "paper.yaml")


def paper_lines(page: Page, rows: Rows, board: Board, *, topics: Sequence[Any]) -> list[dict]:
    """Return a line per table and figure of the paper: `name`, `what`, `links` (heading and anchor of the
    board's sections, or the sample browser), `n` of `n_wanted` cells that are there, `why` not or otherwise.
    """
    return [_line(table, page, rows, board, has_topics=bool(topics)) for table in paper_of(board.track)]


def _line(table: PaperTable, page: Page, rows: Rows, board: Board, *, has_topics: bool) -> dict:
    wanted = [cell for cells in table.cells for cell in cells.wanted(rows)]
    filled = [cell.row for cell in wanted if cell.row is not None]
    headings = dict.fromkeys(_heading(page, row) for row in filled)
    has_flow, has_texts = bool(board.steps), board.samples.height > 0
    there = {"topics": has_topics, "how-its-texts-are-made": has_flow, "samples": has_texts}
    there |= {"models": bool(page.models_asked(rows)), "": False}
    is_made = bool(filled) or there[table.shown]
    is_lacking = len(filled) < len(wanted) or not is_made
    why = [f"Needs {table.needs}." if table.needs and is_lacking else "", table.reason]
    return {
        "name": table.name,
        "what": table.what,
        "headings": list(headings),
        "shown": table.shown if there[table.shown] else "",
        "is_made": is_made,
        "n": len(filled),
        "n_wanted": len(wanted),
        "why": " ".join(filter(None, why)) or ("" if is_made else "Nothing of it was measured here."),
    }


def _heading(page: Page, row: dict) -> str:
    """The heading of the first section that shows a row."""
    sections = (section for section in page.sections if any(view.takes(row) for view in section.views))
    first = next(sections, None)
    return first.heading if first else MORE
