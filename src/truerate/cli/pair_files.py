"""Texts to check, as a person hands them over: a file, stdin, or a JSONL file of many pairs."""

import sys
from pathlib import Path
from typing import NamedTuple

from truerate.core.errors import SourceError
from truerate.core.lenient import exact
from truerate.core.process.system_errors import check_regular
from truerate.core.spans.whole_words import is_unicode

STDIN = "-"
KEYS = ("reference", "answer", "id")


class Pair(NamedTuple):
    """An answer with the reference that it is checked against; `id`: the file's, else its line number."""

    reference: str
    answer: str
    id: str | int


def read_text(path: str, what: str) -> str:
    """A text file (`-`: stdin) without the blank space around its text. Raises SourceError where it is no
    UTF-8 or holds no text.
    """
    text = _read(path, what).strip()
    if not text:
        raise SourceError(
            f"reading the {what} {path!r}: it holds no text; name a file with the text to check"
        )
    return text


def read_pairs(path: str) -> list[Pair]:
    """All pairs of a JSONL file (`-`: stdin): an object with `reference`, `answer` and, if wanted, `id` per
    line; blank lines are passed over.

    Raises SourceError where any line does not fit, before anything is marked: the first is told with its
    number and what is wrong, the others by number.
    """
    pairs, faults = [], []
    for number, line in enumerate(_read(path, "pairs").split("\n"), start=1):
        if line.strip():
            try:
                pairs.append(_pair(line, number))
            except ValueError as error:
                faults.append((number, str(error)))
    if faults:
        more = f"; so do not lines {_numbers([number for number, _ in faults[1:]])}" if faults[1:] else ""
        raise SourceError(
            f"reading the pairs {path!r}: line {faults[0][0]} does not fit: {faults[0][1]}{more}"
        )
    if not pairs:
        raise SourceError(
            f'reading the pairs {path!r}: it holds none; give one {{"reference": …, "answer": …}} per line'
        )
    return pairs


def _pair(line: str, number: int) -> Pair:
    """The pair of one line; raises ValueError with what is wrong."""
    try:
        record = exact(line)
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON; a line is one object") from None
    if not isinstance(record, dict):
        raise ValueError('it is no object; a line is {"reference": …, "answer": …}')
    if unknown := [key for key in record if key not in KEYS]:
        raise ValueError(f"key {unknown[0]!r} is not known; allowed: {', '.join(KEYS)}")
    for key in ("reference", "answer"):
        if not isinstance(record.get(key), str) or not record[key].strip():
            raise ValueError(f"{key!r} holds no text; give it as a string")
        if not is_unicode(record[key]):
            raise ValueError(f"{key!r} holds half of a surrogate pair; give it as UTF-8")
    name = record.get("id", number)
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise ValueError("'id' is neither text nor a whole number")
    if isinstance(name, str) and not is_unicode(name):
        raise ValueError("'id' holds half of a surrogate pair; give it as UTF-8")
    return Pair(record["reference"], record["answer"], name)


def _numbers(numbers: list[int]) -> str:
    """A few line numbers, and how many more there are."""
    shown = ", ".join(map(str, numbers[:5]))
    return f"{shown} and {len(numbers) - 5} more" if len(numbers) > 5 else shown


def _read(path: str, what: str) -> str:
    if path != STDIN:
        check_regular(path, what)
    content = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"reading the {what} {path!r}: byte {error.start} is no UTF-8; save the file as UTF-8"
        ) from None
