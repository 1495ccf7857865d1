"""Answers and labels of a person's own, as JSON lines: every line is checked before anything is judged."""

import codecs
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerate.core.errors import SourceError, listed
from truerate.core.whole_words import is_unicode

DIGITS = 300  # of a whole number
LONGEST = 10_000_000  # characters of a line: more is no answer with its reference
TEXTS = ("question", "system", "lang")  # optional fields that hold a text
LABELS = ("id", "is_hallucinated", "spans")
PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")  # how gzip, zip and Zstandard begin
PARQUET = b"PAR1"
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # that of UTF-32 begins so, too, or with a null byte
BREAK = "\n\n"  # between the passages of a reference that is given as a list
Slice = str | int | float | bool


@dataclass(frozen=True)
class Answer:
    """One answer with what it is checked against. `id`: as the file gives it, else (none, or null) the number of its
    line, as text. `reference`: its passages joined; empty where there is none. `slices`: every other field, as text.
    """

    id: str
    text: str
    reference: str
    question: str
    system: str
    lang: str
    slices: Mapping[str, str]


@dataclass(frozen=True)
class Label:
    """What a person says of one answer: whether it is hallucinated, or which spans (start, end) of it are; the
    other one is None. Code points, half-open.
    """

    is_hallucinated: bool | None
    spans: tuple[tuple[int, int], ...] | None


def read_answers(path: str | Path) -> list[Answer]:
    """All answers of a JSONL file, in its order.

    Raises SourceError, one line with the number of the first line that does not fit, for a file that is no
    UTF-8 or holds none.
    """
    read: dict[str, int] = {}
    answers = _lines(path, "answers", lambda told, number: _answer(told, number, read))
    if not answers:
        raise SourceError(
            f'reading the answers {str(path)!r}: it holds none; give {{"answer": …, "reference": …}} per line'
        )
    return answers


def read_labels(path: str | Path, answers: Sequence[Answer]) -> dict[str, Label]:
    """Labels by the id of their answer, all of one kind. Raises SourceError as `read_answers` does, and for ids
    that no answer has, spans that leave their answer, and verdicts beside spans.
    """
    texts = {one.id: one.text for one in answers}
    read: dict[str, Label] = {}
    _lines(path, "labels", lambda told, number: _label(told, texts, read))
    if not read:
        raise SourceError(
            f'reading the labels {str(path)!r}: it holds none; give {{"id": …, "is_hallucinated": true}} per line'
        )
    return read


def _lines(path: str | Path, what: str, made: Callable[[dict[str, Any], int], Any]) -> list[Any]:
    """What is made of each line that is not blank."""
    found = []
    for number, line in enumerate(_content(path, what).split("\n"), start=1):
        if line.strip():
            try:
                found.append(made(_object(line), number))
            except ValueError as error:
                raise SourceError(f"reading the {what} {str(path)!r}: line {number}: {error}") from None
    return found


def _content(path: str | Path, what: str) -> str:
    content = Path(path).read_bytes()
    if wrong := _other_form(content):
        raise SourceError(f"reading the {what} {str(path)!r}: {wrong}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"reading the {what} {str(path)!r}: line {number}: byte {error.start} is no UTF-8; save the file as UTF-8"
        ) from None


def _other_form(content: bytes) -> str | None:
    """What a file is that holds no lines of objects, and what to do; None where that cannot be told from its bytes."""
    if content.startswith(PACKED):
        return "it is packed; unpack it, a line is one object"
    if content.startswith(PARQUET):
        return "it is a Parquet file; write it as JSON lines, such as with polars: read_parquet(…).write_ndjson(…)"
    if content.startswith(WIDE) or b"\0" in content[:4]:
        return "it is UTF-16 or UTF-32; save it as UTF-8"
    begin = content[:LONGEST].removeprefix(codecs.BOM_UTF8).lstrip()
    if begin.startswith(b"[") and begin[1:].lstrip().startswith(b"{"):
        return "it is one JSON list; write each of its objects on a line of its own"
    if content.count(b"\r") > 1 and b"\n" not in content:
        return "its lines end in CR alone; let them end in LF, or CR LF"
    return None


def _object(line: str) -> dict[str, Any]:
    """The object of a line. Raises ValueError with what is wrong."""
    if len(line) > LONGEST:
        raise ValueError(f"it has {len(line):,} characters; allowed: {LONGEST:,}")
    try:
        told = json.loads(line, object_pairs_hook=_once, parse_int=_whole, parse_constant=_none)
    except (json.JSONDecodeError, RecursionError):
        raise ValueError("it is no JSON; a line is one object") from None
    if not isinstance(told, dict):
        raise ValueError('it is no object; a line is {"answer": …, "reference": …}')
    return told


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits; allowed: {DIGITS}")
    return int(digits)


