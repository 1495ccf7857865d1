"""Domains of the closed world, the relations of their entities, and the range of each relation.
Nothing here is in a language; the words stand in `lang/`. A value is `("e", entity)`, `("n", whole number)`,
`("c", "list/index")` or `("d", first year of a decade)`.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from truerate_world.data import beside

Value = tuple[str, int | str]


@dataclass(frozen=True, eq=False)
class Entity:
    """One entity; `popularity` in (0, 1] falls with its rank in its domain; `gender`: he, she or it."""

    index: int
    domain: str
    gender: str
    popularity: float
    is_wikipedia: bool
    facts: dict[str, Value] = field(default_factory=dict)


class Range(NamedTuple):
    """Values of a relation: entities of `domains`, numbers from `low` to `high` in `step`s, or categories."""

    kind: str
    domains: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    step: int = 1
    category: str = ""
    is_year: bool = False


def _range(
    entity: tuple[str, ...] = (), year: tuple[int, ...] = (), number: tuple[int, ...] = (), category: str = ""
) -> Range:
    """Return the range that `domains.yaml` writes as one of these."""
    if year:
        return Range("n", low=year[0], high=year[1], is_year=True)
    if number:
        return Range("n", low=number[0], high=number[1], step=number[2])
    return Range("c", category=category) if category else Range("e", entity)


_DATA = beside(__file__)
PEOPLE = ("science", "politics", "music", "sport", "literature", "cinema")
N_CATEGORY = 10  # entries of every category list, in every language

DOMAINS: dict[str, tuple[str, ...]] = _DATA["domains"]

N_COUNTRIES = 12
N_ENTITIES = 24  # of each other domain: 492 in all

RELATIONS: dict[str, Range] = {name: _range(**kinds) for name, kinds in _DATA["relations"].items()}


def is_person(domain: str) -> bool:
    """Whether entities of a domain are people (and have a gender)."""
    return domain in PEOPLE
