"""The values of a record of a person's own answers: what an answer says, its reference, yes or no."""

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from truerate.core.invisible import is_blank, is_unseen
from truerate.core.patterns import lazy
from truerate.core.text import n_words
from truerate.llm.replies.cutting import turn
from truerate.llm.replies.texts.abstaining import says_not_known
from truerate.llm.replies.texts.refusals import is_refusal
from truerate.llm.thought import split_thought
from truerate.sources.answers.names import is_good_if_high

_STRUCK_OUT = lazy(r"\S\s*<s>[^<>]+</s>")
BREAK = "\n\n"  # between the passages of a reference that is given as a list
# what of an object in such a list is its text
PASSAGE = tuple("text page_content content passage body".split())
IS_SO = dict.fromkeys(("true", "yes", "1", "y", "t"), True) | dict.fromkeys(
    ("false", "no", "0", "n", "f"), False
)
# words that say by themselves whether an answer is hallucinated; `_` and `-` count as a blank
_BAD = """hallucinated, hallucination, hallucinates, unfaithful, not faithful, unsupported, not supported, ungrounded, not grounded,
    fabricated, contradicted, non factual, not factual, inconsistent, incorrect, inaccurate, fail, failed"""
_GOOD = """faithful, supported, grounded, factual, consistent, correct, accurate, pass, passed, sound, not hallucinated,
    no hallucination, non hallucinated"""
VERDICTS = {
    word.strip(): is_bad for words, is_bad in ((_BAD, True), (_GOOD, False)) for word in words.split(",")
}
LABELS = ("label", "is_hallucinated", "verdict", "value")  # what of an object of one annotator is the label
_OTHER_NUMBER = lazy(r"-?\d+(?:[.,]\d+)?\s*%?")  # as spreadsheets show numbers
NOTHING = ("", "nan", "none", "null", "n/a")
ALLOWED = "true, false, 0, 1, yes, no, hallucinated, faithful, pass, fail"
WORDS = ", ".join(("true", "false", "0", "1", "yes", "no"))
STATED, ABSTAINED, EMPTY = "stated", "abstained", "empty"
_NOT_AVAILABLE = lazy(r"[\W_]*(?:n/a|n\.\s?a\.?|not available|not applicable)[\W_]*", re.IGNORECASE)
MOST_OF_REFUSAL = 60  # words of an answer that refuses: a longer one goes on and says something
# One of these stands in whatever abstains in English and in languages of plain letters; the rules, which take
# a millisecond a text, are asked of no other. (Each text of their own corpora that abstains has one: a test.)
_HINT = lazy(
    r"(?-i:[^\W\d_a-zA-Z])|n['’]t\b|\b(?:no|not?|nor|none|never|nothing|nobody|neither|can|cant|cannot|dont|un[a-z]+|in[a-z]+|im[a-z]+|"
    r"lacks?|lacking|little|less|fail[a-z]*|missing|empty|blank|silent|limited|scarce|hard|difficult|sorry|apolog[a-z]+|"
    r"refus[a-z]+|declin[a-z]+|den(?:y|ied)|rather|refrain|only|outside|beyond|against|false|wrong|n/a|idea|clue|need|would|"
    r"must|pass|my|nicht[a-z]*|kein[a-z]*|ne|n|pas|non|nao|nem|niet[a-z]*|geen|nie|inte|ikke|ikkje|ingen|inga|inget|tidak|yok|desconozco|ignoro|lamento|"
    r"desconhe[a-z]+|leider|lehne|ablehnen|brak|bilm[a-z]+|nu|en)\b",
    re.IGNORECASE,
)
# Letters and signs that look like others, after case folding.
_LOOKS = str.maketrans(
    "авекмнорстухіјѕһԁԛԝьαβεικνορτυχγ01‐‑‒–—―−_", "abekmhopctyxijshdqwbabeikvoptuxyol--------"
)


class Answer(NamedTuple):
    """One answer as a detector sees it: `text` without thought and special tokens, `reference` its passages
    joined (empty where there is none), `written` as the file has it, None where that is `text`.
    """

    id: str
    text: str
    reference: str
    question: str
    written: str | None = None


