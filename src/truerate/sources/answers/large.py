"""Large files of answers that bring verdicts: the columns that count, read a block at a time, no texts."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from truerate.sources.answers.fields import COLUMNS, SLICE, VERDICT, Fields, column_of, fields_of, is_turned
from truerate.sources.answers.forms import (
    PARQUET,
    STDIN,
    Records,
    at_line,
    class_names,
    delimiter_of,
    records_of,
)
from truerate.sources.answers.reading import (
    ABSTAINED,
    EMPTY,
    STATED,
    abstention_of,
    labels_in,
    plain,
    score_of,
    weight_of,
)

LARGE = 2**25  # bytes of a file from which texts are left unread
MANY = 100_000  # rows of a table in memory
BLOCK = 2**22  # bytes read at once
HEAD = 1000  # records by which fields are told
# labels that may stand in a few lines of a file only, and not in its head
LABEL = "label:"  # before the name of a field of labels
RARE = ("is_hallucinated", "hallucinated", "is_hallucination")
TEXTS = ("id", "run", "question", "system", "lang", "group", "abstained", "weight")


def large(
    source: Any, given: Mapping[str, str], verdicts: Sequence[str], slices: Sequence[str]
) -> tuple[pl.DataFrame, int, Fields] | None:
    """The table of a large source (`table.AnswerTable.frame`, without texts), its fields and the ties of
    labels; None of a source that is not large, or whose values lie in objects or lists. An answer without a
    visible sign is empty, one abstains where the source says so.

    Raises SourceError as `fields_of`, and for values that are no label or verdict.
    """
    blocks = _blocks(source)
    if blocks is None:
        return None
    head, rest = blocks
    chosen = fields_of(head, given, verdicts, slices)
    if "spans" in chosen.by_role:
        return None
    frames = []
    for frame in rest(_wanted(chosen, verdicts)):
        expressions = _expressions(chosen, verdicts, frame.collect_schema())
        if expressions is None:
            return None
        frames.append(frame.select(expressions).collect(engine="streaming"))
    raw = pl.concat(frames)
    rare = [name for name in RARE if LABEL + name in raw.columns and name not in chosen.labels]
    chosen = replace(chosen, labels=[*chosen.labels, *(name for name in rare if raw[LABEL + name].count())])
    return *_table(source, raw, chosen, verdicts), chosen


def _table(
    source: Any, raw: pl.DataFrame, chosen: Fields, verdicts: Sequence[str]
) -> tuple[pl.DataFrame, int]:
    """The table of columns as they stand, and the ties of labels."""
    number = (pl.int_range(pl.len()) + 1).cast(pl.String)
    names = [name for name in raw.columns if name.startswith(SLICE)]
    columns: dict[str, Any] = {name: _plain(raw[name]) for name in names}
    columns |= {
        role: _plain(raw[role]) if role in raw.columns else pl.lit("")
        for role in ("run", "system", "lang", "group")
    }
    columns["id"] = pl.coalesce("id", number) if "id" in raw.columns else number
    columns["question"] = (
        pl.col("question").fill_null("").str.strip_chars() if "question" in raw.columns else pl.lit("")
    )
    columns |= {name: pl.lit("") for name in ("answer", "reference")} | {"written": pl.lit(None)}
    votes = pl.DataFrame(
        [
            1 - values if is_turned(name) else values
            for name in chosen.labels
            for values in [_numbers(source, raw[LABEL + column_of(name)], _label)]
        ]
    )
    share = votes.mean_horizontal() if votes.width else pl.lit(None, pl.Float64)
    n_labels = (
        votes.select(pl.sum_horizontal(pl.all().is_not_null())).to_series() if votes.width else pl.lit(0)
    )
    columns["n_labels"] = n_labels
    columns["share"] = share
    if "abstained" in raw.columns:
        abstains = _numbers(source, raw["abstained"], abstention_of) == 1
        columns["state"] = (
            pl.when(abstains & (raw["state"] == STATED)).then(pl.lit(ABSTAINED)).otherwise("state")
        )
    columns["weight"] = (
        _numbers(source, raw["weight"], weight_of) if "weight" in raw.columns else pl.lit(None)
    )
    columns |= {
        VERDICT + column_of(name): _numbers(source, raw[VERDICT + column_of(name)], score_of)
        for name in verdicts
    }
    frame = raw.with_columns(**columns, spans=pl.lit(None))
    label = pl.when(pl.col("share") != 0.5).then(pl.col("share") > 0.5)
    order = [*COLUMNS, *(VERDICT + column_of(name) for name in verdicts), *names]
    schema: Any = {name: dtype for name, dtype in COLUMNS.items() if name != "label"}
    n_ties = int((frame["share"] == 0.5).sum())
    return frame.with_columns(label=label).cast(schema).select(order), n_ties


def _plain(values: pl.Series) -> pl.Series:
    """Names as they count and are shown (`reading.plain`)."""
    names = set(values.fill_null("").unique())
    changed = {name: plain(name) for name in names if plain(name) != name} if len(names) <= HEAD else {}
    return values.fill_null("").replace(changed) if changed else values.fill_null("")


def _label(value: object, name: str) -> float | None:
    return next(iter(labels_in(value, name)), None)


def _numbers(source: Any, values: pl.Series, convert: Callable[[Any, str], Any]) -> pl.Series:
    """A column as numbers, each other value converted once. Raises SourceError with the first line of one
    that does not fit.
    """
    numbers = values.cast(pl.Float64, strict=False).fill_nan(None)
    if values.dtype.is_float() and convert is score_of:
        return numbers
    others = values.filter(numbers.is_null() & values.is_not_null()) if convert is score_of else values
    mapping = {}
    name = values.name.partition(":")[2] or values.name
    for value in others.drop_nulls().unique(maintain_order=True):
        try:
            mapping[value] = convert(value, name)
        except ValueError as error:
            first = int((values == value).arg_max() or 0) + 1
            raise at_line(source, "answers", first, error) from None
    mapped = values.replace_strict(mapping, default=None, return_dtype=pl.Float64)
    return mapped if convert is not score_of else numbers.fill_null(mapped)


def _wanted(chosen: Fields, verdicts: Sequence[str]) -> list[str]:
    """The fields that are read."""
    roles = ("answer", *TEXTS)
    names = [chosen.by_role[role] for role in roles if role in chosen.by_role]
    names += [column_of(name) for name in (*chosen.labels, *verdicts)]
    return list(dict.fromkeys([*names, *chosen.slices, *RARE]))


def _expressions(chosen: Fields, verdicts: Sequence[str], names: Mapping[str, Any]) -> list[pl.Expr] | None:
    """The columns of `Large.frame` from those of a block; None where one is absent, an object or a list."""
    labels = [*map(column_of, chosen.labels), *(name for name in RARE if name in names)]
    judges = [column_of(name) for name in verdicts]
    roles = {role: chosen.by_role[role] for role in TEXTS if role in chosen.by_role}
    fields = [*roles.values(), *labels, *judges, *chosen.slices, *chosen.by_role.get("answer", "").split()]
    if any(name not in names or names[name].is_nested() for name in fields):
        return None
    is_empty: pl.Expr = pl.lit(False)
    if "answer" in chosen.by_role:
        text = pl.col(chosen.by_role["answer"]).cast(pl.String)
        is_empty = text.is_null() | (text.str.len_bytes() < 2) & (text.str.strip_chars() == "")
    return [
        pl.when(is_empty).then(pl.lit(EMPTY)).otherwise(pl.lit(STATED)).alias("state"),
        *(pl.col(name).cast(pl.String).alias(role) for role, name in roles.items()),
        *(pl.col(name).cast(pl.String).alias(LABEL + name) for name in dict.fromkeys(labels)),
        *(pl.col(name).alias(VERDICT + name) for name in judges),
        *(pl.col(name).cast(pl.String).alias(SLICE + name) for name in chosen.slices),
    ]


def _blocks(source: Any) -> tuple[Records, Any] | None:
    """The first records of a large source, and a reader of blocks with the fields asked for."""
    if not isinstance(source, str | PathLike):
        frame = source.lazy() if isinstance(source, pl.DataFrame | pl.LazyFrame) else None
        if frame is None or frame.select(pl.len()).collect().item() < MANY:
            return None
        return records_of(frame.head(HEAD), "answers"), lambda wanted: [frame]
    path = Path(source)
    if str(source) == STDIN or not path.is_file():
        return None
    with path.open("rb") as file:
        begin = file.read(BLOCK // 4)
    if begin.startswith(PARQUET):
        return _of_parquet(path)
    if path.stat().st_size < LARGE or b"\0" in begin[:4]:
        return None
    first = begin[: begin.rfind(b"\n") + 1]
    text = first.decode("utf-8-sig", "ignore").lstrip()
    is_lines = text.startswith("{") and text.partition("\n")[0].rstrip().endswith("}")
    delimiter = None if text.startswith(("{", "[")) else delimiter_of(text)
    if not is_lines and delimiter is None:
        return None
    first = first[: cut_of(first, is_quoted=not is_lines)]
    lines = first.split(b"\n")
    head = records_of(source, "answers", first if not is_lines else b"\n".join(lines[:HEAD]))[:HEAD]
    if is_lines:
        return head, lambda wanted: map(_lines(wanted), _bytes(path, is_quoted=False))
    names = list(head[0][1])
    return head, lambda wanted: map(_rows(names, wanted, delimiter), _bytes(path, is_quoted=True))


def _of_parquet(path: Path) -> tuple[Records, Any] | None:
    scan = pl.scan_parquet(path)
    if scan.select(pl.len()).collect().item() < MANY:
        return None
    scan = scan.with_columns(
        pl.col(name).replace_strict(dict(enumerate(names)), default=None, return_dtype=pl.String)
        for name, names in class_names(str(path)).items()
    )
    return records_of(scan.head(HEAD), "answers"), lambda wanted: [scan]


def _bytes(path: Path, *, is_quoted: bool) -> Iterator[bytes]:
    """The bytes of a file in blocks of whole records, the header of a table (`is_quoted`) left out."""
    with path.open("rb") as file:
        if is_quoted:
            file.readline()
        left = b""
        while block := file.read(BLOCK):
            block = left + block
            end = cut_of(block, is_quoted=is_quoted)
            left = block[end:]
            if end:
                yield block[:end]
        if left.strip():
            yield left


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


def _lines(wanted: Sequence[str]) -> Any:
    schema = dict.fromkeys(wanted, pl.String)
    return lambda block: pl.read_ndjson(io.BytesIO(block), schema=schema).lazy()


def _rows(names: Sequence[str], wanted: Sequence[str], delimiter: str | None) -> Any:
    schema = dict.fromkeys(names, pl.String)
    how: dict[str, Any] = {"has_header": False, "schema": schema, "separator": delimiter}
    chosen = [name for name in names if name in wanted]
    return lambda block: pl.scan_csv(io.BytesIO(block), **how).select(chosen)
