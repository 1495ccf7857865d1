"""Values in sentences: a Yes or No that stands alone, first, behind a label or behind words that announce it;
and fields of a name that says fault or soundness (`Hallucinated: no`).
"""

from collections.abc import Sequence
from typing import NamedTuple

from truerate.llm.replies.statements import LOOSE, PAUSES, SIGNS, letter, signs_of, stated_in
from truerate.llm.replies.words import VALUES, Sentence, Word, has

TRUTHS = {"true": True, "1": True, "false": False, "0": False}
NONE = frozenset(("none", "none detected", "none found", "zero"))
_LINKS = frozenset((":", "：", ",", "，", "=", ")", "]", "-", "–", "—", "→", "⇒", "|", *"✅❌✓✔✗✘"))
_LEADS = frozenset("modal label filler be opinion conclusive self pronoun subject".split())
_AFTER = frozenset("the this it there because since as these all everything here indeed".split())
_WEAK = frozenset("answer response output the".split())  # labels that may as well name what was judged
_STEMS = ("hallucinat", "made up", "fabricat", "invent")


class Answer(NamedTuple):
    """A value that a sentence gives, whether a label or an announcement names it, and what stands behind it."""

    value: bool | None
    is_labelled: bool
    behind: tuple[Word, ...]
    is_inner: bool = False  # it stands in a later clause of its sentence
    is_firm: bool = True  # its label is none of the judged text's names, too


CONFLICT = Answer(None, True, ())


def answer_in(sentence: Sentence) -> Answer | None:
    """The value that a sentence gives; None where it gives none, asks, or speaks of one under doubt or
    condition.
    """
    some = sentence.words
    if sentence.is_question:
        return None
    answer, end = None, 0
    for start in (
        0,
        *(at + 1 for at, word in enumerate(some) if word.text in PAUSES or word.text in ("and", "und")),
    ):
        if start < end:
            continue  # the words up to there lead to no value
        end, is_labelled, is_announced = _lead(some, start)
        if end == len(some) or not stands_alone(some, end):
            continue
        is_last = (
            0 < start == end == len(some) - 1
            and has(some[:1], "because")
            and not has(some[: start - 1], "label")
        )
        if not (
            is_labelled or is_announced or is_last or end == 0 or (start and some[start - 1].text in "→⇒")
        ):
            continue
        value = value_of(some[end])
        if answer is not None and answer.value is not value:
            return CONFLICT
        if answer is None:
            before = some[:end]
            if has(before, "condition", "doubt", "to_user", "reported_question") or any(
                word.text == '"' for word in before
            ):
                return None
            if signs_of(some[:start]) == {-1 if value else 1}:
                return CONFLICT
            is_firm = any(word.text not in _WEAK and "label" in word.classes for word in before)
            answer = Answer(value, is_labelled, tuple(some[end + 1 :]), start > 0, is_firm)
    if answer and (has(first_clause(answer.behind), "doubt", "to_user") or has(answer.behind, "condition")):
        return None
    return answer


def _lead(some: Sequence[Word], start: int) -> tuple[int, bool, bool]:
    """Where the words that may lead to a value end, whether a label or an opinion is among them, and whether
    a word that concludes.
    """
    at, is_labelled, is_announced = start, False, False
    while (
        at < len(some)
        and (_LEADS & some[at].classes or some[at].text in _LINKS)
        and not stands_alone(some, at)
    ):
        names = some[at].classes
        behind = some[at + 1 : at + 2]
        is_linked = bool(behind) and (behind[0].text in _LINKS or has(behind, "be", "modal"))
        is_it = "be" in names and at > 0 and some[at - 1].text == "it"
        is_labelled = is_labelled or "opinion" in names or ("label" in names and is_linked) or is_it
        is_announced = is_announced or "conclusive" in names
        at += 1
    return at, is_labelled, is_announced


def first_clause(some: Sequence[Word]) -> Sequence[Word]:
    """The words up to the end of their clause."""
    ends = (at for at, word in enumerate(some) if at and word.text in (",", "，", ":", ";", "(", "—", "–"))
    return some[: next(ends, len(some))]


def value_of(word: Word) -> bool:
    """Whether a Yes or No is a Yes."""
    return "fault_value" in word.classes


def stands_alone(some: Sequence[Word], at: int) -> bool:
    """Whether a Yes or No stands here that no other word belongs to."""
    if not VALUES & some[at].classes or at + 1 == len(some):
        return bool(VALUES & some[at].classes)
    behind, after = some[at + 1], some[at + 2 : at + 4]
    is_pair = (
        behind.text == "-" and has(after[:1], *VALUES) and not (len(after) > 1 and after[1].text.isdecimal())
    )
    if behind.text == "/" or is_pair:
        return False
    return behind.text in PAUSES or behind.text in _AFTER or not VALUES.isdisjoint(behind.classes)


def field_of(sentence: Sentence) -> tuple[bool, Answer | None]:
    """Whether a sentence is a field of a name that says fault or soundness (`Hallucinated: no`), and its
    value: None where that is no verdict.
    """
    some = sentence.words
    at = next((at for at, word in enumerate(some) if word.text in (":", "：", "=", "|")), None)
    if at is None and len(some) > 2 and some[-2].text in ("-", "–", "—"):
        at = len(some) - 2
    if not at or has(some[1:at], "be") or has(some[:at], "self") or some[0].text in LOOSE:
        return False, None
    is_fault = is_fault_name(some[:at])
    if is_fault is None:
        return False, None
    behind = [word for word in some[at + 1 :] if word.text not in (":", "|", "=")]
    texts = [word.text for word in behind]
    is_zero = (
        is_fault and texts[:1] == ["0"] and texts[1:2] in (["of"], ["/"])
    )  # `Hallucinated claims: 0 of 4`
    if len(texts) == 1 and texts[0] in TRUTHS:
        return True, Answer(TRUTHS[texts[0]] is is_fault, True, ())
    if is_zero or (len(texts) in (1, 2) and texts[0] in NONE):
        return True, Answer(not is_fault, True, ())
    if behind and has(behind[:1], "yes", "no") and stands_alone(behind, 0):
        return True, Answer(has(behind[:1], "yes") is is_fault, True, tuple(behind[1:]))
    return len(behind) <= 2 or has(behind[:1], *VALUES) or texts[0][0].isdecimal(), None


def asked_by(some: Sequence[Word]) -> bool | None:
    """Whether a question asks for a fault (True) or for soundness (False), where it asks for the verdict
    itself.
    """
    if has(some, "negation", "no"):
        return None
    if any(word.text.startswith(_STEMS) for word in some):
        stated = stated_in(some)
        return is_fault_name(some) if stated is None and len(some) < 4 else stated
    is_name = len(some) < 3 and not has(some, "be") and not any(word.text in LOOSE for word in some)
    return is_fault_name(some) if is_name else None


def is_fault_name(some: Sequence[Word]) -> bool | None:
    """Whether a name says fault (True) or soundness (False); None of other names."""
    signs = {sign for word in some for key, sign in SIGNS.items() if key in word.classes}
    if len(signs) != 1 or any(letter(word) == "u" for word in some):
        return None
    return (signs.pop() > 0) is not has(some, "negation", "no")
