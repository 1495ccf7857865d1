"""The figure of a rating: an interval a line, an estimate a dot, as SVG that stands by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from truerate.answers.telling import in_words
from truerate.metrics.estimators.own_rate import EXACT, Rate

if TYPE_CHECKING:
    from truerate.answers.rated import Rating

TEMPLATES, SVG = Path(__file__).parent / "templates", "figure.svg.j2"
FIGURE, LABEL, ROW = 640, 200, 24  # widths and heights of the figure


class Bar(NamedTuple):
    """A rate as drawn: the places of its ends and point along the figure (None: no point), and its words."""

    name: str
    y: int
    low: float
    high: float
    point: float | None
    is_raw: bool
    words: str


@dataclass(frozen=True)
class Figure:
    """An SVG image as text, empty where there is no rate to draw."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write it to a file; returns the file."""
        return Path(path).write_text(self.svg, "utf-8") and Path(path)


def figure_of(report: "Rating") -> Figure:
    """The rates of a rating with their intervals: all answers, then each value of each field."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    bars = list(bars_of(report))
    size = {"width": FIGURE, "label": LABEL, "height": (len(bars) + 2) * ROW}
    return Figure(environment.get_template(SVG).render(bars=bars, figure=size) if bars else "")


def bars_of(report: "Rating") -> Iterator[Bar]:
    """The bars of the figure: all answers, then each value of each field."""
    named = [("all answers", report.rate)]
    named += [(f"{field}: {rate.group}", rate) for field, rates in report.slices.items() for rate in rates]
    for row, (name, rate) in enumerate(named):
        if (bar := _bar(name, rate, (row + 1) * ROW)) is not None:
            yield bar


def _bar(name: str, rate: Rate, y: int) -> Bar | None:
    is_raw = rate.low is None
    value, low, high = rate.value, rate.low, rate.high
    if (
        rate.estimator == EXACT and rate.system is not None
    ):  # exact for these answers: a line is of the system
        value, low, high = rate.system
    if is_raw and rate.raw is not None:
        value, low, high = rate.raw
    if low is None or high is None:
        return None
    short = name if len(name) <= 26 else f"{name[:25]}…"
    point = None if value is None else _position(value)
    return Bar(short, y, _position(low), _position(high), point, is_raw, in_words(rate))


def _position(share: float) -> float:
    return round(LABEL + share * (FIGURE - LABEL - 20), 1)
