"""Verdicts in words of the question that was asked: `accurate`, `the claim is not supported by passage 2`.

The words are a vocabulary's: those of its `sound_value` (True) and of its `fault_value` (False). One is a
verdict where known words alone lead to it in its clause, and an end, a reason or the value of a field
(`Accurate: no`) stands behind it. All verdicts of a text have to agree, and nothing in it doubts, excepts or
takes something back.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.decisions import TRUTHS
from truerate.llm.replies.polarity import PAUSES
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.words import VALUES, Sentence, Word, has, is_too_long, sentences

_SIGNS = frozenset(":：=|→⇒(-–—")  # between a name and its value
_LEADS = (
    "filler",
    "conclusive",
    "opinion",
    "be",
    "pronoun",
    "given",
    "label",
    "negation",
    "partial",
    "doubt",
)
_OTHERS = ("source", "info", "self", "aside")
_DENIALS = frozenset(("not", "i do not think", "i do not believe", "i would not say"))
_OPENS = frozenset("can must may might should would could were had only no as".split())
_ADVERBS = frozenset("overall indeed too here also altogether then as such".split()) | {"at all", ")", "]"}
_TICK = lazy(
    r"((?<=\w)[*_`)\] ]{0,4}[:：=|?→⇒>–—-][\s*_`|(]{0,9})?([✅✔✓☑❌✗✘✖])"
)  # behind a name, or elsewhere


class Clause(NamedTuple):
    """The value of a clause (None: left open), whether it names what is judged, and the words behind."""

    value: bool | None
    is_named: bool
    is_later: bool
    behind: Sequence[Word]


def verdict(text: str, name: str) -> Parsed:
    """Return whether a text says Yes in the words of a vocabulary, or why it says neither Yes nor No."""
    some = [item for item in sentences(_TICK.sub(_in_words, text), name) if not has(item.words, "farewell")]
    if is_too_long(some):
        return Parsed(None, "too-long")
    values = _values(some)
    if any(_takes_back(item.words) for item in some):
        return Parsed(None, "ambiguous")
    if not values:
        return Parsed(None, "absent")
    value = values.pop() if len(values) == 1 else None
    if value is None or any(_is_against(item, value) for item in some):
        return Parsed(None, "ambiguous")
    return Parsed(value)


def _takes_back(some: Sequence[Word]) -> bool:
    """Return whether a sentence takes back what is said, or goes on with `or`; `the part that is wrong` does
    not.
    """
    back = (at for at, word in enumerate(some) if has([word], "retraction"))
    return some[0].text == "or" or any(not at or not some[at].text.startswith("that ") for at in back)


def _in_words(tick: re.Match[str]) -> str:
    word = "yes" if TRUTHS[tick[2]] else "no"
    return f": {word} " if tick[1] else f" , {word} , "


def _values(some: Sequence[Sentence]) -> set[bool | None]:
    """Return what sentences say of what is judged; None of what is doubted, asked or has an exception."""
    values: set[bool | None] = set()
    beside: set[bool | None] = set()
    asked: bool | None = None
    has_other = False  # something else was named, which `it` may mean
    for at, item in enumerate(some):
        answer = answer_of(item.words)
        if asked is not None:  # a question of the reply's own
            values.add(None if answer is None or has(item.words[:1], *VALUES) else answer is asked)
        asked = None
        is_alone = at + 1 == len(some) or (item.is_first and some[at + 1].is_first)
        for clause in _clauses(item.words, is_pronoun_read=not has_other):
            value = None if item.is_question else _checked(clause.value, clause.behind)
            if item.is_question and not clause.behind:
                asked = clause.value
            elif clause.is_named or (not clause.is_later and (not at or (is_alone and not clause.behind))):
                values.add(value)
            elif not clause.behind or clause.behind[0].text in PAUSES | {"or"}:
                beside.add(value)
        has_other = has_other or any(not word.classes and word.text[0].isalpha() for word in item.words)
    return values | beside if values else values


def answer_of(some: Sequence[Word]) -> bool | None:
    """The Yes or No that a sentence begins with; None where it begins with none that stands alone."""
    is_alone = len(some) == 1 or some[1].text in PAUSES - {"/"} or has(some[1:2], "pronoun", "because")
    return TRUTHS.get(some[0].text) if is_alone else None


def _clauses(some: Sequence[Word], *, is_pronoun_read: bool) -> Iterator[Clause]:
    """The clauses of a sentence in which known words lead to a word of verdict."""
    end = 0
    for start in (0, *(at + 1 for at, word in enumerate(some) if word.text in PAUSES)):
        at = start
        while at < len(some) and not has([some[at]], *VALUES) and _may_lead(some, at):
            at += 1
        if start < end or at >= len(some) or not has([some[at]], *VALUES):
            continue
        head, end = some[start:at], at + 1
        is_named, is_pronoun = has(head, "opinion", "label"), has(head, "pronoun")
        # `Yes, …` and `Thus, …` begin no later clause
        is_later = start > 0 and not (start == 2 and (some[0].text in TRUTHS or has(some[:1], "conclusive")))
        is_fact = end < len(some) and some[end].text == "that"  # `It is correct that the year differs`
        if is_pronoun and ((is_later and not has(head, "opinion")) or is_fact or not is_pronoun_read):
            continue
        if has(some[end : end + 1], "label"):  # `an accurate evaluation of the response`
            end = next(
                (index for index in range(end, len(some)) if some[index].text[-1] in PAUSES), len(some)
            )
        inner, behind = some[at + 1 : end], some[end:]
        is_open = has(some[:start], "condition") or has(inner, "be", "doubt", "modal", "negation")
        is_open = is_open or bool(inner and behind and behind[0].text[-1] in _SIGNS)
        value = None if is_open else _turned(head, has([some[at]], "sound_value"))
        yield Clause(value, is_named or is_pronoun, is_later, behind)
        if len(behind) > 1 and behind[0].text in _SIGNS and behind[1].text in TRUTHS:
            end += 2  # `Unsupported: no`


def _may_lead(some: Sequence[Word], at: int) -> bool:
    """Return whether a word may stand before the word of verdict: none that says something else, or of
    something else.
    """
    is_of = (
        at > 2 and some[at - 2].text == "of" and has(some[at - 3 : at - 2], "label")
    )  # `evaluation of the …`
    is_known = some[at].text in _SIGNS or some[at].text in "[|" or has([some[at]], *_LEADS)
    return is_of or (is_known and not has([some[at]], *_OTHERS))


def _turned(head: Sequence[Word], value: bool) -> bool | None:
    """The value of a word behind the words that lead to it; None where they leave it open."""
    if has(head, "doubt", "partial") or any(word.text.partition(" ")[0] in _OPENS for word in head):
        return None
    negations = [at for at, word in enumerate(head) if has([word], "negation")]
    if not negations:
        return value
    at = negations[0]
    has_clause = head[at].text == "not" and has(head[at + 1 :], "be", "pronoun", "opinion", "label")
    return False if value and len(negations) == 1 and head[at].text in _DENIALS and not has_clause else None


def _checked(value: bool | None, behind: Sequence[Word]) -> bool | None:
    """Return what is said where words stand behind the word of verdict: the value of a field, or a reason."""
    start = next((at for at, word in enumerate(behind) if word.text not in _ADVERBS), len(behind))
    behind = behind[start:]
    inside = [word for word in behind if word.text not in PAUSES]
    if value is None or not behind:
        return value
    if inside and inside[0].text in TRUTHS and behind[0].text in _SIGNS:
        if len(inside) == 1 or (value and answer_of(behind[1:]) is not None):
            return TRUTHS[inside[0].text] is value
        if value:
            return None
    if has(behind, "condition", "doubt", "partial", "contrast", "exception"):
        return None
    denial = next((at for at, word in enumerate(inside) if has([word], "denial")), None)
    if denial is not None if value else has(inside[:denial], "confirms"):
        return None
    if behind[0].text == "and":
        return None if has(behind, "negation", "no", *VALUES) else value
    if behind[0].text not in PAUSES:
        return value if has(behind[:1], "because") and len(behind) > 1 else None
    if inside and (
        TRUTHS.get(inside[0].text) is value or has(inside[:1], "sound_value" if value else "fault_value")
    ):
        inside = inside[1:] if len(behind) == 2 or behind[2].text in PAUSES else inside  # `Yes, supported`
    if not inside:
        return None if len(behind) == 1 and behind[0].text in _SIGNS - set("-–—(") else value
    return value if has(inside[:1], "because") or _is_reason(inside) else None


def _is_reason(inside: Sequence[Word]) -> bool:
    """Return whether words may be a sentence that gives a reason: it names something, and begins with no
    negation or answer.
    """
    if has(inside[:3], "denial"):
        return len(inside) > 1
    if len(inside) < 3 or inside[0].text[0].isdecimal() or has(inside[:1], "self", *VALUES):
        return False
    is_answer = has(inside[:3], "yes", "no", "negation") or any(
        word.text in TRUTHS and not word.text.isdecimal() for word in inside[:3]
    )
    if is_answer and inside[0].text not in ("nothing", "there"):
        return False
    return any(not word.classes or has([word], "source", "info", "specific", "part") for word in inside)


def _is_against(item: Sentence, value: bool) -> bool:
    """Return whether a sentence answers contrarily with a Yes or No, or finds a fault in what is called
    sound.
    """
    some = item.words
    if answer_of(some) is (not value) and not item.is_question:
        return True
    is_not = some[-1].text == "not" and len(some) > 1 and some[-2].text in PAUSES
    if is_not or all(has([word], "negation") and not has([word], "label") for word in some):
        return True  # `Accurate. Not.`
    is_of_part = (
        value and has(some, "part") and (has(some, "contrast", "fault_value") or has(some[-1:], "negation"))
    )
    return is_of_part or (value and has(some[:1], "contrast"))
