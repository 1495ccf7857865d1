"""Hallucination patterns per task, with a demonstration each (`patterns.yaml`).

A demonstration serves sampling (write the wrong one), filtering (which is closer to the truth), recognition
(is this one hallucinated) and contrast (which of the two is). The general task has no patterns to write by;
its three labels take their place in recognition.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from truerate.core.data_files import read_data
from truerate.core.keys import draw

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Demonstration:
    """One worked example: a right and a hallucinated text, why the one is wrong (`why`) and the other right
    (`fits`). `knowledge` is the document of a summary, `history` the turns of a dialogue, `question` a
    question or query.
    """

    right: str
    hallucinated: str
    why: str
    fits: str
    knowledge: str = ""
    question: str = ""
    history: str = ""


@dataclass(frozen=True)
class Judged:
    """One side of a demonstration as recognition shows it: text, whether it is hallucinated, and why."""

    about: Demonstration
    text: str
    is_hallucinated: bool
    why: str


@dataclass(frozen=True)
class Compared:
    """A demonstration as a choice shows it: both texts, and which of them is the right one (1 or 2)."""

    about: Demonstration
    first: str
    second: str
    right: int

    @property
    def hallucinated(self) -> int:
        """Which of the two is the hallucinated one."""
        return 3 - self.right


@dataclass(frozen=True)
class Pattern:
    """One way in which a text is hallucinated."""

    name: str
    definition: str
    demonstration: Demonstration


def _built(tasks: dict[str, list[dict[str, Any]]]) -> dict[str, tuple[Pattern, ...]]:
    return {
        task: tuple(Pattern(**row | {"demonstration": Demonstration(**row["demonstration"])}) for row in rows)
        for task, rows in tasks.items()
    }


PATTERNS = read_data(Path(__file__).with_name("patterns.yaml"), _built)
LABELS = tuple(pattern.name for pattern in PATTERNS["general"])


def names(task: str) -> tuple[str, ...]:
    """Return the pattern names of a task, in the paper's order."""
    return tuple(pattern.name for pattern in PATTERNS[task])


def named(task: str, name: str | None) -> tuple[Pattern, ...]:
    """Return the one pattern of that name, or all of the task's patterns where no name is given."""
    return tuple(pattern for pattern in PATTERNS[task] if name is None or pattern.name == name)


@lru_cache(maxsize=64)
def judged(task: str, seed: int) -> tuple[Judged, ...]:
    """Return both sides of every demonstration of a task, in an order drawn by seed: no verdict follows from
    the one before it. The order is one for all texts of a board, so that their prompts begin alike.
    """
    sides = []
    for example in (pattern.demonstration for pattern in PATTERNS[task]):
        sides.append(Judged(example, example.hallucinated, True, example.why))
        sides.append(Judged(example, example.right, False, example.fits))
    return tuple(sorted(sides, key=lambda side: draw(seed, "demonstration", task, side.text)))


@lru_cache(maxsize=64)
def compared(task: str, seed: int) -> tuple[Compared, ...]:
    """Return the demonstrations of a task as choices of one of two texts, in an order drawn by seed, the
    right text first as often as second, or once more: no choice follows from the one before it.
    """
    examples = [pattern.demonstration for pattern in PATTERNS[task]]

    def drawn(what: str) -> list[Demonstration]:
        return sorted(examples, key=lambda example: draw(seed, what, task, example.right))

    odd = 1 if draw(seed, "odd place", task) < 0.5 else 2  # the position of one more, where they are odd
    position = {example: odd if k % 2 == 0 else 3 - odd for k, example in enumerate(drawn("place"))}
    choices = []
    for example in drawn("choice"):
        right, wrong = example.right, example.hallucinated
        first, second = (right, wrong) if position[example] == 1 else (wrong, right)
        choices.append(Compared(example, first, second, position[example]))
    return tuple(choices)


def comparing(task: str, seed: int) -> dict[str, Any]:
    """Return what a prompt that shows two texts prints of a task: its patterns, and `compared` demonstrations."""
    return {"patterns": named(task, None), "demonstrations": compared(task, seed)}
