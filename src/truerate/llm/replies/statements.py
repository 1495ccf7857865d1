"""Statements of faults: what a sentence says of the judged text in words that are all known, and to which side its words lean.

A *polar word* says fault or soundness (`fabricated`, `supported`); a negation before it turns it. A clause states
something where each of its words is of a known class, its polar words agree, and its first word names the judged text, or what is or is
not found in it. All else, and what doubts, supposes or excepts, states nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from truerate.llm.replies.words import Sentence, Word, has

PAUSES = frozenset(",،؛，、;；:：()[]—–-|=→⇒!/")
SIGNS = {
    "fault": 1,
    "fault_noun": 1,
    "fault_verb": 1,
    "sound": -1,
    "sound_verb": -1,
    "clause_fault": 1,
    "clause_sound": -1,
}
_ALL_SIGNS = {**SIGNS, "in_source": -1}
KNOWN = frozenset(
    "fault fault_noun fault_verb sound sound_verb problem in_source mention given subject pronoun there self finding have be do info "
    "source whole filler negation no conclusive opinion".split()
)
_VAGUE = frozenset("right true wrong false fine good ok okay correct".split())
LOOSE = frozenset(
    "right true wrong false fine good ok okay correct incorrect inaccurate non-factual off".split()
)
_UNFINISHED = frozenset(
    "the a an of in with to by between and or not no is".split()
)  # with which no sentence ends
_COMMAS = frozenset(",，;；")
_FACTS = ("fault", "sound", "in_source", "sound_verb")
_SO = frozenset("so therefore thus hence consequently".split())
_EMPTY = frozenset("filler conclusive opinion be opener prefix".split())  # of words that name nothing
_AND = frozenset(("and", "und", "y", "et", "e"))


def _split(some: Sequence[Word], signs: frozenset[str], *openers: str) -> list[list[Word]]:
    """The parts of some words between signs, which go, and before words of some classes, which stay."""
    parts: list[list[Word]] = [[]]
    for word in some:
        if word.text in signs or not word.classes.isdisjoint(openers):
            parts.append([])
        if word.text not in signs:
            parts[-1].append(word)
    return [part for part in parts if part]


def signs_of(some: Sequence[Word]) -> set[int]:
    """What the clauses of a sentence speak of: faults (1) or soundness (-1), their negations turned."""
    signs = set()
    for part in _split(some, PAUSES, "contrast", "because"):
        n = 0
        for word in part:
            n += bool({"negation", "no"} & word.classes)
            for name, sign in SIGNS.items():
                if name in word.classes and "neutral" not in word.classes:
                    signs.add(sign if n % 2 == 0 else -sign)
            if "problem" in word.classes and n:
                signs.add(-1)
    return signs


def is_left_open(sentence: Sentence) -> bool:
    """Whether a sentence leaves open what it says of faults."""
    return bool(signs_of(sentence.words)) and (
        sentence.is_question or has(sentence.words, "doubt", "condition")
    )


def statement_of(sentence: Sentence) -> bool | None:
    """What a sentence states, behind its label where it has one (`Verdict: not hallucinated`)."""
    some = sentence.words
    at = 0
    while at < len(some) and {"label", "filler", "conclusive"} & some[at].classes:
        at += 1
    is_headed = (
        0 < at < len(some) - 1 and some[at].text in ":：-–—=→|" and has(some[:at], "label", "conclusive")
    )
    if sentence.is_question:
        return None
    return stated_in(some[at + 1 :], is_headed=True) if is_headed else stated_in(some)


def stated_in(some: Sequence[Word], *, is_headed: bool = False) -> bool | None:
    """Whether a sentence says that the judged text has a fault (True) or none (False); None where it says neither in words
    that are all known, or leaves it open.
    """
    if has(some, "condition", "retraction") or (some and some[-1].text in _UNFINISHED):
        return None
    main, *others = _without_lead(_split(some, _COMMAS)) or [[]]
    for stops in (("because",), ("because", "relative")):
        end = next(
            (at for at, word in enumerate(main) if at and (word.text in ":(—–-" or has([word], *stops))),
            len(main),
        )
        is_fact = has(main[end : end + 1], "relative") and has(
            main[end - 1 : end], *_FACTS
        )  # `it is true that …`
        value = None if is_fact else _clause(main[:end], is_headed=is_headed)
        if value is not None:
            return None if any(_takes_back(tail, value) for tail in (main[end:], *others)) else value
    return None


def _without_lead(parts: list[list[Word]]) -> list[list[Word]]:
    """The parts of a sentence from its main clause on: without `but`, a premise (`Based on …,`), and reasons before a `so`."""
    start = 0
    while start < len(parts) and has(parts[start][:1], "contrast"):
        if has(parts[start][:1], "concession", "because") or [word.text for word in parts[start][1:2]] == [
            "for"
        ]:
            break
        parts[start] = parts[start][1:]
        start += not parts[start]
    conclusion = next((at for at in range(start + 1, len(parts)) if parts[at][0].text in _SO), start)
    if not any(has(part, "doubt") for part in parts[start:conclusion]):
        start = conclusion
    while start + 1 < len(parts) and (
        has(parts[start][:1], "prefix", "because")
        or all({"conclusive", "opinion", "filler"} & word.classes for word in parts[start])
    ):
        start += 1
    return parts[start:]


def _takes_back(tail: Sequence[Word], value: bool) -> bool:
    """Whether words behind a statement take it back: a contrast, a doubt, the contrary."""
    signs = signs_of(tail)
    return (
        (has(tail[:2], "contrast") and not value)
        or (has(tail, "doubt") and not has(tail[:1], "because"))
        or (has(tail, "contrast") and (-1 if value else 1) in signs)
        or (not value and 1 in signs)
    )


def _clause(some: Sequence[Word], *, is_headed: bool) -> bool | None:
    """What a clause of known words says of the judged text."""
    verb = next((at for at, word in enumerate(some) if "fault_verb" in word.classes), None)
    if (
        verb is not None
        and has(some[:verb], "subject", "pronoun")
        and not has(some[verb + 1 : verb + 4], "negation", "no")
    ):
        some = some[: verb + 1]  # whatever it invents
    values = {
        _simple(part, is_first=not at, is_headed=is_headed)
        for at, part in enumerate(_split(some, _AND))
        if not at or _is_telling(part)
    }
    return values.pop() if len(values) == 1 else None


def _is_telling(part: Sequence[Word]) -> bool:
    """Whether a part behind an `and` may say anything: it has a word of fault or soundness, or one that is not known."""
    return any(set(_ALL_SIGNS) & word.classes or not KNOWN & word.classes for word in part)


class _Clause(NamedTuple):
    """A clause of known words: the place and sign of its first word of fault or soundness, the places of its negations, and the
    classes of its first word of content.
    """

    words: Sequence[Word]
    first: int
    sign: int
    negations: Sequence[int]
    subject: frozenset[str]
    is_first: bool
    is_headed: bool

    @property
    def polar_word(self) -> Word:
        """Its first word of fault or soundness."""
        return self.words[self.first]

    @property
    def before(self) -> Sequence[Word]:
        """The words before that."""
        return self.words[: self.first]


def _simple(some: Sequence[Word], *, is_first: bool = True, is_headed: bool = False) -> bool | None:
    """What a clause without `and` says of the judged text: all of its words are known, and no rule forbids it to be read."""
    if any(not KNOWN & word.classes or {"doubt", "aside"} & word.classes for word in some):
        return None
    source = next((at for at, word in enumerate(some) if at and _is_source_of_info(some, at)), None)
    if source and has(some[source:], "negation") and has(some[source:], "mention"):
        if not has(some[:source], "negation", "no"):
            # `it contains a claim that the source does not mention`
            return True if has(some[:source], "subject", "pronoun") and has(some[:source], "have") else None
    clause = _clause_of(some, is_first=is_first, is_headed=is_headed)
    if clause is None or _begins_with_answer(clause):
        return None
    if len(clause.negations) == 2:
        return False if _finds_nothing_unsupported(clause) else None
    if any(rule(clause) for rule in (_is_badly_negated, _is_of_another, _is_vague, _has_unfit_verb)):
        return None
    return (clause.sign > 0) is not bool(clause.negations)


def _is_source_of_info(some: Sequence[Word], at: int) -> bool:
    return "source" in some[at].classes and has(some[:at], "info")


def _clause_of(some: Sequence[Word], *, is_first: bool, is_headed: bool) -> _Clause | None:
    """A clause with its parts; None without a word of fault or soundness, with words of both, and with three negations."""
    signs = [
        (at, sign)
        for at, word in enumerate(some)
        for name, sign in _ALL_SIGNS.items()
        if name in word.classes
    ]
    negations = [at for at, word in enumerate(some) if {"negation", "no"} & word.classes]
    if negations:
        signs += [(at, 1) for at, word in enumerate(some) if "problem" in word.classes]
    if not signs or len({sign for _, sign in signs}) > 1 or len(negations) > 2:
        return None
    content = [word for word in some if not word.classes <= _EMPTY]
    return _Clause(
        some, *min(signs), negations, content[0].classes if content else frozenset(), is_first, is_headed
    )


def _begins_with_answer(clause: _Clause) -> bool:
    """Whether its `No` is an answer and no negation (`No this is supported`)."""
    is_no = clause.negations[:1] == [0] and "no" in clause.words[0].classes
    return is_no and has(clause.words[1:2], "conclusive", "subject", "pronoun")


def _finds_nothing_unsupported(clause: _Clause) -> bool:
    """Whether two negations cancel: `it adds no facts that are not in the document`, `there is nothing in it that is not supported`."""
    some, (item, two) = clause.words, clause.negations
    is_thing = has(some[:two], "info") or some[item].text == "nothing"
    return (
        is_thing and two <= clause.first and clause.sign < 0 and has(some[:two], "have", "there", "finding")
    )


def _is_badly_negated(clause: _Clause) -> bool:
    """Whether it is not clear what a negation negates, or it negates a part."""
    some = clause.words
    if has(some, "partial") and clause.sign > 0:
        return True
    if not clause.negations:
        return False
    at = clause.negations[0]
    is_noun = "fault_noun" in clause.polar_word.classes
    return (
        (at > clause.first and not is_noun)
        or (has(some, "whole") and not (at == 0 and clause.sign < 0))
        or (clause.sign > 0 and has(some[:at], "info"))
        or (is_noun and bool(clause.before) and clause.before[-1].text == "the")
    )


def _is_of_another(clause: _Clause) -> bool:
    """Whether its subject is not the judged text: the source, a part of the text, the one who judges."""
    subject, before, behind = clause.subject, clause.before, clause.words[clause.first :]
    is_verb = bool({"fault_verb", "sound_verb"} & clause.polar_word.classes)
    is_whole_sound = (
        has(before, "be", "finding", "have")
        or "sound_verb" in clause.polar_word.classes
        or " be " in clause.polar_word.text
    )
    return (
        ("source" in subject and not (has(behind, "subject", "pronoun") and is_verb))
        or (clause.is_first and "info" in subject and not clause.negations)
        or ("whole" in subject and (bool(clause.negations) or not is_whole_sound))
        or ("self" in subject and not has(clause.words, "finding"))
        or (has(before, "specific") and not has(before, "subject", "pronoun"))
        or ("there" in subject and clause.sign < 0)
        or ("pronoun" in subject and any(word.text == "that" for word in behind))
    )


def _is_vague(clause: _Clause) -> bool:
    """Whether its words may say it of something else than the text (`it is right`), or it is no sentence (`an error`)."""
    some, word = clause.words, clause.polar_word
    if "pronoun" in clause.subject and word.text in LOOSE or clause.is_headed and word.text in _VAGUE:
        return True
    if clause.is_headed:
        return False
    if "fault_noun" in clause.subject and not clause.negations and not has(some, "finding"):
        return True
    is_finding = has(some, "finding") and (has(some, "be") or bool(clause.negations))
    if is_finding or has(some, "subject", "pronoun", "there", "self", "whole", "info", "source", "have"):
        return False
    is_other_noun = "fault_noun" in word.classes and not word.text.startswith("hallucination")
    return word.text in LOOSE or is_other_noun or "problem" in word.classes


def _has_unfit_verb(clause: _Clause) -> bool:
    """Whether the word of fault or soundness does not go with its verb: a word that breaks off, `it has correct …`."""
    before, names = clause.before, clause.polar_word.classes
    verbs = [word for word in before if not {"negation", "filler"} & word.classes or "be" in word.classes]
    behind = clause.words[clause.first :]
    is_of_other = "source" not in clause.subject and len(behind) > 1 and not has(behind, "source")
    return (
        (has(before, "have") and clause.sign < 0 and not clause.negations)
        or ("in_source" in names and not has(before, "be", "finding"))
        or ("fault_verb" in names and has(verbs[-1:], "be"))
        or ("sound_verb" in names and is_of_other)  # it agrees with something else
    )
