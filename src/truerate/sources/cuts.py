"""How files are cut into rows: JSON Lines, one JSON list, CSV, tab-separated, Parquet, one text."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path, PurePosixPath

import polars as pl

from truerate.core.errors import listed
from truerate.core.lenient import exact
from truerate.core.text import clean
from truerate.sources.rows import BadRow, Reason, type_name

N_HEADER = 300  # characters of a header that are shown
SUFFIX = ".parquet"
SLICE = 512  # rows of a Parquet file that are Python objects at a time
PART_BYTES = 64_000_000  # of a Parquet file whose rows are decoded together
# a byte that is no UTF-8, as decoding with `surrogateescape` leaves it
_ESCAPED = re.compile("[\udc80-\udcff]")
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
# which of the first four bytes are zero; files here begin with a character of ASCII, mostly with two
_NULLS = {"0101": "UTF-16", "1010": "UTF-16", "0111": "UTF-32", "1110": "UTF-32"}

# A cutter makes (number, maker) pairs out of a file's bytes; the maker gives the row's value or raises
# BadRow.
Cut = Iterator[tuple[int, Callable[[], object]]]
Cutter = Callable[[bytes], Cut]


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
    if name := marked or _NULLS.get("".join(str(int(not byte)) for byte in raw[:4])):
        raise BadRow(Reason.UNPARSABLE, f"it is {name}, not UTF-8")


def values_as_rows(values: Sequence[object]) -> Cut:
    """Values that are read already, as rows from 1."""
    for number, value in enumerate(values, 1):
        yield number, lambda value=value: value


def readable(cut: Cut) -> Iterator[tuple[int, object]]:
    """The rows of a file up to where it cannot be cut, None in place of a row that is none."""
    with suppress(BadRow):
        for number, make in cut:
            try:
                yield number, make()
            except BadRow:
                yield number, None


# ---- JSON --------------------------------------------------------------------------------------------------
def json_lines(content: bytes | Path) -> Cut:
    """Rows of JSON Lines, cut at "\\n" alone (U+2028 stands inside values); blank lines are no rows but count
    as lines. Of a path two lines are in memory at a time. Raises BadRow for another encoding, and for lines
    that end in CR alone.
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
    """Yield what lies between the line feeds of a file, but for its byte order mark."""
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


def json_list(raw: bytes) -> Cut:
    """Rows of a file that is one JSON list; a file that is not makes BadRow at once."""
    refuse_encoding(raw)
    rows = parse(raw.removeprefix(codecs.BOM_UTF8))
    if not isinstance(rows, list):
        raise BadRow(Reason.WRONG_TYPE, f"the file must be one JSON list, not {type_name(rows)}")
    yield from values_as_rows(rows)


def zstd_lines(raw: bytes) -> Cut:
    """Rows of JSON Lines packed with Zstandard, over all its frames; raises BadRow where it is not, or ends
    too early.
    """
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
    return json_lines(b"".join(parts))


# ---- tables of text ----------------------------------------------------------------------------------------
def csv_records(raw: bytes, columns: tuple[str, ...]) -> Cut:
    """Records of a CSV file with a header; raises BadRow for a header without one of the columns.

    A record with a byte that is no UTF-8 is one bad row, as a line of JSON Lines with one is.
    """
    refuse_encoding(raw)
    limit = csv.field_size_limit(2**27)  # of the whole process, so it is given back below
    try:
        reader = csv.DictReader(io.StringIO(raw.decode("utf-8-sig", "surrogateescape"), newline=""))
        _check_header(reader.fieldnames or (), columns)
        for number, record in enumerate(reader, 1):
            yield number, lambda record=record: _record(record)
    except csv.Error as error:
        raise BadRow(Reason.UNPARSABLE, f"not CSV: {error}") from None
    finally:
        csv.field_size_limit(limit)


def _check_header(header: Sequence[str], columns: tuple[str, ...]) -> None:
    """Raise BadRow where a header lacks one of the columns, or has it twice: of each row the last would
    count.
    """
    if absent := [name for name in columns if name not in header]:
        problem = f"no column {absent[0]!r} in the header; found: {listed(map(clean, header))[:N_HEADER]}"
        if len(header) == 1 and re.search(r"[;\t]", header[0]):
            problem += "; columns are separated by commas"
        raise BadRow(Reason.MISSING_FIELD, problem)
    if twice := [name for name in columns if header.count(name) > 1]:
        problem = f"column {twice[0]!r} stands in the header {header.count(twice[0])} times"
        raise BadRow(Reason.CONFLICT, problem)


def _record(record: dict) -> dict:
    if None in record:
        raise BadRow(Reason.UNPARSABLE, "the record has more cells than the header")
    for column, cell in record.items():
        if cell is None:  # as where a file is cut off
            raise BadRow(Reason.MISSING_FIELD, f"field {column!r} is missing")
        if lost := _ESCAPED.search(cell):
            problem = f"not UTF-8: byte 0x{ord(lost[0]) - 0xDC00:02x} in column {column!r}; save it as UTF-8"
            raise BadRow(Reason.UNPARSABLE, problem)
    return record


