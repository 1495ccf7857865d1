"""The truth of a text: whether it hallucinates, by which pattern, and whether evidence decides it. Patterns
are recognised from what a text says, never from how it was written, so that a judge and the truth agree.
"""

from functools import lru_cache
from typing import NamedTuple

from truerate_world.distractors import is_near, is_same_type
from truerate_world.domains import RELATIONS, Value
from truerate_world.encyclopedia import World
from truerate_world.halueval.models.questions import Asked, Questions
from truerate_world.lexicon import Lexicon
from truerate_world.parser import FACT, Claim, Reading
from truerate_world.writer import Facts, LanguageTools

PATTERNS = {
    "qa": ("comprehension", "factualness", "specificity", "inference"),
    "dialogue": ("extrinsic-soft", "extrinsic-hard", "extrinsic-grouped"),
    "summarization": ("factual", "non-factual", "intrinsic"),
    "general": ("unverifiable", "non-factual", "irrelevant"),
}
SHARED_WORDS = 0.5  # share of an unreadable text's words in the evidence from which it counts as right


class Finding(NamedTuple):
    """The truth about one text; `pattern` is None if right or unreadable; `spans` are (sentence, label)."""

    is_hallucinated: bool
    pattern: str | None = None
    is_grounded: bool = False
    spans: tuple[tuple[str, str], ...] = ()


class Checker(LanguageTools):
    """Checks what a text says: against the evidence at hand, and else against the world."""

    def __init__(self, world: World, language: str):
        super().__init__(world, language)
        self.questions = Questions(world, self.lexicon)
        self.broad = _broad(self.lexicon)

    def qa(self, question: str, answer: str, knowledge: str = "") -> Finding:
        """An answer names the right value, by any of its names, or it hallucinates."""
        evidence = self.facts(knowledge)
        asked = self.questions.resolve(question, evidence)
        if asked is None:
            return self._by_words(answer, f"{question} {knowledge}")
        text, things = self.lexicon.scan(answer)
        text = self.parser.bare(text)
        if any(is_right(asked.right, thing) for thing in things):
            return Finding(False, None, asked.is_grounded)
        if not things:
            return Finding(True, "specificity" if text in self.broad else None, asked.is_grounded)
        return Finding(True, self.qa_pattern(asked, things[0]), asked.is_grounded)

    def qa_pattern(self, asked: Asked, named: Value) -> str:
        """Return the pattern of a wrong value."""
        right = asked.right
        if asked.kind == "compare" and named in {("e", subject) for subject in asked.subjects}:
            return "inference"
        if named == broader(self.world, right, asked.relation):
            return "specificity"
        if named in related(self.world, asked):
            return "comprehension"
        return "inference" if is_near(self.world, right, asked.relation, named) else "factualness"

    def dialogue(self, response: str, knowledge: str = "", history: str = "") -> Finding:
        """A response hallucinates where a claim of it is false; the first false one decides the pattern."""
        evidence, reading = self.facts(knowledge), self.parser.read(response)
        false = [claim for claim in reading.claims if not self._is_true(claim, evidence)]
        is_grounded = any((claim.subject, claim.relation) in evidence for claim in reading.claims)
        if not false:
            return self._unread(reading, f"{knowledge} {history}", is_grounded)
        spans = _spans(reading, false, "non-factual")
        return Finding(True, self._swap(false[0], evidence), is_grounded, spans)

    def summary(self, summary: str, document: str) -> Finding:
        """Judge a summary: it hallucinates if it states what the document does not."""
        stated, reading = self.facts(document), self.parser.read(summary)
        labels = {claim: self._summary_label(claim, stated) for claim in reading.claims}
        for pattern in ("intrinsic", "non-factual", "factual"):
            false = [claim for claim, label in labels.items() if label == pattern]
            if false:
                return Finding(True, pattern, True, _spans(reading, false, pattern))
        return self._unread(reading, document, True)

    def general(self, query: str, response: str, knowledge: str = "") -> Finding:
        """Judge a reply: it hallucinates if a sentence is false, unverifiable or not asked for."""
        evidence, reading = self.facts(knowledge), self.parser.read(response)
        asked = set(self.parser.read(query).mentioned)
        labels = {claim: self._general_label(claim, evidence, asked) for claim in reading.claims}
        spans = {claim.sentence: label for claim, label in labels.items() if label}
        is_grounded = any((claim.subject, claim.relation) in evidence for claim in reading.claims)
        if not spans:
            return Finding(False, None, is_grounded)
        marked = tuple((reading.sentences[index], label) for index, label in sorted(spans.items()))
        return Finding(True, marked[0][1], is_grounded, marked)

    def _is_true(self, claim: Claim, evidence: Facts) -> bool:
        return claim.kind == FACT and claim.value == self._right(claim, evidence)

    def _right(self, claim: Claim, evidence: Facts) -> Value | None:
        return evidence.get((claim.subject, claim.relation)) or self.world.fact(claim.subject, claim.relation)

    def _swap(self, claim: Claim, evidence: Facts) -> str | None:
        """The pattern of a swapped value: near, far, or of another type (HELMA Tables 11, 15)."""
        right = self._right(claim, evidence)
        if claim.value is None or right is None:
            return None
        if is_near(self.world, right, claim.relation, claim.value):
            return "extrinsic-soft"
        return "extrinsic-hard" if is_same_type(self.world, right, claim.value) else "extrinsic-grouped"

    def _summary_label(self, claim: Claim, stated: Facts) -> str | None:
        if claim.kind != FACT:
            return "non-factual"
        value = stated.get((claim.subject, claim.relation))
        if value is not None:
            return None if value == claim.value else "intrinsic"
        return "factual" if self.world.fact(claim.subject, claim.relation) == claim.value else "non-factual"

    def _general_label(self, claim: Claim, evidence: Facts, asked: set[int]) -> str | None:
        if asked and claim.subject not in asked:
            return "irrelevant"
        if claim.value is None:
            return "unverifiable"
        return None if self._is_true(claim, evidence) else "non-factual"

    def _unread(self, reading: Reading, evidence: str, is_grounded: bool) -> Finding:
        """A text without a false claim: right, but for sentences that can only be compared by their words."""
        if not reading.unread:
            return Finding(False, None, is_grounded)
        return self._by_words(" ".join(reading.sentences[index] for index in reading.unread), evidence)

    def _by_words(self, text: str, evidence: str) -> Finding:
        texts = set(self.lexicon.scan(text).skeleton.split())
        words = set(self.lexicon.scan(evidence).skeleton.split())
        return Finding(bool(texts) and len(texts & words) < SHARED_WORDS * len(texts))


