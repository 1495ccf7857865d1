"""Answers of a person's own, as JSON lines: every line is checked before anything is judged."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from truerate.answers.fields import Fields, Record, fields_of
from truerate.answers.files import at_line, objects_of
from truerate.core.errors import SourceError
from truerate.core.invisible import is_blank, is_unseen
from truerate.core.patterns import lazy
from truerate.core.text import n_words
from truerate.llm.replies.cutting import turn
from truerate.llm.replies.texts.abstaining import says_not_known
from truerate.llm.replies.texts.refusals import is_refusal
from truerate.llm.thought import split_thought

_STRUCK_OUT = lazy(r"\S\s*<s>[^<>]+</s>")
BREAK = "\n\n"  # between the passages of a reference that is given as a list
# what of an object in such a list is its text
PASSAGE = tuple("text page_content content passage body".split())
SHORT = 2  # an answer longer than that many times its reference says more than it
IS_SO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
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


@dataclass(frozen=True)
class Answer:
    """One answer with what it is checked against. `id`: as the file gives it, else (none, or null) the number
    of its line, as text. `text`: without thought and special tokens. `reference`: its passages joined; empty
    where there is none. `slices`: other fields, as text. `group`: what it was drawn with, where the file says
    so. `written`: as the file has it, where that is not `text`.
    """

    id: str
    text: str
    reference: str
    question: str
    system: str
    lang: str
    slices: Mapping[str, str]
    group: str = ""
    state: str = STATED
    written: str | None = None


@dataclass(frozen=True)
class AnswerFile:
    """The answers of a file in its order, the names of its fields, and notes on how it was read."""

    answers: Sequence[Answer]
    names: frozenset[str]
    notes: Sequence[str]


def read_answers(path: str | Path, given: Mapping[str, str] | None = None) -> AnswerFile:
    """All answers of a JSONL file. `given`: fields by role (`fields.ROLES`) that are not what their names
    say.

    Raises SourceError, one line with the number of the first line that does not fit, for a file that is none
    of UTF-8 lines of objects, or holds no answer.
    """
    records = objects_of(path, "answers")
    if not records:
        raise SourceError(
            f'reading the answers {str(path)!r}: it holds none; give {{"answer": …, "reference": …}} per line'
        )
    try:
        fields = fields_of(records, given or {})
    except SourceError as error:
        raise SourceError(f"reading the answers {str(path)!r}: {error}") from None
    read: dict[str, int] = {}
    cuts: Counter[str] = Counter()
    answers = []
    for number, record in records:
        try:
            answers.append(_answer(record, fields, number, read=read, cuts=cuts))
        except ValueError as error:
            raise at_line(path, "answers", number, error) from None
    names = frozenset(name for _, record in records for name in record)
    return AnswerFile(answers, names, [*fields.notes, *_notes(answers, records, fields, cuts)])


def _notes(
    answers: Sequence[Answer], records: Sequence[tuple[int, Record]], fields: Fields, cuts: Mapping[str, int]
) -> list[str]:
    """Return what was cut off, which names look alike, and references that look like golden answers."""
    notes = []
    if cuts:
        notes.append(f"cut off answers: {', '.join(f'{cut} in {n}' for cut, n in cuts.items())}")
    name = fields.by_role.get("system", "")
    written = (record.get(name) for _, record in records)
    notes += look_alikes(name, (value for value in written if isinstance(value, str)))
    sizes = [
        (n_words(answer.text), n_words(answer.reference))
        for answer in answers
        if answer.reference and answer.state == STATED
    ]
    if sizes:
        of_answers, of_references = (median(column) for column in zip(*sizes, strict=True))
        if of_answers > SHORT * of_references:
            notes.append(
                f"references are short (median {of_references:g} words, of answers {of_answers:g}): a "
                "golden answer is no evidence, "
                "whatever an answer says beyond it is flagged"
            )
    return notes


def _answer(
    record: Record, fields: Fields, number: int, *, read: dict[str, int], cuts: Counter[str]
) -> Answer:
    """The answer of a line. Raises ValueError with what is wrong."""
    field = fields.by_role["answer"]
    if field not in record:
        raise ValueError(f'it has no {field!r}; a line is {{"answer": …, "reference": …}}')
    written = _text(record[field], field)
    text, cut = _without_thought(written)
    cuts.update(cut)
    given_id = fields.value(record, "id")
    name = id_of(number if given_id is None else given_id)
    if name in read:
        raise ValueError(f"id {name!r} is that of line {read[name]} too; an id names one answer")
    read[name] = number
    question, system, lang = (
        _text(fields.value(record, role), fields.by_role.get(role, role))
        for role in ("question", "system", "lang")
    )
    return Answer(
        name,
        text,
        _reference(fields.value(record, "reference"), fields.by_role.get("reference", "reference")),
        question.strip(),
        plain(system),
        plain(lang),
        {key: plain(_slice(key, record.get(key))) for key in fields.slices},
        _slice("group", fields.value(record, "group")),
        _state(text, fields.value(record, "abstained")),
        None if text == written else written,
    )


def _without_thought(text: str) -> tuple[str, tuple[str, ...]]:
    """An answer as it was meant for its reader, and what was cut off it; one without such marks stays as it
    is. `<s>` and `</s>` about a few words are HTML's, no tokens.
    """
    answer, thought = split_thought(text)
    stated, cuts = (answer, ()) if _STRUCK_OUT.search(answer) else turn(answer)
    cuts = cuts if thought is None else ("thought", *cuts)
    return (stated, cuts) if cuts else (text, ())


def _state(text: str, given: object) -> str:
    """Return whether an answer says something: as the file says in `abstained`, else by its words."""
    is_abstention = None if given is None or given == "" else yes_or_no(given)
    if given not in (None, "") and is_abstention is None:
        raise ValueError(f"'abstained' is {shown(given)}; allowed: {WORDS}, or null")
    return state_of(text, is_abstention)


def yes_or_no(value: object) -> bool | None:
    """A value of yes or no; None where it is none."""
    return IS_SO.get(
        str(int(value) if isinstance(value, float) and value in (0, 1) else value).strip().lower()
    )


def _text(value: object, field: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{field!r} is {shown(value)}; allowed: text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{field!r} holds half of a surrogate pair; give it as UTF-8") from None
    return value


def _reference(value: object, field: str) -> str:
    """The passages of a reference, joined: a text, a list of texts or of objects with a text, or none."""
    parts = value if isinstance(value, list) else [value]
    texts = [_passage(part) for part in parts if part is not None or isinstance(value, list)]
    if any(text is None for text in texts):
        raise ValueError(
            f"{field!r} is {shown(value)}; allowed: text, a list of texts or of objects with a 'text', or "
            "null"
        )
    return BREAK.join(_text(text, field) for text in texts if text).strip()


def _passage(part: object) -> str | None:
    if isinstance(part, dict):
        part = next((part[name] for name in PASSAGE if name in part), None)
    return part if isinstance(part, str) else None


def id_of(value: object) -> str:
    """An id as text. Raises ValueError for what is neither text nor a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"'id' is {shown(value)}; allowed: text or a whole number")
    return _text(str(value), "id")


def _slice(key: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int | float | bool) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise ValueError(f"{key!r} is {shown(value)}; a field to slice by is text, a number, true or false")
    return _text(str(value).lower() if isinstance(value, bool) else str(value), key)


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
