"""What of a paper's tables and figures the boards of its track make: the records of a track's paper.yaml."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass

from truerate.core.data_files import RECORD, read_data

Text = Annotated[str, Field(min_length=1)]
ANY = "*"  # every value that the board has
Where = Literal["", "topics", "how-its-texts-are-made", "samples", "models"]


class Wanted(NamedTuple):
    """A cell that a paper's table has: a subject's value of a metric under these values of its slice, None
    where the board lacks it.
    """

    subject: str
    metric: str
    slice: dict[str, str]
    row: Mapping[str, Any] | None


@dataclass(frozen=True, config=RECORD)
class Cells:
    """The cells of some metrics: one for each combination of the values that `slice` lists; `*` stands for
    every value that occurs on the board. `subjects`: of these alone, such as an analysis by its name.
    """

    metrics: Annotated[tuple[str, ...], Field(min_length=1)]
    subjects: tuple[str, ...] = ()
    slice: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def wanted(self, rows: Iterable[Mapping[str, Any]]) -> list[Wanted]:
        """Return the cells of each subject that has one of them; of its models alone where any has.

        `rows`: of a leaderboard, the slice as a mapping. A row of more keys than `slice` has stands for its
        cell too; one without a value, or over nothing (`n` 0), does not.
        """
        measured = [row for row in rows if row["kind"] in ("model", "baseline")]
        return [cell for metric in self.metrics for cell in self._wanted_of(metric, measured)]

    def _wanted_of(self, metric: str, rows: Sequence[Mapping[str, Any]]) -> list[Wanted]:
        rows = [row for row in rows if row["metric"] == metric and self._takes(row)]
        rows = [row for row in rows if row["kind"] == "model"] or rows
        values = [
            sorted({row["slice"][key] for row in rows}) if listed == (ANY,) else listed
            for key, listed in self.slice.items()
        ]
        filled = [row for row in rows if row["value"] is not None and row["n"] > 0]
        by_cell = {
            (row["subject"], *(row["slice"][key] for key in self.slice)): row for row in reversed(filled)
        }
        return [
            Wanted(subject, metric, dict(zip(self.slice, cell, strict=True)), by_cell.get((subject, *cell)))
            for subject in dict.fromkeys(row["subject"] for row in rows)
            for cell in product(*values)
        ]

    def _takes(self, row: Mapping[str, Any]) -> bool:
        where = row["slice"]
        return row["subject"] in (self.subjects or (row["subject"],)) and all(
            key in where and (listed == (ANY,) or where[key] in listed) for key, listed in self.slice.items()
        )


@dataclass(frozen=True, config=RECORD)
class PaperTable:
    """A table or figure of a paper: `what` it shows, and what of it a board makes.

    `cells`: numbers of the board, and the `sections` of its page that show them, by their headings. `shown`:
    the part of the board's page, or the page of samples or models, that shows it otherwise. `needs`: what a
    board must have for it, said where the board lacks it. `reason`: why public data and endpoints do not
    allow it, or in what it differs; it stands alone where nothing of it is made.
    """

    name: Text
    what: Text
    cells: tuple[Cells, ...] = ()
    sections: tuple[str, ...] = ()
    shown: Where = ""
    needs: str = ""
    reason: str = ""

    @model_validator(mode="after")
    def _is_made_or_says_why(self) -> Self:
        if not (self.cells or self.shown or self.reason):
            raise ValueError(f"{self.name} must have `cells`, `shown` or a `reason`")
        return self


def read_paper(path: Path) -> tuple[PaperTable, ...]:
    """Return the records of a paper.yaml, a mapping of names to their fields, in order; none where there is no
    such file. Raises TruerateError where it does not hold.
    """

    def build(tables: dict[str, dict[str, Any]]) -> tuple[PaperTable, ...]:
        return tuple(PaperTable(**table | {"name": name, **_tuples(table)}) for name, table in tables.items())

    return read_data(path, build) if path.is_file() else ()


def _tuples(table: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {"cells": tuple(map(_cells, table.get("cells", ()))), "sections": tuple(table.get("sections", ()))}


def _cells(values: Mapping[str, Any]) -> Cells:
    slices = {key: _listed(value) for key, value in values.get("slice", {}).items()}
    return Cells(
        **{
            **values,
            "metrics": _listed(values["metrics"]),
            "slice": slices,
            "subjects": tuple(values.get("subjects", ())),
        }
    )


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)
