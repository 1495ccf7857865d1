"""The encyclopedia: a seed gives 492 fictional entities with facts, popularity, aliases, Wikipedia flag."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from truerate_world.domains import (
    DOMAINS,
    N_CATEGORY,
    N_COUNTRIES,
    N_ENTITIES,
    RELATIONS,
    Entity,
    Value,
    is_person,
)
from truerate_world.draws import draw, pick, shuffled
from truerate_world.lexicon import Lexicon


@dataclass(frozen=True, eq=False)
class World:
    """All entities and lexicons; `near[i]`: entities of i's domain that share a stated property with it."""

    seed: int
    languages: tuple[str, ...]
    entities: tuple[Entity, ...]
    by_domain: dict[str, tuple[int, ...]]
    near: tuple[frozenset[int], ...]
    lexicons: dict[str, Lexicon]

    def fact(self, entity: int, relation: str) -> Value | None:
        """The true value of a relation of an entity, None where it has none."""
        return self.entities[entity].facts.get(relation)

    def lexicon(self, language: str | None = None) -> Lexicon:
        """The lexicon of a language, the first one by default."""
        return self.lexicons[language or self.languages[0]]


def build(seed: int, languages: Sequence[str] = ("en",)) -> World:
    """The world of a seed, kept for the next call. Same seed: same entities and facts in every language."""
    return _build(seed, tuple(languages))


@lru_cache(maxsize=4)
def _build(seed: int, languages: tuple[str, ...]) -> World:
    bare = _entities(seed)
    by_domain = {name: tuple(e.index for e in bare if e.domain == name) for name in DOMAINS}
    for entity in bare:
        for relation in DOMAINS[entity.domain]:
            entity.facts[relation] = _value(seed, entity.index, relation, by_domain)
        if "debut_year" in entity.facts:
            age = 18 + int(draw(seed, "debut", entity.index) * 27)
            entity.facts["debut_year"] = ("n", int(entity.facts["birth_year"][1]) + age)
    lexicons = {code: Lexicon(code, seed, bare) for code in languages}
    return World(seed, languages, tuple(bare), by_domain, _near(bare, by_domain), lexicons)


def _entities(seed: int) -> list[Entity]:
    """Entities without facts; popularity is Zipf-like by a shuffled rank within the domain."""
    entities: list[Entity] = []
    for domain in DOMAINS:
        n = N_COUNTRIES if domain == "countries" else N_ENTITIES
        for rank in shuffled(range(n), seed, "rank", domain):
            index = len(entities)
            popularity = 1 / (1 + rank) ** 0.7
            gender = pick(("he", "she"), seed, "gender", index) if is_person(domain) else "it"
            is_wikipedia = draw(seed, "wikipedia", index) < 0.25 + 0.75 * popularity
            entities.append(Entity(index, domain, gender, popularity, is_wikipedia))
    return entities


def _value(seed: int, index: int, relation: str, by_domain: dict[str, tuple[int, ...]]) -> Value:
    """A value within the relation's range."""
    span = RELATIONS[relation]
    key = (seed, "value", index, relation)
    if span.kind == "e":
        return "e", pick([other for domain in span.domains for other in by_domain[domain]], *key)
    if span.kind == "c":
        return "c", f"{span.category}/{int(draw(*key) * N_CATEGORY)}"
    share = draw(*key) if span.is_year else draw(*key) ** 2  # small numbers are commoner than large ones
    return "n", span.low + int(share * ((span.high - span.low) // span.step + 1)) * span.step


def _near(entities: list[Entity], by_domain: dict[str, tuple[int, ...]]) -> tuple[frozenset[int], ...]:
    """For each entity those of its domain with an equal entity or category; else its two successors."""
    near = []
    for entity in entities:
        mates = by_domain[entity.domain]
        properties = [item for item in entity.facts.items() if item[1][0] in "ec"]
        shared = {
            mate
            for mate in mates
            if mate != entity.index and any(entities[mate].facts[name] == value for name, value in properties)
        }
        index = mates.index(entity.index)
        near.append(frozenset(shared or {mates[(index + 1) % len(mates)], mates[(index + 2) % len(mates)]}))
    return tuple(near)
