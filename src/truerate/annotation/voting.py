"""Whose labels count, and one answer and one set of spans from those of several people: screening of annotators by
a probe set whose answers are known, or by what most of the others say, and max-voting.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

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


Annotator = TypeVar("Annotator", bound=Hashable)


def passing(rates: Mapping[Annotator, float | None], threshold: float) -> set[Annotator]:
    """Return the annotators whose rate reaches the threshold, or of whom it is not known."""
    return {name for name, rate in rates.items() if rate is None or rate >= threshold}


def probe_rates(labels: Iterable[Label], truth: Mapping[str, bool]) -> dict[str, float | None]:
    """Return the share of the probe set that each annotator got right; a probe left out counts as wrong. None
    where there is no probe set.
    """
    labels = list(labels)
    hits = Counter(label.annotator for label in labels if truth.get(label.task_id) == label.value)
    names = sorted({label.annotator for label in labels})
    return {name: hits[name] / len(truth) if truth else None for name in names}


def agreement_with_others(
    labels: Iterable[Label], annotators: Iterable[str]
) -> dict[str, tuple[float | None, int]]:
    """Return for each annotator the share of tasks on which the label is that of most others, in [0, 1], and
    the number of these tasks; None over none. A task without a majority of others does not count.
    """
    hits: dict[str, list[bool]] = {name: [] for name in annotators}
    for of_task in by_task(labels).values():
        for label in of_task:
            others = max_voting([other.value for other in of_task if other.annotator != label.annotator])
            if others is not None:
                hits[label.annotator].append(label.value == others)
    return {name: (sum(same) / len(same) if same else None, len(same)) for name, same in sorted(hits.items())}
