"""Screening of annotators: by a probe set whose answers are known, or by what most of the others say."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from truerate.annotation.labels import Label
from truerate.annotation.voting import by_task
from truerate.metrics.agreement import max_voting

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
