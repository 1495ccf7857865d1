"""Labels of a person's own, as JSON lines: of whole answers, or of the spans that are hallucinated."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerate.answers.fields import Record
from truerate.answers.files import at_line
from truerate.answers.reading import Answer, AnswerFile, id_of, shown, yes_or_no
from truerate.answers.sheets import label_records
from truerate.core.errors import SourceError, listed
from truerate.core.spans.span_offsets import CODE_POINTS, KINDS, Bounds, bounds_by_kind, offsets_of
from truerate.core.text import find_span

NAMES = ("id", "is_hallucinated", "spans", "weight")
VERDICTS = {
    **dict.fromkeys(("hallucinated", "hallucination", "unfaithful", "unsupported"), True),
    **dict.fromkeys(("faithful", "not hallucinated", "not_hallucinated", "supported", "sound"), False),
}
ALLOWED = "true, false, 0, 1, yes, no, hallucinated, faithful"


@dataclass(frozen=True)
class Label:
    """A person's label of one answer: a boolean, or spans (start, end) in code points, half-open; `weight`: 1
    over the chance that the answer had to be drawn, None where all had the same.
    """

    is_hallucinated: bool | None
    spans: tuple[Bounds, ...] | None
    weight: float | None = None


def read_labels(path: str | Path, file: AnswerFile, notes: list[str] | None = None) -> dict[str, Label]:
    """Labels by the id of their answer, all of one kind; a line whose label is null is none. What spans'
    offsets count is read from the texts that they bring (`span_offsets`), for the file as a whole.
    What is to be said of the labels (`sheets.label_records`) is added to `notes`.

    Raises SourceError as `read_answers` does, and for ids that no answer has, spans that leave their answer
    or hold another text than they say, and verdicts beside spans.
    """
    answers = {answer.id: answer for answer in file.answers}
    rows, more = label_records(path)
    records = [(number, record) for number, record in rows if not _is_null(record)]
    kinds = _kinds(records, answers)
    labels: dict[str, Label] = {}
    for number, record in records:
        try:
            name = _answer_of(record, answers, file.names)
            if name in labels:
                raise ValueError(f"id {name!r} is labelled twice; give one label for an answer")
            labels[name] = _label(record, answers[name], kinds)
            if (labels[name].spans is None) != (next(iter(labels.values())).spans is None):
                raise ValueError(
                    "'is_hallucinated' and 'spans' are mixed in the file; give one of them in all lines"
                )
        except ValueError as error:
            raise at_line(path, "labels", number, error) from None
    if not labels:
        raise SourceError(
            f'reading the labels {str(path)!r}: it holds none; give {{"id": …, "is_hallucinated": true}} '
            "per line"
        )
    weighted = [label.weight is not None for label in labels.values()]
    if any(weighted) and not all(weighted):
        raise SourceError(
            f"reading the labels {str(path)!r}: {weighted.count(False)} of {len(labels)} have no 'weight'; give it of "
            "all (1 over the chance to be drawn), or of none"
        )
    if notes is not None:
        notes += more
        if all(weighted):
            notes.append("labels are weighted by 1 over each answer's chance to be drawn")
    return labels


def _is_null(record: Record) -> bool:
    """Return whether a line says of its answer that nobody labelled it."""
    values = [record[name] for name in NAMES[1:3] if name in record]
    return bool(values) and all(value is None for value in values)


def _answer_of(record: Record, answers: Mapping[str, Answer], names: frozenset[str]) -> str:
    """The id that a line labels. Raises ValueError for no answer or an unknown field."""
    if unknown := [key for key in record if key not in NAMES and key not in names]:
        raise ValueError(f"field {unknown[0]!r} is not known; allowed: {listed(NAMES)}")
    if record.get("id") is None:
        raise ValueError("it has no 'id'; a label names its answer")
    name = id_of(record["id"])
    if name not in answers:
        raise ValueError(
            f"no answer has the id {name!r}; an id is that of the answers' file, or a line number"
        )
    if ("is_hallucinated" in record) == ("spans" in record):
        raise ValueError("give either 'is_hallucinated' (true or false) or 'spans' ([] for none)")
    return name


def _label(record: Record, answer: Answer, kinds: frozenset[str]) -> Label:
    if "spans" in record:
        spans = _list(record["spans"])
        spans_in_text = {bounds for span in spans if (bounds := _bounds(span, answer, kinds)) is not None}
        return Label(None, tuple(sorted(spans_in_text)), _weight(record))
    value = record["is_hallucinated"]
    verdict = yes_or_no(value)
    verdict = VERDICTS.get(str(value).strip().lower()) if verdict is None else verdict
    if verdict is None:
        raise ValueError(f"'is_hallucinated' is {shown(value)}; allowed: {ALLOWED}")
    return Label(verdict, None, _weight(record))


def _weight(record: Record) -> float | None:
    """The weight of a label. Raises ValueError for another value than a number from 1."""
    value = record.get("weight")
    if value is None or value == "":
        return None
    try:
        weight = float(value)
    except (TypeError, ValueError):
        weight = math.nan
    if not 1 <= weight < math.inf:
        raise ValueError(
            f"'weight' is {shown(value)}; allowed: a number from 1, 1 over the chance to be drawn"
        )
    return weight


# ---- spans -------------------------------------------------------------------------------------------------


def _list(value: object) -> Sequence[Mapping[str, Any]]:
    """The spans of a line, each an object."""
    if not isinstance(value, list):
        raise ValueError(f'\'spans\' is {shown(value)}; allowed: a list of {{"start": …, "end": …}}')
    return [
        dict(zip(("start", "end"), span, strict=True)) if isinstance(span, list) and len(span) == 2 else span
        for span in value
    ]


def _kinds(records: Sequence[tuple[int, Record]], answers: Mapping[str, Answer]) -> frozenset[str]:
    """The units that a file's offsets may count: those in which every span with a text holds it."""
    kinds = frozenset(KINDS)
    for _, record in records:
        answer = answers.get(str(record.get("id")))
        spans = record.get("spans")
        for span in spans if answer is not None and isinstance(spans, list) else ():
            if isinstance(span, dict) and isinstance(span.get("text"), str) and answer is not None:
                kinds &= frozenset(bounds_by_kind(span, _written(answer))) or kinds
    return kinds


