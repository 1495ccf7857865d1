"""The paper's tables and figures on a board's page: where each stands, how much of it, or why it does not."""

from collections.abc import Collection, Mapping
from functools import cache

from truerate.core.paper_tables import PaperTable, read_paper
from truerate.site.registry import TRACKS


@cache
def paper_of(track: str) -> tuple[PaperTable, ...]:
    """Return the records of a track's paper.yaml; none without one. Raises TruerateError."""
    return read_paper(TRACKS / track / "paper.yaml")


def paper_lines(
    track: str,
    rows: list[dict],
    *,
    headings: Collection[str],
    there: Collection[str],
    elsewhere: Mapping[str, list[dict]],
) -> list[dict]:
    """Return a line per table and figure of the paper: `name`, `what`, `headings` of the page's sections with it,
    `shown` (what else shows it), `board` (another one, where its cells stand there), `n` of `n_wanted` cells that
    the board has, `why` not all, or what differs.

    `rows`: of the board, as its leaderboard has them. `headings`: those on its page. `there`: of what a
    record may be `shown` by, what the board has. `elsewhere`: the rows of boards of other tracks, where a table
    without sections on this page has its cells, if anywhere.
    """
    return [
        _line(table, {"": rows} if table.sections else {"": rows, **elsewhere}, headings, there)
        for table in paper_of(track)
    ]


def _line(
    table: PaperTable,
    rows_by_board: Mapping[str, list[dict]],
    headings: Collection[str],
    there: Collection[str],
) -> dict:
    board, wanted, n = "", [], 0
    for name, rows in rows_by_board.items() if table.cells else ():
        if not n:
            board, wanted = name, [cell for cells in table.cells for cell in cells.wanted(rows)]
            n = sum(cell.row is not None for cell in wanted)
    is_made = n > 0 or table.shown in there
    is_lacking = n < len(wanted) or not is_made
    why = [f"Needs {table.needs}." if table.needs and is_lacking else "", table.reason]
    return {
        "name": table.name,
        "what": table.what,
        "headings": [heading for heading in table.sections if n and heading in headings],
        "shown": table.shown if table.shown in there else "",
        "board": board if n else "",
        "is_made": is_made,
        "n": n,
        "n_wanted": len(wanted),
        "why": " ".join(filter(None, why)) or ("" if is_made else "Nothing of it was measured here."),
    }
