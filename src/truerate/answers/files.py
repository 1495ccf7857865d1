"""The objects of a JSONL file that a person hands over; one line for every other form of file."""

import codecs
import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from truerate.core.errors import SourceError
from truerate.core.process.system_errors import check_regular

DIGITS = 300  # of a whole number
LONGEST = 10_000_000  # characters of a line: more is no answer with its reference
PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")  # how gzip, zip and Zstandard begin
PARQUET = b"PAR1"
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # that of UTF-32 begins so, too, or with a null byte
AS_LINES = "write it as JSON lines, such as with polars:"
DELIMITERS = {",": ("CSV", ""), "\t": ("TSV", ", separator='\\t'"), ";": ("CSV", ", separator=';'")}
_HEADER = re.compile(r'[\w .:"\'()/-]+')


def objects_of(path: str | Path, what: str) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a file's lines with their numbers from 1; blank lines are passed over.

    Raises SourceError, one line with the number of the first line that does not fit, also for what is no
    UTF-8, of another form, or no regular file.
    """
    objects = []
    for number, line in enumerate(_content(path, what).split("\n"), start=1):
        if line.strip():
            try:
                objects.append((number, _object(line)))
            except ValueError as error:
                raise at_line(path, what, number, error) from None
    return objects


def at_line(path: str | Path, what: str, number: int, error: object) -> SourceError:
    """Return what is wrong with a line of a file."""
    return SourceError(f"reading the {what} {str(path)!r}: line {number}: {error}")


def _content(path: str | Path, what: str) -> str:
    check_regular(path, what)
    content = Path(path).read_bytes()
    if wrong := _other_form(content):
        raise SourceError(f"reading the {what} {str(path)!r}: {wrong}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise at_line(path, what, number, f"byte {error.start} is no UTF-8; save the file as UTF-8") from None


def _other_form(content: bytes) -> str | None:
    """Return what a file is that holds no lines of objects, and what to do; None if its bytes do not tell."""
    if content.startswith(PACKED):
        return _packed(content)
    if content.startswith(PARQUET):
        return f"it is a Parquet file; {AS_LINES} read_parquet(…).write_ndjson(…)"
    if content.startswith(WIDE) or b"\0" in content[:4]:
        return "it is UTF-16 or UTF-32; save it as UTF-8"
    begin = content[:LONGEST].removeprefix(codecs.BOM_UTF8).lstrip()
    if begin.startswith(b"[") and begin[1:].lstrip().startswith(b"{"):
        return "it is one JSON list; write each of its objects on a line of its own"
    if content.count(b"\r") > 1 and b"\n" not in content:
        return "its lines end in CR alone; let them end in LF, or CR LF"
    first, _, rest = begin.partition(b"\n")
    if first.strip() == b"{" and rest.strip():
        return "it is one JSON object over several lines; write each answer as an object on a line of its own"
    return _delimited(first.decode("utf-8", "replace").strip())


def _packed(content: bytes) -> str:
    """Return what a packed file is, by the names of its members."""
    if b"xl/workbook.xml" in content:
        return f"it is an Excel workbook; {AS_LINES} read_excel(…).write_ndjson(…)"
    if b"_journal/start.json" in content or b"header.json" in content:
        return (
            "it is a log of Inspect; write its samples as JSON lines, an object with 'answer' and "
            "'reference' each"
        )
    return "it is packed; unpack it, a line is one object"


def _delimited(header: str) -> str | None:
    """Of a first line that names columns, which table it heads."""
    if header.startswith(("{", "[")):
        return None
    for delimiter, (form, how) in DELIMITERS.items():
        names = next(csv.reader([header], delimiter=delimiter), [])
        if len(names) > 1 and all(_HEADER.fullmatch(name.strip()) for name in names):
            return f"it is {form}; {AS_LINES} read_csv(…{how}).write_ndjson(…)"
    return None


def _object(line: str) -> dict[str, Any]:
    """The object of a line. Raises ValueError with what is wrong."""
    if len(line) > LONGEST:
        raise ValueError(f"it has {len(line):,} characters; allowed: {LONGEST:,}")
    try:
        record = json.loads(line, object_pairs_hook=_once, parse_int=_whole, parse_constant=_none)
    except (json.JSONDecodeError, RecursionError):
        raise ValueError("it is no JSON; a line is one object") from None
    if not isinstance(record, dict):
        raise ValueError('it is no object; a line is {"answer": …, "reference": …}')
    return record


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits; allowed: {DIGITS}")
    return int(digits)


def _none(name: str) -> None:
    raise ValueError(f"{name} is no JSON; give null where there is no number")


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a field stands there twice; give it once")
    return record