def _written(answer: Answer) -> str:
    return answer.text if answer.written is None else answer.written


def _bounds(span: Any, answer: Answer, kinds: frozenset[str]) -> Bounds | None:
    """Return where a span stands in an answer's text; None if that part was cut off. Raises ValueError."""
    if not isinstance(span, dict) or (offsets_of(span) is None and not _has_text_alone(span)):
        raise ValueError(f'span {shown(span)} is none; allowed: {{"start": 0, "end": 5}} or [0, 5]')
    if offsets_of(span) is None:
        return _only_bounds(span["text"], answer)
    written, quoted = _written(answer), span.get("text")
    by_kind = bounds_by_kind(span, written)
    fitting = {by_kind[kind] for kind in by_kind if kind in kinds} or set(by_kind.values())
    if quoted is None:  # as the others of the file count, else code points
        counted = (
            CODE_POINTS
            if CODE_POINTS in kinds or not kinds
            else next(kind for kind in KINDS if kind in kinds)
        )
        fitting = {by_kind[counted]} if counted in by_kind else set()
    start, end = offsets_of(span)  # type: ignore[misc]
    if not fitting and quoted is None:
        raise ValueError(f"span {start}–{end} leaves its answer of {len(written)} characters, or is empty")
    if not fitting:
        raise ValueError(
            f"span {start}–{end} of answer {answer.id!r} does not contain its text {quoted!r}, by whatever "
            "offsets count: "
            f"{', '.join(KINDS)}"
        )
    if len(fitting) > 1:
        raise ValueError(
            f"span {start}–{end} of answer {answer.id!r} may stand in two places; count all spans alike"
        )
    return _in_text(fitting.pop(), answer)


def _only_bounds(text: str, answer: Answer) -> Bounds:
    """Return where a text stands in an answer, as it does once. Raises ValueError where it does not."""
    bounds = find_span(answer.text, text)
    if bounds is None or answer.text.find(text, bounds[0] + 1) >= 0:
        raise ValueError(f"span {text!r} does not stand once in answer {answer.id!r}; give 'start' and 'end'")
    return bounds


def _has_text_alone(span: Mapping[str, Any]) -> bool:
    return (
        span.get("start") is None
        and span.get("end") is None
        and isinstance(span.get("text"), str)
        and span["text"] != ""
    )


def _in_text(bounds: Bounds, answer: Answer) -> Bounds | None:
    """A place in the answer as written, in its text; None where it lies in what was cut off."""
    if answer.written is None:
        return bounds
    first = answer.written.find(answer.text)
    if first < 0:
        raise ValueError(
            f"answer {answer.id!r} was cut within (thought, special tokens): give it without these"
        )
    start, end = max(bounds[0] - first, 0), min(bounds[1] - first, len(answer.text))
    return (start, end) if start < end else None
