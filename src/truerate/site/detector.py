"""The detectors page: what each detector is, and how all of them stand on every board."""

from truerate.site.board import flags
from truerate.site.panels import panels
from truerate.site.tables import Tables
from truerate.site.views import View

QUALITY = ("accuracy", "tpr", "tnr", "auroc", "unparsed_rate")
DETAILS = ("precision", "recall", "f1", "macro_f1")
PLAIN = "plain"  # the variant that all detectors share: the text alone


def context(tables: Tables) -> dict:
    """What detectors.md.j2 shows: per board the quality of everything that judges a text, task by task, and the detectors in words.

    Rows of the table `detectors` where a track has one, else its recognition rows without a variant or in the plain one.
    """
    boards = []
    for board in tables.boards:
        rows = tables.rows_of(board.name)
        table = "detectors" if any(row["table"] == "detectors" for row in rows) else "recognition"
        plain = [_without_variant(row) for row in rows if row["slice"].get("variant", PLAIN) == PLAIN]
        view = View(table, QUALITY, DETAILS, switch="task", across=("scheme",), lacking=("pattern",), head="Judge")
        boards.append({"board": board, "panels": panels(plain, view), "flags": flags(tables, board)})
    return {
        "boards": boards,
        "rules": [one for one in tables.detector_docs if one.get("is_rule")],
        "functions": [one for one in tables.detector_docs if not one.get("is_rule")],
    }


def _without_variant(row: dict) -> dict:
    """A row of the shared variant, which then need not be said."""
    return row | {"slice": {key: value for key, value in row["slice"].items() if key != "variant"}}
