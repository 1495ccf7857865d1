"""Files of labels as people return them: JSONL, CSV with a header, or Label Studio's JSON export, as rows
that a track then checks.

A row names its task (`task_id`), its annotator, and the marked spans; what else it must say is the track's
own.
"""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import polars as pl

from truerate.core.errors import SourceError
from truerate.core.lenient import exact
from truerate.core.regular import check_regular
from truerate.core.schemas import reject_row
from truerate.core.text import clean

FORMATS = "JSONL, CSV or Label Studio's JSON export"
KINDS = ("jsonl", "csv", "json")


class OfTask(Protocol):
    """A label of any track: it names the task that it answers."""

    @property
    def task_id(self) -> str:
        """The task's id in tasks.jsonl."""


Label = TypeVar("Label", bound=OfTask)
LeftOut = tuple[str, str, str]  # reason, detail, text


class BadLabel(Exception):
    """A label row that does not hold: its reason and what is wrong."""

    def __init__(self, reason: str, detail: str):
        super().__init__(detail)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True)
class Labelled:
    """What a track derives from label files: gold samples, labels as judgements, rejects, agreement."""

    samples: pl.DataFrame
    judgements: pl.DataFrame
    rejects: pl.DataFrame
    scores: pl.DataFrame


def read_labels(path: str | Path) -> list[tuple[int, object]]:
    """The rows of a label file with their numbers from 1: JSONL, CSV with a header whose `spans` column holds
    JSON, or Label Studio JSON.

    A line that is no JSON comes back as its text, for the track to book. TruerateError where the file cannot
    be read.
    """
    path = Path(path)
    try:
        check_regular(path, "labels")
        text = path.read_bytes().decode("utf-8-sig")
        if path.suffix.lower() == ".csv":
            return [
                (number, _csv_row(row))
                for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), start=1)
            ]
    except OSError as error:
        raise SourceError(
            f"reading labels {str(path)!r}: {error.strerror}; put the annotators' file there ({FORMATS})"
        ) from None
    except UnicodeDecodeError as error:
        raise SourceError(
            f"reading labels {str(path)!r}: not UTF-8 at byte {error.start}; save it as UTF-8"
        ) from None
    except csv.Error as error:
        raise SourceError(
            f"reading labels {str(path)!r}: not CSV: {error}; put the annotators' file there ({FORMATS})"
        ) from None
    if path.suffix.lower() == ".json":
        return list(enumerate(_label_studio(_json(text), path), start=1))
    return [(number, _json(line)) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]


def _json(line: str) -> object:
    try:
        return exact(line)
    except (ValueError, RecursionError):
        return line


def _csv_row(row: dict) -> dict | str:
    if None in row:
        return str(row)  # more cells than the header: which of them belongs where is not known
    spans = (row.get("spans") or "").strip()
    return {**row, "spans": _json(spans) if spans else []}


# ---- Label Studio ------------------------------------------------------------------------------------------


def _label_studio(tasks: object, path: Path) -> list[object]:
    """A row per annotation that was not cancelled; the task's id is `data.task_id`."""
    if not isinstance(tasks, list):
        raise SourceError(
            f"reading labels {str(path)!r}: not a list of tasks; export the project from Label Studio as JSON"
        )
    rows: list[object] = []
    for task in tasks:
        if not isinstance(task, dict) or not isinstance(task.get("annotations"), list):
            rows.append(str(task)[:300])
            continue
        given = [
            annotation
            for annotation in task["annotations"]
            if not (isinstance(annotation, dict) and annotation.get("was_cancelled"))
        ]
        rows += [_annotation(task, annotation) for annotation in given]
    return rows


def _annotation(task: dict, annotation: object) -> object:
    if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
        return str(annotation)[:300]
    row: dict = {
        "task_id": (task.get("data") or {}).get("task_id"),
        "annotator": _who(annotation.get("completed_by")),
        "spans": [],
    }
    for part in annotation["result"]:
        value = part.get("value") if isinstance(part, dict) else None
        if not isinstance(value, dict):
            return str(annotation)[:300]
        if isinstance(value.get("labels"), list):
            position = {name: value.get(name) for name in ("start", "end", "text")}
            row["spans"] += [{**position, "type": name} for name in value["labels"]]
        elif "rating" in value:
            row[str(part.get("from_name"))] = value["rating"]
        elif isinstance(value.get("choices"), list) and value["choices"]:
            row[str(part.get("from_name"))] = value["choices"][0]
    return row


def _who(completed_by: object) -> str | None:
    """The annotator's name: the address, else the number that Label Studio gives."""
    if isinstance(completed_by, dict):
        completed_by = completed_by.get("email") or completed_by.get("id")
    return None if completed_by is None else str(completed_by)


# ---- checking ----------------------------------------------------------------------------------------------


def checked_rows(
    rows: Iterable[tuple],
    read: Callable[[object], tuple[Label, list[LeftOut]]],
    *,
    where: str,
    on_bad_row: str,
) -> tuple[list[Label], list[dict]]:
    """The labels that `read` makes of the rows, and Reject rows. A bad row ends the run (`stop`) or is booked
    with its reason (`reject`).

    Rows are (number, row), or (number, row, file) where they come from more than one; `where` names the file
    of the others. `read` raises BadLabel, or gives a label (with a `task_id`) and what of it was left out as
    (reason, detail, text): booked, its label stays.
    """
    labels, rejects = [], []
    for number, row, *files in rows:
        file = files[0] if files else where
        try:
            label, left_out = read(row)
        except BadLabel as bad:
            if on_bad_row == "stop":
                raise SourceError(
                    f"labels {file!r} row {number}: {bad.detail}; correct it or set on_bad_row: reject"
                ) from None
            rejects.append(reject(file, bad.reason, bad.detail, row=number, text=str(row)))
            continue
        labels.append(label)
        rejects.extend(
            reject(file, reason, detail, row=number, target=label.task_id, text=text)
            for reason, detail, text in left_out
        )
    return labels, rejects


def field_text(row: dict, name: str) -> str:
    """A field of a row as trimmed text; BadLabel where it is missing or empty."""
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadLabel("missing_field", f"field {name!r} is missing or empty")
    return clean(value).strip()


def reject(
    where: str, reason: str, detail: str, *, row: int | None = None, target: str | None = None, text: str = ""
) -> dict:
    """A Reject row."""
    return reject_row(
        where=where, row=row, target_id=target, reason=reason, detail=detail, text=clean(text)[:300]
    )


def marked_by_most(marked: Sequence[Iterable[tuple[int, int]]]) -> list[tuple[int, int, float]]:
    """The runs of characters that more than half of the labellers marked, by the places that each of them
    marked: start, end, and the share of labellers that marked the run's least marked character, in (.5, 1].
    """
    marks: Counter[int] = Counter()
    for places in marked:
        marks.update({place for start, end in places for place in range(start, end)})
    runs: list[list[int]] = []
    for place in sorted(place for place, n in marks.items() if 2 * n > len(marked)):
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return [(run[0], run[-1] + 1, min(marks[place] for place in run) / len(marked)) for run in runs]
