"""Seeded mutations of settings, as slips make them: a typo, a wrong type, name or bound, a key taken away, two values exchanged.

Each changes one place of a mapping as YAML reads it. Equal seeds give equal mutations of equal settings.
"""

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

N, SEED = (
    200,
    12,
)  # those that the tests give to the check of settings, and of which the benchmark builds some
KINDS = ("typo of a key", "typo of a name", "wrong type", "wrong name", "out of bounds", "removed", "swapped")
NUMBERS = (-1, 0, 0.5, 1, 3, 10**6, 10**12, 10**30, -0.001, 1e308, float("nan"), float("inf"), "1e3", True)
OTHERS = ("many", 7, 0.5, True, None, [], ["x"], {}, {"x": 1}, "")
NAMES = (
    "nonesuch",
    "..",
    "none/such",
    "two words",
    "Ünï",
    "{path}",
    "-x",
    "sk-live-0123456789abcdef",
    "~",
    "a" * 300,
)


@dataclass(frozen=True)
class Mutation:
    """What is done at one place: the value there is replaced by `after`, or renamed to it (`is_key`), or taken away (`is_gone`)."""

    kind: str
    place: tuple[str | int, ...]
    after: object = None
    is_key: bool = False
    is_gone: bool = False
    other: tuple[str | int, ...] | None = None  # whose value comes in exchange

    @property
    def where(self) -> str:
        """The place by dots."""
        return ".".join(map(str, self.place))

    def __str__(self) -> str:
        what = (
            "taken away"
            if self.is_gone
            else f"exchanged with {self.other[-1]}"
            if self.other
            else f"→ {_short(self.after)}"
        )
        return f"{self.kind}: {self.where} {what}"

    def applied(self, params: dict) -> dict | None:
        """A copy of the settings with this change; None where the place is not there."""
        params = copy.deepcopy(params)
        try:
            *above, last = self.place
            block = at(params, above)
            block[last]
            if self.other:
                block[last], block[self.other[-1]] = block[self.other[-1]], block[last]
            elif self.is_gone:
                del block[last]
            elif self.is_key:
                held = [(self.after if key == last else key, value) for key, value in block.items()]
                block.clear()
                block.update(held)
            else:
                block[last] = copy.deepcopy(self.after)
        except (LookupError, TypeError):
            return None
        return params


def mutations(params: dict, *, n: int, seed: int) -> list[Mutation]:
    """`n` mutations, the kinds in turn, no two the same; drawn so that a block with many entries is not hit more often than others."""
    chance = random.Random(seed)
    found: dict[str, Mutation] = {}
    while len(found) < n:
        one = _BY_KIND[KINDS[len(found) % len(KINDS)]](params, chance)
        if one is not None and one.applied(params) != params:
            found.setdefault(str(one), one)
    return list(found.values())


def at(params: object, place) -> object:
    """What stands at a place."""
    for part in place:
        params = params[part]
    return params


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "…"


def _walk(params: object, chance: random.Random, fits: Callable[[object], bool]) -> tuple | None:
    """A random place whose value fits: down from the top, each step one of the entries below which something fits."""
    place: tuple = ()
    while True:
        here = at(params, place)
        below = [
            key
            for key in (
                here if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()
            )
        ]
        open_ = [key for key in below if any(fits(value) for value in everything(here[key]))]
        if not open_ or (len(place) > 1 and fits(here) and chance.random() < 0.2):
            return place if place and fits(here) else None
        place = (*place, chance.choice(open_))


def everything(value: object) -> Iterator[object]:
    """A value and all that lies in it."""
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from everything(inner)


def _misspelt(word: str, chance: random.Random) -> str:
    """A word with one slip: two letters exchanged, one left out, one twice, or one in capitals."""
    i = chance.randrange(len(word))
    slips = (
        word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :],
        word[:i] + word[i + 1 :],
        word[:i] + word[i] + word[i:],
    )
    return chance.choice(
        [slip for slip in (*slips, word[:i] + word[i].upper() + word[i + 1 :]) if slip != word]
        or [word + "x"]
    )


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) < 40


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _key(params: dict, chance: random.Random) -> Mutation | None:
    place = _walk(params, chance, lambda value: True)
    if not place or not isinstance(place[-1], str):
        return None
    word = _misspelt(place[-1], chance)
    return None if word in at(params, place[:-1]) else Mutation(KINDS[0], place, word, is_key=True)


def _name(params: dict, chance: random.Random) -> Mutation | None:
    place = _walk(params, chance, _is_name)
    return place and Mutation(KINDS[1], place, _misspelt(at(params, place) or "x", chance))


def _type(params: dict, chance: random.Random) -> Mutation | None:
    place = _walk(params, chance, lambda value: True)
    after = chance.choice([other for other in OTHERS if type(other) is not type(at(params, place))])
    return Mutation(KINDS[2], place, after)


def _other_name(params: dict, chance: random.Random) -> Mutation | None:
    place = _walk(params, chance, _is_name)
    return place and Mutation(KINDS[3], place, chance.choice(NAMES))


def _bound(params: dict, chance: random.Random) -> Mutation | None:
    place = _walk(params, chance, _is_number)
    return place and Mutation(KINDS[4], place, chance.choice(NUMBERS))


def _gone(params: dict, chance: random.Random) -> Mutation | None:
    place = _walk(params, chance, lambda value: True)
    return place and Mutation(KINDS[5], place, is_gone=True)


def _swap(params: dict, chance: random.Random) -> Mutation | None:
    place = _walk(params, chance, lambda value: True)
    block = at(params, place[:-1])
    others = [
        key
        for key in (block if isinstance(block, dict) else range(len(block)))
        if block[key] != block[place[-1]]
    ]
    return Mutation(KINDS[6], place, other=(*place[:-1], chance.choice(others))) if others else None


_BY_KIND = dict(zip(KINDS, (_key, _name, _type, _other_name, _bound, _gone, _swap), strict=True))
