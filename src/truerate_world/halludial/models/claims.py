"""The parts of a response that the knowledge and the conversation do not support. The truth of a response is
read from its words, never from how it was written: a claim that the knowledge states is faithful, else one
that the conversation states; what contradicts both, or stands in neither, is hallucinated.
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
from truerate_world.parser import FACT, Claim, skeleton
from truerate_world.writer import Fact, LanguageTools, Writer

CONTRADICTS, UNVERIFIABLE = "contradicts", "unverifiable"
SUBTLE, BLATANT = "subtle", "blatant"
OTHER = {CONTRADICTS: UNVERIFIABLE, UNVERIFIABLE: CONTRADICTS, SUBTLE: BLATANT, BLATANT: SUBTLE}
ALIAS = 0.08  # rate of other names of a value: a conversation keeps to the names it began with
SIGHTS = tuple((kind, level) for level in (BLATANT, SUBTLE) for kind in (CONTRADICTS, UNVERIFIABLE))
_TURN = re.compile(r"^\[?(?P<who>User|Human|Assistant)\]?:[ \t]*", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
Span = tuple[int, int]


class Context(NamedTuple):
    """Facts of the knowledge, values that the conversation states, and all that either names;
    `is_strayed`: an earlier turn of the assistant is false.
    """

    knowledge: tuple[Fact, ...]
    history: Mapping[tuple[int, str], tuple[Value, ...]]
    named: frozenset[Value]
    is_strayed: bool = False

    def right(self, subject: int, relation: str) -> tuple[Value, ...]:
        """The values given for an entity and relation: the knowledge's, else the conversation's."""
        values = tuple(fact.value for fact in self.knowledge if fact[:2] == (subject, relation))
        return values or self.history.get((subject, relation), ())


class Flaw(NamedTuple):
    """A hallucinated part of a response: position, kind, visibility, claim, and the right value."""

    span: Span
    kind: str
    level: str
    claim: Claim | None = None
    right: Value | None = None


class Finding(NamedTuple):
    """The truth about one response: its hallucinated parts in order, and where its faithful claims stand."""

    flaws: tuple[Flaw, ...] = ()
    sound: tuple[Span, ...] = ()

    @property
    def is_hallucinated(self) -> bool:
        """Whether any part is."""
        return bool(self.flaws)

    @property
    def sight(self) -> tuple[str, str] | None:
        """Kind and level of the part that is seen first; None of a faithful response."""
        return min(((flaw.kind, flaw.level) for flaw in self.flaws), key=SIGHTS.index, default=None)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the hallucinated parts stand, each once."""
        return tuple(dict.fromkeys(flaw.span for flaw in self.flaws))


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

    def context(self, knowledge: str, conversation: str) -> Context:
        """What knowledge and conversation state, kept for the next call."""
        return _context(self, knowledge, conversation)

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
        facts = (Fact(claim.subject, claim.relation, claim.value) for claim in claims if claim.kind == FACT)
        return list(dict.fromkeys(facts))

    def finding(self, response: str, knowledge: str, conversation: str) -> Finding:
        """The truth about a response to a conversation, kept for the next call."""
        return _finding(self, response, knowledge, conversation)

    def flaw_of(self, claim: Claim, given: Context) -> tuple[str, str, Value | None] | None:
        """Kind, level and the right value of a hallucinated claim; None of one that is supported."""
        if claim.kind != FACT or claim.value is None:
            return UNVERIFIABLE, BLATANT, None
        if right := given.right(claim.subject, claim.relation):
            if claim.value in right:
                return None
            is_close = is_near(self.world, right[-1], claim.relation, claim.value)
            is_subtle = is_close or claim.value in given.named
            return CONTRADICTS, SUBTLE if is_subtle else BLATANT, right[-1]
        is_true = self.world.fact(claim.subject, claim.relation) == claim.value
        return UNVERIFIABLE, SUBTLE if is_true else BLATANT, None

    def span_of(self, claim: Claim, sentence: str) -> Span:
        """Where a claim stands in its sentence: its value by any name, else the words or the sentence."""
        low = sentence.lower()
        for text in _wordings(self, claim.relation, claim.value):
            for match in re.finditer(re.escape(text), low):
                before, after = low[match.start() - 1 : match.start()], low[match.end() :][:1]
                if not (before.isalnum() or after.isalnum()):
                    return match.span()
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
def _wordings(checker_: Checker, relation: str, value: Value | None) -> tuple[str, ...]:
    """The ways to write a value, or a claim without one, in small letters, the longest first."""
    if value is None:
        texts = {text.lower() for texts in checker_.lexicon.words.vague.values() for text in texts}
    else:
        text_of = checker_.lexicon.text
        texts = {text_of(value, relation, alias=is_alias).lower() for is_alias in (False, True)}
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))


@lru_cache(maxsize=4_096)
def _context(checker_: Checker, knowledge: str, conversation: str) -> Context:
    history: dict[tuple[int, str], tuple[Value, ...]] = {}
    is_strayed = False
    for who, text in turns(conversation):
        for claim in checker_.parser.read(without_leads(text)).claims:
            name = (claim.subject, claim.relation)
            if claim.kind == FACT and claim.value is not None:
                history[name] = (*history.get(name, ()), claim.value)
            is_true = claim.kind == FACT and checker_.world.fact(*name) == claim.value
            is_strayed |= who == "assistant" and not is_true
    scan = checker_.lexicon.scan
    named = frozenset([*scan(knowledge).things, *scan(conversation).things])
    return Context(tuple(checker_.facts_of(knowledge)), history, named, is_strayed)


@lru_cache(maxsize=20_000)
def _finding(checker_: Checker, response: str, knowledge: str, conversation: str) -> Finding:
    given = checker_.context(knowledge, conversation)
    reading = checker_.parser.read(without_leads(response))
    starts = list(_starts(response, reading.sentences))
    flaws, sound = [], []
    for claim in reading.claims:
        flaw, sentence = checker_.flaw_of(claim, given), reading.sentences[claim.sentence]
        start, end = checker_.span_of(claim, sentence)
        span = (starts[claim.sentence] + start, starts[claim.sentence] + end)
        if flaw:
            flaws.append(Flaw(span, flaw[0], flaw[1], claim, flaw[2]))
        else:
            sound.append(span)
    for number in reading.unread:
        sentence = reading.sentences[number]
        if set(checker_.lexicon.scan(sentence).things) - given.named:
            span = (starts[number], starts[number] + len(sentence.rstrip(".!? ")))
            flaws.append(Flaw(span, UNVERIFIABLE, BLATANT))
    return Finding(tuple(sorted(flaws, key=lambda flaw: flaw.span)), tuple(sorted(sound)))


def _starts(text: str, sentences: tuple[str, ...]) -> Iterator[int]:
    """Where each sentence stands in a text."""
    index = 0
    for sentence in sentences:
        start = text.find(sentence, index)
        index = start + len(sentence) if start >= 0 else index
        yield max(start, 0)
