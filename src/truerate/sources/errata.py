"""Errata: labels of a published set that a person corrects, each with its reason, applied when the set is
read.

A CSV file has the columns `id`, `label`, `reason`. An id is `SUBJECT/UNIT`: the system that wrote the reply,
and the unit as rows.parquet of a result has it. The published file stays as it is.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core.errors import SourceError
from truerate.core.schemas import pair, pairs, unpaired
from truerate.sources.tables import SourceTables

COLUMNS = ("id", "label", "reason")
LABELS = {"hallucinated": True, "not hallucinated": False}
# the attribute that holds the label as published, on every reply of a corrected set
UNCORRECTED = "rule_uncorrected"
N_SHOWN = 5  # faults of a file that its line names
MOST = 20_000_000  # bytes of a file


class Erratum(NamedTuple):
    """One corrected label: where it stands in its file, what it says now, and why."""

    line: int
    is_hallucinated: bool
    reason: str


def load_errata(path: Path) -> dict[str, Erratum]:
    """Return the corrected labels of a file by id, in its order.

    Raises SourceError that names the faults by their lines: columns other than COLUMNS, a label that is none
    of LABELS, an empty reason, an id twice or empty, no correction at all.
    """
    faults: list[str] = []
    errata: dict[str, Erratum] = {}
    for number, row in _rows(path):
        if fault := _fault(row, errata):
            faults.append(f"line {number}: {fault}")
        else:
            errata[row["id"]] = Erratum(number, LABELS[row["label"]], row["reason"])
    if not errata and not faults:
        faults = ["it holds no correction; write one, or take the file away"]
    _refuse(path, faults)
    return errata


def corrected(tables: SourceTables, errata: Mapping[str, Erratum], path: Path) -> SourceTables:
    """Return a source with its labels corrected. The published label stays as the attribute UNCORRECTED of
    every reply with an author, so that ranks with and without the errata stand side by side. Spans of a reply
    that is not hallucinated go; labels by other rules stay.

    Raises SourceError for an id of no reply or of several, and for a label that is the published one.
    """
    samples, published = tables.samples, tables.samples["is_hallucinated"].to_list()
    # the ids by which errata name replies; null for a text without an author
    unit = pl.coalesce(pair("attributes", "unit"), "item_id")
    names = samples.select(name=pl.concat_str("generator", pl.lit("/"), unit))["name"].to_list()
    indices: dict[str, list[int]] = {name: [] for name in errata}
    for index, name in enumerate(names):
        if name in errata:
            indices[name].append(index)
    faults = {name: _misplaced(name, erratum, indices[name], published) for name, erratum in errata.items()}
    _refuse(path, [f"line {errata[name].line}: {fault}" for name, fault in faults.items() if fault])
    labels = list(published)
    for name, erratum in errata.items():
        labels[indices[name][0]] = erratum.is_hallucinated
    note = (
        f"{path.parent.name}/{path.name} corrects {len(errata)} of {len(published)} labels and gives a "
        "reason for each; `rule=uncorrected` is the board with all labels as published."
    )
    before = tables.card.get("caveats") or list(filter(None, [tables.card.get("note")]))
    card = tables.card | {"caveats": [*before, note]}
    return replace(tables, samples=_with_labels(samples, labels), card=card)


def _with_labels(samples: pl.DataFrame, labels: list[bool]) -> pl.DataFrame:
    attributes = [
        pairs(**unpaired(before), **{UNCORRECTED: was}) if author else before
        for before, was, author in samples.select("attributes", "is_hallucinated", "generator").iter_rows()
    ]
    new = samples.with_columns(
        pl.Series("attributes", attributes, dtype=samples["attributes"].dtype),
        pl.Series("is_hallucinated", labels, dtype=pl.Boolean),
    )
    cleared = samples["is_hallucinated"] & ~new["is_hallucinated"]
    return new.with_columns(spans=pl.when(cleared).then(pl.col("spans").list.head(0)).otherwise("spans"))


def _misplaced(name: str, erratum: Erratum, rows: list[int], published: list[bool]) -> str | None:
    if not rows:
        form = "an id is SUBJECT/UNIT, as the page's list of suspects has it"
        return f"id {name[:80]!r} is of no reply of this set; {form}"
    if len(rows) > 1:
        return f"id {name[:80]!r} is of {len(rows)} replies; one that names a single reply is needed"
    if published[rows[0]] == erratum.is_hallucinated:
        label_name = next(label for label, value in LABELS.items() if value == erratum.is_hallucinated)
        return f"{name[:80]!r} is published as {label_name!r}, so there is nothing to correct"
    return None


def _fault(row: dict, errata: Mapping[str, Erratum]) -> str | None:
    if set(row) != set(COLUMNS) or None in row.values():
        return f"it has other cells than the header; allowed: {', '.join(COLUMNS)}"
    if not row["id"]:
        return "it has no id"
    if row["id"] in errata:
        return f"id {row['id'][:80]!r} stands there twice, first in line {errata[row['id']].line}"
    if row["label"] not in LABELS:
        return f"label {row['label'][:40]!r} is not known; allowed: {', '.join(LABELS)}"
    if not row["reason"]:
        return f"the correction of {row['id'][:80]!r} has no reason; say why the label is wrong"
    return None


def _rows(path: Path) -> Iterator[tuple[int, dict]]:
    """The rows of a file with the line at which each ends, cells without the blanks around them."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SourceError(f"errata {str(path)!r}: {error.strerror or error}") from None
    if len(raw) > MOST:
        _refuse(path, [f"it is larger than {MOST // 10**6} MB"])
    try:
        reader = csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline=""), strict=True)
        names = [(name or "").strip() for name in reader.fieldnames or ()]
        if sorted(names) != sorted(COLUMNS):
            _refuse(path, [f"its columns are {', '.join(names)[:80]!r}; allowed: {', '.join(COLUMNS)}"])
        reader.fieldnames = names
        for row in reader:
            cells = {key: cell.strip() if isinstance(cell, str) else cell for key, cell in row.items()}
            yield reader.line_num, cells
    except UnicodeDecodeError:
        _refuse(path, ["it is not UTF-8"])
    except csv.Error as error:
        _refuse(path, [f"it is no CSV: {error}"])


def _refuse(path: Path, faults: list[str]) -> None:
    """Raise SourceError where there are faults."""
    if faults:
        more = f"; and {len(faults) - N_SHOWN} more" if len(faults) > N_SHOWN else ""
        raise SourceError(f"{path.parent.name}/{path.name}: {'; '.join(faults[:N_SHOWN])}{more}")
