"""Max-voting: one answer, and one set of spans, from the labels of several people."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from truerate.annotation.labels import UNTYPED, Label, reject
from truerate.metrics.agreement import max_voting


def by_task(labels: Iterable[Label]) -> dict[str, list[Label]]:
    """Return the labels of each task, by the annotators' names."""
    labels_of: dict[str, list[Label]] = {}
    for label in sorted(labels, key=lambda label: (label.task_id, label.annotator)):
        labels_of.setdefault(label.task_id, []).append(label)
    return labels_of


def majority(labels: Sequence[Label], *, needed: float) -> tuple[bool | None, str | None]:
    """Return what most labels of one task say, or None and why: `too_few_labellers` (fewer than `needed`),
    `tie`.
    """
    if len(labels) < needed:
        return None, "too_few_labellers"
    verdict = max_voting([label.value for label in labels])
    return (None, "tie") if verdict is None else (bool(verdict), None)


def settled(
    responses: pl.DataFrame, labels_of: Mapping[str, Sequence[Label]], *, needed: float
) -> tuple[list[tuple[dict[str, Any], Sequence[Label], bool]], list[dict[str, Any]]]:
    """Return each response (`generation_id`, `text`) that a majority settles, with its labels and the
    verdict, and Reject rows of the others.
    """
    verdicts, rejects = [], []
    for row in responses.sort("generation_id").iter_rows(named=True):
        labels = labels_of.get(row["generation_id"], ())
        verdict, reason = majority(labels, needed=needed)
        if verdict is None:
            rejects.append(
                reject(reason or "", f"{len(labels)} labels", target=row["generation_id"], text=row["text"])
            )
        else:
            verdicts.append((row, labels, verdict))
    return verdicts, rejects


def marked_by_most(marked: Sequence[Iterable[tuple[int, int]]]) -> list[tuple[int, int, float]]:
    """Return the runs of characters that more than half of the annotators marked, from the bounds that each
    marked: start, end, and the share of annotators that marked the run's least marked character, in (.5, 1].
    """
    marks: Counter[int] = Counter()
    for bounds in marked:
        marks.update({index for start, end in bounds for index in range(start, end)})
    runs: list[list[int]] = []
    for index in sorted(index for index, n in marks.items() if 2 * n > len(marked)):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return [(run[0], run[-1] + 1, min(marks[index] for index in run) / len(marked)) for run in runs]


def voted_spans(labels: Sequence[Label], types: Sequence[str] = (UNTYPED,)) -> list[dict[str, Any]]:
    """Return the characters that more than half of the annotators marked, as spans (`start`, `end`, `type`,
    `p`).

    `p` is the share that marked the span's least marked character. The type is the one that most of the spans
    that cover them name; ties go by the order of `types`.
    """
    spans = []
    for start, end, share in marked_by_most([[span[:2] for span in label.spans] for label in labels]):
        named = Counter(
            span.type for label in labels for span in label.spans if span.start < end and start < span.end
        )
        spans.append({"start": start, "end": end, "type": most_named(named, types), "p": round(share, 6)})
    return spans


def most_named(named: Counter[str], types: Sequence[str]) -> str:
    """Return the type with most votes; ties go by the order of `types`."""
    return max(types, key=lambda name: (named[name], -types.index(name)))
