"""Label files of every form as records of answers: JSON lines, filled sheets (CSV), exports of the labelling
page and of Label Studio.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from truerate.annotation.label_files import read_labels
from truerate.core.errors import SourceError
from truerate.sources.answers.forms import Source, records_of
from truerate.sources.answers.reading import yes_or_no

Record = dict[str, Any]
FORMS = (".csv", ".json")
OF_REPEATS = ("run", "system")  # tell apart answers that have one id
VERDICT, SPANS, WEIGHT = "is_hallucinated", "spans", "weight"


def label_records(path: Source) -> tuple[list[tuple[int, Record]], list[str]]:
    """The records of a label file with their numbers from 1, and notes. Of a sheet, a page or Label Studio
    each has `id`, `weight` (1 over the chance to be drawn) and `is_hallucinated`, or `spans` where each
    answer that is hallucinated has some; one record an answer, by majority where several labelled it.

    Raises SourceError for what cannot be read.
    """
    if not isinstance(path, str | PathLike) or Path(path).suffix.lower() not in FORMS:
        records = records_of(path, "labels")
        if not any("task_id" in record for _, record in records):
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
    return _voted(_of_one_kind(filled), notes), notes


def _named(record: Record) -> Record:
    """A record under the names of labels of answers."""
    name = record.get("id") or record.get("task_id")
    return {
        "id": name,
        "annotator": record.get("annotator") or "",
        WEIGHT: record.get(WEIGHT),
        VERDICT: record.get(VERDICT),
        SPANS: record.get(SPANS) or [],
        **{name: record[name] for name in OF_REPEATS if record.get(name)},
    }


def _of_one_kind(records: Sequence[tuple[int, Record]]) -> list[tuple[int, Record]]:
    """Records with spans where each answer that is hallucinated has some, else without any."""
    is_marked = [bool(record[SPANS]) for _, record in records if yes_or_no(record[VERDICT])]
    dropped = VERDICT if is_marked and all(is_marked) else SPANS
    return [
        (number, {key: value for key, value in record.items() if key != dropped})
        for number, record in records
    ]


def _voted(records: Sequence[tuple[int, Record]], notes: list[str]) -> list[tuple[int, Record]]:
    """A record per answer: the verdict of most of those who labelled it; none at a tie. Adds notes."""
    by_id: dict[tuple, list[tuple[int, Record]]] = {}
    for number, record in records:
        by_id.setdefault(tuple(str(record.get(name)) for name in ("id", *OF_REPEATS)), []).append(
            (number, record)
        )
    several = [group for group in by_id.values() if len({record["annotator"] for _, record in group}) > 1]
    n_agreed = 0
    voted = []
    for group in by_id.values():
        number, record = group[0]
        if group not in several:  # labelled once, or twice by one person, which is refused later
            voted += group
            continue
        verdicts = [
            bool(label[SPANS]) if SPANS in label else bool(yes_or_no(label[VERDICT])) for _, label in group
        ]
        n_agreed += len(set(verdicts)) == 1
        if 2 * sum(verdicts) != len(verdicts):
            voted.append(
                (
                    number,
                    {"id": record["id"], WEIGHT: record[WEIGHT], VERDICT: 2 * sum(verdicts) > len(verdicts)},
                )
            )
    if several:
        notes.append(
            f"labelled by several: {len(several)} answers, they agree on {n_agreed}; most decide, ties are not used"
        )
        voted = [(number, _as_verdict(record)) for number, record in voted]
    return [
        (number, {key: value for key, value in record.items() if key != "annotator"})
        for number, record in voted
    ]


def _as_verdict(record: Record) -> Record:
    if SPANS not in record:
        return record
    return {"id": record["id"], WEIGHT: record[WEIGHT], VERDICT: bool(record[SPANS])}
