"""A page of what moved between two revisions: each score before and after, drawn with its intervals. One file that
opens from file://, without a script; every text escaped.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from truerate.core.errors import SettingsError
from truerate.real.diff import Change

TEMPLATES, PAGE = Path(__file__).parent / "templates", "diff.html.j2"
MARK = "truerate-diff"  # in the head of its pages: what may be written anew
MOST_SHOWN = 400  # changes of one board, the largest first
WIDTH, EDGE = 220, 8  # of the picture of a change, and what stands free at its ends
KINDS = ("moved", "added", "gone")
Cells = Mapping[str, float | int | None]


def check_place(file: str | Path) -> Path:
    """The file of the page. Raises SettingsError where it is a folder, or another file than a page of this command."""
    place = Path(file)
    if place.is_dir():
        raise SettingsError(f"--html {str(file)!r}: it is a folder; name a file, as moved.html")
    if place.exists() and MARK not in place.read_text("utf-8", errors="replace")[:400]:
        raise SettingsError(f"--html {str(file)!r}: it is another file; name a new one, as moved.html")
    return place


def write_page(changes: Sequence[Change], first: str, second: str | None, place: Path) -> None:
    """Write the page. Raises SettingsError where that cannot be."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page(changes, first, second), "utf-8")
    except OSError as error:
        raise SettingsError(
            f"--html {str(place)!r}: {error.strerror}; name a file that can be written"
        ) from None


def page(changes: Sequence[Change], first: str, second: str | None) -> str:
    """The HTML of the page: a section per board with its counts, its largest changes first."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    boards = [_board(name, changes) for name in dict.fromkeys(change.board for change in changes)]
    return environment.get_template(PAGE).render(
        mark=MARK,
        first=first,
        second=second or "the files as they lie here",
        boards=boards,
        n=len(changes),
        width=WIDTH,
        edge=EDGE,
    )


def _board(name: str, changes: Sequence[Change]) -> dict[str, Any]:
    own = sorted((change for change in changes if change.board == name), key=_order)
    axis = _axis(own)
    return {
        "name": name,
        "counts": [(kind, sum(one.kind == kind for one in own)) for kind in KINDS],
        "lines": [_line(one, axis) for one in own[:MOST_SHOWN]],
        "n_left_out": max(0, len(own) - MOST_SHOWN),
        "ends": [_number(end) for end in axis],
    }


def _order(change: Change) -> tuple:
    """What has moved stands first, the largest step first; then by name."""
    return (KINDS.index(change.kind), -abs(step(change) or 0.0), change.metric, change.slice, change.subject)


def step(change: Change) -> float | None:
    """By how much a value has moved; None where it was not measured on both sides."""
    was, now = change.was or {}, change.now or {}
    one, other = was.get("value"), now.get("value")
    return None if one is None or other is None else other - one


def _axis(changes: Sequence[Change]) -> tuple[float, float]:
    """From the least to the greatest end on a board; of shares alone 0 to 1."""
    cells = [one for change in changes for one in (change.was, change.now) if one]
    ends = [
        float(cell[name]) for cell in cells for name in ("low", "value", "high") if cell[name] is not None
    ]
    if not ends or (min(ends) >= 0 and max(ends) <= 1):
        return 0.0, 1.0
    return min(ends), max(ends)


def _line(change: Change, axis: tuple[float, float]) -> dict[str, Any]:
    moved = step(change)
    return {
        "change": change,
        "was": _told(change.was),
        "now": _told(change.now),
        "step": "" if moved is None else f"{moved:+.3f}".replace("-", "−"),
        "marks": [
            _mark(cells, axis) | {"is_now": is_now}
            for cells, is_now in ((change.was, False), (change.now, True))
            if cells and cells["value"] is not None
        ],
    }


def _told(cells: Cells | None) -> dict[str, str] | None:
    """A score in words: value, interval, rank range; None where it is not there."""
    if cells is None:
        return None
    low, high, first, last = (cells[name] for name in ("low", "high", "rank_low", "rank_high"))
    return {
        "value": _number(cells["value"]),
        "interval": "" if low is None or high is None else f"{_number(low)} to {_number(high)}",
        "rank": "" if first is None else f"{first}" if first == last else f"{first}–{last}",
    }


def _number(value: float | int | None) -> str:
    return "not measured" if value is None else f"{value:.3f}".replace("-", "−")


def _mark(cells: Cells, axis: tuple[float, float]) -> dict[str, Any]:
    """Where a score is drawn: its point, and the ends of its interval."""
    low, high = cells["low"], cells["high"]
    has_interval = low is not None and high is not None
    return {
        "at": _place(cells["value"], axis),
        "range": (_place(low, axis), _place(high, axis)) if has_interval else None,
    }


def _place(value: float | int | None, axis: tuple[float, float]) -> float:
    low, high = axis
    share = (float(value or 0.0) - low) / (high - low) if high > low else 0.5
    return round(EDGE + share * (WIDTH - 2 * EDGE), 1)
