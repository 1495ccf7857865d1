"""Statements of faults: what a sentence says of the judged text in words that are all known, and to which side its words lean.

A *pole* is a word that says fault or soundness (`fabricated`, `supported`); a negation before it turns it. A clause states
something where each of its words is of a known class, its poles agree, and its first word names the judged text, or what is or is
not found in it. All else, and what doubts, supposes or excepts, states nothing.
"""

from collections.abc import Sequence

from truerate.llm.replies.verdict_words import Sentence, Word

PAUSES = frozenset(",،؛，、;；:：()[]—–-|=→⇒!/")


SIGN = {
    "fault": 1,
    "fault_noun": 1,
    "fault_verb": 1,
    "sound": -1,
    "sound_verb": -1,
    "says_fault": 1,
    "says_sound": -1,
}


_POLES = {**SIGN, "located": -1}


KNOWN = frozenset(
    "fault fault_noun fault_verb sound sound_verb problem located mention given subject pronoun there self see have be do info "
    "source whole filler negation no marker opinion".split()
)
_VAGUE = frozenset("right true wrong false fine good ok okay correct".split())


LOOSE = frozenset(
    "right true wrong false fine good ok okay correct incorrect inaccurate non-factual off".split()
)


_BROKEN = frozenset(
    "the a an of in with to by between and or not no is".split()
)  # with which no sentence ends


_SO = frozenset("so therefore thus hence consequently".split())


_AND = frozenset(("and", "und", "y", "et", "e"))


def has(some: Sequence[Word], *names: str) -> bool:
    """Whether one of some words is of one of these classes."""
    for word in some:  # not `any`, of which the generator takes most of the time
        if not word.classes.isdisjoint(names):
            return True
    return False


def _parts(some: Sequence[Word], pauses: frozenset[str]) -> list[list[Word]]:
    parts: list[list[Word]] = [[]]
    for word in some:
        if word.text in pauses:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def leans_of(some: Sequence[Word]) -> set[int]:
    """What the clauses of a sentence speak of: faults (1) or soundness (-1), their negations turned."""
    found = set()
    for part in _clauses(some):
        n = 0
        for word in part:
            n += bool({"negation", "no"} & word.classes)
            for name, sign in SIGN.items():
                if name in word.classes and "neutral" not in word.classes:
                    found.add(sign if n % 2 == 0 else -sign)
            if "problem" in word.classes and n:
                found.add(-1)
    return found


def _clauses(some: Sequence[Word]) -> list[list[Word]]:
    parts: list[list[Word]] = [[]]
    for word in some:
        if word.text in PAUSES or {"contrast", "because"} & word.classes:
            parts.append([])
        if word.text not in PAUSES:
            parts[-1].append(word)
    return [part for part in parts if part]


def is_left_open(sentence: Sentence) -> bool:
    """Whether a sentence leaves open what it says of faults."""
    return bool(leans_of(sentence.words)) and (
        sentence.is_question or has(sentence.words, "doubt", "condition")
    )


def statement_of(sentence: Sentence) -> bool | None:
    """What a sentence states, behind its label where it has one (`Verdict: not hallucinated`)."""
    some = sentence.words
    at = 0
    while at < len(some) and {"label", "filler", "marker"} & some[at].classes:
        at += 1
    is_headed = 0 < at < len(some) - 1 and some[at].text in ":：-–—=→|" and has(some[:at], "label", "marker")
    return (
        None
        if sentence.is_question
        else stated_in(some[at + 1 :], is_headed=True)
        if is_headed
        else stated_in(some)
    )


def stated_in(some: Sequence[Word], *, is_headed: bool = False) -> bool | None:
    """Whether a sentence says that the judged text has a fault (True) or none (False); None where it says neither in words
    that are all known, or leaves it open.
    """
    if has(some, "condition", "takes_back"):
        return None
    if some and some[-1].text in _BROKEN:
        return None
    parts = _parts(some, frozenset(",，;；"))
    while (
        parts
        and parts[0]
        and has(parts[0][:1], "contrast")
        and not (has(parts[0][:1], "concession", "because") or parts[0][1:2] and parts[0][1].text == "for")
    ):
        parts = [parts[0][1:], *parts[1:]] if len(parts[0]) > 1 else parts[1:]
    concluded = next(
        (at for at, part in enumerate(parts) if at and has(part[:1], "marker") and part[0].text in _SO), 0
    )
    if concluded and not any(has(part, "doubt") for part in parts[:concluded]):
        parts = parts[concluded:]
    while len(parts) > 1 and (
        has(parts[0][:1], "prefix", "because")
        or all({"marker", "opinion", "filler"} & word.classes for word in parts[0])
    ):
        parts = parts[1:]
    main = parts[0] if parts else []
    for stops in (frozenset(("because",)), frozenset(("because", "relative"))):
        cut = next(
            (at for at, word in enumerate(main) if at and (word.text in ":(—–-" or stops & word.classes)),
            len(main),
        )
        is_fact = (
            cut < len(main)
            and "relative" in main[cut].classes
            and bool({"fault", "sound", "located", "sound_verb"} & main[cut - 1].classes)
        )
        value = None if is_fact else _clause(main[:cut], is_headed=is_headed)
        if value is not None:
            break
    if value is None:
        return None
    tails = [main[cut:], *parts[1:]]
    for tail in tails:
        leans = leans_of(tail)
        if has(tail[:2], "contrast") and not value or (not has(tail[:1], "because") and has(tail, "doubt")):
            return None
        if has(tail, "contrast") and leans & {1 if not value else -1}:
            return None
        if not value and 1 in leans:
            return None
    return value


