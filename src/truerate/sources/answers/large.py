"""Large files of answers that bring verdicts: the columns that count, read a block at a time, no texts."""

import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from truerate.sources.answers.fields import COLUMNS, SLICE, VERDICT, Fields, column_of, fields_of, is_turned
from truerate.sources.answers.forms import (
    PARQUET,
    SEPARATOR,
    STDIN,
    Records,
    at_line,
    class_names,
    delimited,
    delimiter_of,
    records_of,
)
from truerate.sources.answers.reading import (
    ABSTAINED,
    ALLOWED,
    EMPTY,
    STATED,
    abstention_of,
    labels_in,
    plain,
    score_of,
    state_of,
    weight_of,
)

LineOf = Callable[[int], int]  # the number of the line of a row, from 0
LARGE = 2**25  # bytes of a file from which texts are left unread
MANY = 100_000  # rows of a table in memory
BLOCK = 2**23  # bytes read at once
READERS = 2  # blocks that are read at once
HEAD = 1000  # records by which fields are told
SHORT = 32  # bytes of an answer that may be empty, whatever signs it has
# labels that may stand in a few lines of a file only, and not in its head
RARE = ("is_hallucinated", "hallucinated", "is_hallucination")
NAMES = ("run", "question", "system", "lang", "group")
VALUE = {  # of a block: the columns of words that each count as a number, by what stands before the field's name
    "label": lambda value, name: next(iter(labels_in(value, name)), None),
    "word": score_of,  # of a judge
    "abstained": abstention_of,
    "weight": weight_of,
}
_NO_NUMBER = re.compile(rb"(?<=[:\[,])\s*(?:NaN|-?Infinity)(?=\s*[,}\]])")


class Large(NamedTuple):
    """The table of a large source (`table.AnswerTable.frame`, without texts), its fields, the names of systems
    as they are written, and the ties of labels. `has_repeats`: of an id.
    """

    frame: pl.DataFrame
    has_repeats: bool
    fields: Fields
    systems: Sequence[str]
    n_ties: int
    line_of: LineOf


class Unfit(ValueError):
    """A value does not fit: the number of its row in a block, and why."""

    def __init__(self, row: int, why: object) -> None:
        super().__init__(row, why)
        self.row, self.why = row, why


class Blocks(NamedTuple):
    """A large source: its first records; what yields, for the fields asked for, what scans each block; and
    `line_of`.
    """

    head: Records
    scans: Callable[[Sequence[str]], Iterable[Callable[[], pl.LazyFrame]]]
    line_of: LineOf


def large(
    source: Any,
    given: Mapping[str, str],
    verdicts: Sequence[str],
    slices: Sequence[str],
    *,
    keeps_questions: bool = True,
) -> Large | None:
    """A large source, read by columns; None of a source that is not large or not whole, or whose values lie in
    objects or lists. An answer without a visible sign is empty, one abstains where the source says so. Of
    questions that are not kept a number says which are equal; empty where none are.

    Raises SourceError as `fields_of`, and for values that are no label or verdict.
    """
    blocks = _blocks(source)
    if blocks is None:
        return None
    chosen = fields_of(blocks.head, given, verdicts, slices)
    if "spans" in chosen.by_role:
        return None
    judges = [column_of(name) for name in verdicts]
    frames: list[pl.DataFrame] = []
    try:
        for frame in _in_turn(
            partial(_read, chosen, judges, keeps_questions), blocks.scans(_wanted(chosen, judges))
        ):
            frames.append(frame)
    except Unfit as fault:
        row = sum(frame.height for frame in frames) + fault.row
        raise at_line(source, "answers", blocks.line_of(row), fault.why) from None
    except (pl.exceptions.PolarsError, _OtherForm):
        return None
    raw = pl.concat(frames, how="diagonal", rechunk=True)
    del frames
    return _whole(raw, chosen, [VERDICT + name for name in judges], blocks.line_of)


class _OtherForm(Exception):
    """A field that is asked for is absent, an object or a list."""


def _in_turn(read: Callable[[Any], pl.DataFrame], blocks: Iterable[Any]) -> Iterator[pl.DataFrame]:
    """What is read of each block, in their order, a few of them at a time."""
    with ThreadPoolExecutor(READERS) as threads:
        begun: deque[Future[pl.DataFrame]] = deque()
        for block in blocks:
            begun.append(threads.submit(read, block))
            if len(begun) > READERS:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()


