"""Human labels of this track: which rows of a label file hold, and how the labels of one text are settled.

A row names its task, its annotator and the spans with their type: by `start` and `end` (code points,
half-open), or by `text` where it first occurs. `plausibility` (1–5, very unlikely to very likely to fool a
reader) may stand beside them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from truerate.core.span_offsets import span_place
from truerate.core.tags import TYPES
from truerate.metrics.tokens import marked
from truerate.sources.label_files import BadLabel, checked_rows, field_text

# Why a label row or an annotator is not used. The first group stops a run unless params say `on_bad_row:
# reject`.
BAD_ROWS = (
    "unreadable", "missing_field", "unknown_task", "bad_spans", "unknown_type", "outside_text", "overlapping_types", "bad_plausibility",
    "duplicate",
)  # fmt: skip
NOT_KEPT = ("screened_out", "no_labels")
RATINGS = ("very unlikely", "unlikely", "neutral", "likely", "very likely")


@dataclass(frozen=True)
class Span:
    """A marked part of a text and the type of its hallucination."""

    start: int
    end: int
    type: str


@dataclass(frozen=True)
class Label:
    """What one annotator says of one task; no spans: nothing is hallucinated."""

    task_id: str
    annotator: str
    spans: tuple[Span, ...] = ()
    plausibility: int | None = None


def checked_labels(
    rows: Iterable[tuple], text_of: dict[str, str], *, where: str, on_bad_row: str
) -> tuple[list[Label], list[dict]]:
    """The labels that hold, and Reject rows of those that do not (see `checked_rows`); `text_of`: the texts
    given out, by task.
    """
    seen: set[tuple[str, str]] = set()
    return checked_rows(
        rows, lambda row: (_label(row, text_of, seen), []), where=where, on_bad_row=on_bad_row
    )


def _label(row: object, text_of: dict[str, str], seen: set[tuple[str, str]]) -> Label:
    if not isinstance(row, dict):
        raise BadLabel("unreadable", "the row is no JSON object, or has more cells than the header")
    task_id, annotator = (field_text(row, name) for name in ("task_id", "annotator"))
    if task_id not in text_of:
        raise BadLabel("unknown_task", f"task_id {task_id!r} is not among the tasks that were given out")
    if (task_id, annotator) in seen:
        raise BadLabel("duplicate", f"annotator {annotator!r} has already labelled task {task_id!r}")
    if row.get("spans") is None:
        raise BadLabel(
            "missing_field", "field 'spans' is missing; an empty list says that nothing is hallucinated"
        )
    label = Label(
        task_id, annotator, _spans(row["spans"], text_of[task_id]), _plausibility(row.get("plausibility"))
    )
    seen.add((task_id, annotator))
    return label


def _spans(found: object, text: str) -> tuple[Span, ...]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadLabel(
            "bad_spans", "spans must be a list of objects with `start` and `end` (or `text`) and `type`"
        )
    spans = sorted({_span(one, text) for one in found}, key=lambda span: (span.start, span.end, span.type))
    for before, after in zip(spans, spans[1:], strict=False):
        if after.start < before.end and after.type != before.type:
            places = f"{before.type} {before.start}–{before.end} and {after.type} {after.start}–{after.end}"
            raise BadLabel("overlapping_types", f"spans of different types overlap: {places}")
    return tuple(spans)


def _span(one: dict, text: str) -> Span:
    kind = one.get("type")
    if kind not in TYPES:
        raise BadLabel("unknown_type", f"span type is {str(kind)[:40]!r}; allowed: {', '.join(TYPES)}")
    place = span_place(one, text)
    if place is None:
        shown = (
            f"{one.get('start')}–{one.get('end')}"
            if one.get("start") is not None
            else repr(str(one.get("text"))[:40])
        )
        raise BadLabel("outside_text", f"span {shown} is not a part of the text of {len(text)} characters")
    return Span(*place, kind)


def _plausibility(said: object) -> int | None:
    if said is None or said == "":
        return None
    found = said.strip().lower() if isinstance(said, str) else said
    rating = (
        RATINGS.index(found) + 1
        if found in RATINGS
        else int(found)
        if isinstance(found, str) and found.isdecimal()
        else found
    )
    if isinstance(rating, bool) or rating not in range(1, len(RATINGS) + 1):
        raise BadLabel(
            "bad_plausibility", f"plausibility is {str(said)[:40]!r}; allowed: 1–5, or {', '.join(RATINGS)}"
        )
    return int(rating)


# ---- tokens of one text ------------------------------------------------------------------------------------


def token_types(offsets: Sequence[tuple[int, int]], spans: Iterable) -> np.ndarray:
    """The type of each token (tokens,) as a place in TYPES plus 1, 0 where it is not marked; of several spans
    the later one holds.
    """
    found = np.zeros(len(offsets), dtype=int)
    for span in spans:
        found[marked(offsets, [(span.start, span.end)])] = TYPES.index(span.type) + 1
    return found


def voted(offsets: Sequence[tuple[int, int]], labels: Sequence[Label]) -> tuple[np.ndarray, np.ndarray]:
    """Max-voting over the tokens of one text: each token's share of annotators who marked it, and the type
    most of those named.

    Both (tokens,); ties of types go by the order of TYPES. The type of a token that nobody marked is 0.
    """
    said = np.stack([token_types(offsets, label.spans) for label in labels])
    votes = np.stack([(said == place).sum(axis=0) for place in range(1, len(TYPES) + 1)])
    share = (said > 0).mean(axis=0)
    return share, np.where(share > 0, votes.argmax(axis=0) + 1, 0)


def runs(
    offsets: Sequence[tuple[int, int]], types: np.ndarray, share: np.ndarray, keep: Callable[[float], bool]
) -> list[dict]:
    """Spans (`start`, `end`, `type`, `p`) of neighbouring tokens with one type and one share; `keep` says
    which shares are shown.
    """
    spans: list[dict] = []
    last = None
    for (start, end), place, p in zip(offsets, types.tolist(), share.tolist(), strict=True):
        now = (place, p) if place and keep(p) else None
        if now is not None and now == last:
            spans[-1]["end"] = end
        elif now is not None:
            spans.append({"start": start, "end": end, "type": TYPES[place - 1], "p": round(p, 6)})
        last = now
    return spans
