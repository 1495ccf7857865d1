"""Which answers have in common what they were asked about, and so are no independent draws."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truerate.answers.reading import Answer
from truerate.metrics.estimators.label_groups import are_by_group
from truerate.metrics.estimators.sample import verdicts


@dataclass(frozen=True)
class Grouping:
    """The group of each answer by `by` (None: each answer is one of its own), and how many there are."""

    clusters: Sequence[str]
    by: str | None

    @property
    def n(self) -> int:
        """Groups."""
        return len(set(self.clusters))


def grouping_of(answers: Sequence[Answer], is_labelled: Sequence[bool]) -> Grouping:
    """The groups of answers: by `group` where the file has it, else by question, else by a reference that
    several have in common (one that all have tells nothing); answers without any of it are groups of their
    own.

    Where labels were given to all answers about one reference or to none (`are_by_group`), references are the
    groups, however many questions were asked about each: it is they that were drawn to be labelled.
    """
    by_reference = _by("reference", answers, [answer.reference for answer in answers])
    if any(answer.group for answer in answers):
        return _by("group", answers, [answer.group for answer in answers]) or _alone(answers)
    by_question = _by("question", answers, [answer.question for answer in answers])
    if by_reference is None or by_reference.n == 1:
        return by_question or _alone(answers)
    label = np.where(is_labelled, 0.0, np.nan)
    if by_question is None or are_by_group(verdicts(np.zeros(len(answers)), label, by_reference.clusters)):
        return by_reference
    return by_question


def _by(what: str, answers: Sequence[Answer], values: Sequence[str]) -> Grouping | None:
    """The groups by a value, numbered as they first stand; None where no two answers have one in common."""
    numbers: dict[str, int] = {}
    clusters = [
        f"{what} {numbers.setdefault(value, len(numbers))}" if value else f"answer {number}"
        for number, value in enumerate(values)
    ]
    return Grouping(clusters, what) if len(set(clusters)) < len(answers) else None


def _alone(answers: Sequence[Answer]) -> Grouping:
    return Grouping([f"answer {number}" for number in range(len(answers))], None)