@lru_cache(maxsize=16)
def checker(world: World, language: str | None = None) -> Checker:
    """The checker of a world's language (its first one by default), kept for the next call."""
    return Checker(world, language or world.languages[0])


def speaker(world: World, text: str) -> Checker:
    """Return the checker of the language that reads most claims of a text, else of the first one."""
    checkers = [checker(world, language) for language in world.languages]
    if len(checkers) == 1:
        return checkers[0]
    return max(checkers, key=lambda checker: len(checker.parser.read(text).claims))


def is_right(right: Value, named: Value) -> bool:
    """Whether a named value is the right one; a year answers the question for its decade."""
    return named == right or (right[0] == "d" and named[0] == "n" and int(named[1]) // 10 * 10 == right[1])


def broader(world: World, right: Value, relation: str) -> Value | None:
    """The value that is right but too general: the decade of a year, the country of a place."""
    if right[0] == "n":
        return ("d", int(right[1]) // 10 * 10) if RELATIONS[relation].is_year else None
    return world.fact(right[1], "country") if right[0] == "e" else None


def related(world: World, asked: Asked) -> set[Value]:
    """What the steps to an answer touch: their entities and all of those entities' facts."""
    values: set[Value] = set()
    for subject, _, value in asked.steps:
        values |= {("e", subject), value, *world.entities[subject].facts.values()}
    return {value for value in values if not is_right(asked.right, value)}


def _broad(lexicon: Lexicon) -> frozenset[str]:
    """Skeletons of all answers that name no value."""
    words = lexicon.words
    kinds = [*words.kinds.values(), *((kind, kind) for kind in words.category_kinds.values())]
    forms = [form for name, forms in words.answers.items() if name.startswith("broad") for form in forms]
    texts = (form.format(k=noun, ks=nouns) for form in forms for noun, nouns in kinds)
    return frozenset(lexicon.scan(text).skeleton for text in texts)


def _spans(reading: Reading, claims: list[Claim], label: str) -> tuple[tuple[str, str], ...]:
    return tuple((reading.sentences[index], label) for index in sorted({claim.sentence for claim in claims}))
