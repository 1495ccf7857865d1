"""Values in sentences: a Yes or No that stands alone, first, behind a label or behind words that announce it; and fields of a name
that says fault or soundness (`Hallucinated: no`).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from truerate.llm.replies.statements import KNOWN, LOOSE, PAUSES, SIGNS, signs_of, stated_in
from truerate.llm.replies.words import VALUES, Sentence, Word, has, words


class Answer(NamedTuple):
    """A value that a sentence gives, whether a label or an announcement names it, and what stands behind it."""

    value: bool | None
    is_labelled: bool
    behind: tuple[Word, ...]
    is_inner: bool = False  # it stands in a later clause of its sentence
    is_firm: bool = True  # its label is none of the judged text's names, too


_LINKS = frozenset((":", "：", ",", "，", "=", ")", "]", "-", "–", "—", "→", "⇒", "|", *"✅❌✓✔✗✘"))
_HEADING = frozenset(
    ("modal", "label", "filler", "be", "opinion", "conclusive", "self", "pronoun", "subject")
)
_AFTER = frozenset("the this it there because since as these all everything here indeed".split())
_WEAK = frozenset("answer response output the".split())
CONFLICT = Answer(None, True, ())


def field_of(sentence: Sentence) -> tuple[bool, Answer | None]:
    """Whether a sentence is a field of a name that says fault or soundness (`Hallucinated: no`), and its value: None
    where that is no verdict.
    """
    some = sentence.words
    at = next((at for at, word in enumerate(some) if word.text in (":", "：", "=", "|")), None)
    if at is None and len(some) > 2 and some[-2].text in ("-", "–", "—"):
        at = len(some) - 2
    if not at or has(some[1:at], "be") or has(some[:at], "self") or some[0].text in LOOSE:
        return False, None
    is_fault = _is_fault(some[:at])
    if is_fault is None:
        return False, None
    behind = [word for word in some[at + 1 :] if word.text not in (":", "|", "=")]
    texts = [word.text for word in behind]
    value: bool | None = None
    if len(texts) == 1 and texts[0] in _TRUTHS:
        value = _TRUTHS[texts[0]]
    elif is_fault and texts[:1] == ["0"] and texts[1] in ("of", "/"):
        value = False  # `Hallucinated claims: 0 of 4`
    elif texts and texts[0][0].isdecimal():
        return True, None
    elif len(texts) in (1, 2) and texts[0] in ("none", "zero"):
        value = False
    elif behind and has(behind[:1], "yes", "no") and stands_alone(behind, 0):
        return True, Answer(has(behind[:1], "yes") is is_fault, True, tuple(behind[1:]))
    if value is None:
        return len(behind) <= 2 or has(behind[:1], *VALUES), None
    return True, Answer(value is is_fault, True, ())


_STEMS = ("hallucinat", "made up", "fabricat", "invent")


def asked_by(some: Sequence[Word]) -> bool | None:
    """Whether a question asks for a fault (True) or for soundness (False), where it asks for the verdict itself."""
    if has(some, "negation", "no"):
        return None
    if any(word.text.startswith(_STEMS) for word in some):
        stated = stated_in(some)
        return _is_fault(some) if stated is None and len(some) < 4 else stated
    is_name = len(some) < 3 and not has(some, "be") and not any(word.text in LOOSE for word in some)
    return _is_fault(some) if is_name else None


def answer_in(sentence: Sentence) -> Answer | None:
    """The value that a sentence gives; None where it gives none, asks, or speaks of one under doubt or condition."""
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
        is_last = start > 0 and start == end == len(some) - 1 and _hands_over(some[: start - 1])
        is_pointed = bool(start and some[start - 1].text in "→⇒")
        if not (is_labelled or is_announced or is_last or is_pointed or end == 0):
            continue
        value = value_of(some[end])
        if answer is not None and answer.value is not value:
            return CONFLICT
        if answer is None:
            if has(some[:end], "condition", "doubt", "to_user", "reported_question") or any(
                word.text == '"' for word in some[:end]
            ):
                return None
            if signs_of(some[:start]) == {-1 if value else 1}:
                return CONFLICT
            is_firm = any(word.text not in _WEAK and "label" in word.classes for word in some[:end])
            answer = Answer(value, is_labelled, tuple(some[end + 1 :]), start > 0, is_firm)
    if answer and (has(first_clause(answer.behind), "doubt", "to_user") or has(answer.behind, "condition")):
        return None
    return answer


def _lead(some: Sequence[Word], start: int) -> tuple[int, bool, bool]:
    """Where the words that may lead to a value end, whether a label or an opinion is among them, and whether a word that
    concludes.
    """
    at, is_labelled, is_announced = start, False, False
    while (
        at < len(some)
        and (_HEADING & some[at].classes or some[at].text in _LINKS)
        and not stands_alone(some, at)
    ):
        names = some[at].classes
        is_linked = at + 1 < len(some) and (
            some[at + 1].text in _LINKS or has(some[at + 1 : at + 2], "be", "modal")
        )
        is_labelled = (
            is_labelled
            or "opinion" in names
            or ("label" in names and is_linked)
            or ("be" in names and at > 0 and some[at - 1].text == "it")
        )
        is_announced = is_announced or "conclusive" in names
        at += 1
    return at, is_labelled, is_announced


def _hands_over(some: Sequence[Word]) -> bool:
    """Whether words hand a value over: a reason, or words that say nothing of the text (`Here you go`)."""
    if has(some[:1], "because"):
        return not has(some, "label")
    if not has(some[:1], "prefix", "handover", "courtesy"):
        return False
    is_closed = all(
        {"prefix", "filler", "source", "given", "handover", "courtesy", "be", "info"} & word.classes
        or word.text in ".,!;"
        for word in some
    )
    return is_closed and not has(some, "negation", "no", "relative")


def first_clause(some: Sequence[Word]) -> Sequence[Word]:
    pauses = [at for at, word in enumerate(some) if word.text in (",", "，", ":", ";", "(", "—", "–")]
    return some[: next((at for at in pauses if at > 0), len(some))]


def value_of(word: Word) -> bool:
    return "fault_value" in word.classes


def stands_alone(some: Sequence[Word], at: int) -> bool:
    """Whether a Yes or No stands here that no other word belongs to."""
    if not VALUES & some[at].classes:
        return False
    if at + 1 == len(some):
        return True
    behind = some[at + 1]
    after = some[at + 2 : at + 4]
    is_pair = (
        behind.text == "-" and has(after[:1], *VALUES) and not (len(after) > 1 and after[1].text.isdecimal())
    )
    if behind.text == "/" or is_pair:
        return False
    return behind.text in PAUSES or behind.text in _AFTER or VALUES & behind.classes != frozenset()


_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def truth_of(value: Any) -> bool | None:
    """The truth that a field's value is: a truth, 0 or 1, Yes or No."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | str):
        return None
    word = str(value).strip(" .!*_\"'").casefold()
    if word in _TRUTHS:
        return _TRUTHS[word]
    some = words(word)[:-1]
    return has(some, "yes") if len(some) == 1 and stands_alone(some, 0) else None


def is_fault_name(name: str, asks: str) -> bool | None:
    """Whether a field is named for a fault (True) or for soundness (False); None of other names."""
    return _is_fault(words(name, asks)[:-1])


def _is_fault(some: Sequence[Word]) -> bool | None:
    signs = {sign for word in some for key, sign in SIGNS.items() if key in word.classes}
    is_known = all(KNOWN & word.classes for word in some)
    is_turned = has(some, "negation", "no")
    return None if len(signs) != 1 or not is_known else (signs.pop() > 0) is not is_turned


def is_label(name: str, asks: str) -> bool:
    """Whether a field is named for the verdict."""
    return all({"label", "filler", "conclusive"} & word.classes for word in words(name, asks)[:-1])
