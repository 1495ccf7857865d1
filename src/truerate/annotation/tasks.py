"""Who is given which texts to label."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Unit = TypeVar("Unit")


def annotators(n: int) -> list[str]:
    """Return the names under which tasks are given out."""
    return [f"annotator-{number}" for number in range(1, n + 1)]


def in_turns(
    units: Iterable[Unit],
    *,
    owner: Callable[[Unit], str],
    order: Callable[[Unit], tuple[Any, ...]],
    turn_order: Callable[[str, int], float],
) -> list[Unit]:
    """Return the units (texts, dialogues) as evenly over their owners (models) as they come: those of each
    owner in their `order`, owners in turns, within a turn by `turn_order` of the owner and the turn's number.
    Of a seeded order the first n are a draw of n.
    """
    turns: Counter[str] = Counter()
    keyed = []
    for unit in sorted(units, key=order):
        name = owner(unit)
        keyed.append(((turns[name], turn_order(name, turns[name]), order(unit)), unit))
        turns[name] += 1
    return [unit for _, unit in sorted(keyed, key=lambda entry: entry[0])]
