"""The forest plot of a board: a line per subject with its interval, the rank range, and who may be first."""

from collections.abc import Sequence
from dataclasses import dataclass

from truerate.site.charts import Axis, shortened, ticks
from truerate.site.measures import Measure
from truerate.site.real.results import RealBoard, RealScore
from truerate.site.safety import plain

ROW = 17  # height of a line, in units of the picture
HEAD, FOOT = 18, 32  # above the first line, below the last
ON_HOME = 8  # lines at most on the home page


@dataclass(frozen=True)
class Sizes:
    """Widths of a picture: in all, of the names, and of the numbers behind the plot."""

    width: int
    names: int
    numbers: int = 98

    @property
    def end(self) -> int:
        """Where the plot ends."""
        return self.width - self.numbers


# Of the small one a unit is about a pixel of a phone of 390, so that its words are as large as on the desk.
SMALL, CARD, WHOLE = Sizes(362, 150, 88), Sizes(500, 208, 88), Sizes(900, 262)
SUFFIX = {SMALL: "-small", CARD: "-card", WHOLE: ""}


def forest(board: RealBoard, lines: Sequence[RealScore], sizes: Sizes = WHOLE) -> dict:
    """What real/forest.html.j2 draws of some lines of a board's headline: places in units of the picture.

    The lines that may be first stand on a shaded band. An interval that spans the scale is hatched. The axis of
    shares begins at 0, so that lengths can be compared.
    """
    shown = [line for line in lines if line.value is not None]
    axis, marks = _axis(board.headline, shown, sizes)
    rows = [_row(board, one, place, axis, sizes) for place, one in enumerate(shown)]
    height = HEAD + ROW * len(rows) + FOOT
    return {
        "width": sizes.width,
        "height": height,
        "floor": HEAD + ROW * len(rows),
        "head": HEAD,
        "row": ROW,
        "start": sizes.names,
        "end": sizes.end,
        "rank_at": sizes.width - 4,
        "value_at": sizes.end + 46,
        "ticks": [(axis.at(value), board.headline.text(value).removesuffix(".0")) for value in marks],
        "rows": rows,
        "measure": board.headline,
        "told": told(board, shown),
        "file": f"{board.name}-forest{SUFFIX[sizes]}",
    }


def _row(board: RealBoard, one: RealScore, place: int, axis: Axis, sizes: Sizes) -> dict:
    top = HEAD + ROW * place
    has_interval = one.low is not None and one.high is not None
    return {
        "score": one,
        "top": top,
        "middle": top + ROW / 2,
        "name": shortened(one.subject, int(sizes.names / 6.5)),
        "is_top": one.is_first and one in board.models,
        "is_judges_own": one.subject in board.judges_own,
        "at": axis.at(one.value or 0.0),
        "low": axis.at(one.low) if one.low is not None else None,
        "high": axis.at(one.high) if one.high is not None else None,
        "has_interval": has_interval,
        "is_open": board.spans_scale(one),
        "value": board.headline.text(one.value),
        "interval": f"{board.headline.text(one.low)} to {board.headline.text(one.high)}"
        if has_interval
        else "",
    }


def _axis(measure: Measure, shown: Sequence[RealScore], sizes: Sizes) -> tuple[Axis, list[float]]:
    """Shares from 0 to a round end beyond every interval; other numbers from the least to the greatest."""
    ends = [value for one in shown for value in (one.low, one.value, one.high) if value is not None] or [
        0.0,
        1.0,
    ]
    start, end = sizes.names + 6, sizes.end - 6
    if measure.unit == "share" and min(ends) >= 0:
        marks = ticks(min(1.0, max(ends)))
        return Axis(0.0, max(marks), start, end), marks
    low, high = min(ends), max(ends)
    high = high if high > low else low + 1.0
    return Axis(low, high, start, end), [low, (low + high) / 2, high]


def told(board: RealBoard, shown: Sequence[RealScore]) -> str:
    """The picture in words, for those who do not see it."""
    measure = board.headline
    lines = [
        f"{one.subject} {measure.text(one.value)}"
        + (f", interval {measure.text(one.low)} to {measure.text(one.high)}" if one.low is not None else "")
        + (f", rank {one.rank.replace('–', ' to ')}" if one.rank else "")
        + (", of the judge's own maker" if one.subject in board.judges_own else "")
        for one in shown
    ]
    unit = " in per cent" if measure.unit == "share" else ""
    return plain(f"{measure.label}{unit}, {len(shown)} lines. {'; '.join(lines)}.")
