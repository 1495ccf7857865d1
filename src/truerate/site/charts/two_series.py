"""Pictures of one detector: two measures side by side per slice, and what its probabilities are worth."""

from collections.abc import Sequence
from dataclasses import dataclass

from truerate.site.charts import Axis, frame, in_percent, percent, shortened
from truerate.site.charts.curves import Curve
from truerate.site.measures import Measure
from truerate.site.safety import plain
from truerate.site.views import Cell, Panel

ROW, HEAD, FOOT = 25, 20, 22  # height of a line with two bars, above the first, below the last
LANES = (-5, 5)  # where the two bars of a line lie, from its middle
MOST = 40  # lines of one picture
SIZE = (296.0, 246.0)  # of a square picture, with its axes
ACROSS, UP = Axis(0, 1, 34.0, 284.0), Axis(0, 1, 212.0, 8.0)


@dataclass(frozen=True)
class Sizes:
    """Widths of a picture: in all, of the names, and of the numbers behind the plot."""

    width: int
    names: int
    numbers: int = 96


DrawnLine = tuple[str, Sequence[str], Sequence[Cell | None]]
WHOLE, NARROW = Sizes(900, 240), Sizes(430, 140, 84)


def side_by_side(panel: Panel, wanted: Sequence[str], *, file: str, sizes: Sizes = WHOLE) -> dict | None:
    """Return the first two shares of each line of a panel as dots; None outside 2 to MOST lines."""
    columns = [
        index
        for name in wanted
        for index, column in enumerate(panel.columns)
        if column.measure.name == name and column.measure.unit == "share"
    ][: len(LANES)]
    measures = [panel.columns[index].measure for index in columns]
    lines = [(line.name, line.notes, [line.cells[index] for index in columns]) for line in panel.lines]
    return drawn(measures, lines, file=file, sizes=sizes)


def drawn(
    measures: Sequence[Measure], lines: Sequence[DrawnLine], *, file: str, sizes: Sizes = WHOLE
) -> dict | None:
    """`side_by_side` of lines as they are: a name, its notes, and a cell per measure."""
    lines = [line for line in lines if any(cell and cell.row["value"] is not None for cell in line[2])]
    if not measures or not 2 <= len(lines) <= MOST:
        return None
    axis, floor = Axis(0.0, 1.0, sizes.names + 6, sizes.width - sizes.numbers - 8), HEAD + ROW * len(lines)
    words = []
    for name, _, cells in lines:
        valued = [cell for cell in cells if cell and cell.row["value"] is not None]
        values = (f"{cell.measure.label} {cell.measure.text(cell.row['value'])}" for cell in valued)
        words.append(f"{name}: {', '.join(values)}")
    labels = " and ".join(measure.label for measure in measures)
    return {
        "file": file,
        "size": (sizes.width, floor + FOOT),
        "head": HEAD,
        "floor": floor,
        "value_at": sizes.width - 4,
        "start": sizes.names,
        "ticks": [(axis.at(share), text) for share, text in in_percent((0, 0.25, 0.5, 0.75, 1))],
        "measures": measures,
        "rows": [
            _row(", ".join((name, *notes)), cells, HEAD + ROW * k + ROW / 2, axis, most=sizes.names // 7)
            for k, (name, notes, cells) in enumerate(lines)
        ],
        "description": plain(f"{labels} in per cent. {'; '.join(words)}."),
    }


def _row(name: str, cells: Sequence[Cell | None], middle: float, axis: Axis, *, most: int) -> dict:
    bars = [
        {
            "y": middle + lane,
            "at": axis.at(cell.row["value"]),
            "range": axis.ends(cell.row["low"], cell.row["high"]),
            "series": series,
        }
        for series, (cell, lane) in enumerate(zip(cells, LANES if len(cells) > 1 else (0,), strict=True))
        if cell and cell.row["value"] is not None
    ]
    texts = [str(cell.measure.text(cell.row["value"])) if cell else "–" for cell in cells]
    line = {"name": name, "shown": shortened(name, most), "middle": middle}
    return line | {"bars": bars, "value": " / ".join(texts)}


def reliability(curve: Curve, *, file: str) -> dict:
    """Return a detector's bins: share hallucinated against mean p, larger dots for more texts."""
    most = max(each.n for each in curve.bins)
    dots = [
        {
            "x": ACROSS.at(each.mean_p),
            "y": UP.at(each.rate),
            "r": round(2.2 + 4.8 * (each.n / most) ** 0.5, 1),
            "range": UP.ends(each.rate_low, each.rate_high),
            "description": f"p {each.low:.1f} to {each.high:.1f}: {percent(each.rate)} of {each.n}",
        }
        for each in curve.bins
        if each.mean_p is not None and each.rate is not None
    ]
    words = "; ".join(dot["description"] for dot in dots)
    description = f"Share hallucinated against the probability that was given. {words}."
    return _square(file, ("its mean p", "hallucinated"), description, dots=dots)


def thresholds(curve: Curve, *, file: str) -> dict:
    """Return what square draws of the thresholds: precision and recall against the cut."""
    paths = []
    for series, name in enumerate(("precision", "recall")):
        shares = ((cut.cut, getattr(cut, name)) for cut in curve.cuts)
        points = [(ACROSS.at(cut), UP.at(share)) for cut, share in shares if share is not None]
        paths.append({"series": series, "points": points})
    words = "; ".join(
        f"{cut.cut:.1f}: precision {percent(cut.precision)}, recall {percent(cut.recall)}"
        for cut in curve.cuts
    )
    description = f"Precision and recall by threshold. {words}."
    return _square(file, ("threshold on p", "precision, recall"), description, paths=paths)


def _square(
    file: str, names: tuple[str, str], description: str, *, dots: Sequence = (), paths: Sequence = ()
) -> dict:
    """A picture of two shares; of dots, with the line on which both are the same."""
    marks = (0, 0.5, 1)
    return frame(
        SIZE, ACROSS, UP, across_ticks=[(x, f"{x:.1f}") for x in marks], up_ticks=in_percent(marks)
    ) | {
        "file": file,
        "names": names,
        "description": plain(description),
        "dots": dots,
        "paths": paths,
        "has_diagonal": not paths,
    }
