"""The parser: templates of a language compiled to skeletons; a text's sentences looked up as facts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from truerate_world.domains import DOMAINS, RELATIONS, Value
from truerate_world.encyclopedia import World
from truerate_world.lexicon import Lexicon, Scan

_SENTENCE = re.compile(r"[.!?]+[\"'”’)]*(?:\s+|$|(?=[A-Z\"“]))|\n+")
_SLOT = re.compile(r"\{(\w+)\}")
FACT, WRONG = "fact", "wrong-relation"


class Claim(NamedTuple):
    """The statement of a clause; `kind`: fact, wrong-relation, or vague (without relation and value)."""

    kind: str
    subject: int
    relation: str
    value: Value | None
    sentence: int


@dataclass(frozen=True)
class Reading:
    """Sentences of a text, its claims in order, unreadable sentences, and the entities it names."""

    sentences: tuple[str, ...]
    claims: tuple[Claim, ...]
    unread: tuple[int, ...]
    mentioned: tuple[int, ...]

    @cached_property
    def facts(self) -> dict[tuple[int, str], Value]:
        """The facts stated, by subject and relation; of two values the first one."""
        record: dict[tuple[int, str], Value] = {}
        for claim in self.claims:
            if claim.kind == FACT:
                record.setdefault((claim.subject, claim.relation), claim.value)
        return record


class Parser:
    """Reads one language of one world; readings are cached, since every judge reads the same evidence."""

    def __init__(self, world: World, lexicon: Lexicon):
        self.world, self.lexicon = world, lexicon
        words = lexicon.words
        self.says = _table(
            (skeleton(lexicon, say, relation), (FACT, relation))
            for relation, p in words.relations.items()
            for say in p.says
        )
        for relation, phrases in words.relations.items():
            self.says.setdefault(skeleton(lexicon, phrases.wrong, relation), []).append((WRONG, relation))
        for kind, phrases in words.vague.items():
            for phrase in phrases:
                self.says.setdefault(skeleton(lexicon, phrase), []).append((kind, ""))
        self.turned = _table(
            (skeleton(lexicon, turn, relation), (turn.index("{s}") > turn.index("{v}"), relation))
            for relation, p in words.relations.items()
            for turn in p.turned
        )
        self.talk = {
            skeleton(lexicon, text) for name in words.talk if name != "tail" for text in words.talk[name]
        }
        self.leads = tuple(skeleton(lexicon, lead) + " " for lead in words.leads)
        self.tails = tuple(" , " + skeleton(lexicon, tail) for tail in words.talk["tail"])
        pronouns = "|".join(sorted({form.lower() for form in words.pronouns.values()}))
        self._subject = re.compile(rf"(§e|{pronouns}) (.+)")
        joins = "|".join(
            skeleton(lexicon, join.replace("{p}", "qpq")).replace("qpq", f"(?:{pronouns})")
            for join in words.connectors
        )
        self._join = re.compile(rf" (?:{joins}) ")
        self._relative = re.compile(rf", (?:{'|'.join(words.relatives.values())}) (.+?) , (.+)")
        self._readings: dict[str, Reading] = {}

    def read(self, text: str) -> Reading:
        """What a text says; pronouns stand for the subject of the sentence before."""
        reading = self._readings.get(text)
        if reading is None:
            if len(self._readings) > 20_000:
                self._readings.clear()
            reading = self._readings[text] = self._read(text)
        return reading

    def _read(self, text: str) -> Reading:
        pieces = (piece.strip(" \t\"'“”‘’") for piece in _SENTENCE.split(text))
        sentences = tuple(piece for piece in pieces if piece)
        claims: list[Claim] = []
        unread: list[int] = []
        mentioned: list[int] = []
        subject = None
        for index, sentence in enumerate(sentences):
            scan = self.lexicon.scan(sentence)
            mentioned += [thing[1] for thing in scan.things if thing[0] == "e"]
            if scan.skeleton in self.talk or not scan.skeleton:
                subject = scan.things[0][1] if len(scan.things) == 1 and scan.things[0][0] == "e" else subject
                continue
            stated = self._sentence(scan, subject, index)
            if stated is None:
                unread.append(index)
            else:
                claims += stated
                subject = stated[0].subject
        return Reading(sentences, tuple(claims), tuple(unread), tuple(mentioned))

    def _sentence(self, scan: Scan, subject: int | None, sentence: int) -> list[Claim] | None:
        text = self.bare(scan.skeleton)
        if text in self.turned:
            return self._turned(text, scan.things, sentence)
        match = self._subject.fullmatch(text)
        if match is None:
            return None
        things = list(scan.things)
        if match[1] == "§e":
            subject = things.pop(0)[1]
        if subject is None:
            return None
        return self._clauses(match[2], things, subject, sentence)

    def bare(self, text: str) -> str:
        """A skeleton without an opening like *in fact* and without empty endings."""
        for lead in self.leads:
            text = text.removeprefix(lead)
        while (tail := next((tail for tail in self.tails if text.endswith(tail)), None)) is not None:
            text = text.removesuffix(tail)
        return text

    def _turned(self, text: str, things: tuple[Value, ...], sentence: int) -> list[Claim] | None:
        options = self.turned[text]
        for is_last, relation in options:
            subject, value = (things[1], things[0]) if is_last else (things[0], things[1])
            if len(options) == 1 or relation in self.world.entities[subject[1]].facts:
                return [Claim(FACT, subject[1], relation, value, sentence)]
        return None

    def _clauses(self, text: str, things: list[Value], subject: int, sentence: int) -> list[Claim] | None:
        """The claims of one or more verb phrases about one subject."""
        relative = None if text in self.says else self._relative.fullmatch(text)
        parts = [text] if text in self.says else relative.groups() if relative else self._join.split(text)
        claims, facts = [], self.world.entities[subject].facts
        for part in parts:
            options = self.says.get(part)
            if not options:
                return None
            kind, relation = next((option for option in options if option[1] in facts), options[0])
            claims.append(Claim(kind, subject, relation, things.pop(0) if "§" in part else None, sentence))
        return claims


def skeleton(lexicon: Lexicon, template: str, relation: str = "", **slots: str) -> str:
    """Return a template's skeleton: `{v}` by the relation's kind, other slots entities unless in `slots`."""
    marks = {"v": RELATIONS[relation].kind} if relation else {}
    marks |= slots
    text = _SLOT.sub(lambda slot: f" q{marks.get(slot[1], 'e')}q ", template)
    content = lexicon.scan(text).skeleton
    return re.sub(r"\bq([encdx])q\b", r"§\1", content)


def _table(entries: Iterable[tuple[str, tuple]]) -> dict[str, list[tuple]]:
    table: dict[str, list[tuple]] = {}
    for key, value in entries:
        if value not in table.setdefault(key, []):
            table[key].append(value)
    return table


def with_relation(relation: str) -> frozenset[str]:
    """The domains whose entities have a relation."""
    return frozenset(domain for domain, relations in DOMAINS.items() if relation in relations)
