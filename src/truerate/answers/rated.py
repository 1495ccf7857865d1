"""What is known of a person's own answers, as a value: for a terminal, a notebook, a table, a figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import polars as pl

from truerate.answers.grouping import Grouping
from truerate.answers.proxies import Judges
from truerate.answers.repeats import Repeats
from truerate.answers.retests import Retest
from truerate.answers.telling import as_html, headline, in_words, notes, table_of
from truerate.metrics.estimators.own_rate import EXACT, Rate, Separation
from truerate.metrics.intervals import Interval
from truerate.sources.answers.reading import STATED

Unit = Literal["answers", "tokens"]
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
        file = Path(path)
        file.write_text(self.svg, "utf-8")
        return file


@dataclass(frozen=True)
class Rating:
    """What is known of a source of answers. `frame`: its table (`AnswerTable.frame`) with what the detector
    says of each answer: `verdict`, the places that it marks (`marked`, null: not stated), and the `reason`
    where there is no verdict. `rate`: of all that say something; `slices`: rates by the values of each field;
    `pairs`: systems beside one another; `not_sliced`: fields of more than MOST_VALUES values, or of mostly
    unlike ones; `uneven`: fields by whose values answers were labelled in other shares than chance explains,
    so that a rate of all of them leans to those labelled more; `grouping`: which answers have in common what
    they were asked about; `notes`: how the source was read; `judges`: the file's own, where these judge;
    `repeats`: of the same item, `retests`: of the file's own judges on the same text, where there are any.
    """

    unit: Unit
    detector: str
    about: str
    frame: pl.DataFrame
    rate: Rate
    slices: Mapping[str, Sequence[Rate]]
    pairs: Sequence[Separation]
    not_sliced: Sequence[str]
    grouping: Grouping
    uneven: Sequence[str] = ()
    notes: Sequence[str] = ()
    judges: Judges | None = None
    repeats: Repeats | None = None
    retests: Sequence[Retest] = ()
    has_texts: bool = True

    def n_in_state(self, state: str) -> int:
        """Answers that say something, abstain, or are none."""
        return int(self.frame.select((pl.col("state") == state).sum()).item())

    @property
    def n_stated(self) -> int:
        """Answers that say something: those of which rates are."""
        return self.n_in_state(STATED)

    @cached_property
    def unjudged(self) -> dict[str, int]:
        """How many answers that say something have no verdict, by why, the most frequent first."""
        missing = self.frame.filter(pl.col("verdict").is_null(), pl.col("state") == STATED)["reason"]
        counts = missing.fill_null("no verdict").value_counts(sort=True)
        return dict(counts.sort("count", "reason", descending=[True, False]).iter_rows())

    @cached_property
    def n_judged(self) -> int:
        """Answers with a verdict."""
        return self.frame.height - self.frame["verdict"].null_count()

    @property
    def estimate(self) -> Interval | None:
        """The hallucinated share with its interval, in [0, 1]: corrected where labels allow it, exact (low =
        value = high) where all are labelled. None where it is not identified; what is flagged is `rate.raw`.
        """
        rate = self.rate
        if rate.value is None:
            return None
        ends = (rate.value if end is None else end for end in (rate.low, rate.high))
        return Interval(rate.value, *ends)

    @cached_property
    def table(self) -> pl.DataFrame:
        """Rates, a row each: of all answers (`field` and `group` null) and of each value of each field.
        Columns field, group, n, labelled, value, low, high, flagged (shares in [0, 1], null where unknown)
        and estimator.
        """
        return table_of(self)

    def plot(self) -> Figure:
        """The rates with their intervals as SVG; in a notebook it shows itself."""
        return figure_of(self)

    def __repr__(self) -> str:
        return f"<Rating: {headline(self)}>"

    def _repr_html_(self) -> str:
        return as_html(headline(self), notes(self), self.plot().svg)


# ---- the figure ---------------------------------------------------------------------------------------------


def figure_of(report: Rating) -> Figure:
    """The rates of a rating with their intervals: all answers, then each value of each field."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    bars = list(bars_of(report))
    size = {"width": FIGURE, "label": LABEL, "height": (len(bars) + 2) * ROW}
    return Figure(environment.get_template(SVG).render(bars=bars, figure=size) if bars else "")


def bars_of(report: Rating) -> Iterator[Bar]:
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
