"""What the given knowledge and the conversation hold, and which parts of a response they do not.

The truth of a response is read from its words, never from how it was made: a claim that the knowledge holds
is faithful; else one that the conversation holds is; what contradicts them, or stands in neither even if it
is true of the world, is hallucinated.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from truerate_world.distractors import is_near
from truerate_world.domains import Value
from truerate_world.draws import draw
from truerate_world.encyclopedia import World
from truerate_world.halludial.models.style import without_leads
from truerate_world.language_tools import LanguageTools
from truerate_world.parser import FACT, Claim, skeleton
from truerate_world.writer import Fact, Writer

CONTRADICTS, UNVERIFIABLE = "contradicts", "unverifiable"
SUBTLE, BLATANT = "subtle", "blatant"
ALIAS = (
    0.08  # that a value bears another name than its first: a conversation keeps to the names it began with
)
SIGHTS = tuple((kind, level) for level in (BLATANT, SUBTLE) for kind in (CONTRADICTS, UNVERIFIABLE))
_TURN = re.compile(r"^\[?(?P<who>User|Human|Assistant)\]?:[ \t]*", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
Place = tuple[int, int]


class Held(NamedTuple):
    """What is given: facts of the knowledge in order, values that the conversation states of an entity and
    relation, and all that either names. `is_strayed`: a turn of the assistant before says what is false.
    """

    knowledge: tuple[Fact, ...]
    history: Mapping[tuple[int, str], tuple[Value, ...]]
    named: frozenset[Value]
    is_strayed: bool = False

    def right(self, subject: int, relation: str) -> tuple[Value, ...]:
        """The values that are held of an entity and relation: those of the knowledge, else of the
        conversation.
        """
        told = tuple(fact.value for fact in self.knowledge if fact[:2] == (subject, relation))
        return told or self.history.get((subject, relation), ())


class Flaw(NamedTuple):
    """A hallucinated part of a response: where it stands, of which kind it is, how visible, what it claims,
    and the value that is held instead.
    """

    place: Place
    kind: str
    level: str
    claim: Claim | None = None
    right: Value | None = None


class Finding(NamedTuple):
    """The truth about one response: its hallucinated parts in order, and where its faithful claims stand."""

    flaws: tuple[Flaw, ...] = ()
    sound: tuple[Place, ...] = ()

    @property
    def is_hallucinated(self) -> bool:
        """Whether any part is."""
        return bool(self.flaws)

    @property
    def sight(self) -> tuple[str, str] | None:
        """Kind and level of the part that is seen first; None of a faithful response."""
        return min(((flaw.kind, flaw.level) for flaw in self.flaws), key=SIGHTS.index, default=None)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where the hallucinated parts stand, each once."""
        return tuple(dict.fromkeys(flaw.place for flaw in self.flaws))


class Speaker(Writer):
    """Writes turns and their knowledge."""

    def value(self, fact: Fact, *key: object) -> str:
        """The value as it is written, rarely by another name."""
        return self.lexicon.text(fact.value, fact.relation, alias=draw(*key, "alias") < ALIAS)

    def _name(self, subject: int, *key: object) -> str:
        return self.lexicon.name(subject, alias=draw(*key, "subject alias") < ALIAS)


