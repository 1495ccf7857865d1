"""From a number to its texts: the address, on the page of samples, of the records behind a row of a board."""

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from truerate.site.rights import has_records
from truerate.site.tables import Board

LABELLED = ("task", "lang", "label", "pattern", "type", "generator")  # filters where a text has a label
HOW = ("variant", "stage", "order")  # how a judge was asked, which is part of its name in the browser
POOLED = "all"
COLUMNS = ("task", "lang", "pattern")  # filters that are columns of the labelled texts


def how_asked(board: Board, facts: Mapping[str, str]) -> list[str]:
    """Return how a judge was asked, in the words of the board."""
    return [board.vocabulary.label(facts[key]).lower() for key in HOW if key in facts]


def addressed(rows: list[dict], board: Board, filters: Iterable[str]) -> list[dict]:
    """Return the rows, each with `read`: board and filters of its texts in the sample browser."""
    if not has_records(board):
        return rows
    judges, writers = (
        set(board.judgements["judge"].unique()),
        {*board.samples["generator"].unique(), *board.generations["model"].unique()},
    )
    values = {key: set(board.samples[key].unique()) for key in COLUMNS}
    parts = [key for key in filters if key != "generator"]
    return [
        {
            "read": urlencode(
                {"board": board.name} | _whose(row, board, judges, writers) | _where(row, parts, values)
            )
        }
        | row
        for row in rows
    ]


def _where(row: dict, parts: list[str], values: Mapping[str, set]) -> dict[str, str]:
    """Return the parts of a slice that the browser filters by, of values that occur in the texts."""
    named = {key: row["slice"][key] for key in parts if row["slice"].get(key, POOLED) != POOLED}
    return {key: value for key, value in named.items() if value in values.get(key, {value})}


def _whose(row: dict, board: Board, judges: set[str], writers: set[str | None]) -> dict[str, str]:
    """Return the judge by its name in the browser on boards that rank judges, else the model that wrote."""
    subject = row["slice"].get("model") or row["subject"]
    is_judge = subject in judges and (board.is_recognition or subject not in writers)
    if is_judge:
        return {"judge": " · ".join([subject, *how_asked(board, row["slice"])])}
    return {"model": subject} if subject in writers else {}
