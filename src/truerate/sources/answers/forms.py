"""The records of a file in any plain form, told by its content: JSON lines, a JSON list, one JSON object that
holds a list, CSV, TSV, Parquet, gzip of these, or a table in memory. One line for every other form.
"""

import codecs
import csv
import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from truerate.core.errors import SourceError
from truerate.core.process.system_errors import check_regular

DIGITS = 300  # of a whole number
LONGEST = 10_000_000  # characters of a line: more is no answer with its reference
GZIP, ZIP, ZSTANDARD, PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"PAR1"
ARROW, ARROW_STREAM = b"ARROW1", b"\xff\xff\xff\xff"
UNPACKED = 2**31  # bytes that a packed file may hold
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # that of UTF-32 begins so, too, or with a null byte
DELIMITERS = ",\t;|"
STDIN, HUB = "-", "hub:"
MOST_NAMED = 3  # files in a message
# fields of one record: an object with a list under another name holds records
OF_ONE = tuple(
    "answer response output text reference contexts documents passages spans labels messages conversations".split()
)
_HEADER = re.compile(r"[\w .:\"'()/\-\[\]{}#%@*+?]+")
SEPARATOR = re.compile("sep=([,\t;|])", re.IGNORECASE)  # Excel's first line, above the names of columns
_FIRST_BREAK = re.compile(r"\r?\n|\r")

Record = dict[str, Any]
Records = list[tuple[int, Record]]  # with the number of each one's line, or place, from 1
Source = str | PathLike[str] | pl.DataFrame | Any


def several(source: Source) -> bool:
    """Return whether a source is a list of paths, which are one export together."""
    return (
        isinstance(source, list | tuple)
        and bool(source)
        and all(isinstance(path, str | PathLike) for path in source)
    )


def named(source: Source, what: str) -> str:
    """The words with which a message about a source begins."""
    paths = source if several(source) else [source] if isinstance(source, str | PathLike) else []
    more = f" and {len(paths) - MOST_NAMED} more files" if len(paths) > MOST_NAMED else ""
    name = ", ".join(repr(str(path)) for path in paths[:MOST_NAMED]) + more or "as a table"
    return f"reading the {what} {name}"


def content_of(source: str | PathLike[str], what: str) -> bytes:
    """The bytes of a file (`-`: stdin), unpacked where it is gzip. Raises SourceError as `records_of`."""
    if str(source) == STDIN:
        content = sys.stdin.buffer.read()
    else:
        check_regular(source, what)
        content = Path(source).read_bytes()
    if not content.startswith(GZIP):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{named(source, what)}: it is no whole gzip file: {error}") from None
    if len(unpacked) > UNPACKED:
        raise SourceError(f"{named(source, what)}: it unpacks to more than {UNPACKED:,} bytes; unpack a part")
    return unpacked


def records_of(source: Source, what: str, content: bytes | None = None) -> Records:
    """The records of a source in their order, with the number of the line (of a list or a table: the place)
    of each. `content`: of a file whose bytes were read. Cells of CSV stay texts; an empty one is null.

    Raises SourceError, one line, for what has no plain form, with the number of the first line that does not
    fit.
    """
    try:
        if not isinstance(source, str | PathLike):
            return list(enumerate(frame_of(source).to_dicts(), start=1))
        return _parsed(content_of(source, what) if content is None else content)
    except ValueError as error:
        raise SourceError(f"{named(source, what)}: {error}") from None


def at_line(source: Source, what: str, number: int, error: object) -> SourceError:
    """Return what is wrong with a line of a source."""
    return SourceError(f"{named(source, what)}: line {number}: {error}")


def frame_of(table: Any) -> pl.DataFrame:
    """A table in memory (polars, pandas, `datasets`, or a list of objects) as one of polars, the names of a
    ClassLabel in place of its numbers. Raises ValueError for anything else.
    """
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, pl.DataFrame):
        return table
    if hasattr(table, "features") and hasattr(table, "to_polars"):
        return _with_names(
            table.to_polars(), {name: getattr(f, "names", None) for name, f in table.features.items()}
        )
    if isinstance(table, list) and all(isinstance(row, Mapping) for row in table):
        names = dict.fromkeys(name for row in table for name in row)
        return pl.DataFrame(
            {name: pl.Series([row.get(name) for row in table], dtype=pl.Object) for name in names}
        )
    if hasattr(table, "columns") and hasattr(table, "dtypes"):
        return pl.from_pandas(table)
    raise ValueError(
        f"it is a {type(table).__name__}; allowed: a path, or a table of polars, pandas or datasets"
    )


