"""How files are cut into rows: JSON Lines, one JSON list, CSV, tab-separated, one text."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from truerate.core.errors import listed
from truerate.core.lenient import exact
from truerate.core.text import clean
from truerate.sources.rows import BadRow, Reason, type_name

N_HEADER = 300  # characters of a header that are shown
# a byte that is no UTF-8, as decoding with `surrogateescape` leaves it
_ESCAPED = re.compile("[\udc80-\udcff]")

# A cutter makes (number, maker) pairs out of a file's bytes; the maker gives the row's value or raises BadRow.
Cut = Iterator[tuple[int, Callable[[], object]]]


def parse(raw: bytes | str) -> object:
    """A JSON value (`core.lenient.exact`); what is no JSON is a bad row. Lone surrogates pass."""
    try:
        return exact(raw)
    except UnicodeDecodeError as error:
        raise BadRow(Reason.UNPARSABLE, f"not UTF-8 at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise BadRow(Reason.UNPARSABLE, f"not JSON: {error}") from None


def refuse_encoding(raw: bytes) -> None:
    """Raise BadRow, naming the encoding, for UTF-16 or UTF-32, with a byte order mark or without."""
    marked = next((name for mark, name in _MARKS.items() if raw.startswith(mark)), None)
    nulls = tuple(not byte for byte in raw[:4])  # files here begin with a character of ASCII, mostly with two
    if name := marked or _NULLS.get(nulls):
        raise BadRow(Reason.UNPARSABLE, f"it is {name}, not UTF-8")


_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_NULLS = {
    (False, True, False, True): "UTF-16",
    (True, False, True, False): "UTF-16",
    (False, True, True, True): "UTF-32",
    (True, True, True, False): "UTF-32",
}


def json_lines(content: bytes | Path) -> Cut:
    """Rows of JSON Lines, cut at "\\n" alone (U+2028 stands inside values); blank lines are no rows but count
    as lines. Of a file that is named by its place two lines are in memory at a time.

    A file in another encoding or whose lines end in CR alone makes BadRow at once.
    """
    numbered = enumerate(_lines(content), 1)
    rows = ((number, line) for number, line in numbered if line.strip())
    ahead = [*islice(rows, 2)]
    if len(ahead) == 1 and b"\r" in ahead[0][1].strip():
        raise BadRow(
            Reason.UNPARSABLE, "its lines end in a carriage return (CR) alone; they must end in LF or CR LF"
        )
    while ahead:
        number, line = ahead.pop(0)
        yield number, lambda line=line: _parsed_line(line)
        ahead += islice(rows, 1)


def _lines(content: bytes | Path) -> Iterator[bytes]:
    """What lies between the line feeds of a file, but for its byte order mark."""
    if isinstance(content, bytes):
        refuse_encoding(content)
        yield from content.removeprefix(codecs.BOM_UTF8).split(b"\n")
        return
    try:
        with content.open("rb") as file:
            refuse_encoding(file.read(4))
            file.seek(0)
            for number, line in enumerate(file):
                yield line.removesuffix(b"\n").removeprefix(b"" if number else codecs.BOM_UTF8)
    except OSError as error:
        raise BadRow(Reason.UNPARSABLE, f"it cannot be read to its end: {error.strerror}") from None


def _parsed_line(line: bytes) -> object:
    """The value of a line; a carriage return in a line that is no JSON was a line's end."""
    try:
        return parse(line)
    except BadRow as bad:
        if b"\r" in line.strip():
            wanted = "a carriage return (CR) stands inside the line: lines must end in LF or CR LF"
            raise BadRow(bad.reason, f"{bad.detail}; {wanted}") from None
        raise


def json_rows(content: bytes | Path) -> Cut:
    """Rows of one JSON list (read whole) or of JSON Lines (streamed): files of one name come as either."""
    if isinstance(content, bytes):
        begins = content.removeprefix(codecs.BOM_UTF8).lstrip()
    else:
        begins = next((line.lstrip() for line in _lines(content) if line.strip()), b"")
    if begins[:1] != b"[":
        return json_lines(content)
    return json_list(content if isinstance(content, bytes) else content.read_bytes())


def zstd_lines(raw: bytes) -> Cut:
    """Rows of JSON Lines packed with Zstandard; a file that is not, or ends too early, makes BadRow at once."""
    return json_lines(unpacked(raw))


