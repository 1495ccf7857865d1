"""The detectors page: what each detector is, and how all of them stand on every board."""

from truerate.site.board import flags, page_and_rows
from truerate.site.panels import panels
from truerate.site.tables import Tables
from truerate.site.views import View

ANY = View("detectors", switch="task", across=("scheme",), head="Judge")
PLAIN = "plain"  # the variant that all detectors share: the text alone


def context(tables: Tables) -> dict:
    """What detectors.md.j2 shows: real boards' judges held against people; per board the quality of everything
    that judges a text, task by task; and the detectors in words.

    Rows of the table `detectors` where a track has one, else of the table that its layout names, without a
    variant or in the plain one.
    """
    boards = []
    for board in tables.boards:
        page, rows = page_and_rows(tables, board)
        plain = [_without_variant(row) for row in rows if row["slice"].get("variant", PLAIN) == PLAIN]
        view = (
            ANY if any(row["table"] == "detectors" for row in rows) or not page.detectors else page.detectors
        )
        boards.append(
            {"board": board, "panels": panels(plain, view, board.vocabulary), "flags": flags(tables, board)}
        )
    return {
        "boards": boards,
        "as_judges": True,
        "held": [
            (real, found)
            for real in tables.real
            if (found := [one for one in real.judge_errors if not one.where])
        ],
        "rules": [doc for doc in tables.detector_docs if doc.get("is_rule")],
        "functions": [doc for doc in tables.detector_docs if not doc.get("is_rule")],
    }


def _without_variant(row: dict) -> dict:
    """A row of the shared variant, which then need not be said."""
    return row | {"slice": {key: value for key, value in row["slice"].items() if key != "variant"}}
