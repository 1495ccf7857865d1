"""From facts to text: sentences in drawn surface forms, alone or two in one, with names, aliases and pronouns."""

from collections.abc import Sequence
from typing import NamedTuple

from truerate.core.text import words
from truerate_world.domains import RELATIONS, Value
from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.lexicon import Lexicon


class Fact(NamedTuple):
    """A statement to be written; it need not be true."""

    subject: int
    relation: str
    value: Value


class Writer:
    """Writes one language of one world. Every choice is drawn from the key alone, so the same key gives the
    same text.
    """

    def __init__(self, world: World, lexicon: Lexicon):
        self.world, self.lexicon, self.words = world, lexicon, lexicon.words

    def tell(self, facts: Sequence[Fact], *key: object, compound: float = 0.35) -> list[str]:
        """The facts as sentences in their order; `compound` is the share of neighbours on one subject that
        are joined.
        """
        sentences: list[str] = []
        before, index = None, 0
        while index < len(facts):
            fact = facts[index]
            mate = facts[index + 1] if index + 1 < len(facts) else None
            if mate and mate.subject == fact.subject and draw(*key, "join", index) < compound:
                sentences.append(self.two(fact, mate, *key, index, after=before))
                index += 2
            else:
                sentences.append(self.one(fact, *key, index, after=before))
                index += 1
            before = fact.subject
        return sentences

    def one(self, fact: Fact, *key: object, after: int | None = None) -> str:
        """One fact as a sentence; a pronoun may stand for the subject where `after` says that it was the last
        one.
        """
        if fact.subject != after and draw(*key, "turn") < 0.25:
            turn = pick(self.words.relations[fact.relation].turned, *key, "turned")
            text = turn.format(s=self._name(fact.subject, *key), v=self.value(fact, *key))
        else:
            text = f"{self._subject(fact.subject, after, *key)} {self.says(fact, *key)}"
        if draw(*key, "lead") < 0.1:
            is_pronoun = text.split()[0] in self.words.pronouns.values()
            return f"{pick(self.words.leads, *key, 'lead')} {text[0].lower() + text[1:] if is_pronoun else text}."
        return text[0].upper() + text[1:] + "."

    def two(self, fact: Fact, mate: Fact, *key: object, after: int | None = None) -> str:
        """Two facts on one subject as one sentence."""
        gender = self.world.entities[fact.subject].gender
        parts = {
            "S": self._subject(fact.subject, after, *key),
            "who": self.words.relatives[gender],
            "p": self.words.pronouns[gender].lower(),
            "one": self.says(fact, *key, 1),
            "two": self.says(mate, *key, 2),
        }
        forms = self.words.compounds
        if parts["S"] in self.words.pronouns.values():
            forms = [form for form in forms if "{who}" not in form]
        return pick(forms, *key, "compound").format(**parts) + "."

    def vague(self, kind: str, subject: int, *key: object) -> str:
        """A sentence that no source can settle, of a kind of `VAGUE`."""
        return f"{self._name(subject, *key)} {pick(self.words.vague[kind], *key, kind)}."

    def misrelated(self, fact: Fact, *key: object) -> str:
        """A sentence with the fact's value under another relation."""
        wrong = self.words.relations[fact.relation].wrong.format(v=self.value(fact, *key))
        return f"{self._name(fact.subject, *key)} {wrong}."

    def talk(self, name: str, *key: object, about: int | None = None) -> str:
        """A sentence without content, of a kind of `TALK`."""
        text = pick(self.words.talk[name], *key, name)
        return text if about is None else text.format(x=self.lexicon.name(about))

    def aside(self, entity: int, facts: Sequence[Fact], *key: object) -> str:
        """A sentence that names others like the entities at hand and states nothing of them, so that a name
        alone proves nothing.
        """
        told = [fact.value[1] for fact in facts if fact.value[0] == "e"] or [entity]
        mates = [self._mate(one, *key, index) for index, one in enumerate((told[0], told[-1], entity))]
        text = pick(self.words.talk["aside"], *key, "aside")
        return text.format(**dict(zip("xyz", map(self.lexicon.name, mates), strict=True)))

    def _mate(self, entity: int, *key: object) -> int:
        """Another entity of the same domain, near or far."""
        near = sorted(self.world.near[entity])
        far = [
            index
            for index in self.world.by_domain[self.world.entities[entity].domain]
            if index != entity and index not in near
        ]
        return pick(near if draw(*key, "is near") < 0.5 or not far else far, *key, "mate")

    def says(self, fact: Fact, *key: object) -> str:
        """The verb phrase of a fact."""
        return pick(self.words.relations[fact.relation].says, *key, "says").format(v=self.value(fact, *key))

    def value(self, fact: Fact, *key: object) -> str:
        """The value as it is written, another name of it in three cases of ten."""
        return self.lexicon.text(fact.value, fact.relation, alias=draw(*key, "alias") < 0.3)

    def answer(self, value: Value, relation: str, *key: object, kind: str = "", limit: int = 99) -> str:
        """A value as a short answer, in a drawn form of at most `limit` words (the bare value where none is
        that short).
        """
        text = self.lexicon.text(value, relation, alias=draw(*key, "alias") < 0.3)
        form = "year" if value[0] == "n" and RELATIONS[relation].is_year else value[0]
        domain = self.world.entities[value[1]].domain if value[0] == "e" else ""
        one, several = self.words.kinds[domain] if domain else (kind, kind)
        texts = [known.format(v=text, k=one, ks=several) for known in self.words.answers[form]]
        fitting = [found for found in texts if len(words(found)) <= limit]
        return pick(fitting or [text], *key, "form")

    def ask(self, relation: str, subject: int, *key: object) -> str:
        """A question for one value."""
        return pick(self.words.relations[relation].asks, *key, "ask").format(x=self.lexicon.name(subject))

    def _name(self, subject: int, *key: object) -> str:
        return self.lexicon.name(subject, alias=draw(*key, "subject alias") < 0.15)

    def _subject(self, subject: int, after: int | None, *key: object) -> str:
        if subject == after and draw(*key, "pronoun") < 0.6:
            return self.words.pronouns[self.world.entities[subject].gender]
        return self._name(subject, *key)
