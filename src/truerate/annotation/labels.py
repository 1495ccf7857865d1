"""Labels of people: which rows of a label file hold, and the rows of tables that a label becomes. A track
says how one row is read (`checked_labels(read=...)`); whose label it is, which task it answers, and what is
rejected are the same for all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import polars as pl

from truerate.core.errors import SourceError
from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, Reject, Sample, Score, frame, judgement_row, pairs, reject_row
from truerate.core.spans.span_offsets import span_place
from truerate.core.text import clean

N_SHOWN = 300  # characters of a rejected text that its Reject row holds
UNTYPED = "unspecified"  # the type of a span where labels name none
# Why a row of any track is not used: it stops a run unless params say `on_bad_row: reject`.
BAD_ROWS = ("unreadable", "missing_field", "unknown_task", "duplicate")

Task = TypeVar("Task")
LeftOut = tuple[str, str, str]  # reason, detail, text


class BadLabel(Exception):
    """A label row that does not hold: its reason and what is wrong."""

    def __init__(self, reason: str, detail: str):
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class Span(NamedTuple):
    """A marked part of a text, by half-open code points, and the type of its hallucination."""

    start: int
    end: int
    type: str = UNTYPED


@dataclass(frozen=True)
class Label:
    """The answer of one annotator to one task: `value` (whether the text is hallucinated, or what else is
    asked), the marked spans, a rating of the whole beside them, and one of each span where labels rate spans.
    """

    task_id: str
    annotator: str
    value: Any
    spans: tuple[Span, ...] = ()
    kind: str = ""  # of the task, where a track has several
    rating: int | None = None
    ratings: tuple[int | None, ...] = ()  # of the spans, in their order; empty where none is rated


@dataclass(frozen=True)
class Labelled:
    """The tables made of a board's label files: gold samples, every label as a judgement, rows that are not
    used, agreement.
    """

    samples: pl.DataFrame
    judgements: pl.DataFrame
    rejects: pl.DataFrame
    scores: pl.DataFrame

    @classmethod
    def of_rows(
        cls,
        samples: list[dict[str, Any]],
        judgements: list[dict[str, Any]],
        rejects: list[dict[str, Any]],
        scores: list[dict[str, Any]],
    ) -> "Labelled":
        """Return the tables of rows; samples and judgements by their ids."""
        return cls(
            frame(Sample, samples).sort("sample_id"),
            frame(Judgement, judgements).sort("judgement_id"),
            frame(Reject, rejects),
            frame(Score, scores),
        )


# ---- reading -----------------------------------------------------------------------------------------------


def checked_labels(
    rows: Iterable[tuple[Any, ...]],
    tasks: Mapping[str, Task],
    read: Callable[[dict[str, Any], Task], tuple[dict[str, Any], Sequence[LeftOut]]],
    *,
    where: str,
    on_bad_row: str,
) -> tuple[list[Label], list[dict[str, Any]]]:
    """Return the labels that hold, and Reject rows. A bad row ends the run (`stop`) or is rejected with its
    reason.

    Rows are (number, row), or (number, row, file) where they come from several; `where` names the file of the
    others. `read` gives the fields of a Label that a row holds of its task, and which of its parts are left
    out as (reason, detail, text): these are rejected, the label stays. It raises BadLabel where the row does
    not hold.
    """
    labels: list[Label] = []
    rejects: list[dict[str, Any]] = []
    answered: set[tuple[str, str]] = set()
    for number, row, *files in rows:
        file = files[0] if files else where
        try:
            task_id, annotator = _names(row, tasks, answered)
            fields, left_out = read(row, tasks[task_id])
        except BadLabel as bad:
            if on_bad_row == "stop":
                raise SourceError(
                    f"labels {file!r} row {number}: {bad.detail}; correct it or set on_bad_row: reject"
                ) from None
            rejects.append(reject(bad.reason, bad.detail, where=file, row=number, text=str(row)))
            continue
        answered.add((task_id, annotator))
        labels.append(Label(task_id, annotator, **fields))
        rejects += [
            reject(reason, detail, where=file, row=number, target=task_id, text=text)
            for reason, detail, text in left_out
        ]
    return labels, rejects


def _names(row: object, tasks: Mapping[str, Any], answered: set[tuple[str, str]]) -> tuple[str, str]:
    """The task and the annotator (or `labeller`) of a row."""
    if not isinstance(row, dict):
        raise BadLabel("unreadable", "the row is no JSON object, or has more cells than the header")
    task_id = field_text(row, "task_id")
    annotator = field_text(row, "labeller" if row.get("labeller") else "annotator")
    if task_id not in tasks:
        raise BadLabel("unknown_task", f"task_id {task_id!r} is not among the tasks that were given out")
    if (task_id, annotator) in answered:
        raise BadLabel("duplicate", f"annotator {annotator!r} has already labelled task {task_id!r}")
    return task_id, annotator


def field_text(row: Mapping[str, Any], name: str) -> str:
    """Return a field of a row as trimmed text; raises BadLabel where it is missing or empty."""
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadLabel("missing_field", f"field {name!r} is missing or empty")
    return clean(value).strip()


def yes_or_no(row: Mapping[str, Any], name: str, words: Mapping[str, bool] | None = None) -> bool:
    """Return whether a field says yes (or one of `words` for it); raises BadLabel for any other."""
    answer = field_text(row, name).lower()
    allowed = {"yes": True, "no": False, **(words or {})}
    if answer not in allowed:
        raise BadLabel("bad_verdict", f"{name} is {answer[:40]!r}; allowed: yes, no")
    return allowed[answer]


def located_spans(
    marked: object, text: str, types: Sequence[str] = (), *, bad_type: str = "bad_spans"
) -> Iterator[tuple[Span | None, dict[str, Any]]]:
    """Yield each marked span as it stands in the text, or None where it is not part of it, and the record it
    is read from. Raises BadLabel where spans are no list of objects, or one has none of the `types`.
    """
    if not isinstance(marked, list) or not all(isinstance(record, dict) for record in marked):
        with_type = " and `type`" if types else ""
        raise BadLabel(
            "bad_spans", f"spans must be a list of objects with `start` and `end` (or `text`){with_type}"
        )
    for record in marked:
        kind = record.get("type") if types else UNTYPED
        if kind not in (types or (UNTYPED,)):
            raise BadLabel(bad_type, f"span type is {str(kind)[:40]!r}; allowed: {', '.join(types)}")
        bounds = span_place(record, text)
        yield None if bounds is None else Span(*bounds, kind), record


def verbatim_spans(
    marked: object, text: str, types: Sequence[str] = (), *, is_yes: bool
) -> tuple[tuple[Span, ...], list[LeftOut]]:
    """Return the spans of a row by their place, each once, and those left out: all of them where the row does
    not say yes, and those that are not part of the text.
    """
    spans: set[Span] = set()
    left_out: list[LeftOut] = []
    for span, record in located_spans(marked, text, types):
        shown = str(record.get("text") or "")
        if not is_yes:
            left_out.append(("span_of_no", "a span on a text that is labelled no", shown))
        elif span is None:
            left_out.append(("span_not_verbatim", "the span is not a part of the response", shown))
        else:
            spans.add(span)
    return tuple(sorted(spans)), left_out


# ---- rows of tables ----------------------------------------------------------------------------------------


def judgement_of(
    label: Label, verdict: bool | None, attributes: Mapping[str, object], *, target: str | None = None
) -> dict[str, Any]:
    """Return a label as a Judgement row of its task, or of another `target`."""
    return judgement_row(
        judgement_id=content_id("label", label.annotator, label.task_id),
        judge=label.annotator,
        judge_version="label",
        target_id=target or label.task_id,
        verdict=verdict,
        spans=[{**span._asdict(), "p": None} for span in label.spans],
        attributes=pairs(stage="annotation", **attributes),
    )


def reject(
    reason: str,
    detail: str,
    *,
    where: str = "labels",
    row: int | None = None,
    target: str | None = None,
    text: str = "",
) -> dict[str, Any]:
    """Return a Reject row; by default of what no single row of a file holds: an annotator, or a task."""
    return reject_row(
        where=where, row=row, target_id=target, reason=reason, detail=detail, text=clean(text)[:N_SHOWN]
    )
