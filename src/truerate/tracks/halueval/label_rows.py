"""Human labels of general responses (HELMA 2.2), back in: reading, screening, max-voting, agreement.

A label row names its task, its annotator, `yes` or `no` (does the response contain hallucination), and the
spans with their type. Annotators who get too few of the probe set right are screened out; of those who pass,
`n_annotators` per task are drawn by seed.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from truerate.core.keys import draw
from truerate.core.span_offsets import span_place
from truerate.metrics.agreement import max_voting
from truerate.sources.label_files import BadLabel, checked_rows, field_text, marked_by_most
from truerate.tracks.halueval.patterns import LABELS

# Why a label row, a span, an annotator or a task is not used. The first group stops a run unless params say
# `on_bad_row: reject`.
BAD_ROWS = ("unreadable", "missing_field", "unknown_task", "bad_verdict", "bad_spans", "duplicate")
NOT_KEPT = ("span_not_verbatim", "span_of_no", "screened_out", "too_few_labellers", "tie")


@dataclass(frozen=True)
class Span:
    """A part of a response that an annotator marked, with one of the three labels."""

    start: int
    end: int
    type: str


@dataclass(frozen=True)
class Label:
    """What one annotator says of one task."""

    task_id: str
    annotator: str
    is_hallucinated: bool
    spans: tuple[Span, ...] = ()


@dataclass
class Read:
    """Labels under way: those that hold, and Reject rows for what does not."""

    labels: list[Label] = field(default_factory=list)
    rejects: list[dict] = field(default_factory=list)


def checked_labels(rows: Iterable[tuple], tasks: list[dict], *, where: str, on_bad_row: str) -> Read:
    """The labels that hold. A bad row ends the run (`stop`) or is booked with its reason (`reject`).

    Rows are (number, row), or (number, row, file) where they come from more than one; `where` names the file
    of the others. A span that is not verbatim in the response, or stands on a `no`, is booked and left out;
    its label stays.
    """
    text_of = {task["task_id"]: task["response"] for task in tasks}
    seen: set[tuple[str, str]] = set()
    return Read(
        *checked_rows(rows, lambda row: _label(row, text_of, seen), where=where, on_bad_row=on_bad_row)
    )


def _label(row: object, text_of: dict[str, str], seen: set) -> tuple[Label, list[tuple[str, str, str]]]:
    """A row as a label, and what of its spans was left out."""
    if not isinstance(row, dict):
        raise BadLabel("unreadable", "the row is no JSON object, or has more cells than the header")
    task_id, annotator, said = (field_text(row, name) for name in ("task_id", "annotator", "hallucination"))
    if task_id not in text_of:
        raise BadLabel("unknown_task", f"task_id {task_id!r} is not among the tasks that were given out")
    if said.lower() not in ("yes", "no"):
        raise BadLabel("bad_verdict", f"hallucination is {said[:40]!r}; allowed: yes, no")
    if (task_id, annotator) in seen:
        raise BadLabel("duplicate", f"annotator {annotator!r} has already labelled task {task_id!r}")
    spans, left_out = _spans(row.get("spans") or [], text_of[task_id], is_yes=said.lower() == "yes")
    seen.add((task_id, annotator))
    return Label(task_id, annotator, said.lower() == "yes", tuple(spans)), left_out


def _spans(found: object, text: str, *, is_yes: bool) -> tuple[list[Span], list[tuple[str, str, str]]]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadLabel(
            "bad_spans", "spans must be a list of objects with `text` (or `start` and `end`) and `type`"
        )
    kept, left_out = [], []
    for one in found:
        kind = one.get("type")
        if kind not in LABELS:
            raise BadLabel("bad_spans", f"span type is {kind!r}; allowed: {', '.join(LABELS)}")
        place = span_place(one, text)
        shown = str(one.get("text") or "")
        if not is_yes:
            left_out.append(("span_of_no", "a span on a response labelled no", shown))
        elif place is None:
            left_out.append(("span_not_verbatim", "the span is not a part of the response", shown))
        else:
            kept.append(Span(*place, kind))
    return kept, left_out


# ---- screening and drawing ---------------------------------------------------------------------------------


def probe_rates(labels: Iterable[Label], truth: dict[str, bool]) -> dict[str, float | None]:
    """Share of the probe set that each annotator got right; a probe left out counts as wrong. None where
    there is no probe set.
    """
    labels = list(labels)
    right = Counter(
        label.annotator
        for label in labels
        if truth.get(label.task_id) is not None and truth[label.task_id] == label.is_hallucinated
    )
    return {
        name: right[name] / len(truth) if truth else None
        for name in sorted({label.annotator for label in labels})
    }


def passing(rates: dict[str, float | None], *, pass_rate: float) -> set[str]:
    """The annotators who got enough of the probe set right; all of them where there is none."""
    return {name for name, rate in rates.items() if rate is None or rate >= pass_rate}


def drawn_labels(labels: Iterable[Label], allowed: set[str], *, n: int, seed: int) -> dict[str, list[Label]]:
    """`n` labels per task from allowed annotators, drawn by seed; fewer where fewer have labelled it."""
    by_task: dict[str, list[Label]] = {}
    for one in labels:
        if one.annotator in allowed:
            by_task.setdefault(one.task_id, []).append(one)
    return {
        task: sorted(found, key=lambda one: draw(seed, "annotator", task, one.annotator))[:n]
        for task, found in by_task.items()
    }


def voted(labels: list[Label], *, n: int) -> tuple[bool | None, str | None]:
    """Max-voting over one task's labels: the verdict, or None and why there is none (`too_few_labellers`,
    `tie`).
    """
    if len(labels) < n:
        return None, "too_few_labellers"
    verdict = max_voting([label.is_hallucinated for label in labels])
    return (None, "tie") if verdict is None else (bool(verdict), None)


def voted_spans(labels: list[Label]) -> list[dict]:
    """The characters that more than half of the labellers marked, as spans; the type most of the spans that
    cover them name.

    `p` is the share of labellers that marked the span's least marked character. Ties between types go by the
    paper's order.
    """
    runs = marked_by_most([[(span.start, span.end) for span in label.spans] for label in labels])
    return [
        {"start": start, "end": end, "type": _type_of(start, end, labels), "p": round(share, 6)}
        for start, end, share in runs
    ]


def _type_of(start: int, end: int, labels: list[Label]) -> str:
    kinds = Counter(
        span.type for label in labels for span in label.spans if span.start < end and start < span.end
    )
    return max(LABELS, key=lambda name: (kinds[name], -LABELS.index(name)))


def voted_type(labels: list[Label]) -> str | None:
    """The label that most annotators who said yes marked; ties by the paper's order; None where none marked a
    span.
    """
    kinds = Counter(
        kind for label in labels if label.is_hallucinated for kind in {span.type for span in label.spans}
    )
    return max(LABELS, key=lambda name: (kinds[name], -LABELS.index(name))) if kinds else None
