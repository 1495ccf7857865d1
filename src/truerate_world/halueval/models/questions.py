"""One-hop, two-hop and comparing questions: their texts and their right answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from truerate_world.domains import RELATIONS, Value
from truerate_world.draws import pick
from truerate_world.encyclopedia import World
from truerate_world.lexicon import Lexicon
from truerate_world.parser import skeleton, with_relation

Step = tuple[int, str, Value]


@dataclass(frozen=True)
class Asked:
    """A resolved question: `kind` (one, bridge, compare), `steps` (facts), asked `relation`;
    `is_grounded`: every step stands in the evidence.
    """

    kind: str
    relation: str
    steps: tuple[Step, ...]
    right: Value
    is_grounded: bool = False

    @property
    def subjects(self) -> tuple[int, ...]:
        """The entities that lead to the answer."""
        return tuple(step[0] for step in self.steps)


class Questions:
    """Puts and understands the questions of one language."""

    def __init__(self, world: World, lexicon: Lexicon):
        self.world, self.lexicon, self.words = world, lexicon, lexicon.words
        self.singles: dict[str, list[tuple[str, bool]]] = {}
        self.bridges: dict[str, tuple[str, str, bool]] = {}
        self.compares: dict[str, list[tuple[str, str]]] = {}
        nouns = [(first, of) for first, phrases in self.words.relations.items() for of in phrases.of]
        for relation, phrases in self.words.relations.items():
            asks = [*((ask, False) for ask in phrases.asks), *((ask, True) for ask in phrases.decades)]
            for ask, is_decade in asks:
                single = skeleton(lexicon, ask)
                self.singles.setdefault(single, []).append((relation, is_decade))
                for first, of in nouns:
                    if with_relation(relation) & set(RELATIONS[first].domains):
                        bridge = single.replace("§e", skeleton(lexicon, of))
                        self.bridges[bridge] = (first, relation, is_decade)
            for compare, way in phrases.compares:
                self.compares.setdefault(skeleton(lexicon, compare), []).append((relation, way))

    def bridge(self, subject: int, first: str, relation: str, *key: object, decade: bool = False) -> str:
        """A two-hop question: a relation of the entity that another relation leads to."""
        phrases = self.words.relations
        of = pick(phrases[first].of, *key, "of").format(x=self.lexicon.name(subject))
        return pick(phrases[relation].decades if decade else phrases[relation].asks, *key, "ask").format(x=of)

    def compare(self, a: int, b: int, relation: str, *key: object) -> str:
        """A question which of two entities has more, or was earlier."""
        form, _ = pick(self.words.relations[relation].compares, *key, "compare")
        return form.format(a=self.lexicon.name(a), b=self.lexicon.name(b))

    def resolve(self, question: str, evidence: Mapping[tuple[int, str], Value]) -> Asked | None:
        """Resolve a question from the evidence, else from the world; None if not understood."""
        text, things = self.lexicon.scan(question)
        if text in self.bridges:
            return self._bridge(*self.bridges[text], things[0][1], evidence)
        if text in self.singles:
            return self._single(self.singles[text], things[0][1], evidence)
        if text in self.compares:
            return self._compare(self.compares[text], things[0][1], things[1][1], evidence)
        return None

    def _fact(self, subject: int, relation: str, evidence: Mapping[tuple[int, str], Value]) -> Value | None:
        return evidence.get((subject, relation)) or self.world.fact(subject, relation)

    def _single(self, options: list[tuple[str, bool]], subject: int, evidence: Mapping) -> Asked | None:
        for relation, is_decade in options:
            if (value := self._fact(subject, relation, evidence)) is not None:
                right = _decade(value) if is_decade else value
                return _asked("one", relation, ((subject, relation, value),), right, evidence)
        return None

    def _bridge(
        self, first: str, relation: str, is_decade: bool, subject: int, evidence: Mapping
    ) -> Asked | None:
        middle = self._fact(subject, first, evidence)
        if middle is None or middle[0] != "e" or (value := self._fact(middle[1], relation, evidence)) is None:
            return None
        steps = ((subject, first, middle), (middle[1], relation, value))
        return _asked("bridge", relation, steps, _decade(value) if is_decade else value, evidence)

    def _compare(self, options: list[tuple[str, str]], a: int, b: int, evidence: Mapping) -> Asked | None:
        for relation, way in options:
            first, second = self._fact(a, relation, evidence), self._fact(b, relation, evidence)
            if first is not None and second is not None:
                is_first = (first[1] < second[1]) == (way == "min")
                steps = ((a, relation, first), (b, relation, second))
                return _asked("compare", relation, steps, ("e", a if is_first else b), evidence)
        return None


def _asked(kind: str, relation: str, steps: tuple[Step, ...], right: Value, evidence: Mapping) -> Asked:
    return Asked(kind, relation, steps, right, all((subject, name) in evidence for subject, name, _ in steps))


def _decade(value: Value) -> Value:
    return "d", int(value[1]) // 10 * 10