def unpacked(raw: bytes) -> bytes:
    """The bytes of a Zstandard file, over all its frames. Raises BadRow where it is none or its end is missing."""
    import zstandard

    parts = []
    while raw:
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(frame.decompress(raw))
        except zstandard.ZstdError as error:
            raise BadRow(Reason.UNPARSABLE, f"not Zstandard: {error}") from None
        if not frame.eof:
            raise BadRow(Reason.UNPARSABLE, "the Zstandard file ends too early")
        raw = frame.unused_data
    return b"".join(parts)


def json_list(raw: bytes) -> Cut:
    """Rows of a file that is one JSON list; a file that is not makes BadRow at once."""
    refuse_encoding(raw)
    rows = parse(raw.removeprefix(b"\xef\xbb\xbf"))
    if not isinstance(rows, list):
        raise BadRow(Reason.WRONG_TYPE, f"the file must be one JSON list, not {type_name(rows)}")
    for number, values in enumerate(rows, 1):
        yield number, lambda values=values: values


def csv_records(raw: bytes, columns: tuple[str, ...]) -> Cut:
    """Records of a CSV file with a header (which is no row); a header without one of the columns makes BadRow
    at once.

    A record with a byte that is no UTF-8 is one bad row, as a line of JSON Lines with one is.
    """
    refuse_encoding(raw)
    limit = csv.field_size_limit(2**27)  # of the whole process, so it is given back below
    try:
        reader = csv.DictReader(io.StringIO(raw.decode("utf-8-sig", "surrogateescape"), newline=""))
        absent = [name for name in columns if name not in (reader.fieldnames or ())]
        if absent:
            names = listed(map(clean, reader.fieldnames or ()))
            raise BadRow(Reason.MISSING_FIELD, f"no column {absent[0]!r} in the header; found: {names}")
        refuse_twice(reader.fieldnames or (), columns)
        for number, record in enumerate(reader, 1):
            yield number, lambda record=record: _record(record)
    except csv.Error as error:
        raise BadRow(Reason.UNPARSABLE, f"not CSV: {error}") from None
    finally:
        csv.field_size_limit(limit)


def refuse_twice(header: Sequence[str], columns: tuple[str, ...]) -> None:
    """Raise BadRow where a header has one of the columns twice: of each row the last would count, without a word."""
    if twice := [name for name in columns if header.count(name) > 1]:
        raise BadRow(
            Reason.CONFLICT, f"column {twice[0]!r} stands in the header {header.count(twice[0])} times"
        )


def tab_records(raw: bytes, columns: tuple[str, ...]) -> Cut:
    """Records of a tab-separated file with a header and **without quoting**: a quotation mark is a character. A header
    without one of the columns makes BadRow at once.
    """
    refuse_encoding(raw)
    lines = [line.removesuffix(b"\r") for line in raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    header = clean(lines[0].decode("utf-8", "replace")).split("\t")
    if absent := [name for name in columns if name not in header]:
        raise BadRow(
            Reason.MISSING_FIELD, f"no column {absent[0]!r} in the header; found: {listed(header)[:N_HEADER]}"
        )
    refuse_twice(header, columns)
    for number, line in enumerate(lines[1:], 1):
        if line:
            yield number, lambda line=line: _tab_record(line, header)


def _tab_record(line: bytes, header: list[str]) -> dict[str, str]:
    try:
        cells = line.decode().split("\t")
    except UnicodeDecodeError as error:
        raise BadRow(Reason.UNPARSABLE, f"not UTF-8 at byte {error.start}") from None
    if len(cells) != len(header):
        raise BadRow(Reason.UNPARSABLE, f"the record has {len(cells)} cells, the header {len(header)}")
    return dict(zip(header, cells, strict=True))


def whole_text(raw: bytes) -> Cut:
    """A file that is one text: its only row has the field `text`."""

    def row() -> dict:
        refuse_encoding(raw)
        try:
            return {"text": raw.decode("utf-8-sig")}
        except UnicodeDecodeError as error:
            raise BadRow(Reason.UNPARSABLE, f"not UTF-8 at byte {error.start}") from None

    yield 1, row


def _record(record: dict) -> dict:
    if None in record:
        raise BadRow(Reason.UNPARSABLE, "the record has more cells than the header")
    if None in record.values():  # as where a file is cut off
        absent = next(column for column, cell in record.items() if cell is None)
        raise BadRow(Reason.MISSING_FIELD, f"field {absent!r} is missing")
    for column, cell in record.items():
        if isinstance(cell, str) and (lost := _ESCAPED.search(cell)):
            raise BadRow(
                Reason.UNPARSABLE, f"not UTF-8: byte 0x{ord(lost[0]) - 0xDC00:02x} in column {column!r}"
            )
    return record
