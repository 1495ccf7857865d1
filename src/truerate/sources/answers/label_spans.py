"""What people say of an answer: their votes as one label, and spans that they marked as places in its text, whatever
their offsets count.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from truerate.core.spans.span_offsets import CODE_POINTS, KINDS, Bounds, bounds_by_kind, offsets_of
from truerate.core.text import find_span
from truerate.sources.answers.fields import Fields, is_turned, value_at
from truerate.sources.answers.forms import Records, Source, at_line
from truerate.sources.answers.reading import Answer, shown


def spans_in(value: object, answer: Answer, kinds: frozenset[str]) -> tuple[Bounds, ...]:
    """Return the spans of a label as places (start, end) in an answer's text, in code points, half-open,
    sorted. `kinds`: of offsets (`kinds_of`). Raises ValueError for spans that leave their answer, or hold
    another text than they say.
    """
    bounds = (_bounds(span, answer, kinds) for span in _list(value))
    return tuple(sorted({span for span in bounds if span is not None}))


def _list(value: object) -> Sequence[Mapping[str, Any]]:
    """The spans of a line, each an object."""
    if not isinstance(value, list):
        raise ValueError(f'\'spans\' is {shown(value)}; allowed: a list of {{"start": …, "end": …}}')
    return [_named(span) for span in value]


def _named(span: Any) -> Any:
    """A span whose ends are called `start` and `end`, where it is a pair or calls them `start_offset`, `end_offset`."""
    if isinstance(span, list) and len(span) == 2:
        return dict(zip(("start", "end"), span, strict=True))
    if isinstance(span, dict) and {"start_offset", "end_offset"} <= span.keys():
        return {"start": span["start_offset"], "end": span["end_offset"]} | span
    return span


def kinds_of(labelled: Iterable[tuple[Any, Answer]]) -> frozenset[str]:
    """The units that a file's offsets may count: those in which every span with a text holds it."""
    kinds = frozenset(KINDS)
    for spans, answer in labelled:
        for span in spans if isinstance(spans, list) else ():
            if isinstance(span, dict) and isinstance(span.get("text"), str):
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
    start, end = offsets_of(span)
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


def voted_labels(
    names: Sequence[str], votes: Sequence[Sequence[Sequence[float]]], n: int
) -> tuple[list[bool | None], list[int], int]:
    """The vote of all labels of each answer (None: none, or a tie), how many labels, and the ties."""
    sides = np.zeros((2, n))
    for name, column in zip(names, votes, strict=True):
        for row, of_answer in enumerate(column):
            sides[0, row] += sum(1 - vote if is_turned(name) else vote for vote in of_answer)
            sides[1, row] += len(of_answer)
    yes, total = sides
    label = [None if not k or 2 * y == k else bool(2 * y > k) for y, k in zip(yes, total, strict=True)]
    return label, total.astype(int).tolist(), int(((total > 0) & (2 * yes == total)).sum())


def spans_of(
    source: Source, records: Records, chosen: Fields, data: Mapping[str, Sequence[Any]]
) -> list[list[dict[str, int]] | None]:
    """The spans that a file's own labels mark; None of an answer that has none given."""
    path = chosen.by_role.get("spans")
    if path is None:
        return [None] * len(records)
    rows = zip(data["id"], data["answer"], data["reference"], data["question"], data["written"], strict=True)
    given = [value_at(record, path) for _, record in records]
    answers = [Answer(*row) for row in rows]
    kinds = kinds_of(zip(given, answers, strict=True))
    places = []
    for (number, _), value, answer in zip(records, given, answers, strict=True):
        try:
            places.append(None if value is None else as_spans(spans_in(value, answer, kinds)))
        except ValueError as error:
            raise at_line(source, "answers", number, error) from None
    return places


def as_spans(places: Iterable[tuple[int, int]]) -> list[dict[str, int]]:
    """Places (start, end) as the column `spans` has them."""
    return [{"start": start, "end": end} for start, end in places]


def places_of(spans: Sequence[Mapping[str, int]] | None) -> list[tuple[int, int]]:
    """The spans of a cell of a table as (start, end)."""
    return [(span["start"], span["end"]) for span in spans or ()]
