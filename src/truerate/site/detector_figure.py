"""Pictures of one detector: two measures side by side per slice, and what its probabilities are worth."""

from collections.abc import Sequence
from dataclasses import dataclass

from truerate.site.charts import Axis, percent, shortened
from truerate.site.curves import Curve
from truerate.site.measures import Measure
from truerate.site.safety import plain
from truerate.site.views import Cell, Panel

ROW, HEAD, FOOT = 25, 20, 22  # height of a line with two bars, above the first, below the last
LANES = (-5, 5)  # where the two bars of a line lie, from its middle
MOST = 40  # lines of one picture
FRAME = (34.0, 8.0, 250.0, 204.0)  # left, top, width and height of a square picture's frame
SIZE = (296.0, 246.0)


@dataclass(frozen=True)
class Sizes:
    """Widths of a picture: in all, of the names, and of the numbers behind the plot."""

    width: int
    names: int
    numbers: int = 96


DrawnLine = tuple[str, Sequence[str], Sequence[Cell | None]]
WHOLE, NARROW = Sizes(900, 240), Sizes(430, 140, 84)


def side_by_side(panel: Panel, wanted: Sequence[str], *, file: str, sizes: Sizes = WHOLE) -> dict | None:
    """What two_series.html.j2 draws of a panel: per line the first two of the wanted measures that are shares, each a
    dot with its interval on one axis from 0 to 1; None for fewer than two lines, or more than MOST.
    """
    places = [
        place
        for name in wanted
        for place, column in enumerate(panel.columns)
        if column.measure.name == name and column.measure.unit == "share"
    ][: len(LANES)]
    measures = [panel.columns[place].measure for place in places]
    lines = [(line.name, line.notes, [line.cells[place] for place in places]) for line in panel.lines]
    return drawn(measures, lines, file=file, sizes=sizes)


def drawn(
    measures: Sequence[Measure], lines: Sequence[DrawnLine], *, file: str, sizes: Sizes = WHOLE
) -> dict | None:
    """`side_by_side` of lines as they are: a name, its notes, and a cell per measure."""
    lines = [line for line in lines if any(cell and cell.row["value"] is not None for cell in line[2])]
    if not measures or not 2 <= len(lines) <= MOST:
        return None
    axis = Axis(0.0, 1.0, sizes.names + 6, sizes.width - sizes.numbers - 8)
    height = HEAD + ROW * len(lines) + FOOT
    return {
        "file": file,
        "size": (sizes.width, height),
        "head": HEAD,
        "floor": HEAD + ROW * len(lines),
        "value_at": sizes.width - 4,
        "start": sizes.names,
        "ticks": [(axis.at(share), f"{100 * share:.0f}") for share in (0, 0.25, 0.5, 0.75, 1)],
        "measures": measures,
        "rows": [
            _row(name, notes, cells, HEAD + ROW * place + ROW / 2, axis)
            | {"shown": shortened(", ".join((name, *notes)), sizes.names // 7)}
            for place, (name, notes, cells) in enumerate(lines)
        ],
        "told": _told(measures, lines),
    }


def _row(name: str, notes: Sequence[str], cells: Sequence[Cell | None], middle: float, axis: Axis) -> dict:
    lanes = LANES if len(cells) > 1 else (0,)
    bars = [
        _bar(cell, middle + lane, axis) | {"series": series}
        for series, (cell, lane) in enumerate(zip(cells, lanes, strict=True))
        if cell and cell.row["value"] is not None
    ]
    texts = [cell.measure.text(cell.row["value"]) if cell else "–" for cell in cells]
    return {
        "name": ", ".join((name, *notes)),
        "middle": middle,
        "bars": bars,
        "value": " / ".join(str(text) for text in texts),
    }


def _bar(cell: Cell, y: float, axis: Axis) -> dict:
    row = cell.row
    return {
        "y": y,
        "at": axis.at(row["value"]),
        "range": (axis.at(row["low"]), axis.at(row["high"])) if cell.has_interval else None,
    }


def _told(measures: Sequence[Measure], lines: Sequence[tuple]) -> str:
    """The picture in words."""
    said = [
        f"{name}: "
        + ", ".join(
            f"{cell.measure.label} {cell.measure.text(cell.row['value'])}"
            for cell in cells
            if cell and cell.row["value"] is not None
        )
        for name, _, cells in lines
    ]
    return plain(f"{' and '.join(measure.label for measure in measures)} in per cent. {'; '.join(said)}.")


def reliability(curve: Curve, *, file: str) -> dict:
    """What square.html.j2 draws of a detector's bins: the share hallucinated against the mean p, a dot per bin that
    has a text, larger where it has more.
    """
    across, up = _axes()
    most = max(one.n for one in curve.bins)
    dots = [
        {
            "x": across.at(one.mean_p),
            "y": up.at(one.rate),
            "r": round(2.2 + 4.8 * (one.n / most) ** 0.5, 1),
            "range": (up.at(one.rate_low), up.at(one.rate_high))
            if one.rate_low is not None and one.rate_high is not None
            else None,
            "told": f"p {one.low:.1f} to {one.high:.1f}: {percent(one.rate)} of {one.n}",
        }
        for one in curve.bins
        if one.mean_p is not None and one.rate is not None
    ]
    told = "; ".join(dot["told"] for dot in dots)
    return _square(file, ("its mean p", "hallucinated")) | {
        "dots": dots,
        "paths": [],
        "has_diagonal": True,
        "told": plain(f"Share hallucinated against the probability that was given. {told}."),
    }


def thresholds(curve: Curve, *, file: str) -> dict:
    """What square.html.j2 draws of the thresholds: precision and recall against the cut."""
    across, up = _axes()
    paths = []
    for series, name in enumerate(("precision", "recall")):
        points = [(cut.cut, getattr(cut, name)) for cut in curve.cuts if getattr(cut, name) is not None]
        paths.append(
            {
                "series": series,
                "name": name,
                "points": [(across.at(cut), up.at(value)) for cut, value in points],
            }
        )
    told = "; ".join(
        f"{cut.cut:.1f}: precision {percent(cut.precision)}, recall {percent(cut.recall)}"
        for cut in curve.cuts
    )
    return _square(file, ("threshold on p", "precision, recall")) | {
        "dots": [],
        "paths": paths,
        "has_diagonal": False,
        "told": plain(f"Precision and recall by threshold. {told}."),
    }


def _axes() -> tuple[Axis, Axis]:
    left, top, width, height = FRAME
    return Axis(0, 1, left, left + width), Axis(0, 1, top + height, top)


def _square(file: str, names: tuple[str, str]) -> dict:
    across, up = _axes()
    return {
        "file": file,
        "size": SIZE,
        "frame": FRAME,
        "across": [(across.at(share), f"{share:.1f}") for share in (0, 0.5, 1)],
        "up": [(up.at(share), f"{100 * share:.0f}") for share in (0, 0.5, 1)],
        "names": names,
    }
