"""Spans that people marked, as places in the text of an answer, whatever their offsets count."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from truerate.core.spans.span_offsets import CODE_POINTS, KINDS, Bounds, bounds_by_kind, offsets_of
from truerate.core.text import find_span
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
    return [
        dict(zip(("start", "end"), span, strict=True)) if isinstance(span, list) and len(span) == 2 else span
        for span in value
    ]


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