def _none(name: str) -> None:
    raise ValueError(f"{name} is no JSON; give null where there is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("a field stands there twice; give it once")
    return told


def _answer(told: dict[str, Any], number: int, read: dict[str, int]) -> Answer:
    """The answer of a line. Raises ValueError with what is wrong."""
    if "answer" not in told:
        raise ValueError('it has no \'answer\'; a line is {"answer": …, "reference": …}')
    text = _text(told["answer"], "answer")
    if not text.strip():
        raise ValueError("'answer' holds no text; give it as a string, or leave the line out")
    name = _id(number if told.get("id") is None else told["id"])
    if name in read:
        raise ValueError(f"id {name!r} is that of line {read[name]} too; an id names one answer")
    read[name] = number
    question, system, lang = (_text(told.get(field, ""), field) for field in TEXTS)
    rest = {key: value for key, value in told.items() if key not in ("id", "answer", "reference", *TEXTS)}
    slices = {key: _slice(key, value) for key, value in rest.items()}
    return Answer(name, text, _reference(told.get("reference")), question, system, lang, slices)


def _text(value: object, field: str) -> str:
    value = "" if value is None and field != "answer" else value
    if not isinstance(value, str):
        raise ValueError(f"{field!r} is {_shown(value)}; allowed: text")
    if not is_unicode(value):
        raise ValueError(f"{field!r} holds half of a surrogate pair; give it as UTF-8")
    return value


def _reference(value: object) -> str:
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str) for part in parts if part is not None or isinstance(value, list)):
        raise ValueError(f"'reference' is {_shown(value)}; allowed: text, a list of texts, or null")
    return BREAK.join(_text(part, "reference") for part in parts if part).strip()


def _id(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"'id' is {_shown(value)}; allowed: text or a whole number")
    return _text(str(value), "id")


def _slice(key: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, Slice) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"{key!r} is {_shown(value)}; a field to slice by is text, a number, true or false")
    return _text(str(value).lower() if isinstance(value, bool) else str(value), key)


def _label(told: dict[str, Any], texts: Mapping[str, str], read: dict[str, Label]) -> None:
    """Read the label of a line into those that were read. Raises ValueError with what is wrong."""
    if unknown := [key for key in told if key not in LABELS]:
        raise ValueError(f"field {unknown[0]!r} is not known; allowed: {listed(LABELS)}")
    if "id" not in told:
        raise ValueError("it has no 'id'; a label names its answer")
    name = _id(told["id"])
    if name not in texts:
        raise ValueError(
            f"no answer has the id {name!r}; an id is that of the answers' file, or a line number"
        )
    if name in read:
        raise ValueError(f"id {name!r} is labelled twice; give one label for an answer")
    if ("is_hallucinated" in told) == ("spans" in told):
        raise ValueError("give either 'is_hallucinated' (true or false) or 'spans' ([] for none)")
    label = Label(None, _spans(told["spans"], texts[name])) if "spans" in told else _verdict(told)
    first = next(iter(read.values()), label)
    if (first.spans is None) != (label.spans is None):
        raise ValueError("'is_hallucinated' and 'spans' are mixed in the file; give one of them in all lines")
    read[name] = label


def _verdict(told: dict[str, Any]) -> Label:
    value = told["is_hallucinated"]
    if not isinstance(value, bool):
        raise ValueError(f"'is_hallucinated' is {_shown(value)}; allowed: true, false")
    return Label(value, None)


def _spans(value: object, text: str) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list):
        raise ValueError(f'\'spans\' is {_shown(value)}; allowed: a list of {{"start": …, "end": …}}')
    return tuple(sorted({_span(one, len(text)) for one in value}))


def _span(value: object, length: int) -> tuple[int, int]:
    ends = [value.get("start"), value.get("end")] if isinstance(value, dict) else value
    numbers = [end for end in ends if type(end) is int] if isinstance(ends, list) and len(ends) == 2 else []
    if len(numbers) != 2:
        raise ValueError(f'span {_shown(value)} is none; allowed: {{"start": 0, "end": 5}} or [0, 5]')
    start, end = numbers
    if not 0 <= start < end <= length:
        raise ValueError(f"span {start}–{end} leaves its answer of {length} characters, or is empty")
    return start, end


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"