def _clause(some: Sequence[Word], *, is_headed: bool) -> bool | None:
    """What a clause of known words says of the judged text."""
    verb = next((at for at, word in enumerate(some) if "fault_verb" in word.classes), None)
    if (
        verb is not None
        and has(some[:verb], "subject", "pronoun")
        and not has(some[verb + 1 : verb + 4], "negation", "no")
    ):
        some = some[: verb + 1]  # whatever it invents
    told = {
        _simple(part, is_first=not at, is_headed=is_headed)
        for at, part in enumerate(_parts(some, _AND))
        if not at or _is_telling(part)
    }
    return told.pop() if len(told) == 1 else None


def _is_telling(part: Sequence[Word]) -> bool:
    """Whether a part behind an `and` may say anything: it has a word of a pole, or one that is not known."""
    return any(set(_POLES) & word.classes or not KNOWN & word.classes for word in part)


def _simple(some: Sequence[Word], *, is_first: bool = True, is_headed: bool = False) -> bool | None:
    if any(not KNOWN & word.classes or {"doubt", "aside"} & word.classes for word in some):
        return None
    source = next(
        (at for at, word in enumerate(some) if at and "source" in word.classes and has(some[:at], "info")),
        None,
    )
    if (
        source
        and has(some[source:], "negation")
        and has(some[source:], "mention")
        and not has(some[:source], "negation", "no")
    ):
        return True if has(some[:source], "subject", "pronoun") and has(some[:source], "have") else None
    poles = [
        (at, sign) for at, word in enumerate(some) for name, sign in _POLES.items() if name in word.classes
    ]
    negated = [at for at, word in enumerate(some) if {"negation", "no"} & word.classes]
    if negated:
        poles += [(at, 1) for at, word in enumerate(some) if "problem" in word.classes]
    if not poles or len({sign for _, sign in poles}) > 1 or len(negated) > 2:
        return None
    first, sign = min(poles)
    if (
        negated
        and negated[0] == 0
        and "no" in some[0].classes
        and has(some[1:2], "marker", "subject", "pronoun")
    ):
        return None
    if len(negated) == 2:
        # `does not add facts that are not in the document`, `there is nothing in it that is not supported`
        if (
            not (has(some[: negated[1]], "info") or some[negated[0]].text == "nothing")
            or negated[1] > first
            or sign > 0
        ):
            return None
        return False if has(some[: negated[1]], "have", "there", "see") else None
    if has(some, "partial") and sign > 0:
        return None
    if negated and negated[0] > first and "fault_noun" not in some[first].classes:
        return None
    core = [
        word for word in some if not word.classes <= {"filler", "marker", "opinion", "be", "starts", "prefix"}
    ]
    names = core[0].classes if core else frozenset()
    pole, before = some[first], some[:first]
    if "source" in names and not (
        has(some[first:], "subject", "pronoun") and {"fault_verb", "sound_verb"} & pole.classes
    ):
        return None
    if is_first and "info" in names and not negated:
        return None
    if "whole" in names and (
        negated
        or not (has(before, "be", "see", "have") or "sound_verb" in pole.classes or " be " in pole.text)
    ):
        return None
    if negated and has(some, "whole") and not (negated[0] == 0 and sign < 0):
        return None
    if "self" in names and not has(some, "see"):
        return None
    if "pronoun" in names and pole.text in LOOSE:
        return None
    if has(before, "have") and sign < 0 and not negated:
        return None
    if "located" in pole.classes and not has(before, "be", "see"):
        return None
    if sign > 0 and negated and any("info" in word.classes for word in some[: negated[0]]):
        return None
    if pole.text in _VAGUE and (is_headed or "pronoun" in names):
        return None
    if negated and "fault_noun" in pole.classes and before[-1:] and before[-1].text == "the":
        return None
    if has(before, "specific") and not has(before, "subject", "pronoun"):
        return None  # a part of it
    if "fault_verb" in pole.classes and has(
        [word for word in before if not {"negation", "filler"} & word.classes or "be" in word.classes][-1:],
        "be",
    ):
        return None  # a word that breaks off
    if "there" in names and sign < 0:
        return None
    if (
        "sound_verb" in pole.classes
        and "source" not in names
        and first < len(some) - 1
        and not has(some[first:], "source")
    ):
        return None  # it agrees with something else
    is_found = has(some, "see") and (has(some, "be") or negated)
    if (
        not is_headed
        and not is_found
        and not has(some, "subject", "pronoun", "there", "self", "whole", "info", "source", "have")
    ):
        # no sentence: `Not supported`, `No hallucination`
        if (
            pole.text in LOOSE
            or ("fault_noun" in pole.classes and not pole.text.startswith("hallucination"))
            or "problem" in pole.classes
        ):
            return None
    if "pronoun" in names and any(word.text == "that" for word in some[first:]):
        return None
    if "fault_noun" in names and not negated and not is_headed and not has(some, "see"):
        return None
    is_faulty = (sign > 0) is not bool(negated)
    return is_faulty