def _with_names(frame: pl.DataFrame, names: Mapping[str, Sequence[str] | None]) -> pl.DataFrame:
    """The frame with the names of classes (of `datasets`) in place of their numbers, -1 as null."""
    return frame.with_columns(
        pl.col(column).replace_strict(dict(enumerate(classes)), default=None, return_dtype=pl.String)
        for column, classes in names.items()
        if classes and column in frame.columns and frame[column].dtype.is_integer()
    )


# ---- files -------------------------------------------------------------------------------------------------
def _parsed(content: bytes) -> Records:
    """The records of a file's bytes. Raises ValueError with what is wrong."""
    if content.startswith((PARQUET, ARROW, ARROW_STREAM)):
        return list(enumerate(columnar(content).to_dicts(), start=1))
    if content.startswith((ZIP, ZSTANDARD)):
        raise ValueError(_packed(content))
    if content.startswith(WIDE) or b"\0" in content[:4]:
        raise ValueError("it is UTF-16 or UTF-32; save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {number}: byte {error.start} is no UTF-8; save the file as UTF-8") from None
    begin = text[:200].lstrip()
    if begin.startswith("["):
        return _listed(_json(text, 1, whole=True))
    if begin.startswith("{"):
        return _objects(text)
    delimiter = delimiter_of(text)
    if delimiter is not None:
        return list(delimited(io.StringIO(text, newline=""), delimiter))
    return _lines(text)


def columnar(content: bytes) -> pl.DataFrame:
    """The table of a Parquet or Arrow file, the names of `datasets`' ClassLabels in place of numbers. Raises
    ValueError.
    """
    source = io.BytesIO(content)
    try:
        if content.startswith(PARQUET):
            return _with_names(pl.read_parquet(source), class_names(source))
        return pl.read_ipc(source) if content.startswith(ARROW) else pl.read_ipc_stream(source)
    except pl.exceptions.PolarsError as error:
        form = "Parquet" if content.startswith(PARQUET) else "Arrow"
        raise ValueError(f"it is no whole {form} file: {str(error).splitlines()[0]}") from None


def class_names(source: Any) -> dict[str, Sequence[str]]:
    """The class names that `datasets` keeps in a Parquet file's metadata, by column."""
    try:
        features = json.loads(pl.read_parquet_metadata(source)["huggingface"])["info"]["features"]
        return {name: f["names"] for name, f in features.items() if isinstance(f, dict) and f.get("names")}
    except (KeyError, ValueError, TypeError):
        return {}


def _packed(content: bytes) -> str:
    if b"xl/workbook.xml" in content:
        return "it is an Excel workbook; save it as CSV"
    return "it is packed; unpack it, or pack it as gzip"


def _objects(text: str) -> Records:
    """The objects of JSON lines; else those in one JSON object."""
    first = text.lstrip().partition("\n")[0].strip()
    try:
        document = _json(first if first.endswith("}") else text, 1, whole=True)
    except ValueError:
        return _lines(text)
    is_line = first.endswith("}")
    records = within(document) if not is_line or not text.strip().removeprefix(first).strip() else []
    return _lines(text) if is_line and (not records or records[0][1] is document) else records


def within(document: Record) -> Records:
    """The records in one object: of a table that pandas wrote (`unrolled`), those of its longest list of objects, or
    of its equal lists, or of its objects of the same fields; else itself.
    """
    if (table := unrolled(document)) is not None:
        return _listed(table)
    lists = [value for value in document.values() if isinstance(value, list) and value]
    rows = [
        value
        for name, value in document.items()
        if name not in OF_ONE and isinstance(value, list) and all(isinstance(row, dict) for row in value)
    ]
    if any(rows) and not any(isinstance(document.get(name), str) for name in OF_ONE):
        return _listed(max(rows, key=len))
    if len(lists) > 1 and len(lists) == len(document) and len({len(value) for value in lists}) == 1:
        return _listed([dict(zip(document, row, strict=True)) for row in zip(*lists, strict=True)])
    values = list(document.values())
    if len(values) > 1 and all(
        isinstance(value, dict) and list(value) == list(values[0]) for value in values
    ):
        return _listed(values)
    return [(1, document)]