# ---- a block -----------------------------------------------------------------------------------------------
def _wanted(chosen: Fields, judges: Sequence[str]) -> list[str]:
    """The fields that are read."""
    roles = ("answer", "id", *NAMES, "abstained", "weight")
    names = [chosen.by_role[role] for role in roles if role in chosen.by_role]
    return list(dict.fromkeys([*names, *map(column_of, chosen.labels), *judges, *chosen.slices, *RARE]))


def _read(
    chosen: Fields, judges: Sequence[str], keeps_questions: bool, block: Callable[[], pl.LazyFrame]
) -> pl.DataFrame:
    """The columns of a block that say something: `id`, NAMES, slices, `state` (null: stated), `weight`, `share`
    of the votes for hallucinated, `n_labels`, verdicts. Raises Unfit, and _OtherForm.
    """
    scan = block()
    frame = scan.select(_expressions(chosen, judges, scan.collect_schema())).collect(engine="streaming")
    words = [name for name in frame.columns if name.partition(":")[0] in VALUE]
    numbers = {name: _numbers(frame[name]) for name in words if frame[name].null_count() < frame.height}
    turned = {f"label:{column_of(name)}" for name in chosen.labels if is_turned(name)}
    votes = [
        1 - numbers[name] if name in turned else numbers[name]
        for name in numbers
        if name.startswith("label:")
    ]
    columns: dict[str, Any] = {
        VERDICT + name: pl.col(VERDICT + name).fill_null(numbers[f"word:{name}"])
        for name in judges
        if f"word:{name}" in numbers
    }
    if votes:
        labels = pl.DataFrame(votes)
        columns |= {
            "share": labels.mean_horizontal(),
            "n_labels": labels.select(pl.sum_horizontal(pl.all().is_not_null())).to_series(),
        }
    for name in judges:
        if (is_infinite := frame[VERDICT + name].is_infinite()).any():
            raise Unfit(int(is_infinite.arg_max() or 0), f"{name!r} is inf; allowed: {ALLOWED}, or a score")
    state = _empty(frame["short"]) if "short" in frame.columns else pl.lit(None, pl.String)
    for name, values in numbers.items():
        if name.startswith("weight:"):
            columns["weight"] = values
        elif name.startswith("abstained:"):
            state = pl.coalesce(state, pl.when(values == 1).then(pl.lit(ABSTAINED)))
    if "question" in frame.columns and not keeps_questions:
        columns["question"] = pl.when(pl.col("question") != "").then(pl.col("question").hash())
    frame = frame.with_columns(**columns, state=state).drop(*words, "short", strict=False)
    return frame.drop([values.name for values in frame.iter_columns() if values.null_count() == frame.height])


def _expressions(chosen: Fields, judges: Sequence[str], names: Mapping[str, Any]) -> Iterator[pl.Expr]:
    """The columns of a block: texts as they stand, verdicts that are numbers, and words (VALUE) for those that
    are none. Raises _OtherForm.
    """
    if any(
        name not in names or names[name].is_nested() for name in _wanted(chosen, judges) if name not in RARE
    ):
        raise _OtherForm
    text = {role: pl.col(name).cast(pl.String) for role, name in chosen.by_role.items() if name in names}
    if "answer" in text:
        answer = text["answer"].fill_null("")
        yield pl.when(answer.str.len_bytes() <= SHORT).then(answer).alias("short")
    if "id" in text:
        yield pl.when(text["id"] != "").then(text["id"]).alias("id")
    for role in NAMES:
        if role in text:
            value = text[role].str.strip_chars() if role == "question" else text[role]
            # names of systems stand once in memory, however long they are
            yield (value.cast(pl.Categorical).cast(pl.String) if role == "system" else value).alias(role)
    for role in ("abstained", "weight"):
        if role in text:
            yield text[role].alias(f"{role}:{chosen.by_role[role]}")
    for name in dict.fromkeys([*map(column_of, chosen.labels), *RARE]):
        if name in names:
            yield pl.col(name).cast(pl.String).alias(f"label:{name}")
    for name in judges:
        number = pl.col(name).cast(pl.Float64, strict=False).fill_nan(None)
        is_number = number.is_finite().fill_null(False)
        yield (pl.when(is_number).then(number) if names[name] == pl.String else number).alias(VERDICT + name)
        if names[name] == pl.String:
            yield pl.when(~is_number).then(pl.col(name)).alias(f"word:{name}")
    for name in chosen.slices:
        yield pl.col(name).cast(pl.String).alias(SLICE + name)


