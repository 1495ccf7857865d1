"""Names in chats that mean an entity, several things, nothing at all, or a private person.
All but entities are fixed lists, spelled with letters that no invented word has (q, x, y, ph) under any seed.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from truerate.core.text import name_key
from truerate_world.data import beside
from truerate_world.encyclopedia import Entity, World

_DATA = beside(__file__)

KINDS = ("entity", "ambiguous", "invented", "private")
KNOWN_FROM = 0.2  # popularity from which an entity is well known; the others are rare

# Domain of the encyclopedia -> the category of WildHallucinations (section 2) that its entities belong to.
PAPER_DOMAIN = {domain: category for category, of in _DATA["paper_domains"].items() for domain in of}


class Referent(NamedTuple):
    """One of the things that an ambiguous name may mean: what it is, and its category."""

    what: str
    domain: str


AMBIGUOUS = {
    name: tuple(Referent(*referent) for referent in referents.items())
    for name, referents in _DATA["ambiguous"].items()
}
INVENTED = _DATA["invented"]
PRIVATE = _DATA["private"]


class Named(NamedTuple):
    """A name in a text: its surface, its kind (of KINDS), and the entity that it means."""

    surface: str
    kind: str
    entity: int | None


def is_known(entity: Entity) -> bool:
    """Whether an entity is well known; the others are rare."""
    return entity.popularity >= KNOWN_FROM


def planted_as(world: World, name: str) -> Named | None:
    """Return what is planted for a name, however it is cased, quoted or spaced; or None."""
    record = _planted(world).get(name_key(name))
    return Named(name, *record) if record else None


def names_in(world: World, text: str) -> list[Named]:
    """Return the planted names in a text, in order; of overlapping ones the longest."""
    record = _planted(world)
    return [Named(match[0], *record[name_key(match[0])]) for match in _finder(world).finditer(text)]


def domain_of(world: World, name: str) -> str | None:
    """The category of what a name means, None where it means nothing or several things."""
    named = planted_as(world, name)
    return PAPER_DOMAIN[world.entities[named.entity].domain] if named and named.entity is not None else None


@lru_cache(maxsize=4)
def _planted(world: World) -> dict[str, tuple[str, int | None]]:
    """Every planted name by its key: the names and other names of all entities, and the lists."""
    lists = {"ambiguous": AMBIGUOUS, "invented": INVENTED, "private": PRIVATE}
    record = {name_key(name): (kind, None) for kind, names in lists.items() for name in names}
    names = world.lexicon().names
    return record | {
        name_key(name): ("entity", entity.index) for entity in world.entities for name in names[entity.index]
    }


@lru_cache(maxsize=4)
def _finder(world: World) -> re.Pattern:
    longest = sorted(_planted(world), key=lambda name: (-len(name), name))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)
