"""Values in sentences: a Yes or No that stands alone, first, behind a label or behind words that announce it; and fields of a name
that says fault or soundness (`Hallucinated: no`).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from truerate.llm.replies.fault_statements import KNOWN, LOOSE, PAUSES, SIGN, has, leans_of, stated_in
from truerate.llm.replies.verdict_words import Sentence, Word, words


class Said(NamedTuple):
    """What a sentence says: its value, whether a label or an announcement names it, and what stands behind it."""

    value: bool | None
    is_labelled: bool
    behind: tuple[Word, ...]
    is_inner: bool = False  # it stands in a later clause of its sentence
    is_firm: bool = True  # its label is none of the judged text's names, too


_VALUE = {"yes": True, "no": False}


_LINKS = frozenset((":", "：", ",", "，", "=", ")", "]", "-", "–", "—", "→", "⇒", "|", *"✅❌✓✔✗✘"))


_HEADING = frozenset(
    ("modal", "label", "filler", "be", "opinion", "conclusive", "self", "pronoun", "subject")
)


_AFTER = frozenset("the this it there because since as these all everything here indeed".split())


_WEAK = frozenset("answer response output the".split())


CONFLICT = Said(None, True, ())


def field_of(sentence: Sentence) -> tuple[bool, Said | None]:
    """Whether a sentence is a field of a name that says fault or soundness (`Hallucinated: no`), and what it gives: None
    where its value is no verdict.
    """
    some = sentence.words
    at = next((at for at, word in enumerate(some) if word.text in (":", "：", "=", "|")), None)
    if at is None and len(some) > 2 and some[-2].text in ("-", "–", "—"):
        at = len(some) - 2
    pole = (
        _pole_of(some[:at])
        if at and not (has(some[1:at], "be") or has(some[:at], "self") or some[0].text in LOOSE)
        else None
    )
    if pole is None or at is None:
        return False, None
    behind = [word for word in some[at + 1 :] if word.text not in (":", "|", "=")]
    if len(behind) == 1 and behind[0].text in _TRUTHS:
        return True, Said(_TRUTHS[behind[0].text] is pole, True, ())
    if behind and behind[0].text == "0" and pole and (len(behind) == 1 or behind[1].text in ("of", "/")):
        return True, Said(False, True, ())
    if behind and behind[0].text[0].isdecimal():
        return True, None
    if behind and behind[0].text in ("none", "zero") and len(behind) <= 2:
        return True, Said(not pole, True, ())
    if behind and stands_alone(behind, 0):
        return True, Said(value_of(behind[0]) is pole, True, tuple(behind[1:]))
    return len(behind) <= 2 or bool({"yes", "no"} & behind[0].classes), None


_STEMS = ("hallucinat", "made up", "fabricat", "invent")


def asked_by(some: Sequence[Word]) -> bool | None:
    """Whether a question asks for a fault (True) or for soundness (False), where it asks for the verdict itself."""
    if has(some, "negation", "no"):
        return None
    if any(word.text.startswith(_STEMS) for word in some):
        told = stated_in(some)
        return _pole_of(some) if told is None and len(some) < 4 else told
    return (
        _pole_of(some)
        if len(some) < 3 and not has(some, "be") and not any(word.text in LOOSE for word in some)
        else None
    )


def said_in(sentence: Sentence) -> Said | None:
    """The value that a sentence gives; None where it gives none, asks, or speaks of one under doubt or condition."""
    some = sentence.words
    if sentence.is_question:
        return None
    starts = [
        0,
        *(at + 1 for at, word in enumerate(some) if word.text in PAUSES or word.text in ("and", "und")),
    ]
    found = None
    done = 0
    for start in starts:
        if start < done:
            continue  # the words up to there lead to no value
        at, is_labelled, is_marked = start, False, False
        while (
            at < len(some)
            and not stands_alone(some, at)
            and (_HEADING & some[at].classes or some[at].text in _LINKS)
        ):
            is_linked = at + 1 < len(some) and (
                some[at + 1].text in _LINKS or {"be", "modal"} & some[at + 1].classes
            )
            is_labelled = (
                is_labelled
                or "opinion" in some[at].classes
                or ("label" in some[at].classes and bool(is_linked))
            )
            is_labelled = is_labelled or ("be" in some[at].classes and at > 0 and some[at - 1].text == "it")
            is_marked = is_marked or "conclusive" in some[at].classes
            at += 1
        done = at
        if at == len(some) or not stands_alone(some, at):
            continue
        is_end = start > 0 and start == at == len(some) - 1 and _hands(some[: start - 1])
        is_end = is_end or bool(start and some[start - 1].text in "→⇒")
        if not (is_labelled or is_marked or is_end or at == 0):
            continue
        value = value_of(some[at])
        if found is not None and found.value is not value:
            return CONFLICT
        if found is None:
            before = leans_of(some[:start])
            if has(some[:at], "condition", "doubt", "to_user", "reported_question") or any(
                word.text == '"' for word in some[:at]
            ):
                return None
            if before and not before & {1 if value else -1}:
                return CONFLICT
            is_firm = any(word.text not in _WEAK and "label" in word.classes for word in some[:at])
            found = Said(value, is_labelled, tuple(some[at + 1 :]), start > 0, is_firm)
    if found and (has(first_clause(found.behind), "doubt", "to_user") or has(found.behind, "condition")):
        return None
    return found


def _hands(some: Sequence[Word]) -> bool:
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
    return "yes" in word.classes


def stands_alone(some: Sequence[Word], at: int) -> bool:
    """Whether a Yes or No stands here that no other word belongs to."""
    if not {"yes", "no"} & some[at].classes:
        return False
    if at + 1 == len(some):
        return True
    behind = some[at + 1]
    after = some[at + 2 : at + 4]
    is_pair = (
        behind.text == "-"
        and has(after[:1], "yes", "no")
        and not (len(after) > 1 and after[1].text.isdecimal())
    )
    if behind.text == "/" or is_pair:
        return False
    return behind.text in PAUSES or behind.text in _AFTER or {"yes", "no"} & behind.classes != frozenset()


_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def plain_value(value: Any) -> bool | None:
    """The value of a field: a truth, 0 or 1, Yes or No."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | str):
        return None
    word = str(value).strip(" .!*_\"'").casefold()
    if word in _TRUTHS:
        return _TRUTHS[word]
    some = words(word)[:-1]
    return value_of(some[0]) if len(some) == 1 and stands_alone(some, 0) else None


def pole_of_name(name: str) -> bool | None:
    """Whether a field is named for a fault (True) or for soundness (False); None of other names."""
    return _pole_of(words(name)[:-1])


def _pole_of(some: Sequence[Word]) -> bool | None:
    signs = {sign for word in some for key, sign in SIGN.items() if key in word.classes}
    is_known = all(KNOWN & word.classes for word in some)
    is_turned = has(some, "negation", "no")
    return None if len(signs) != 1 or not is_known else (signs.pop() > 0) is not is_turned


def is_label(name: str) -> bool:
    """Whether a field is named for the verdict."""
    some = words(name)[:-1]
    return all({"label", "filler", "conclusive"} & word.classes for word in some)