def _numbers(values: pl.Series) -> pl.Series:
    """The words of a column as numbers, each converted once. Raises Unfit."""
    kind, _, name = values.name.partition(":")
    mapping = {}
    for value in values.drop_nulls().unique(maintain_order=True):
        try:
            mapping[value] = VALUE[kind](value, name)
        except ValueError as error:
            raise Unfit(int((values == value).arg_max() or 0), error) from None
    return values.replace_strict(mapping, default=None, return_dtype=pl.Float64)


def _empty(short: pl.Series) -> pl.Expr:
    """EMPTY of the short answers that hold no visible sign but punctuation, null of all others."""
    odd = set(short.filter(~short.str.contains("[0-9A-Za-z]")).unique())
    empty = [text for text in odd if state_of(text, False) == EMPTY]
    return pl.when(pl.col("short").is_in(empty)).then(pl.lit(EMPTY))


# ---- all of them -------------------------------------------------------------------------------------------
def _whole(raw: pl.DataFrame, chosen: Fields, judges: Sequence[str], line_of: LineOf) -> Large:
    """The table of what was read of all blocks."""
    has_repeats = "id" in raw.columns and not _are_unlike(raw["id"].hash())
    if raw.schema.get("question") == pl.UInt64:
        raw = _numbered(raw) if has_repeats or not _are_unlike(raw["question"]) else raw.drop("question")
    slices = [SLICE + name for name in chosen.slices]
    schema: Any = COLUMNS | dict.fromkeys(judges, pl.Float64) | dict.fromkeys(slices, pl.String)
    texts = [*NAMES, *slices, "answer", "reference"]
    named = [_named(raw[name]) for name in texts if name in raw.columns]
    systems = raw["system"].unique(maintain_order=True).drop_nulls() if "system" in raw.columns else []
    absent = [name for name in (*schema, "share") if name not in raw.columns]
    frame = raw.with_columns(pl.lit(None).alias(name) for name in absent).with_columns(named).cast(schema)
    if frame["id"].null_count():
        frame = frame.with_columns(pl.col("id").fill_null(pl.int_range(1, pl.len() + 1).cast(pl.String)))
    share = pl.col("share").cast(pl.Float64)
    frame = frame.with_columns(
        pl.col(texts).fill_null(""),
        pl.col("state").fill_null(STATED),
        pl.col("n_labels").fill_null(0),
        label=pl.when(share != 0.5).then(share > 0.5),
        is_tie=share == 0.5,
    )
    n_ties = int(frame["is_tie"].sum())
    return Large(frame.select(list(schema)), has_repeats, chosen, list(systems), n_ties, line_of)


def _are_unlike(keys: pl.Series) -> bool:
    return keys.n_unique() - bool(keys.null_count()) == keys.count()


def _numbered(raw: pl.DataFrame) -> pl.DataFrame:
    """What was read, with the number of the first row that has the same in place of the key of a question."""
    first = pl.when(pl.col("question").is_not_null()).then(pl.col("row").min().over("question"))
    return raw.with_row_index("row").with_columns(first.cast(pl.String).alias("question"))


def _named(values: pl.Series) -> pl.Series:
    """Names as they count and are shown (`reading.plain`), questions as they are."""
    names = values.unique(maintain_order=True) if values.name != "question" else values.clear()
    changed = {name: plain(name) for name in names.filter(names.str.contains(r"[^!-~ ]|^ | $|  "))}
    return values.replace(changed) if changed else values


