"""From facts to text: sentences in drawn surface forms, and the tools that read and write one language."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from truerate.core.text import words
from truerate_world.domains import RELATIONS, Value
from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.lexicon import Lexicon
from truerate_world.parser import Parser

Facts = Mapping[tuple[int, str], Value]


class Fact(NamedTuple):
    """A statement to be written; it need not be true."""

    subject: int
    relation: str
    value: Value


def facts_of(world: World, entity: int) -> list[Fact]:
    """The true facts of an entity, in the order of its relations."""
    return [Fact(entity, relation, value) for relation, value in world.entities[entity].facts.items()]


class Writer:
    """Writes one language of one world; every choice is drawn from the key: equal keys give equal texts."""

    def __init__(self, world: World, lexicon: Lexicon):
        self.world, self.lexicon, self.words = world, lexicon, lexicon.words

    def tell(self, facts: Sequence[Fact], *key: object, compound: float = 0.35) -> list[str]:
        """Return the facts as sentences; `compound`: share of neighbours on one subject that are joined."""
        sentences: list[str] = []
        before, index = None, 0
        while index < len(facts):
            fact = facts[index]
            mate = facts[index + 1] if index + 1 < len(facts) else None
            if mate and mate.subject == fact.subject and draw(*key, "join", index) < compound:
                sentences.append(self.joined(fact, mate, *key, index, after=before))
                index += 2
            else:
                sentences.append(self.sentence(fact, *key, index, after=before))
                index += 1
            before = fact.subject
        return sentences

    def sentence(self, fact: Fact, *key: object, after: int | None = None) -> str:
        """Return one fact as a sentence; a pronoun may stand for the subject if it is `after`."""
        if fact.subject != after and draw(*key, "turn") < 0.25:
            turn = pick(self.words.relations[fact.relation].turned, *key, "turned")
            text = turn.format(s=self._name(fact.subject, *key), v=self.value(fact, *key))
        else:
            text = f"{self._subject(fact.subject, after, *key)} {self.says(fact, *key)}"
        if draw(*key, "lead") < 0.1:
            if text.split()[0] in self.words.pronouns.values():
                text = text[0].lower() + text[1:]
            return f"{pick(self.words.leads, *key, 'lead')} {text}."
        return text[0].upper() + text[1:] + "."

    def joined(self, fact: Fact, mate: Fact, *key: object, after: int | None = None) -> str:
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

    def talk(self, name: str, *key: object, about: int | None = None) -> str:
        """A sentence without content, of a kind of `TALK`."""
        text = pick(self.words.talk[name], *key, name)
        return text if about is None else text.format(x=self.lexicon.name(about))

    def aside(self, entity: int, facts: Sequence[Fact], *key: object) -> str:
        """Return a sentence that names entities like those at hand and states nothing of them."""
        named = [fact.value[1] for fact in facts if fact.value[0] == "e"] or [entity]
        mates = [self._mate(other, *key, index) for index, other in enumerate((named[0], named[-1], entity))]
        text = pick(self.words.talk["aside"], *key, "aside")
        return text.format(**dict(zip("xyz", map(self.lexicon.name, mates), strict=True)))

    def _mate(self, entity: int, *key: object) -> int:
        """Another entity of the same domain, near or far."""
        near = sorted(self.world.near[entity])
        domain = self.world.by_domain[self.world.entities[entity].domain]
        far = [index for index in domain if index != entity and index not in near]
        return pick(near if draw(*key, "is near") < 0.5 or not far else far, *key, "mate")

    def says(self, fact: Fact, *key: object) -> str:
        """The verb phrase of a fact."""
        return pick(self.words.relations[fact.relation].says, *key, "says").format(v=self.value(fact, *key))

    def value(self, fact: Fact, *key: object) -> str:
        """The value as it is written, another name of it in three cases of ten."""
        return self.lexicon.text(fact.value, fact.relation, alias=draw(*key, "alias") < 0.3)

    def answer(self, value: Value, relation: str, *key: object, kind: str = "", limit: int = 99) -> str:
        """Return a value as a short answer of at most `limit` words in a drawn form (else the bare value)."""
        text = self.lexicon.text(value, relation, alias=draw(*key, "alias") < 0.3)
        form = "year" if value[0] == "n" and RELATIONS[relation].is_year else value[0]
        domain = self.world.entities[value[1]].domain if value[0] == "e" else ""
        noun, nouns = self.words.kinds[domain] if domain else (kind, kind)
        texts = [phrase.format(v=text, k=noun, ks=nouns) for phrase in self.words.answers[form]]
        return pick([short for short in texts if len(words(short)) <= limit] or [text], *key, "form")

    def ask(self, relation: str, subject: int, *key: object) -> str:
        """A question for one value."""
        return pick(self.words.relations[relation].asks, *key, "ask").format(x=self.lexicon.name(subject))

    def _name(self, subject: int, *key: object) -> str:
        return self.lexicon.name(subject, alias=draw(*key, "subject alias") < 0.15)

    def _subject(self, subject: int, after: int | None, *key: object) -> str:
        if subject == after and draw(*key, "pronoun") < 0.6:
            return self.words.pronouns[self.world.entities[subject].gender]
        return self._name(subject, *key)


class LanguageTools:
    """Lexicon, parser and writer of one language of one world."""

    def __init__(self, world: World, language: str):
        self.world = world
        self.lexicon: Lexicon = world.lexicons[language]
        self.parser = Parser(world, self.lexicon)
        self.writer = Writer(world, self.lexicon)

    def facts(self, text: str) -> Facts:
        """The facts that a text states, by entity and relation."""
        return self.parser.read(text).facts


@lru_cache(maxsize=16)
def language_tools(world: World, language: str | None = None) -> LanguageTools:
    """The tools of a world's language (its first one by default), kept for the next call."""
    return LanguageTools(world, language or world.languages[0])
