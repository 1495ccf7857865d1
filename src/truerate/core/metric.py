"""What is known of one published number: a record that pages, terminal, Hub and CSV alike read."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic.dataclasses import dataclass

from truerate.core.data_files import RECORD, read_data
from truerate.core.errors import TruerateError, listed, meant

Direction = Literal["up", "down", ""]
Unit = Literal["share", "number", "tenth", "count", "p"]
Interval = Literal["share", "statistic", "mean", "corrected", ""]

ABSENT = "–"  # how a metric over nothing is printed
FEW = 0.1  # of the texts that the largest cell beside it rests on, at or below which a cell is named


def refuse_unrecorded(board: str, names: Iterable[str], records: Collection[str]) -> None:
    """Raise TruerateError for a number of a board whose metric has no record (`records`: the names)."""
    if lost := sorted(set(names) - set(records)):
        more = f", nor have {listed(lost[1:])}" if lost[1:] else ""
        where = "add a record to metrics.yaml of its track"
        raise TruerateError(
            f"board {board!r}: metric {lost[0]!r} has no record{more}{meant(lost[0], records)}; {where}; "
            f"recorded: {listed(records)}"
        )


@dataclass(frozen=True, config=RECORD)
class Metric:
    """One number that a board publishes.

    `definition` and its `source` (section, table or equation; empty if ours). `table`: where it stands.
    `unit`: `share` (shown in per cent), `number` (two digits), `tenth` (one), `count`, `p` (a p-value:
    three digits, the least is "< .001"). `direction`: `up` or `down` is better, or empty. `chance`: by
    guessing. `interval`: `share` (Wilson, effective n of clusters), `statistic` (cluster bootstrap), `mean`
    (t, between clusters), `corrected` (with the corrector's error), or empty.
    """

    name: str
    label: str
    definition: str
    table: str
    unit: Unit = "share"
    direction: Direction = ""
    chance: float | None = None
    interval: Interval = ""
    source: str = ""

    @property
    def is_lower_better(self) -> bool:
        """Whether less of it is better."""
        return self.direction == "down"

    @property
    def arrow(self) -> str:
        """Which way is better, as a mark behind a heading; empty where neither is."""
        return {"up": "↑", "down": "↓"}.get(self.direction, "")

    @property
    def description(self) -> str:
        """The definition with its source in brackets."""
        return f"{self.definition} ({self.source})" if self.source else self.definition

    def text(self, value: float | None) -> str:
        """A value as printed: shares in per cent with one digit, numbers with two; a dash for nothing."""
        if value is None:
            return ABSENT
        shown = {
            "share": f"{100 * value:.1f}",
            "tenth": f"{value:.1f}",
            "count": f"{value:,.0f}".replace(",", "\u2009"),
            "p": "< .001" if value < 0.001 else f"{value:.3f}",
        }.get(self.unit, f"{value:.2f}")
        return shown.replace("-", "−")

    def facts(self) -> dict[str, object]:
        """The record as plain values, for JSON and CSV."""
        names = ("name", "label", "table", "unit", "direction", "chance", "interval", "definition", "source")
        return {name: getattr(self, name) for name in names}


def read_metrics(path: Path) -> tuple[Metric, ...]:
    """Return the records of a metrics.yaml in order (table → name → fields); TruerateError otherwise."""

    def build(tables: dict[str, dict[str, Any]]) -> tuple[Metric, ...]:
        records = [(table, *item) for table, by_name in tables.items() for item in by_name.items()]
        return tuple(Metric(name=name, table=table, **fields) for table, name, fields in records)

    return read_data(path, build)