def without_thought(text: str) -> tuple[str, tuple[str, ...]]:
    """An answer as it was meant for its reader, and what was cut off it; one without such marks stays as it
    is. `<s>` and `</s>` about a few words are HTML's, no tokens.
    """
    answer, thought = split_thought(text)
    stated, cuts = (answer, ()) if _STRUCK_OUT.search(answer) else turn(answer)
    cuts = cuts if thought is None else ("thought", *cuts)
    return (stated, cuts) if cuts else (text, ())


def yes_or_no(value: object) -> bool | None:
    """A value of yes or no; None where it is none."""
    return IS_SO.get(_word(value))


def verdict_of(value: object, name: str = "") -> float | None:
    """Return what a verdict or a label of the field `name` states: 1 or 0 for yes or no, a finite number as it
    is, None for nothing (null, a blank, `nan`). A word of VERDICTS says by itself which way it counts: 1 if
    hallucinated, and 0 in a field whose name says that high values are good, which is turned round as a whole.
    Raises ValueError for other words.
    """
    word = _word(value)
    if value is None or word in NOTHING:
        return None
    if (is_bad := says_by_itself(value)) is not None:
        return float(is_bad != is_good_if_high(name))
    if (is_so := IS_SO.get(word)) is not None:
        return float(is_so)
    try:
        number = float(word)
    except ValueError:
        how = " (write it with a point and without a sign, as 0.5)" if _OTHER_NUMBER.fullmatch(word) else ""
        raise ValueError(f"{shown(value)}{how}; allowed: {ALLOWED}") from None
    if math.isinf(number):
        raise ValueError(f"{shown(value)}; allowed: {ALLOWED}")
    return None if math.isnan(number) else number


def says_by_itself(value: object) -> bool | None:
    """Return whether a word says that an answer is hallucinated; None for another value."""
    return VERDICTS.get(re.sub(r"[\s_-]+", " ", value.strip().lower())) if isinstance(value, str) else None


def each_label(value: object) -> list[Any]:
    """The labels in a value: itself, those of a list, where an object stands for what its `label` says, or those of an
    object by annotator.
    """
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return [
        next((label[name] for name in LABELS if name in label), None) if isinstance(label, dict) else label
        for label in values
    ]


def votes_of(value: object, name: str = "") -> list[float]:
    """The labels of a field in a value (`verdict_of`), 1 hallucinated, 0 not: one, or those of a list or by annotator.
    Raises ValueError for anything else.
    """
    votes = [vote for label in each_label(value) if (vote := verdict_of(label, name)) is not None]
    if wrong := [vote for vote in votes if vote not in (0, 1)]:
        raise ValueError(f"{wrong[0]:g}; allowed: {ALLOWED}, or null where nobody labelled")
    return votes


def abstention_of(value: object, _: str) -> bool | None:
    """Return whether a file says that an answer abstains. Raises ValueError for another value."""
    is_abstention = None if value is None or value == "" else yes_or_no(value)
    if value not in (None, "") and is_abstention is None:
        raise ValueError(f"'abstained' is {shown(value)}; allowed: {WORDS}, or null")
    return is_abstention


def labels_in(value: object, name: str) -> list[float]:
    """The labels in a value of the field `name` (`votes_of`)."""
    try:
        return votes_of(value, name)
    except ValueError as error:
        words = (
            f"; or say which words mean hallucinated, --map label={name}=WORD"
            if isinstance(value, str)
            else ""
        )
        raise ValueError(f"{name!r} is {error}{words}") from None


def score_of(value: object, name: str) -> float | None:
    """A verdict or a score of the field `name` (`verdict_of`)."""
    try:
        return verdict_of(value, name)
    except ValueError as error:
        raise ValueError(f"{name!r} is {error}, or a score") from None


def weight_of(value: object, name: str) -> float | None:
    """The answers that a labelled one stands for, 1 over its chance to be drawn. Raises ValueError below 1."""
    weight = score_of(value, name)
    if weight is not None and weight < 1:
        raise ValueError(f"{name!r} is {shown(value)}; allowed: 1 or more (1 over the chance to be drawn)")
    return weight


