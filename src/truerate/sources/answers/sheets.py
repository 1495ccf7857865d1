"""Label files of every form as records of answers: JSON lines, filled sheets (CSV), exports of the labelling
page and of Label Studio.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from truerate.annotation.label_files import read_labels
from truerate.core.errors import SourceError
from truerate.core.lenient import exact
from truerate.sources.answers.forms import Source, records_of
from truerate.sources.answers.reading import yes_or_no

Record = dict[str, Any]
SHEET, LABEL_STUDIO = ".csv", ".json"
OF_REPEATS = ("run", "system")  # tell apart answers that have one id
VERDICT, SPANS, WEIGHT = "is_hallucinated", "spans", "weight"


def label_records(path: Source) -> tuple[list[tuple[int, Record]], list[str]]:
    """The records of a label file with their numbers from 1, and notes. Of a sheet, a page or Label Studio
    each has `id`, `weight` (1 over the chance to be drawn) and `is_hallucinated`, or `spans` where each
    answer that is hallucinated has some and no two people labelled one answer.

    Raises SourceError for what cannot be read.
    """
    form = Path(path).suffix.lower() if isinstance(path, str | PathLike) else ""
    if form != LABEL_STUDIO:
        records = [(number, _with_spans(record)) for number, record in records_of(path, "labels")]
        of_sheet = {"task_id", VERDICT} if form == SHEET else {"task_id"}
        if not any(of_sheet & record.keys() for _, record in records):
            return records, []
    else:
        records = []
        for number, row in read_labels(str(path)):
            if not isinstance(row, dict):
                raise SourceError(
                    f"reading the labels {str(path)!r}: row {number} is no label: {str(row)[:60]}"
                )
            records.append((number, row))
    records = [(number, _named(record)) for number, record in records]
    filled = [(number, record) for number, record in records if record.get(VERDICT) not in (None, "")]
    notes = []
    if len(filled) < len(records):
        notes.append(
            f"of {len(records)} drawn answers {len(records) - len(filled)} have no label: these are "
            "taken to be like the others"
        )
    return _as_verdicts(_of_one_kind(filled), notes), notes


def _with_spans(record: Record) -> Record:
    """A record whose spans stand in a cell as JSON with what they say; any other as it is."""
    try:
        return record | {SPANS: exact(record[SPANS])} if isinstance(record.get(SPANS), str) else record
    except (ValueError, RecursionError):
        return record


def _named(record: Record) -> Record:
    """A record under the names of labels of answers."""
    name = record.get("id") or record.get("task_id")
    return {
        "id": name,
        "annotator": record.get("annotator") or "",
        WEIGHT: record.get(WEIGHT),
        VERDICT: record.get(VERDICT),
        SPANS: record.get(SPANS) or [],
        **{name: record[name] for name in (*OF_REPEATS, "answer") if record.get(name)},
    }


def _of_one_kind(records: Sequence[tuple[int, Record]]) -> list[tuple[int, Record]]:
    """Records with spans where each answer that is hallucinated has some, else without any."""
    is_marked = [bool(record[SPANS]) for _, record in records if yes_or_no(record[VERDICT])]
    dropped = VERDICT if is_marked and all(is_marked) else SPANS
    return [
        (number, {key: value for key, value in record.items() if key != dropped})
        for number, record in records
    ]


def _as_verdicts(records: Sequence[tuple[int, Record]], notes: list[str]) -> list[tuple[int, Record]]:
    """The records as verdicts where several people labelled an answer, so that most of them decide (in
    `labels.with_labels`), else as they are. Adds a note on how far they agree.
    """
    by_id: dict[tuple, list[tuple[str, bool]]] = {}
    for _, record in records:
        is_wrong = bool(record[SPANS]) if SPANS in record else bool(yes_or_no(record[VERDICT]))
        key = tuple(str(record.get(name)) for name in ("id", *OF_REPEATS))
        by_id.setdefault(key, []).append((record["annotator"], is_wrong))
    several = [labels for labels in by_id.values() if len({annotator for annotator, _ in labels}) > 1]
    if not several:
        return list(records)
    n_agreed = sum(len({is_wrong for _, is_wrong in labels}) == 1 for labels in several)
    notes.append(
        f"labelled by several: {len(several)} answers, they agree on {n_agreed}; most decide, ties are not used"
    )
    return [(number, _as_verdict(record)) for number, record in records]


def _as_verdict(record: Record) -> Record:
    if SPANS not in record:
        return record
    rest = {name: value for name, value in record.items() if name != SPANS}
    return rest | {VERDICT: bool(record[SPANS])}
