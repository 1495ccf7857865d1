"""A page of what moved between two revisions: each score before and after, drawn with its intervals. One file that
opens from file://, without a script; every text escaped.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from truerate.core.errors import SettingsError
from truerate.results.diff import KINDS, Cells, Change

TEMPLATES, PAGE = Path(__file__).parent / "templates", "diff.html.j2"
MARK = "truerate-diff"  # in the head of its pages: what may be written anew
MOST_SHOWN = 400  # changes of one board, the largest first
WIDTH, EDGE = 220, 8  # of the picture of a change, and what stands free at its ends


def check_place(file: str | Path) -> Path:
    """The file of the page. Raises SettingsError where it is a folder, or another file than a page of this command."""
    path = Path(file)
    if path.is_dir():
        raise SettingsError(f"--html {str(file)!r}: it is a folder; name a file, as moved.html")
    if path.exists() and MARK not in path.read_text("utf-8", errors="replace")[:400]:
        raise SettingsError(f"--html {str(file)!r}: it is another file; name a new one, as moved.html")
    return path


def write_page(changes: Sequence[Change], first: str, second: str | None, path: Path) -> None:
    """Write the page. Raises SettingsError where that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page(changes, first, second), "utf-8")
    except OSError as error:
        raise SettingsError(
            f"--html {str(path)!r}: {error.strerror}; name a file that can be written"
        ) from None


def page(changes: Sequence[Change], first: str, second: str | None) -> str:
    """The HTML of the page: a section per board with its counts, its largest changes first."""
    blocks = {"trim_blocks": True, "lstrip_blocks": True}
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, **blocks
    )
    boards = [_board(name, changes) for name in dict.fromkeys(change.board for change in changes)]
    sizes = {"width": WIDTH, "edge": EDGE, "n": len(changes)}
    second = second or "the files as they lie here"
    return environment.get_template(PAGE).render(
        mark=MARK, first=first, second=second, boards=boards, **sizes
    )


def _board(name: str, changes: Sequence[Change]) -> dict[str, Any]:
    """What has moved stands first, the largest step first; then by name. Shares alone are drawn from 0 to 1."""
    of_board = [change for change in changes if change.board == name]
    of_board.sort(
        key=lambda row: (KINDS.index(row.kind), -abs(step(row) or 0.0), row.metric, row.slice, row.subject)
    )
    cells = [side for change in of_board for side in (change.was, change.now) if side]
    ends = [
        float(cell[key] or 0.0) for cell in cells for key in ("low", "value", "high") if cell[key] is not None
    ]
    is_share = not ends or (min(ends) >= 0 and max(ends) <= 1)
    axis = (0.0, 1.0) if is_share else (min(ends), max(ends))
    return {
        "name": name,
        "counts": [(kind, sum(change.kind == kind for change in of_board)) for kind in KINDS],
        "lines": [_line(change, axis) for change in of_board[:MOST_SHOWN]],
        "n_left_out": max(0, len(of_board) - MOST_SHOWN),
        "ends": [_number(end) for end in axis],
    }


def step(change: Change) -> float | None:
    """By how much a value has moved; None where it was not measured on both sides."""
    before, after = (cells["value"] if cells else None for cells in (change.was, change.now))
    return None if before is None or after is None else after - before


def _line(change: Change, axis: tuple[float, float]) -> dict[str, Any]:
    """A change in words, and where its points and intervals are drawn."""
    moved, sides = step(change), ((change.was, False), (change.now, True))
    return {
        "change": change,
        "was": _words(change.was),
        "now": _words(change.now),
        "step": "" if moved is None else f"{moved:+.3f}".replace("-", "−"),
        "marks": [
            {
                "at": _position(cells["value"], axis),
                "range": None
                if _has_no_interval(cells)
                else (_position(cells["low"], axis), _position(cells["high"], axis)),
                "is_now": is_now,
            }
            for cells, is_now in sides
            if cells and cells["value"] is not None
        ],
    }


def _has_no_interval(cells: Cells) -> bool:
    return cells["low"] is None or cells["high"] is None


def _words(cells: Cells | None) -> dict[str, str] | None:
    """A score in words: value, interval, rank range; None where it is not there."""
    if cells is None:
        return None
    low, high, first, last = (cells[name] for name in ("low", "high", "rank_low", "rank_high"))
    return {
        "value": _number(cells["value"]),
        "interval": "" if _has_no_interval(cells) else f"{_number(low)} to {_number(high)}",
        "rank": "" if first is None else f"{first}" if first == last else f"{first}–{last}",
    }


def _number(value: float | int | None) -> str:
    return "not measured" if value is None else f"{value:.3f}".replace("-", "−")


def _position(value: float | int | None, axis: tuple[float, float]) -> float:
    low, high = axis
    share = (float(value or 0.0) - low) / (high - low) if high > low else 0.5
    return round(EDGE + share * (WIDTH - 2 * EDGE), 1)
