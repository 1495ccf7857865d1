"""A file's bytes as records, no type inferred: what stands there as text stays text."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from truerate.core.errors import SourceError
from truerate.sources.answers.forms import ARROW, ARROW_STREAM, PARQUET, columnar, long_cells, unrolled

DELIMITERS = ",\t;"
UNPACKED = 2**31  # bytes that the members of a packed file may hold together
LARGEST_BESIDE, SUFFIXES = 2**28, (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
ZIP, ZSTANDARD = b"PK\x03\x04", 93  # how a zip begins; the number of its members' compression
_YAML_BEGINS = re.compile(r"(?:---\n)?(?:evalId|results|version|config):", re.ASCII)
Row = dict[str, Any]


class _Yaml(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML 1.2 as JavaScript writes it: `No`, `12:30` and `1908-05-01` are texts."""

    yaml_implicit_resolvers: dict = {}


for _tag, _pattern, _first in (
    ("null", r"(?:null|~|)", ["n", "~", ""]),
    ("bool", r"(?:true|false)", ["t", "f"]),
    ("int", r"-?(?:0|[1-9]\d*)", list("-0123456789")),
    ("float", r"-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+", list("-0123456789")),
):
    _Yaml.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})\\Z"), _first)


@dataclass(frozen=True)
class Content:
    """A file at `path`: `text` of one that is text, the `header` of one that is delimited, `document` where
    it is one object, `frame` or `records` where it is a table of another form; `others` that were named with it,
    None where those beside it are looked through.
    """

    path: Path
    text: str = ""
    header: tuple[str, ...] = ()
    delimiter: str = ""
    document: Row | None = None
    is_list: bool = False
    frame: pl.DataFrame | None = None
    records: Sequence[Row] = ()
    others: tuple["Content", ...] | None = None

    @cached_property
    def first(self) -> Row:
        """The first record, of which the rest is of the kind; empty where there is none, or it is no object."""
        if self.document is not None:
            return self.document
        try:
            return next((row for _, row in self._records(some=True)), {})
        except (ValueError, csv.Error, RecursionError):
            return {}  # of no tool

    @cached_property
    def rows(self) -> list[Row]:
        """All records. Raises SourceError with the number of a line that is no object."""
        try:
            return [row for _, row in self._records()]
        except (ValueError, csv.Error, RecursionError) as error:
            raise unreadable(self.path, error) from None

    @cached_property
    def names(self) -> set[str]:
        """The names of the first record's fields, or of the columns."""
        return set(self.frame.columns if self.frame is not None else self.header or self.first)

    def _records(self, *, some: bool = False) -> Iterator[tuple[int, Row]]:
        if self.frame is not None:
            yield from enumerate(self.frame.iter_rows(named=True), start=1)
        elif self.records:
            yield from enumerate(self.records, start=1)
        elif self.document is not None:
            yield 1, self.document
        elif self.header:
            yield from self._cells()
        elif self.is_list and some:
            start = len(self.text) - len(self.text.lstrip(" \t\r\n["))
            yield 1, _object(_DECODER.raw_decode(self.text, start)[0], 1)
        elif self.is_list:
            for number, value in enumerate(_DECODER.decode(self.text), start=1):
                yield number, _object(value, number)
        else:
            for number, line in enumerate(io.StringIO(self.text), start=1):
                if line.strip():
                    yield number, _object(_DECODER.decode(line.strip()), number)

    def _cells(self) -> Iterator[tuple[int, Row]]:
        with long_cells():
            reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=self.delimiter)
            next(reader)
            for number, cells in enumerate(reader, start=2):
                if any(cells):
                    row = [cell or None for cell in cells] + [None] * (len(self.header) - len(cells))
                    yield number, dict(zip(self.header, row, strict=False))


_DECODER = json.JSONDecoder(parse_constant=lambda name: None)  # NaN and infinities: no number


def unreadable(path: Path, error: object) -> SourceError:
    """The one line about a file that is not as its tool writes it."""
    return SourceError(f"reading the answers {str(path)!r}: {error}")


