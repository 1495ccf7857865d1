"""Verdicts in closed forms: a word of verdict alone, behind a label, or as the predicate of what is judged.

The words are a vocabulary's: those of its `sound_value` (`accurate`, `supported`) and of its `fault_value`. A
*clause* is a verdict where known words lead to such a word, and an end, a reason or the value of a field
(`Accurate: no`) stands behind it. All verdicts of a text have to agree; words that leave one open, or take it
back, leave the text without one.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.words import VALUES, Sentence, Word, has, is_too_long, sentences

PAUSES = frozenset(",،؛，、;；:：()[]—–-|=→⇒!/")
TRUTHS = {
    **dict.fromkeys(("yes", "y", "true", "1", *"✅✔✓☑"), True),
    **dict.fromkeys(("no", "n", "false", "0", *"❌✗✘✖"), False),
}
MAX_CLAUSES = 20  # of one sentence; one of more is no answer
_FIELD_SIGNS = frozenset(":：=|→⇒(-–—")
_LEADS = frozenset("filler conclusive opinion be pronoun given label negation partial doubt".split())
_ADVERBS = frozenset("overall indeed too here also altogether then as such".split()) | {"at all"}
# words before a verdict that leave it open: `it cannot be accurate`, `not only`, `were it accurate`
_OPENS = frozenset("can must may might should would could were had only no".split())
_AFTER = frozenset("because since as".split())  # a Yes or No
_DENIALS = frozenset(("not", "i do not think", "i do not believe", "i would not say"))
# signs of right and wrong, behind a name or elsewhere
_TICK = lazy(r"((?<=\w)[*_`)\] ]{0,4}[:：=|?→⇒>–—-][\s*_`|(]{0,9})?([✅✔✓☑❌✗✘✖])")


class Clause(NamedTuple):
    """What a clause says: its value (None: left open), whether it names what is judged, and whether it is a
    later one of its sentence; `behind`: the words behind its word of verdict.
    """

    value: bool | None
    is_bare: bool
    is_later: bool
    behind: tuple[Word, ...]


def verdict(text: str, name: str) -> Parsed:
    """Whether a text says Yes in the words of a vocabulary, or why it says neither Yes nor No."""
    plain = _TICK.sub(
        lambda tick: (
            f"{': ' if tick[1] else ' , '}{'yes' if TRUTHS[tick[2]] else 'no'}{' ' if tick[1] else ' , '}"
        ),
        text,
    )
    some = [item for item in sentences(plain, name) if not has(item.words, "farewell")]
    if is_too_long(some):
        return Parsed(None, "too-long")
    values, beside = values_of(some)
    if any(takes_back(item.words) for item in some):
        return Parsed(None, "ambiguous")
    if not values:
        return Parsed(None, "absent")
    value = values.pop() if len(values) == 1 else None
    if value is None or beside - {value} or any(is_against(item, value) for item in some):
        return Parsed(None, "ambiguous")
    return Parsed(value)


def values_of(some: Sequence[Sentence]) -> tuple[set[bool | None], set[bool | None]]:
    """What sentences say of what is judged (None: doubted, asked or with an exception), and what stands bare
    beside it.
    """
    values: set[bool | None] = set()
    beside: set[bool | None] = set()
    asked: bool | None = None
    has_other = False  # something else was named, which `it` may mean
    for at, item in enumerate(some):
        answer = answer_of(item.words)
        if asked is not None:
            values.add(None if answer is None or VALUES & item.words[0].classes else answer is asked)
        asked = None
        is_alone = at + 1 == len(some) or (item.is_first and some[at + 1].is_first)
        for n, clause in enumerate(_clauses(item.words, is_pronoun_read=not has_other)):
            if n == MAX_CLAUSES:
                return {None}, beside
            value = None if item.is_question else _checked(clause.value, clause.behind)
            if item.is_question and not clause.behind:
                asked = clause.value
            elif not clause.is_bare or (not clause.is_later and (not at or (is_alone and not clause.behind))):
                values.add(value)
            elif not clause.behind or clause.behind[0].text in PAUSES | {"or"}:
                beside.add(value)
        has_other = has_other or any(not word.classes and word.text[0].isalpha() for word in item.words)
    return values, beside


def answer_of(some: Sequence[Word]) -> bool | None:
    """The Yes or No that a sentence begins with; None where it begins with none that stands alone."""
    is_alone = (
        len(some) == 1
        or some[1].text in PAUSES - {"/"}
        or some[1].text in _AFTER
        or has(some[1:2], "pronoun")
    )
    return TRUTHS.get(some[0].text) if is_alone else None


def _clauses(some: Sequence[Word], *, is_pronoun_read: bool) -> Iterator[Clause]:
    """The clauses of a sentence that say something of what is judged."""
    end = 0
    for start in (0, *(at + 1 for at, word in enumerate(some) if word.text in PAUSES)):
        if start < end or start == len(some):
            continue
        at = start
        while at < len(some) and not VALUES & some[at].classes and _may_lead(some, at):
            at += 1
        end = max(at, start + 1)
        if at == len(some) or not VALUES & some[at].classes:
            continue
        head = some[start:at]
        is_named, is_pronoun = has(head, "opinion", "label"), has(head, "pronoun")
        is_led = start == 2 and (some[0].text in TRUTHS or has(some[:1], "conclusive"))  # `Yes, …`, `Thus, …`
        is_later = start > 0 and not is_led
        is_fact = any(
            word.text == "that" for word in some[at + 1 : at + 2]
        )  # `It is correct that the year differs`
        if is_pronoun and ((is_later and not has(head, "opinion")) or is_fact or not is_pronoun_read):
            continue
        end = at + 1
        if has(some[end : end + 1], "label"):  # `an accurate evaluation of the response`
            ends = (position for position in range(end, len(some)) if some[position].text[-1] in PAUSES)
            end = next(ends, len(some))
        is_open = (
            has(some[:start], "condition")
            or has(some[at + 1 : end], "be", "doubt", "modal", "negation")
            or (
                at + 1 < end < len(some) and some[end].text[-1] in _FIELD_SIGNS
            )  # `the correct evaluation: No`
        )
        value = None if is_open else _turned(head, "sound_value" in some[at].classes)
        yield Clause(value, not is_named and not is_pronoun, is_later, tuple(some[end:]))
        if some[end + 1 : end + 2] and some[end].text in _FIELD_SIGNS and some[end + 1].text in TRUTHS:
            end += 2  # `Unsupported: no`


def _may_lead(some: Sequence[Word], at: int) -> bool:
    """Whether a word may stand before the word of verdict: none that says something else, or of something
    else.
    """
    word = some[at]
    is_of = (
        at > 2 and some[at - 2].text == "of" and has(some[at - 3 : at - 2], "label")
    )  # `evaluation of the response`
    is_known = word.text in _FIELD_SIGNS or word.text in "[|" or bool(_LEADS & word.classes)
    return is_of or (is_known and not {"source", "info", "self", "aside"} & word.classes)


def _turned(head: Sequence[Word], value: bool) -> bool | None:
    """The value of a word behind the words that lead to it; None where they leave it open."""
    if has(head, "doubt", "partial") or any(word.text.partition(" ")[0] in _OPENS for word in head):
        return None
    negations = [at for at, word in enumerate(head) if "negation" in word.classes]
    if not negations:
        return value
    at = negations[0]
    has_clause = head[at].text == "not" and has(head[at + 1 :], "be", "pronoun", "opinion", "label")
    return False if value and head[at].text in _DENIALS and not has_clause and len(negations) == 1 else None


def _checked(value: bool | None, behind: Sequence[Word]) -> bool | None:
    """What is said where words stand behind the word of verdict: the value of a field, a reason, an
    exception.
    """
    ends = (at for at, word in enumerate(behind) if word.text not in ")]" and word.text not in _ADVERBS)
    behind = behind[next(ends, len(behind)) :]
    if value is None or not behind:
        return value
    inside = [word for word in behind if word.text not in PAUSES]
    if inside and inside[0].text in TRUTHS and behind[0].text in _FIELD_SIGNS:
        is_closed = len(inside) == 1 or answer_of(behind[1:]) is not None
        if value or is_closed:
            return TRUTHS[inside[0].text] is value if is_closed and (value or len(inside) == 1) else None
    if has(behind, "condition", "doubt", "partial", "contrast") or _denies(inside, value):
        return None
    if behind[0].text == "and":
        return value if not has(behind, "negation", "no", *VALUES) else None
    if behind[0].text not in PAUSES:
        return value if has(behind[:1], "because") and len(behind) > 1 else None
    at = 0
    while (
        behind[at + 1 : at + 2]
        and behind[at].text in PAUSES
        and _says(behind[at + 1], value)
        and _is_end(behind[at + 2 : at + 3])
    ):
        at += 2  # `Accurate ✅`, `Yes, supported`
    behind = behind[at:]
    inside = [word for word in behind if word.text not in PAUSES]
    if not inside:
        return value if not behind or behind[0].text not in _FIELD_SIGNS - {"-", "–", "—", "("} else None
    return value if has(inside[:1], "because") or _is_reason(inside, value) else None


def _is_end(behind: Sequence[Word]) -> bool:
    return not behind or behind[0].text in PAUSES


def _says(word: Word, value: bool) -> bool:
    return TRUTHS.get(word.text) is value or ("sound_value" if value else "fault_value") in word.classes


def _denies(some: Sequence[Word], value: bool) -> bool:
    """Whether the words behind a verdict say the contrary of it."""
    first = next((at for at, word in enumerate(some) if "denial" in word.classes), len(some))
    return first < len(some) if value else has(some[:first], "confirms")


def _is_reason(inside: Sequence[Word], value: bool) -> bool:
    """Whether words behind a sign may be a sentence that gives a reason: it names something, and begins with
    no negation or answer, so that it is no value that is no verdict.
    """
    if has(inside[:3], "denial"):
        return len(inside) > 1  # behind a denial
    if len(inside) < 3 or inside[0].text[0].isdecimal() or VALUES & inside[0].classes:
        return False
    is_answer = has(inside[:3], "yes", "no", "negation") or any(
        word.text in TRUTHS and not word.text.isdecimal() for word in inside[:3]
    )
    if has(inside[:1], "self") or (is_answer and inside[0].text not in ("nothing", "there")):
        return False
    return any(not word.classes or {"source", "info", "specific", "part"} & word.classes for word in inside)


def takes_back(some: Sequence[Word]) -> bool:
    """Whether a sentence takes back what is said, or goes on with `or`; `the part that is wrong` takes
    nothing back.
    """
    return some[0].text == "or" or any(
        "retraction" in word.classes and not (at and word.text.startswith("that "))
        for at, word in enumerate(some)
    )


def is_against(item: Sentence, value: bool) -> bool:
    """Whether a sentence answers contrarily with a Yes or No alone, or finds a fault in a part of what is
    called sound.
    """
    some = item.words
    answer = answer_of(some)
    if answer is not None and answer is not value and not item.is_question:
        return True
    if all("negation" in word.classes and "label" not in word.classes for word in some) or (
        some[-1].text == "not" and some[-2:-1] and some[-2].text in PAUSES
    ):
        return True  # `Accurate. Not.`
    if not value:
        return False
    if has(some[:1], "contrast") or (has(some, "contrast") and has(some, "part")):
        return True
    return any(
        "part" in word.classes
        and some[at + 1 : at + 2]
        and (has(some[at + 1 : at + 2], "be") or some[at + 1].text in PAUSES)
        and (has(some[at + 2 :], "fault_value") or has(some[-1:], "negation"))
        for at, word in enumerate(some)
    )
