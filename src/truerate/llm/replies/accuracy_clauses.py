"""Clauses of a reply that say whether an evaluation is accurate: the words that lead to `accurate`, and what stands behind it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from truerate.llm.replies.statements import PAUSES, signs_of
from truerate.llm.replies.values import stands_alone
from truerate.llm.replies.words import Sentence, Word, has

# the names of fields, and the words of sentences
NAMES = {"accurate": True, "correct": True, "inaccurate": False, "incorrect": False}
WORDS = {**NAMES, "wrong": False}
VALUES = {
    **dict.fromkeys(("yes", "y", "true", "1", *"✅✔✓☑"), True),
    **dict.fromkeys(("no", "n", "false", "0", *"❌✗✘✖"), False),
}
_EVALUATIONS = frozenset("evaluation judgement judgment annotation assessment verdict analysis".split())
PARTS_ALONE = frozenset("reason rationale segment segments explanation place quotation span quote".split())
_PARTS = PARTS_ALONE | _EVALUATIONS  # one that has a fault leaves `accurate` open
MAX_CLAUSES = 20  # of one sentence that say something; one of more is no answer
_CONTRARY = frozenset("opposite contrary reverse".split())
_FIELD_SIGNS = frozenset((":", "：", "=", "|", "→", "⇒"))
_LINKS = frozenset((":", "：", "=", "(", "[", "|", "-", "–", "—", "→", "⇒"))
_ADVERBS = frozenset("overall indeed too here also altogether then as such".split())
_DENIALS = frozenset(("not", "i do not think", "i do not believe", "i would not say", "i would not call"))
# words before the one that was asked for that leave it open: `it cannot be accurate`, `not only`, `were it accurate`
_OPENS = frozenset("can must may might should would could were had only no".split())


def takes_back(some: Sequence[Word]) -> bool:
    """Whether a sentence takes back what is said, or goes on with `or`; `the part that is wrong` takes nothing back."""
    return some[0].text == "or" or any(
        "retraction" in word.classes and not (at and word.text.startswith("that "))
        for at, word in enumerate(some)
    )


def is_left_open(some: Sequence[Sentence]) -> bool:
    """Whether the word that was asked for stands in sentences of which none says it of the evaluation."""
    return any(word.text in WORDS for item in some for word in item.words) and any(
        has(item.words, "doubt", "condition", "partial") or item.is_question for item in some
    )


class _Clause(NamedTuple):
    """What a clause says of the evaluation: its value, whether the word stands bare, as no part of a sentence, whether it does so in
    a later clause of its sentence, the word, and what stands behind it.
    """

    value: bool | None
    is_bare: bool
    is_later: bool
    word: str
    behind: tuple[Word, ...]


def values_of(some: Sequence[Sentence]) -> tuple[set[bool | None], set[bool | None]]:
    """What sentences say of the evaluation (None: doubted, asked or with an exception), and what stands bare beside it."""
    values: set[bool | None] = set()
    beside: set[bool | None] = set()
    asked: bool | None = None
    has_subject = False
    for at, item in enumerate(some):
        answer = _answer(item.words)
        if asked is not None and answer is not None:
            values.add(answer is asked)
        asked = None
        is_alone = at + 1 == len(some) or (item.is_first and some[at + 1].is_first)
        for n, clause in enumerate(_clauses(item.words, is_pronoun_read=not has_subject)):
            if n == MAX_CLAUSES:
                return {None}, beside
            value = None if item.is_question else _value_before(clause.value, clause.behind)
            is_final = is_alone and not clause.behind and clause.word.endswith("accurate")
            if item.is_question and not clause.behind:
                asked = clause.value
            elif not clause.is_bare or (not clause.is_later and (not at or is_final)):
                values.add(value)
            elif not clause.behind or clause.behind[0].text in PAUSES | {"or"}:
                beside.add(value)
        has_subject = has_subject or has(item.words, "subject", "info")
    return values, beside


def _answer(some: Sequence[Word]) -> bool | None:
    """The Yes or No that a sentence begins with; None where it begins with none that stands alone."""
    return VALUES.get(some[0].text) if stands_alone(some, 0) else None


def _clauses(some: Sequence[Word], *, is_pronoun_read: bool) -> Iterator[_Clause]:
    """The clauses of a sentence that say something of the evaluation."""
    end = 0
    for start in (0, *(at + 1 for at, word in enumerate(some) if word.text in PAUSES)):
        if start < end or start == len(some):
            continue
        at = start
        while at < len(some) and some[at].text not in WORDS and _may_lead(some, at):
            at += 1
        end = max(at, start + 1)
        if at == len(some) or some[at].text not in WORDS:
            continue
        head = some[start:at]
        is_named = has(head, "opinion") or any(_is_named(word) for word in head)
        is_pronoun = has(head, "pronoun")
        is_lead = start == 2 and (
            _answer(some) is not None or has(some[:1], "conclusive")
        )  # `Yes, …`, `Thus, …`
        is_later = start > 0 and not is_lead
        is_fact = has(some[at + 1 : at + 2], "relative")  # `It is correct that the year differs`
        is_resumed = has(head, "opinion") and not has(
            some[:start], "subject"
        )  # `After …, I conclude that it is accurate`
        if is_pronoun and ((is_later and not is_resumed) or is_fact or not is_pronoun_read):
            continue
        end = at + 1
        if end < len(some) and _is_named(some[end]):  # `an accurate evaluation of the response`
            end = next(
                (position for position in range(end, len(some)) if some[position].text in PAUSES), len(some)
            )
        is_open = has(some[:start], "condition") or has(
            some[at + 1 : end], "be", "doubt", "modal", "negation"
        )
        is_open = is_open or (
            end > at + 1 and end < len(some) and some[end].text in _LINKS
        )  # `the correct evaluation: No`
        value = None if is_open else _turned(head, WORDS[some[at].text])
        yield _Clause(value, not is_named and not is_pronoun, is_later, some[at].text, tuple(some[end:]))


def _turned(head: Sequence[Word], value: bool) -> bool | None:
    """The value of a word behind the words that lead to it; None where they leave it open."""
    if has(head, "doubt", "partial") or any(word.text.partition(" ")[0] in _OPENS for word in head):
        return None
    negations = [at for at, word in enumerate(head) if "negation" in word.classes]
    if not negations:
        return value
    at = negations[0]
    is_denied = head[at].text in _DENIALS and (head[at].text != "not" or not _has_clause(head[at + 1 :]))
    return False if value and is_denied and len(negations) == 1 else None


def _has_clause(some: Sequence[Word]) -> bool:
    """Whether words hold a sentence of their own (`not clear that the evaluation is`)."""
    return has(some, "be", "pronoun", "opinion") or any(_is_named(word) for word in some)


def _is_named(word: Word) -> bool:
    """Whether a word names the evaluation or labels the answer (`the verdict`, `final answer`)."""
    return word.text.rpartition(" ")[2] in _EVALUATIONS or "label" in word.classes


def _may_lead(some: Sequence[Word], at: int) -> bool:
    """Whether a word may stand before the one that was asked for: none that says something else, or of the response."""
    word = some[at]
    if "subject" in word.classes or word.text in ("answer", "response", "output"):
        is_of = (
            at > 2 and some[at - 2].text == "of" and _is_named(some[at - 3])
        )  # `the evaluation of the response`
        return is_of or (at + 1 < len(some) and some[at + 1].text in (":", "：", "="))
    return (
        word.text in _LINKS
        or _is_named(word)
        or bool(
            {
                "filler",
                "conclusive",
                "opinion",
                "be",
                "modal",
                "pronoun",
                "given",
                "negation",
                "partial",
                "doubt",
            }
            & word.classes
        )
    ) and not {"source", "info", "self", "aside"} & word.classes


def _value_before(value: bool | None, behind: Sequence[Word]) -> bool | None:
    """What is said where words stand behind the one that was asked for: the value of a field, a reason, an exception."""
    while behind and (behind[0].text in (")", "]") or behind[0].text in _ADVERBS):
        behind = behind[1:]
    if value is None or has(behind, "condition") or (value and has(behind, "contrast")):
        return None
    if not behind or has(behind[:1], "because", "contrast"):
        return value
    if behind[0].text == "and":
        is_contrary = (1 if value else -1) in signs_of(behind) or (value and has(behind, "negation", "no"))
        return None if is_contrary or has(behind, "contrast", "doubt") else value
    if (
        len(behind) > 2 and behind[0].text == "in" and behind[1].text.endswith("ing")
    ):  # `accurate in naming the segment`
        return (
            None if has(behind, "doubt", "partial") or any(word.text in _OPENS for word in behind) else value
        )
    if behind[0].text not in PAUSES:
        return None
    inside = [word for word in behind if word.text not in PAUSES]
    if inside and inside[0].text in VALUES and behind[0].text in _LINKS:
        return _of_field(value, inside)
    return (
        value
        if has(inside[:1], "because", "contrast")
        or _is_reason(inside)
        or (not inside and behind[0].text not in _FIELD_SIGNS)
        else None
    )


def _of_field(value: bool, inside: Sequence[Word]) -> bool | None:
    """What the value of a field says whose name is the word that was asked for (`Accurate: no`). A reason behind `Inaccurate: no`
    may be one of either.
    """
    rest = inside[1:]
    is_closed = not rest or (rest[0].text != "/" and (rest[0].text in PAUSES or stands_alone(inside, 0)))
    return VALUES[inside[0].text] is value if is_closed and (value or not rest) else None


def _is_reason(inside: Sequence[Word]) -> bool:
    """Whether words behind a sign may be a sentence that gives a reason: it names something, and begins with no negation or
    answer, so that it is no value that is no verdict.
    """
    texts = {word.text for word in inside}
    if len(inside) < 3 or inside[0].text[0].isdecimal() or texts & _CONTRARY or inside[0].text in WORDS:
        return False
    if inside[0].text not in ("nothing", "there") and (
        has(inside[:1], "doubt", "self") or has(inside[:3], "fault_value", "sound_value", "negation")
    ):
        return False
    return any(
        not word.classes or {"subject", "source", "info", "specific"} & word.classes for word in inside
    ) or bool(texts & _PARTS)


def is_against(item: Sentence, value: bool) -> bool:
    """Whether a sentence answers contrarily with a Yes or No alone, or finds a fault in a part of an accurate evaluation."""
    some = item.words
    answer = _answer(some)
    if answer is not None and answer is not value and not item.is_question:
        return True
    if all("negation" in word.classes for word in some) or (
        some[-1].text == "not" and some[-2].text in PAUSES
    ):
        return True  # `Accurate. Not.`
    if not value:
        return False
    if has(some[:1], "contrast") or (has(some, "contrast") and any(word.text in _PARTS for word in some)):
        return True
    return any(
        word.text in _PARTS and (has([then], "be") or then.text in _LINKS) and _is_at_fault(some[at + 2 :])
        for at, (word, then) in enumerate(pairwise(some))
    )


def _is_at_fault(some: Sequence[Word]) -> bool:
    """Whether words up to the end of their clause say no more than that something is wrong (`inaccurate`, `not the right one`)."""
    ends = (
        at
        for at, word in enumerate(some)
        if word.text in PAUSES or has([word], "because") or word.text == "that"
    )
    clause = some[: next(ends, len(some))]
    is_negated = has(clause[-1:], "negation")
    return is_negated or (1 in signs_of(clause) and has(clause[-1:], "fault", "sound"))
