"""The entity table: a seed gives fictional entities with five facts, named in every language.
Training, silver prompts and articles share no entity; a fact names entities of its owner's role. A value is
`("y", year)`, `("n", number)`, `("e", entity)`, `("c", "category/index")` or, invented, `("w", index)`.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from types import SimpleNamespace

from truerate_world.data import beside
from truerate_world.draws import draw, pick
from truerate_world.mfava.lang import DOMAINS, LANGUAGES, RELATIONS, SYLLABLES_LATIN, TAKEN, load

_DATA = beside(__file__)

Value = tuple[str, int | str]

ROLES = {"train": 60, "silver": 30, "articles": 90}  # entities of each domain, by role
N_CATEGORY = 12  # entries of every category
N_INVENTED = 60  # words that name nothing
RANGES = _DATA["ranges"]


@dataclass(frozen=True, eq=False)
class Entity:
    """One thing of the table, its role, and its facts in the order in which an article tells them."""

    index: int
    domain: str
    role: str
    facts: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class EntityTable:
    """All entities, by role and domain, and their names and the invented words by language."""

    seed: int
    entities: tuple[Entity, ...]
    groups: dict[tuple[str, str], tuple[int, ...]]
    names: dict[str, tuple[str, ...]]
    invented: dict[str, tuple[str, ...]]

    def of(self, role: str) -> list[int]:
        """The entities of a role, the domains taking turns."""
        rounds = zip(*(self.groups[role, domain] for domain in DOMAINS), strict=True)
        return [entity for entities in rounds for entity in entities]

    def fact(self, entity: int, relation: str) -> Value | None:
        """The true value of a relation of an entity, None where its domain has none."""
        return self.entities[entity].facts.get(relation)

    def mate(self, entity: int, *key: object) -> int:
        """Another entity of the same role and domain."""
        mates = self.groups[self.entities[entity].role, self.entities[entity].domain]
        index = int(draw(self.seed, "mate", entity, *key) * (len(mates) - 1))
        return mates[index] if mates[index] < entity else mates[index + 1]

    def text(self, value: Value, code: str) -> str:
        """A value as it is written in a language; numbers are plain digits everywhere."""
        kind, content = value
        if kind == "e":
            return self.names[code][content]
        if kind == "w":
            return self.invented[code][content]
        if kind == "c":
            category, index = content.split("/")
            return load(code).categories[category][int(index)]
        return str(content)


@lru_cache(maxsize=4)
def build(seed: int) -> EntityTable:
    """The table of a seed, kept for the next call: the same entities and facts in every language."""
    bare = [Entity(0, domain, role) for role, n in ROLES.items() for domain in DOMAINS for _ in range(n)]
    entities = tuple(Entity(index, entity.domain, entity.role) for index, entity in enumerate(bare))
    groups: dict[tuple[str, str], tuple[int, ...]] = {}
    for entity in entities:
        group = (entity.role, entity.domain)
        groups[group] = (*groups.get(group, ()), entity.index)
    for entity in entities:
        for relation in DOMAINS[entity.domain]:
            entity.facts[relation] = _value(seed, entity, relation, groups)
    lexicons = {code: load(code) for code in LANGUAGES}
    stems = _stems(seed, len(entities) + N_INVENTED, lexicons)
    names = {
        code: tuple(_name(lexicon, seed, entity, stems[code][entity.index]) for entity in entities)
        for code, lexicon in lexicons.items()
    }
    invented = {code: tuple(texts[len(entities) :]) for code, texts in stems.items()}
    return EntityTable(seed, entities, groups, names, invented)


def _value(seed: int, entity: Entity, relation: str, groups: dict[tuple[str, str], tuple[int, ...]]) -> Value:
    """A fact's value; entities it names are of the owner's role and never the owner."""
    key = (seed, "atlas", entity.index, relation)
    kind = RELATIONS[relation]
    if kind.startswith("e:"):
        return "e", pick([index for index in groups[entity.role, kind[2:]] if index != entity.index], *key)
    if kind.startswith("c:"):
        return "c", f"{kind[2:]}/{int(draw(*key) * N_CATEGORY)}"
    low, high, step = RANGES[relation]
    share = draw(*key) if kind == "y" else draw(*key) ** 2  # small numbers are commoner than large ones
    return kind, low + int(share * ((high - low) // step + 1)) * step


def _name(lexicon: SimpleNamespace, seed: int, entity: Entity, stem: str) -> str:
    given = lexicon.given[int(draw(seed, "given", entity.index) * len(lexicon.given))]
    return lexicon.names[entity.domain].format(w=stem, g=given)


def _stems(seed: int, n: int, lexicons: dict[str, SimpleNamespace]) -> dict[str, list[str]]:
    """`n` invented words in each language's script; none is a part of another in any script, whatever the
    case.
    """
    record: dict[str, list[str]] = {code: [] for code in lexicons}
    whole: set[str] = set()
    parts: set[str] = set()
    index = 0
    while len(record["en"]) < n:
        index += 1
        n_syllables = 2 if draw(seed, "stem", index, "short") < 0.3 else 3
        syllables = [pick(SYLLABLES_LATIN, seed, "stem", index, turn) for turn in range(n_syllables)]
        forms = {code: _form(syllables, lexicon) for code, lexicon in lexicons.items()}
        mine = {form.lower() for form in forms.values()}
        pieces = {piece for form in mine for piece in _parts(form)}
        if mine & parts or pieces & whole or len(set(syllables)) < n_syllables or "".join(syllables) in TAKEN:
            continue
        whole |= mine
        parts |= pieces
        for code, form in forms.items():
            record[code].append(form)
    return record


def _form(syllables: list[str], lexicon: SimpleNamespace) -> str:
    if lexicon.syllables is None:
        return "".join(syllables).capitalize()
    return "".join(lexicon.syllables[text] for text in syllables)


def _parts(form: str) -> set[str]:
    """Every piece of a word, itself among them."""
    return {form[start:end] for start in range(len(form)) for end in range(start + 1, len(form) + 1)}
