"""Files of labels as people return them: JSONL, CSV with a header, or Label Studio's JSON export, as rows
that `annotation.labels` checks. A row names its task (`task_id`), its annotator, and the marked spans; what
else it must say is up to the track.
"""

import csv
import io
from pathlib import Path
from typing import Any

from truerate.core.errors import SourceError
from truerate.core.lenient import exact
from truerate.core.process.system_errors import check_regular

FORMATS = "JSONL, CSV or Label Studio's JSON export"
KINDS = ("jsonl", "csv", "json")


def read_labels(path: str | Path) -> list[tuple[int, object]]:
    """Return the rows of a label file with their numbers from 1. A line that is no JSON comes back as its
    text, for the track to book. Raises SourceError where the file cannot be read.
    """
    path = Path(path)

    def unreadable(what: str) -> SourceError:
        return SourceError(f"reading labels {str(path)!r}: {what}")

    try:
        check_regular(path, "labels")
        text = path.read_bytes().decode("utf-8-sig")
        if path.suffix.lower() == ".csv":
            rows = csv.DictReader(io.StringIO(text, newline=""))
            return [(number, _csv_row(row)) for number, row in enumerate(rows, start=1)]
    except OSError as error:
        raise unreadable(f"{error.strerror}; put the annotators' file there ({FORMATS})") from None
    except UnicodeDecodeError as error:
        raise unreadable(f"not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except csv.Error as error:
        raise unreadable(f"not CSV: {error}; put the annotators' file there ({FORMATS})") from None
    if path.suffix.lower() == ".json":
        tasks = _json(text)
        if not isinstance(tasks, list):
            raise unreadable("not a list of tasks; export the project from Label Studio as JSON")
        return list(enumerate(_label_studio(tasks), start=1))
    return [(number, _json(line)) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]


def _json(line: str) -> object:
    try:
        return exact(line)
    except (ValueError, RecursionError):
        return line


def _csv_row(row: dict[Any, Any]) -> dict[str, Any] | str:
    if None in row:
        return str(row)  # more cells than the header: which of them belongs where is not known
    spans = (row.get("spans") or "").strip()
    return {**row, "spans": _json(spans) if spans else []}


# ---- Label Studio ------------------------------------------------------------------------------------------


def _label_studio(tasks: list[object]) -> list[object]:
    """A row per annotation that was not cancelled; the task's id is `data.task_id`."""
    rows: list[object] = []
    for task in tasks:
        if (
            not isinstance(task, dict)
            or not isinstance(task.get("annotations"), list)
            or not isinstance(task.get("data") or {}, dict)
        ):
            rows.append(str(task)[:300])
            continue
        for annotation in task["annotations"]:
            if not (isinstance(annotation, dict) and annotation.get("was_cancelled")):
                rows.append(_annotation(task, annotation))
    return rows


def _annotation(task: dict[str, Any], annotation: object) -> object:
    if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
        return str(annotation)[:300]
    data = task.get("data") or {}
    row: dict[str, Any] = {
        "task_id": data.get("task_id"),
        "annotator": _who(annotation.get("completed_by")),
        "spans": [],
    }
    if "weight" in data:
        row["weight"] = data["weight"]
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
