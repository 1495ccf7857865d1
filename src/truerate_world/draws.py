"""Seeded draws that depend on their parts alone: never on order, time or earlier draws."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")
_SCALE = 2.0**-48


def draw(*parts: object) -> float:
    """A number in [0, 1) from blake2b over the parts."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=6).digest(), "big") * _SCALE


def pick(choices: Sequence[T], *parts: object) -> T:
    """One of the choices, uniformly."""
    return choices[int(draw(*parts) * len(choices))]


def pick_by_rate(rates: Mapping[str, float], *parts: object) -> str | None:
    """One of the keys by its probability, None for the rest."""
    left = draw(*parts)
    for name, rate in rates.items():
        left -= rate
        if left < 0:
            return name
    return None


def pick_weighted(weights: Mapping[str, float], *parts: object) -> str:
    """One of the keys by its weight; the last one where rounding leaves none."""
    left = draw(*parts) * sum(weights.values())
    for name, weight in weights.items():
        left -= weight
        if left < 0:
            return name
    return next(reversed(weights))


def shuffled(items: Sequence[T], *parts: object) -> list[T]:
    """The items in an order drawn from the parts and each item's index."""
    return [items[index] for index in sorted(range(len(items)), key=lambda index: draw(*parts, index))]


@lru_cache(maxsize=256)
def order(n: int, *parts: object) -> tuple[int, ...]:
    """The numbers below `n` in a drawn order, kept for the next call."""
    return tuple(shuffled(range(n), *parts))