def unrolled(document: Record) -> list[Record] | None:
    """The rows of a table that pandas, or a tool that leans on it, wrote as one JSON object: `columns` beside `data`
    (split), an object by row number of each column (columns), or of each row (index). None for another object.
    """
    names, data = document.get("columns"), document.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(name, str) for name in names):
        if all(isinstance(row, list) and len(row) == len(names) for row in data):
            return [dict(zip(names, row, strict=True)) for row in data]
        return None
    values = list(document.values())
    if not values or not all(isinstance(value, dict) and value for value in values):
        return None
    if all(name.isdecimal() for name in document):
        return values
    keys = list(values[0])
    if all(key.isdecimal() for key in keys) and all(list(value) == keys for value in values):
        return [{name: column[key] for name, column in document.items()} for key in keys]
    return None


def _listed(rows: Any) -> Records:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ValueError(f'line {number}: it is no object; a line is {{"answer": …, "reference": …}}')
    return list(enumerate(rows, start=1))


def _lines(text: str) -> Records:
    if text.count("\r") > 1 and "\n" not in text:
        text = text.replace("\r", "\n")
    records = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            record = _json(line, number)
            if not isinstance(record, dict):
                raise ValueError(f'line {number}: it is no object; a line is {{"answer": …, "reference": …}}')
            records.append((number, record))
    return records


def _json(text: str, number: int, *, whole: bool = False) -> Any:
    """A JSON text, of the line `number`. Raises ValueError with what is wrong."""
    if len(text) > LONGEST and not whole:
        raise ValueError(f"line {number}: it has {len(text):,} characters; allowed: {LONGEST:,}")
    try:
        return json.loads(text, object_pairs_hook=_once, parse_int=_whole, parse_constant=_none)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno if whole else number}"
        raise ValueError(f"{where}: it is no JSON; a line is one object, or the file a list") from None
    except RecursionError:
        raise ValueError(f"line {number}: it is no JSON; a line is one object, or the file a list") from None
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits; allowed: {DIGITS}")
    return int(digits)


def _none(name: str) -> None:
    """NaN and infinities, which Python's tools write into JSON, are no numbers: null."""
    return None


def _once(pairs: Sequence[tuple[str, Any]]) -> Record:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a field stands there twice; give it once")
    return record


# ---- delimited ---------------------------------------------------------------------------------------------
def delimiter_of(text: str) -> str | None:
    """The delimiter of a table whose first line names its columns, or is Excel's `sep=;`; None where it does neither."""
    header = _FIRST_BREAK.split(text[:LONGEST].lstrip(), maxsplit=1)[0]
    if stated := SEPARATOR.fullmatch(header):
        return stated[1]
    for delimiter in DELIMITERS:
        names = next(csv.reader([header], delimiter=delimiter), [])
        if len(names) > 1 and all(_HEADER.fullmatch(name.strip()) or not name.strip() for name in names):
            return delimiter
    return None


@contextmanager
def long_cells() -> Iterator[None]:
    """While it is open cells of a CSV file may have LONGEST characters; the limit is the whole process's, so it is
    given back.
    """
    limit = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def delimited(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, Record]]:
    """Yield the records of a table's lines, the header first among these, with the number of each one's line."""
    with long_cells():
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            header = next(reader)
            if SEPARATOR.fullmatch(delimiter.join(header)):
                header = next(reader, [])
            names = [name.strip() or f"column {n}" for n, name in enumerate(header, start=1)]
            number = reader.line_num + 1
            if twice := [name for name in names if names.count(name) > 1]:
                raise ValueError(
                    f"line {number - 1}: column {twice[0]!r} stands there twice; give each its own name"
                )
            for cells in reader:
                if len(cells) > len(names):
                    raise ValueError(
                        f"line {number}: it has {len(cells)} cells, the header {len(names)}; quote texts"
                    )
                if any(cells):
                    filled = [*cells, *[""] * (len(names) - len(cells))]
                    yield number, {name: cell or None for name, cell in zip(names, filled, strict=True)}
                number = reader.line_num + 1
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num}: it is no CSV: {error}") from None
