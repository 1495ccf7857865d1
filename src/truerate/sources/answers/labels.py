"""Labels of a person's own, in any plain form: of whole answers, or of the spans that are hallucinated."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl

from truerate.core.errors import SourceError, listed
from truerate.sources.answers.fields import COLUMNS
from truerate.sources.answers.forms import Record, Records, Source, at_line, named
from truerate.sources.answers.label_spans import as_spans, kinds_of, spans_in
from truerate.sources.answers.reading import (
    ALLOWED,
    Answer,
    id_of,
    name_of,
    shown,
    verdict_of,
    votes_of,
    weight_of,
)
from truerate.sources.answers.sheets import label_records
from truerate.sources.answers.table import AnswerTable, answers_of

NAMES = ("id", "run", "system", "is_hallucinated", "spans", "weight", "annotator")
LEAST_GAP = 0.25  # of the answers: what weights may miss before a line says so
TOLD_BY = ("run", "system", "answer")  # answers of one id
LABEL_NAMES = ("is_hallucinated", "hallucinated", "label")


def with_labels(table: AnswerTable, source: Source) -> AnswerTable:
    """Return the table with the labels of a file, by the id of their answer (with `run` or `system`, where
    several answers have it), in place of its own. Several labels of one answer vote. A line whose label is
    null is none. What spans' offsets count is read from the texts that they bring (`label_spans`).

    Raises SourceError as `read_table` does, and for ids that no answer has or several have, spans that leave
    their answer or hold another text than they say, and verdicts beside spans.
    """
    rows_of_file, notes = label_records(source)
    records = [(number, record) for number, record in rows_of_file if not _is_null(record)]
    if not records:
        raise SourceError(
            f'{named(source, "labels")}: it holds none; give {{"id": …, "is_hallucinated": true}} per line'
        )
    rows = _Rows(table, records)
    places = []
    for number, record in records:
        try:
            places.append(rows.row_of(record))
        except ValueError as error:
            raise at_line(source, "labels", number, error) from None
    labelled_rows = sorted(set(places))
    answers = dict(zip(labelled_rows, answers_of(table.frame[labelled_rows]), strict=True))
    kinds = kinds_of(
        (record.get("spans"), answers[row]) for (_, record), row in zip(records, places, strict=True)
    )
    votes: dict[int, list[float]] = {}
    spans: dict[int, list[dict[str, int]]] = {}
    weights: dict[int, float | None] = {}
    who: set[tuple[int, Any]] = set()
    has_spans: bool | None = None
    for (number, record), row in zip(records, places, strict=True):
        try:
            given = _spans_of(record, answers[row]._replace(id=table.frame["id"][row]), kinds)
            if given is not None:
                spans[row] = given
            if (row, record.get("annotator")) in who:
                raise ValueError(
                    f"id {table.frame['id'][row]!r} is labelled twice; name each 'annotator', or give one"
                )
            who.add((row, record.get("annotator")))
            votes.setdefault(row, []).extend([float(bool(given))] if given is not None else _votes_of(record))
            has_spans = given is not None if has_spans is None else has_spans
            if (given is not None) != has_spans:
                raise ValueError(
                    "'is_hallucinated' and 'spans' are mixed in the file; give one of them in all lines"
                )
            weights[row] = weight_of(record.get("weight"), "weight")
        except ValueError as error:
            raise at_line(source, "labels", number, error) from None
    n_missing = sum(weight is None for weight in weights.values())
    if 0 < n_missing < len(weights):
        raise SourceError(
            f"{named(source, 'labels')}: {n_missing} of {len(weights)} have no 'weight'; give it of all (1 over "
            "the chance to be drawn), or of none"
        )
    if not n_missing:
        notes.append("labels are weighted by 1 over each answer's chance to be drawn")
        stand_for = sum(weight for weight in weights.values() if weight is not None)
        if abs(stand_for - table.frame.height) > LEAST_GAP * table.frame.height:
            notes.append(
                f"by their weights labels stand for {stand_for:.0f} answers, not {table.frame.height}: are these all "
                "the sheets of the draw, and its answers?"
            )
    labelled = _labelled(table, votes, spans, weights)
    return replace(labelled, notes=[*labelled.notes, *notes])


def _labelled(
    table: AnswerTable,
    votes: Mapping[int, list[float]],
    spans: Mapping[int, list[dict[str, int]]],
    weights: Mapping[int, float | None],
) -> AnswerTable:
    shares = [float(np.mean(of_row)) for of_row in votes.values()]
    columns: dict[str, Any] = {
        "label": [None if share == 0.5 else share > 0.5 for share in shares],
        "spans": [spans.get(row) for row in votes],
        "n_labels": [len(of_row) for of_row in votes.values()],
        "weight": [weights[row] for row in votes],
    }
    n_ties = shares.count(0.5)
    notes = [f"labels on which people are divided evenly, not used: {n_ties}"] if n_ties else []
    labels = pl.DataFrame(
        {"row": list(votes)} | columns, schema={"row": pl.UInt32} | {name: COLUMNS[name] for name in columns}
    )
    rows = table.frame.drop(columns).with_row_index("row")
    frame = rows.join(labels, on="row", how="left", maintain_order="left")
    frame = frame.with_columns(pl.col("n_labels").fill_null(0)).select(table.frame.columns)
    return replace(table, frame=frame, notes=[*table.notes, *notes])


class _Rows:
    """The rows of a table that `records` label, by what a label says of its answer."""

    def __init__(self, table: AnswerTable, records: Records) -> None:
        answers = table.frame.select("id", *TOLD_BY).with_row_index("row")
        self.by_id: dict[str, list[int]] = {}
        self.values: dict[int, dict[str, Any]] = {}
        for answer in answers.filter(pl.col("id").is_in(list(_ids(records)))).iter_rows(named=True):
            self.by_id.setdefault(answer["id"], []).append(answer["row"])
            self.values[answer["row"]] = answer
        self._taken: set[tuple[int, Any]] = set()  # rows with who labelled them

    def row_of(self, record: Record) -> int:
        """The row that a line labels. Where a blind sheet names an answer whose text several systems gave to one
        question, it is one of them that this annotator has not labelled yet, each as likely (by a hash of the id):
        always the first of them would label one system more often where systems agree, which is where they are right.

        Raises ValueError for no answer, or several.
        """
        if record.get("id") is None:
            raise ValueError("it has no 'id'; a label names its answer")
        name = id_of(record["id"])
        if name not in self.by_id:
            raise ValueError(
                f"no answer has the id {name!r}; an id is that of the answers' file, or a line number"
            )
        rows = self.by_id[name]
        for field in ("run", "system"):
            if len(rows) > 1 and record.get(field) is not None:
                rows = [row for row in rows if self.values[row][field] == name_of(field, record[field])]
        if len(rows) > 1 and isinstance(record.get("answer"), str):  # a blind sheet names no system
            same = [row for row in rows if self.values[row]["answer"] == record["answer"]]
            rows = [row for row in same if (row, record.get("annotator")) not in self._taken]
            rows = [rows[crc32(name.encode()) % len(rows)]] if rows else same
        if len(rows) != 1:
            raise ValueError(f"{len(rows)} answers have the id {name!r}; name its 'run' or 'system' too")
        self._taken.add((rows[0], record.get("annotator")))
        return rows[0]


def _ids(records: Records) -> Iterator[str]:
    """The ids of lines that name an answer by one."""
    for _, record in records:
        with suppress(ValueError):
            yield id_of(record.get("id"))


def _is_null(record: Record) -> bool:
    """Return whether a line says of its answer that nobody labelled it."""
    values = [record[name] for name in (*LABEL_NAMES, "spans") if name in record]
    return bool(values) and all(value in (None, "") for value in values)


def _spans_of(record: Record, answer: Answer, kinds: frozenset[str]) -> list[dict[str, int]] | None:
    """The spans of a line; None of one that says whether. Raises ValueError for both or neither."""
    label = [name for name in LABEL_NAMES if record.get(name) is not None]
    has_spans = record.get("spans") is not None
    if bool(label) == has_spans:
        raise ValueError(
            "give either 'is_hallucinated' (true or false) or 'spans' ([] for none); "
            f"fields are {listed(NAMES)}"
        )
    return as_spans(spans_in(record["spans"], answer, kinds)) if has_spans else None


def _votes_of(record: Record) -> list[float]:
    name = next(name for name in LABEL_NAMES if record.get(name) is not None)
    value = record[name]
    try:
        if name == "label" and verdict_of(value) in (0.0, 1.0) and str(value).strip().lower() in ("0", "1"):
            raise ValueError("0 or 1 without a name; call the field 'is_hallucinated', 1 for hallucinated")
        if votes := votes_of(value):
            return votes
        raise ValueError(f"{shown(value)}; allowed: {ALLOWED}")
    except ValueError as error:
        raise ValueError(f"{name!r} is {error}") from None
