"""The boards as files for other programs: rows as JSON and CSV, metrics, and `tables.json`, which lists them all."""

import json
from collections.abc import Mapping, Sequence

from truerate.core.schemas import unanswered
from truerate.site.safety import csv_text
from truerate.site.tables import Board, CommittedBoard, Tables

ROW = (
    "table subject kind metric slice rank_low rank_high value low high n provenance".split()
)  # of a row's CSV and JSON
INDEX = "tables.json"


def packed(value: object) -> str:
    """Return a value as JSON in ASCII without blanks, keys sorted, and a line end: equal values, equal bytes."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True) + "\n"


def packed_table(rows: Sequence[Mapping], names: Sequence[str], **about: object) -> str:
    """Return rows as JSON: `columns` holds the names, `rows` a list of values per row (pandas: orient "split"),
    beside what is said `about` them.
    """
    return packed(about | {"columns": list(names), "rows": [[row[name] for name in names] for row in rows]})


def files_of(tables: Tables, board: Board) -> dict[str, str]:
    """Return the rows of a board as JSON and CSV, and the records of its metrics, by path."""
    rows, path = tables.rows_of(board.name), f"boards/{board.name}"
    metrics = [record.facts() for record in board.measures.values()]
    about = {"board": _entry(board), "confidence": tables.confidence, "metrics": metrics}
    return {
        f"{path}.json": packed_table(rows, [*ROW, "is_leading"], **about),
        f"{path}.csv": _rows_csv(rows, board),
        f"{path}-metrics.csv": csv_text(
            list(metrics[0]) if metrics else [], (list(each.values()) for each in metrics)
        ),
    }


def index(tables: Tables) -> str:
    """Return `tables.json`: of every board its page, files, licence, date and how many texts or units it rests on."""
    real = [_committed_entry(board) for board in tables.real]
    return (
        json.dumps(
            {"boards": [*real, *map(_entry, tables.boards)]}, ensure_ascii=True, indent=1, sort_keys=True
        )
        + "\n"
    )


def names_of(board: Board) -> dict[str, str]:
    """Return the files of a board of the build beside its page, each with what it holds."""
    name = board.name
    return {
        f"{name}.json": "rows as JSON",
        f"{name}.csv": "rows as CSV",
        f"{name}-metrics.csv": "their metrics",
    }


def _entry(board: Board) -> dict:
    card = board.source_card
    return {
        **{key: getattr(board, key) for key in ("name", "track", "source", "title", "is_simulated")},
        "page": f"boards/{board.name}.html",
        "files": [f"boards/{name}" for name in names_of(board)],
        "licence": card.get("licence"),
        "redistribution": card.get("redistribution"),
        "citation": card.get("citation"),
        "dated": card.get("dated") or None,
        "n": board.n_texts,
    }


def _committed_entry(board: CommittedBoard) -> dict:
    card = board.card
    return {
        **{key: card[key] for key in ("title", "track")},
        **{key: card["set"][key] for key in ("licence", "redistribution", "citation")},
        "name": board.name,
        "source": card["set"]["name"],
        "is_simulated": False,
        "page": f"real/{board.name}.html",
        "files": [f"real/{name}" for name in board.downloads],
        "dated": card.get("dated") or None,
        "n": card["n_units"],
    }


def _rows_csv(rows: Sequence[Mapping], board: Board) -> str:
    header = [*ROW, "label", "unit", "direction", "note"]
    lines = [
        dict(row)
        | {
            "slice": ";".join(f"{key}={value}" for key, value in row["slice"].items()),
            "note": "no answers" if is_silent else "",
        }
        | {name: getattr(board.measures[row["metric"]], name) for name in ("label", "unit", "direction")}
        for row, is_silent in zip(rows, unanswered(rows), strict=True)
    ]
    return csv_text(header, ([line[key] for key in header] for line in lines))
