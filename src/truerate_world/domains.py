"""What there is in the closed world: domains, the relations each of their entities has, and what a relation
ranges over.

Nothing here is in a language; the words stand in `lang/`. A value is `("e", entity)`, `("n", whole number)`,
`("c", "list/index")` or `("d", first year of a decade)`.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

Value = tuple[str, int | str]


@dataclass(frozen=True, eq=False)
class Entity:
    """One thing of the world. `popularity` in (0, 1] falls with its rank in its domain; `gender` is he, she
    or it.
    """

    index: int
    domain: str
    gender: str
    popularity: float
    is_wikipedia: bool
    facts: dict[str, Value] = field(default_factory=dict)


class Range(NamedTuple):
    """What a relation's value may be: entities of `domains`, numbers from `low` to `high` in `step`s, or
    entries of a category list.
    """

    kind: str
    domains: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    step: int = 1
    category: str = ""
    is_year: bool = False


def _entity(*domains: str) -> Range:
    return Range("e", domains)


def _year(low: int, high: int) -> Range:
    return Range("n", low=low, high=high, is_year=True)


def _number(low: int, high: int, step: int) -> Range:
    return Range("n", low=low, high=high, step=step)


def _category(name: str) -> Range:
    return Range("c", category=name)


PEOPLE = ("science", "politics", "music", "sport", "literature", "cinema")
N_CATEGORY = 10  # entries of every category list, in every language

# Domain -> its relations in the order in which an article tells them. Domains follow those of
# WildHallucinations (Table 5) in kind.
DOMAINS: dict[str, tuple[str, ...]] = {
    "science": ("birth_year", "birth_place", "field", "alma_mater", "employer", "award"),
    "politics": ("birth_year", "birth_place", "office", "nationality", "alma_mater", "award"),
    "music": ("birth_year", "birth_place", "instrument", "alma_mater", "record_label", "award"),
    "sport": ("birth_year", "birth_place", "position", "club", "debut_year", "award"),
    "literature": ("birth_year", "birth_place", "alma_mater", "debut_year", "publisher", "award"),
    "cinema": ("birth_year", "birth_place", "alma_mater", "debut_year", "studio", "award"),
    "towns": ("country", "founded", "population", "river", "specialty"),
    "rivers": ("country", "length", "spring", "fish"),
    "mountains": ("country", "height", "climber", "ascent_year", "rock"),
    "islands": ("country", "area", "discoverer", "discovery_year", "plant"),
    "architecture": ("town", "architect", "completed", "height", "material"),
    "countries": ("capital", "independence", "currency", "anthem"),
    "business": ("founded", "founder", "headquarters", "product", "employees"),
    "universities": ("town", "founded", "students", "chancellor"),
    "clubs": ("town", "founded", "colours", "coach"),
    "museums": ("town", "opened", "collection", "curator"),
    "novels": ("author", "published", "genre", "setting"),
    "films": ("director", "released", "film_genre", "composer"),
    "albums": ("artist", "released", "style", "album_label"),
    "software": ("developer", "released", "purpose", "platform"),
    "games": ("designer", "released", "theme", "maker"),
}

N_COUNTRIES = 12
N_ENTITIES = 24  # of each other domain: 492 in all

RELATIONS: dict[str, Range] = {
    "birth_year": _year(1840, 1990),
    "birth_place": _entity("towns"),
    "alma_mater": _entity("universities"),
    "award": _category("award"),
    "field": _category("field"),
    "employer": _entity("business"),
    "office": _category("office"),
    "nationality": _entity("countries"),
    "instrument": _category("instrument"),
    "record_label": _entity("business"),
    "position": _category("position"),
    "club": _entity("clubs"),
    "debut_year": _year(1870, 2015),
    "publisher": _entity("business"),
    "studio": _entity("business"),
    "country": _entity("countries"),
    "founded": _year(1200, 1990),
    "population": _number(2_100, 940_000, 100),
    "river": _entity("rivers"),
    "specialty": _category("specialty"),
    "length": _number(60, 990, 1),
    "spring": _entity("mountains"),
    "fish": _category("fish"),
    "height": _number(41, 990, 1),
    "climber": _entity("sport", "science", "politics"),
    "ascent_year": _year(1780, 1980),
    "rock": _category("rock"),
    "area": _number(12, 980, 1),
    "discoverer": _entity("science", "politics"),
    "discovery_year": _year(1500, 1890),
    "plant": _category("plant"),
    "town": _entity("towns"),
    "architect": _entity("science", "cinema"),
    "completed": _year(1400, 2010),
    "material": _category("material"),
    "capital": _entity("towns"),
    "independence": _year(1600, 1970),
    "currency": _category("currency"),
    "anthem": _entity("music"),
    "founder": _entity("science", "politics", "cinema"),
    "headquarters": _entity("towns"),
    "product": _category("product"),
    "employees": _number(1_100, 88_000, 100),
    "students": _number(1_200, 61_000, 100),
    "chancellor": _entity("politics", "science"),
    "colours": _category("colours"),
    "coach": _entity("sport"),
    "opened": _year(1750, 2010),
    "collection": _category("collection"),
    "curator": _entity("science", "literature"),
    "author": _entity("literature"),
    "published": _year(1860, 2015),
    "genre": _category("genre"),
    "setting": _entity("towns"),
    "director": _entity("cinema"),
    "released": _year(1925, 2018),
    "film_genre": _category("film_genre"),
    "composer": _entity("music"),
    "artist": _entity("music"),
    "style": _category("style"),
    "album_label": _entity("business"),
    "developer": _entity("business"),
    "purpose": _category("purpose"),
    "platform": _category("platform"),
    "designer": _entity("science", "literature"),
    "theme": _category("theme"),
    "maker": _entity("business"),
}


def is_person(domain: str) -> bool:
    """Whether entities of a domain are people (and have a gender)."""
    return domain in PEOPLE