def tab_records(raw: bytes, columns: tuple[str, ...]) -> Cut:
    """Records of a tab-separated file with a header and **without quoting**: a quotation mark is a character;
    raises BadRow for a header without one of the columns.
    """
    refuse_encoding(raw)
    lines = [line.removesuffix(b"\r") for line in raw.removeprefix(codecs.BOM_UTF8).split(b"\n")]
    header = clean(lines[0].decode("utf-8", "replace")).split("\t")
    _check_header(header, columns)
    for number, line in enumerate(lines[1:], 1):
        if line:
            yield number, lambda line=line: _tab_record(line, header)


def _tab_record(line: bytes, header: list[str]) -> dict[str, str]:
    cells = _decoded(line).split("\t")
    if len(cells) != len(header):
        raise BadRow(Reason.UNPARSABLE, f"the record has {len(cells)} cells, the header {len(header)}")
    return dict(zip(header, cells, strict=True))


def whole_text(raw: bytes) -> Cut:
    """A file that is one text: its only row has the field `text`."""

    def row() -> dict:
        refuse_encoding(raw)
        return {"text": _decoded(raw.removeprefix(codecs.BOM_UTF8))}

    yield 1, row


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise BadRow(Reason.UNPARSABLE, f"not UTF-8 at byte {error.start}") from None


# ---- Parquet: what the Hub keeps of data sets whose publishers wrote JSON Lines ----------------------------
def parquet_rows(
    content: bytes | Path, *, columns: tuple[str, ...] = (), needed: tuple[str, ...] = ()
) -> Cut:
    """Rows of a Parquet file, of the columns named (else all), PART_BYTES of them at a time; null fields are
    absent, at any depth: Parquet gives each row and each object the fields of all others.

    Raises BadRow for a file that is none or lacks a column that is needed, and where damage is met.
    """
    present = columns_of(content)
    if absent := [name for name in needed if name not in present]:
        raise BadRow(Reason.MISSING_FIELD, f"no column {absent[0]!r}; found: {listed(present)}")
    wanted = [name for name in present if name in columns or not columns]
    n_bytes = len(content) if isinstance(content, bytes) else content.stat().st_size
    with _is_parquet():
        query = pl.scan_parquet(_buffered(content)).select(wanted)
        n_rows = query.select(pl.len()).collect().item()
    # as many rows at a time as there are on average in PART_BYTES
    at_once, number = max(1, n_rows * PART_BYTES // max(1, n_bytes)), 0
    for start in range(0, n_rows, at_once):
        with _is_parquet():
            data = query.slice(start, at_once).collect()
        for part in data.iter_slices(SLICE):
            for values in part.iter_rows(named=True):
                number += 1
                yield number, lambda values=values: _stated(values)


def columns_of(content: bytes | Path) -> list[str]:
    """The names of a Parquet file's columns. Raises BadRow where it is none."""
    with _is_parquet():
        return list(pl.read_parquet_schema(_buffered(content)))


def named(folder: Path, file: str) -> list[str]:
    """A file below a folder, else the Parquet file of its name, whole or in shards."""
    if (folder / file).is_file():
        return [file]
    stem = PurePosixPath(file.removesuffix(".zst")).with_suffix("")
    shards = re.compile(rf"{re.escape(stem.name)}(-\d+-of-\d+)?{re.escape(SUFFIX)}")
    paths = (folder / stem.parent).glob(f"*{SUFFIX}")
    return sorted(path.relative_to(folder).as_posix() for path in paths if shards.fullmatch(path.name))


def _buffered(content: bytes | Path) -> io.BytesIO | Path:
    return io.BytesIO(content) if isinstance(content, bytes) else content


@contextmanager
def _is_parquet() -> Iterator[None]:
    """Raise BadRow with the words of polars for a file that it cannot read."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadRow(Reason.UNPARSABLE, f"not Parquet: {' '.join(str(error).split())[:200]}") from None


def _stated(value: object) -> object:
    """A value without the fields that are null."""
    if isinstance(value, dict):
        return {key: _stated(entry) for key, entry in value.items() if entry is not None}
    return [_stated(entry) for entry in value] if isinstance(value, list) else value


# ---- rows in another shape ---------------------------------------------------------------------------------
def changed(cut: Cutter, change: Callable[[dict, int], dict]) -> Cutter:
    """A cutter whose rows pass through `change` (values, number from 1); non-objects pass unchanged."""

    def changed_row(number: int, make: Callable[[], object]) -> object:
        values = make()
        return change(values, number) if isinstance(values, dict) else values

    def cut_changed(raw: bytes) -> Cut:
        for number, make in cut(raw):
            yield number, lambda number=number, make=make: changed_row(number, make)

    return cut_changed


def numbered(cut: Cutter) -> Cutter:
    """A cutter whose rows have the field `row`, their number from 0 unless they state one."""
    return changed(cut, lambda values, number: {"row": number - 1, **values})
