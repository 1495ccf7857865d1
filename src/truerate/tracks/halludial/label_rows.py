"""Human labels of this track: which rows of a label file hold, who is heard, and how the labels of one task are
settled.

A row names its task and its annotator. Of a response it says `hallucination` (`yes` or `no`) and may hold
`spans`, each by `start` and `end` (code points, half-open) or by `text`; of a judgement it says `accurate` (`yes`
or `no`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from truerate.core.span_offsets import span_place
from truerate.metrics.agreement import max_voting
from truerate.sources.label_files import BadLabel, checked_rows, field_text, marked_by_most
from truerate.tracks.halludial.located import TYPE
from truerate.tracks.halludial.tasks import META, NATURAL

# Why a label row, a span, an annotator or a task is not used. The first group stops a run unless params say
# `on_bad_row: reject`.
BAD_ROWS = ("unreadable", "missing_field", "unknown_task", "bad_verdict", "bad_spans", "duplicate")
NOT_KEPT = ("span_not_verbatim", "span_of_no", "screened_out", "too_few_labellers", "tie")
ASKED = {
    NATURAL: "hallucination",
    META: "accurate",
}  # the field of a row that holds the answer, by kind of task
_SAID = {"yes": True, "no": False, "accurate": True, "inaccurate": False}

Place = tuple[int, int]


@dataclass(frozen=True)
class Label:
    """What one annotator says of one task: of a response whether it is hallucinated and where, of a judgement
    whether it is accurate.
    """

    task_id: str
    annotator: str
    kind: str
    said: bool
    spans: tuple[Place, ...] = ()


@dataclass
class Read:
    """Labels under way: those that hold, and Reject rows for what does not."""

    labels: list[Label] = field(default_factory=list)
    rejects: list[dict] = field(default_factory=list)


def checked_labels(rows: Iterable[tuple], tasks: Sequence[dict], *, where: str, on_bad_row: str) -> Read:
    """The labels that hold (see `checked_rows`). A span that is not verbatim in the response, or stands on a
    `no`, is booked and left out; its label stays.
    """
    task_of = {task["task_id"]: task for task in tasks}
    seen: set[tuple[str, str]] = set()
    return Read(
        *checked_rows(rows, lambda row: _label(row, task_of, seen), where=where, on_bad_row=on_bad_row)
    )


def _label(
    row: object, task_of: Mapping[str, dict], seen: set[tuple[str, str]]
) -> tuple[Label, list[tuple[str, str, str]]]:
    """A row as a label, and what of its spans was left out."""
    if not isinstance(row, dict):
        raise BadLabel("unreadable", "the row is no JSON object, or has more cells than the header")
    task_id, annotator = (field_text(row, name) for name in ("task_id", "annotator"))
    if task_id not in task_of:
        raise BadLabel("unknown_task", f"task_id {task_id!r} is not among the tasks that were given out")
    task = task_of[task_id]
    name = ASKED[task["kind"]]
    answer = field_text(row, name).lower()
    if answer not in _SAID or (answer not in ("yes", "no") and task["kind"] != META):
        raise BadLabel("bad_verdict", f"{name} is {answer[:40]!r}; allowed: yes, no")
    if (task_id, annotator) in seen:
        raise BadLabel("duplicate", f"annotator {annotator!r} has already labelled task {task_id!r}")
    said = _SAID[answer]
    spans, left_out = _spans(
        row.get("spans") or [], task["response"], is_yes=said and task["kind"] == NATURAL
    )
    seen.add((task_id, annotator))
    return Label(task_id, annotator, task["kind"], said, tuple(spans)), left_out


def _spans(given: object, text: str, *, is_yes: bool) -> tuple[list[Place], list[tuple[str, str, str]]]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BadLabel("bad_spans", "spans must be a list of objects with `text`, or `start` and `end`")
    kept, left_out = [], []
    for one in given:
        place, told = span_place(one, text), str(one.get("text") or "")
        if not is_yes:
            left_out.append(("span_of_no", "a span where nothing was said to be hallucinated", told))
        elif place is None:
            left_out.append(("span_not_verbatim", "the span is not a part of the response", told))
        else:
            kept.append(place)
    return sorted(set(kept)), left_out


def meta_ratings(labels: Iterable[Label]) -> dict[str, dict[str, bool]]:
    """Of each annotator which judgements they call accurate."""
    ratings: dict[str, dict[str, bool]] = {}
    for label in labels:
        if label.kind == META:
            ratings.setdefault(label.annotator, {})[label.task_id] = label.said
    return {name: ratings[name] for name in sorted(ratings)}


# ---- screening and settling --------------------------------------------------------------------------------


def by_task(labels: Iterable[Label]) -> dict[str, list[Label]]:
    """The labels of each task, by the annotators' names."""
    found: dict[str, list[Label]] = {}
    for label in sorted(labels, key=lambda one: (one.task_id, one.annotator)):
        found.setdefault(label.task_id, []).append(label)
    return found


def agreement_with_others(labels: Sequence[Label]) -> dict[str, tuple[float | None, int]]:
    """Of each annotator the share of responses of which they say what most of the others say, in [0, 1], and over
    how many; None over none. A response on which the others tie, or that nobody else labelled, does not count.
    """
    hits: dict[str, list[bool]] = {label.annotator: [] for label in labels}
    for given in by_task(label for label in labels if label.kind == NATURAL).values():
        for label in given:
            others = max_voting([other.said for other in given if other.annotator != label.annotator])
            if others is not None:
                hits[label.annotator].append(label.said == others)
    return {name: (sum(told) / len(told) if told else None, len(told)) for name, told in sorted(hits.items())}


def heard(agreement: Mapping[str, tuple[float | None, int]], threshold: float) -> set[str]:
    """The annotators who agree with the others on enough responses, or of whom that cannot be told."""
    return {name for name, (share, _) in agreement.items() if share is None or share >= threshold}


def voted(labels: Sequence[Label], *, n: int) -> tuple[bool | None, str | None]:
    """Max-voting over one task's labels: the answer, or None and why there is none (`too_few_labellers`: fewer
    than half of the `n` who were asked; `tie`).
    """
    if 2 * len(labels) < n:
        return None, "too_few_labellers"
    answer = max_voting([label.said for label in labels])
    return (None, "tie") if answer is None else (bool(answer), None)


def voted_spans(labels: Sequence[Label]) -> list[dict]:
    """The characters that more than half of those who said yes marked, as spans; `p`: the share of these that
    marked the span's least marked character.
    """
    runs = marked_by_most([label.spans for label in labels if label.said])
    return [{"start": start, "end": end, "type": TYPE, "p": round(share, 6)} for start, end, share in runs]