def _word(value: object) -> str:
    return str(int(value) if isinstance(value, float) and value in (0, 1) else value).strip().lower()


def text_of(value: object, field: str) -> str:
    """A text, empty for null. Raises ValueError for another value."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{field!r} is {shown(value)}; allowed: text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{field!r} holds half of a surrogate pair; give it as UTF-8") from None
    return value


def answer_of(value: object, field: str) -> str:
    """An answer; a number or a truth value among texts as JSON writes it. Raises ValueError for another value."""
    is_plain = isinstance(value, bool | int | float)
    return json.dumps(value) if is_plain else text_of(value, field)


def reference_of(value: object, field: str) -> str:
    """The passages of a reference, joined: a text, a list of texts or of objects with a text, or none."""
    parts = value if isinstance(value, list) else [value]
    texts = [_passage(part) for part in parts if part is not None or isinstance(value, list)]
    if any(text is None for text in texts):
        raise ValueError(
            f"{field!r} is {shown(value)}; allowed: text, a list of texts or of objects with a 'text', or "
            "null"
        )
    return BREAK.join(text_of(text, field) for text in texts if text).strip()


def _passage(part: object) -> str | None:
    if isinstance(part, dict):
        part = next((part[name] for name in PASSAGE if name in part), None)
    return part if isinstance(part, str) else None


def id_of(value: object) -> str:
    """An id as text; a whole number may be written as one with a point, as tables with gaps have it. Raises
    ValueError for what is neither text nor a whole number.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"'id' is {shown(value)}; allowed: text or a whole number")
    return text_of(str(value), "id")


def name_of(key: str, value: Any) -> str:
    """A value to slice by as text, empty for null and NaN. Raises ValueError for lists, objects, infinities."""
    if value is None or value != value:
        return ""
    if not isinstance(value, str | int | float | bool) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise ValueError(f"{key!r} is {shown(value)}; a field to slice by is text, a number, true or false")
    return text_of(str(value).lower() if isinstance(value, bool) else str(value), key)


def shown(value: object) -> str:
    """A value in a message, cut."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


# ---- what an answer says, and what it is called ------------------------------------------------------------
def state_of(text: str, given: bool | None = None) -> str:
    """The state of an answer: EMPTY where nothing of it is seen, or nothing but punctuation; else as `given`
    (whether it abstains), else ABSTAINED where it says that it does not know (`says_not_known`) or, in
    MOST_OF_REFUSAL words at most, refuses (`is_refusal`).
    """
    if is_blank(text) or all(unicodedata.category(sign)[0] in "PZC" for sign in text):
        return EMPTY
    if given is None and _NOT_AVAILABLE.fullmatch(text):
        return ABSTAINED
    if given is None and _HINT.search(text):
        given = says_not_known(text) or (n_words(text) <= MOST_OF_REFUSAL and is_refusal(text))
    return ABSTAINED if given else STATED


def plain(name: str) -> str:
    """A name for comparison and display: NFKC, no invisible signs, single blanks."""
    visible = (sign for sign in unicodedata.normalize("NFKC", name) if not is_unseen(sign))
    return " ".join("".join(visible).split())


def look_alikes(field: str, written: Iterable[str]) -> Iterator[str]:
    """Yield a line for names of a field that are one however they are written, and for those that look alike
    and are several.
    """
    names = sorted(set(written))
    same: dict[str, list[str]] = {}
    alike: dict[str, list[str]] = {}
    for name in names:
        same.setdefault(plain(name), []).append(name)
    for shown in same:
        alike.setdefault(shown.casefold().translate(_LOOKS), []).append(shown)
    for group in same.values():
        if len(group) > 1:
            yield f"{field}: {' and '.join(map(ascii, group))} are one"
    for group in alike.values():
        if len(group) > 1:
            yield (
                f"{field}: {' and '.join(map(ascii, group))} look alike and are counted apart; write them "
                "alike if they are one"
            )