class Checker(LanguageTools):
    """Reads what is given, and what a response says of it."""

    def __init__(self, world: World, language: str):
        super().__init__(world, language)
        self.writer = Speaker(world, self.lexicon)

    @cached_property
    def _asks(self) -> dict[str, list[str]]:
        """Relations by the skeleton of the questions for them."""
        asks: dict[str, list[str]] = {}
        for relation, phrases in self.lexicon.phrases.items():
            for ask in phrases.asks:
                asks.setdefault(skeleton(self.lexicon, ask), []).append(relation)
        return asks

    def held(self, knowledge: str, conversation: str) -> Held:
        """What knowledge and conversation hold, kept for the next call."""
        return _held(self, knowledge, conversation)

    def asked_for(self, conversation: str) -> tuple[int, str] | None:
        """The entity and relation that the last turn asks for; None where it asks for none."""
        turn = turns(conversation)[-1][1] if turns(conversation) else ""
        for sentence in reversed(_SENTENCE.findall(turn)):
            text, things = self.lexicon.scan(sentence)
            for relation in self._asks.get(text, ()):
                if self.world.fact(things[0][1], relation) is not None:
                    return things[0][1], relation
        return None

    def facts_of(self, text: str) -> list[Fact]:
        """The facts that a text states, in order, each once."""
        claims = self.parser.read(without_leads(text)).claims
        told = (Fact(one.subject, one.relation, one.value) for one in claims if one.kind == FACT)
        return list(dict.fromkeys(told))

    def finding(self, response: str, knowledge: str, conversation: str) -> Finding:
        """The truth about a response to a conversation, kept for the next call."""
        return _finding(self, response, knowledge, conversation)

    def flaw_of(self, claim: Claim, held: Held) -> tuple[str, str, Value | None] | None:
        """Kind, level and the right value of a hallucinated claim; None of one that is held."""
        if claim.kind != FACT or claim.value is None:
            return UNVERIFIABLE, BLATANT, None
        if right := held.right(claim.subject, claim.relation):
            if claim.value in right:
                return None
            is_close = is_near(self.world, right[-1], claim.relation, claim.value)
            is_subtle = is_close or claim.value in held.named
            return CONTRADICTS, SUBTLE if is_subtle else BLATANT, right[-1]
        is_true = self.world.fact(claim.subject, claim.relation) == claim.value
        return UNVERIFIABLE, SUBTLE if is_true else BLATANT, None

    def place_of(self, claim: Claim, sentence: str) -> Place:
        """Where a claim stands in its sentence: its value, by any name; without one the words that say it, or the
        whole sentence without its stop where these are others.
        """
        low = sentence.lower()
        for text in _wordings(self, claim.relation, claim.value):
            for found in re.finditer(re.escape(text), low):
                if (
                    not low[found.start() - 1 : found.start()].isalnum()
                    and not low[found.end() :][:1].isalnum()
                ):
                    return found.span()
        return 0, len(sentence.rstrip(".!? "))


@lru_cache(maxsize=16)
def checker(world: World) -> Checker:
    """The checker of a world's first language, kept for the next call."""
    return Checker(world, world.languages[0])


def turns(conversation: str) -> list[tuple[str, str]]:
    """Speaker (`user` or `assistant`) and text of each turn, in order."""
    parts = _TURN.split(conversation)[1:]
    names = ("assistant" if who == "Assistant" else "user" for who in parts[::2])
    return list(zip(names, (text.strip() for text in parts[1::2]), strict=True))


@lru_cache(maxsize=20_000)
def _wordings(known: Checker, relation: str, value: Value | None) -> tuple[str, ...]:
    """The ways to write a value, or a claim without one, in small letters, the longest first."""
    if value is None:
        texts = {text.lower() for texts in known.lexicon.words.vague.values() for text in texts}
    else:
        texts = {known.lexicon.text(value, relation, alias=is_alias).lower() for is_alias in (False, True)}
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))


@lru_cache(maxsize=4_096)
def _held(known: Checker, knowledge: str, conversation: str) -> Held:
    history: dict[tuple[int, str], tuple[Value, ...]] = {}
    is_strayed = False
    for who, text in turns(conversation):
        for claim in known.parser.read(without_leads(text)).claims:
            if claim.kind == FACT and claim.value is not None:
                place = (claim.subject, claim.relation)
                history[place] = (*history.get(place, ()), claim.value)
            is_true = claim.kind == FACT and known.world.fact(claim.subject, claim.relation) == claim.value
            is_strayed |= who == "assistant" and not is_true
    named = frozenset(
        thing for text in (knowledge, conversation) for thing in known.lexicon.scan(text).things
    )
    return Held(tuple(known.facts_of(knowledge)), history, named, is_strayed)


@lru_cache(maxsize=20_000)
def _finding(known: Checker, response: str, knowledge: str, conversation: str) -> Finding:
    held = known.held(knowledge, conversation)
    reading = known.parser.read(without_leads(response))
    starts = list(_starts(response, reading.sentences))
    flaws, sound = [], []
    for claim in reading.claims:
        flaw, sentence = known.flaw_of(claim, held), reading.sentences[claim.sentence]
        start, end = known.place_of(claim, sentence)
        place = (starts[claim.sentence] + start, starts[claim.sentence] + end)
        if flaw:
            flaws.append(Flaw(place, flaw[0], flaw[1], claim, flaw[2]))
        else:
            sound.append(place)
    for number in reading.unread:
        sentence = reading.sentences[number]
        if set(known.lexicon.scan(sentence).things) - held.named:
            place = (starts[number], starts[number] + len(sentence.rstrip(".!? ")))
            flaws.append(Flaw(place, UNVERIFIABLE, BLATANT))
    return Finding(tuple(sorted(flaws, key=lambda flaw: flaw.place)), tuple(sorted(sound)))


def _starts(text: str, sentences: tuple[str, ...]) -> Iterator[int]:
    """Where each sentence stands in a text."""
    place = 0
    for sentence in sentences:
        start = text.find(sentence, place)
        place = start + len(sentence) if start >= 0 else place
        yield max(start, 0)