def content_of(path: Path, content: bytes) -> Content | None:
    """What a file of text or columns holds; None for another form, or where the beginning is none of JSON, JSON
    lines, a delimited table, Parquet, Arrow or promptfoo's YAML.
    """
    if content.startswith((PARQUET, ARROW, ARROW_STREAM)):
        try:
            return Content(path, frame=columnar(content))
        except ValueError:
            return None
    if b"\0" in content[:1000]:
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    begin = text[:200].lstrip()
    try:
        if begin.startswith("["):
            return Content(path, text.strip(), is_list=True)
        if begin.startswith("{"):
            line = text.lstrip().partition("\n")[0].rstrip()
            if line.endswith("}") and len(line) < len(text.strip()):
                _DECODER.decode(line)  # JSON lines
                return Content(path, text)
            document = _object(_DECODER.decode(text.strip()), 1)
            rows = unrolled(document) or _page_of(document)
            return Content(path, document=document) if rows is None else Content(path, records=rows)
        if _YAML_BEGINS.match(begin):
            value = yaml.load(text, _Yaml)
            return Content(path, document=value) if isinstance(value, dict) else None
    except (ValueError, RecursionError, yaml.YAMLError):
        return None
    return _delimited(path, text)


def _page_of(document: Row) -> list[Row] | None:
    """The objects of an API's page, `{"data": [...], "meta": {...}}`; None for another object."""
    rows, rest = document.get("data"), [value for name, value in document.items() if name != "data"]
    is_page = isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)
    return rows if is_page and not any(isinstance(value, list) for value in rest) else None


def _delimited(path: Path, text: str) -> Content | None:
    for delimiter in DELIMITERS:
        try:
            with long_cells():
                cells = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
        except csv.Error:
            continue
        if len(cells) > 1:
            names: list[str] = []
            for position, cell in enumerate(cells):
                name = cell.strip()
                names.append(f"{name}#{position}" if name in names else name)
            return Content(path, text, tuple(names), delimiter)
    return None


def _object(value: Any, number: int) -> Row:
    if not isinstance(value, dict):
        raise ValueError(f"line {number}: it is no object")
    return value


def beside(content: Content, pattern: str) -> Iterator[Content]:
    """The files that were named with one; else the other files of its folder that a pattern names and that are
    JSON or delimited, by name; none of stdin.
    """
    if content.others is not None:
        yield from content.others
        return
    path = content.path
    for other in sorted(path.parent.glob(pattern)) if path.name != "-" else ():
        is_near = other.suffix in SUFFIXES and other.is_file() and other.name != path.name
        if is_near and other.stat().st_size <= LARGEST_BESIDE:
            near = content_of(other, other.read_bytes())
            if near is not None:
                yield near


def members_of(path: Path, content: bytes) -> Iterator[tuple[str, Row]]:
    """The JSON objects in a zip, with their names, in its order, Zstandard members too, which the standard
    library does not unpack. Raises SourceError for a damaged one, or too much of it.
    """
    import zstandard

    left = UNPACKED
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            for entry in packed.infolist():
                if not entry.filename.endswith(".json"):
                    continue
                if entry.compress_type == ZSTANDARD:
                    begin = (
                        entry.header_offset
                    )  # of the local header: 30 bytes, then a name and an extra field
                    name, extra = (
                        int.from_bytes(content[begin + n : begin + n + 2], "little") for n in (26, 28)
                    )
                    start = begin + 30 + name + extra
                    data = content[start : start + entry.compress_size]
                    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
                        text = stream.read(left + 1)
                else:
                    with packed.open(entry) as member:
                        text = member.read(left + 1)
                left -= len(text)
                if left < 0:
                    raise ValueError(f"it unpacks to more than {UNPACKED:,} bytes; give a part of it")
                value = _DECODER.decode(text.decode("utf-8"))
                if isinstance(value, dict):
                    yield entry.filename, value
    except (
        zipfile.BadZipFile,
        zstandard.ZstdError,
        ValueError,
        OSError,
        RecursionError,
        NotImplementedError,
    ) as error:
        raise unreadable(path, f"it is no whole log of Inspect: {error}") from None