# ---- sources -----------------------------------------------------------------------------------------------
def _blocks(source: Any) -> Blocks | None:
    """The blocks of a source; None of one that is not large."""
    if not isinstance(source, str | PathLike):
        frame = source.lazy() if isinstance(source, pl.DataFrame | pl.LazyFrame) else None
        return None if frame is None else _of_frame(frame)
    path = Path(source)
    if str(source) == STDIN or not path.is_file():
        return None
    with path.open("rb") as file:
        begin = file.read(2**20)
    if begin.startswith(PARQUET):
        scan = pl.scan_parquet(path)
        return _of_frame(
            scan.with_columns(
                pl.col(name).replace_strict(dict(enumerate(names)), default=None, return_dtype=pl.String)
                for name, names in class_names(str(path)).items()
            )
        )
    if path.stat().st_size < LARGE or b"\0" in begin[:4]:
        return None
    first = begin[: begin.rfind(b"\n") + 1]
    text = first.decode("utf-8-sig", "ignore").lstrip()
    is_lines = text.startswith("{") and text.partition("\n")[0].rstrip().endswith("}")
    is_table = not text.startswith(("{", "[")) and not SEPARATOR.match(text)
    delimiter = delimiter_of(text) if is_table else None
    if is_lines:
        head = records_of(source, "answers", b"\n".join(first.split(b"\n")[:HEAD]))
        return Blocks(head, partial(_lines, path), partial(_line_of_object, path))
    if delimiter is None:
        return None
    head = records_of(source, "answers", first[: cut_of(first, is_quoted=True)])[:HEAD]
    rows = partial(_rows, path, list(head[0][1]), delimiter)
    return Blocks(head, rows, partial(_line_of_row, path, delimiter))


def _of_frame(scan: pl.LazyFrame) -> Blocks | None:
    n = scan.select(pl.len()).collect().item()
    if n < MANY:
        return None

    def scans(wanted: Sequence[str]) -> Iterator[Callable[[], pl.LazyFrame]]:
        return (partial(scan.slice, row, MANY) for row in range(0, n, MANY))

    return Blocks(records_of(scan.head(HEAD), "answers"), scans, lambda row: row + 1)


def _lines(path: Path, wanted: Sequence[str]) -> Iterator[Callable[[], pl.LazyFrame]]:
    """What scans each block of a file of JSON lines; literals that are no JSON (NaN) are null, as `forms` has them."""
    how: Any = {"schema": dict.fromkeys(wanted, pl.String)}

    def scan(block: bytes) -> pl.LazyFrame:
        try:
            return pl.read_ndjson(io.BytesIO(block), **how).lazy()
        except pl.exceptions.ComputeError:
            return pl.read_ndjson(io.BytesIO(_NO_NUMBER.sub(b" null", block)), **how).lazy()

    return (partial(scan, block) for block in _bytes(path, is_quoted=False))


def _rows(
    path: Path, names: Sequence[str], delimiter: str, wanted: Sequence[str]
) -> Iterator[Callable[[], pl.LazyFrame]]:
    """What scans each block of a table, empty rows left out."""
    schema = dict.fromkeys(names, pl.String)
    how: Any = {"has_header": False, "schema": schema, "separator": delimiter, "missing_columns": "insert"}
    chosen = [name for name in names if name in wanted]
    is_filled = pl.any_horizontal(pl.all().is_not_null())
    for block in _bytes(path, is_quoted=True):
        yield lambda block=block: pl.scan_csv(io.BytesIO(block), **how).select(chosen).filter(is_filled)


def _line_of_object(path: Path, row: int) -> int:
    with path.open("rb") as file:
        return next(islice((number for number, line in enumerate(file, start=1) if line.strip()), row, None))


def _line_of_row(path: Path, delimiter: str, row: int) -> int:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return next(islice(delimited(file, delimiter), row, None))[0]


def _bytes(path: Path, *, is_quoted: bool) -> Iterator[bytes]:
    """The bytes of a file in blocks of whole records, the header of a table (`is_quoted`) left out."""
    with path.open("rb") as file:
        begin, size, length = len(file.readline()) if is_quoted else 0, path.stat().st_size, BLOCK
        while begin < size:
            end = min(begin + length, size)
            if end < size:  # as far as a line ends: a block that is cut once more is copied
                file.seek(max(begin, end - BLOCK // 64))
                tail = file.read(end - file.tell())
                end -= len(tail) - tail.rfind(b"\n") - 1
            file.seek(begin)
            block = file.read(end - begin)
            cut = len(block) if end == size else cut_of(block, is_quoted=is_quoted)
            length = BLOCK if cut else 2 * length
            begin += cut
            if cut and not block.isspace():
                yield block[:cut]


def cut_of(block: bytes, *, is_quoted: bool) -> int:
    """The end of the last whole record of a block: after a line break outside quotation marks."""
    end = block.rfind(b"\n") + 1
    if is_quoted:
        n = block.count(b'"', 0, end)
        while end and n % 2:
            before = block.rfind(b"\n", 0, end - 1) + 1
            n -= block.count(b'"', before, end)
            end = before
    return end
