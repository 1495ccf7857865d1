"""What a table of a page is: a small description (`View`) and what is made of it (`Panel` of `Line`s of
`Cell`s under `Column`s).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from markupsafe import Markup

from truerate.core.metric import ABSENT
from truerate.core.schemas import NO_ANSWERS
from truerate.site.measures import Measure

CORRECTED = "rogan-gladen"  # how estimators are called that tell nothing where the detector cannot

WIDE = 7  # columns from which a table fills the page
EVERY = ""  # the group or panel of a row that lacks the key
WHOLE = "All"  # how a group of such rows is headed


@dataclass(frozen=True)
class View:
    """How one table of rows is laid out.

    `switch`: the slice key whose values are panels, one shown at a time. `across`: the keys whose values are
    column groups. `down`: keys whose values make lines besides the subject. `by`: keys whose values name the
    lines in place of the subject. `head`: what a line is. `title`: what the table is, where a section has
    several. `metrics`: the columns in order (those absent are left out; empty: all). `extra`: columns shown
    on request. `having`, `lacking`: slice keys that a row must or must not hold. `only`: slice keys with the
    one value that a row must hold; they are not said again. `notes`: what stands below a subject's name.
    `is_bare`: without controls. `headings`: what a column is called, by its metric alone or by the metric and
    what the slice adds (`wildfactscore estimator=raw set=common`). `form`: `board` (ranks, whiskers on the
    first `n_whiskers` metrics) or `heat` (a tinted number per cell; darker is worse, or more where neither
    is). Slice keys named nowhere become part of the column's name, so no value is dropped or merged.
    """

    table: str
    metrics: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    switch: str | None = None
    across: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    having: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    only: tuple[tuple[str, str], ...] = ()
    form: str = "board"
    n_whiskers: int = 1
    head: str = "Model"
    title: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)
    is_bare: bool = False

    @property
    def has_kinds(self) -> bool:
        """Whether lines are models or stand beside models (baseline, published figure)."""
        return self.head in ("Model", "Judge") and not self.by

    def takes(self, row: dict) -> bool:
        """Return whether a row belongs to this view; that a subject never answered is said in each table that
        it stands in.
        """
        if row["table"] != self.table:  # nearly all are of others
            return False
        wanted, slice_ = (*self.metrics, *self.extra), row["slice"]
        is_named = not wanted or row["metric"] in wanted or row["metric"].endswith(NO_ANSWERS)
        has_keys = all(key in slice_ for key in self.having) and not any(
            key in slice_ for key in self.lacking
        )
        return is_named and has_keys and all(slice_.get(key) == value for key, value in self.only)


@dataclass(frozen=True)
class Cell:
    """One value with what stands behind it; `planted`: its true value; `is_unanswered`: no answer at all."""

    row: dict
    measure: Measure
    planted: float | None = None
    is_best: bool = False
    is_top: bool = False
    is_unanswered: bool = False

    @property
    def spread(self) -> str:
        """The standard deviation over runs as printed, `± 1.2`; empty where there is one run or none is
        known.
        """
        std = self.row.get("std")
        return f"± {self.measure.text(std)}" if std else ""

    @property
    def chance(self) -> float | None:
        """What guessing gets here; None where there is no such value."""
        return self.measure.chance

    @property
    def moved(self) -> int | None:
        """Places gained (above 0) or lost against the ranking that the table is sorted by; None where that is
        not asked.
        """
        places = self.row.get("moved")
        return None if places is None else round(places)

    @property
    def read(self) -> list[str]:
        """What of the samples page shows the texts behind the value, as the parts of its address, the board's
        first; empty where there is none.
        """
        return str(self.row["read"]).split("&") if self.row.get("read") else []

    @property
    def has_interval(self) -> bool:
        """Whether both ends of an interval are known."""
        return self.row["low"] is not None and self.row["high"] is not None

    @property
    def has_width(self) -> bool:
        """Whether there is an interval that is more than a point."""
        return self.row["low"] is not None and self.row["low"] != self.row["high"]

    @property
    def interval(self) -> Markup:
        """The interval as printed, `71.2 to 80.4`; empty where there is none."""
        if not self.has_interval:
            return Markup("")
        return self.measure.text(self.row["low"]) + " to " + self.measure.text(self.row["high"])

    @property
    def absence(self) -> tuple[str, str]:
        """Return what stands for a missing value, and why: no answer, *not identified*, or a dash."""
        if self.is_unanswered:
            return "no answers", "nothing was answered"
        if self.row["slice"].get("estimator", "").startswith(CORRECTED) and self.row["n"]:
            reason = "the detector’s TPR and FPR do not differ beyond chance, or are not those of these texts"
            return "not identified", reason
        return ABSENT, "not measured"

    @property
    def where(self) -> list[str]:
        """The slice that the value is of, `task: qa` and `variant: plain`; empty over everything."""
        return [f"{key}: {value}" for key, value in self.row["slice"].items()]

    @property
    def rank_order(self) -> float | str:
        """What a rank is sorted by: its low end, then its high one; empty where nothing is ranked."""
        low = self.row["rank_low"]
        return "" if low is None else low + self.row["rank_high"] / 1000

    @property
    def rank(self) -> str:
        """The rank range, `–` inside; empty where nothing is ranked, or that the subject never answered."""
        low, high = self.row["rank_low"], self.row["rank_high"]
        if low is None:
            return "no answers" if self.is_unanswered else ""
        return str(low) if high in (None, low) else f"{low}–{high}"


@dataclass(frozen=True)
class Column:
    """One column: where its values come from and how it is headed; `group` is in words, empty for what no
    group holds.
    """

    key: tuple
    group: str
    measure: Measure
    heading: str
    is_extra: bool = False
    is_ranked: bool = False
    is_first: bool = False
    has_whisker: bool = False

    @property
    def full(self) -> str:
        """The heading with its group, as it reads outside the table."""
        if self.heading in (self.group, WHOLE):
            return f"{self.heading}: {self.measure.label}"
        return f"{self.group} {self.heading}".strip()


@dataclass(frozen=True)
class Line:
    """One line: a subject, its `by` and `down` values, a cell (or None) per column, heading and notes."""

    subject: str
    kind: str
    keys: tuple[str, ...]
    cells: tuple[Cell | None, ...]
    name: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Panel:
    """One table. `low` and `high` are the shared axis of its whiskers, in the unit of its values."""

    name: str
    title: str
    columns: tuple[Column, ...]
    groups: tuple[tuple[str, int, int], ...]  # label, shown columns, all columns
    lines: tuple[Line, ...]
    head: str = "Model"
    has_kinds: bool = True
    low: float = 0.0
    high: float = 1.0
    has_planted: bool = False
    is_bare: bool = False
    is_described: bool = False
    is_turned: bool = False  # in a heat table less is worse, so that dark is the low end of the axis

    def heat(self, value: float | None) -> int:
        """The step 0–9 of a value on the panel's axis."""
        share = 0.0 if value is None else (value - self.low) / (self.high - self.low)
        return min(9, max(0, int(10 * (1 - share if self.is_turned else share))))

    @cached_property
    def digest(self) -> str:
        """The provenance of every cell that has one; empty where they differ, and each says its own."""
        digests = {cell.row["provenance"] for line in self.lines for cell in line.cells if cell}
        return str(next(iter(digests))) if len(digests) == 1 else ""

    def _shared(self, parts: Callable[[Cell], list[str]]) -> list[str]:
        parted = [parts(cell) for line in self.lines for cell in line.cells if cell and parts(cell)]
        others = [set(each) for each in parted[1:]]
        return [part for part in (parted or [[]])[0] if all(part in each for each in others)]

    @cached_property
    def where(self) -> list[str]:
        """What the slices of all cells have in common; a cell says what it has besides."""
        cells = (cell for line in self.lines for cell in line.cells if cell)
        return self._shared(lambda cell: cell.where) if all(cell.where for cell in cells) else []

    @cached_property
    def read(self) -> list[str]:
        """What the addresses of all cells' texts have in common."""
        return self._shared(lambda cell: cell.read)

    @property
    def chances(self) -> list[float]:
        """What guessing gets in the columns with whiskers."""
        pairs = (pair for line in self.lines for pair in zip(line.cells, self.columns, strict=True))
        chances = {cell.chance for cell, column in pairs if cell and column.has_whisker}
        return sorted(chances - {None})

    @property
    def has_groups(self) -> bool:
        """Whether columns stand under common headings."""
        return len(self.groups) > 1 or bool(self.groups and self.groups[0][0])

    @property
    def has_moves(self) -> bool:
        """Whether cells say how many places a subject gains or loses."""
        return any(cell and cell.moved is not None for line in self.lines for cell in line.cells)

    @property
    def is_wide(self) -> bool:
        """Whether the table fills the page: it has many columns."""
        return sum(1 + column.is_ranked for column in self.columns if not column.is_extra) >= WIDE

    @property
    def is_small(self) -> bool:
        """Whether the table needs no controls: it is about no models and is seen as a whole."""
        return not self.has_kinds and not self.has_extra and not self.is_described

    @property
    def has_controls(self) -> bool:
        """Whether a filter and a download stand over the table."""
        return not self.is_bare and not self.is_small

    @property
    def has_extra(self) -> bool:
        """Whether columns wait to be asked for."""
        return any(column.is_extra for column in self.columns)
