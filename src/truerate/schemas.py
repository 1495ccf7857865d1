"""The tables of the house: one pandera schema each, and the only way they touch disk.

Every frame under `data/` passes `save` and `load`, which validate names, types and rules; only a scratch step takes what a stage before it
validated as it is (`read`: names and types). Tables are declared in plain words: polars is asked whether a frame keeps them, and pandera
what is wrong with one that does not, for importing it, and pandas with it, takes longer than most steps.
Identity columns are content hashes.
Columns named `attributes` and `slice` hold sorted key–value pairs (`PAIRS`), so that a new fact needs no new column.
"""

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from math import isnan
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.errors import TruerateError

PAIRS = pl.List(pl.Struct({"key": pl.String, "value": pl.String}))
SPANS = pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "type": pl.String, "p": pl.Float64}))
TASKS = ["qa", "dialogue", "summarization", "general", "train", "held-out", "silver", "article", "wild", "chat", "entity", "fact"]
STATUSES = ["ok", "dead", "abstained", "unparsed"]
DIGITS = 6  # of every saved value, so that the same inputs give the same bytes
LABEL_SOURCES = ["gold", "silver", "published"]
SPLITS = ["train", "test"]


TYPES = {str: pl.String, bool: pl.Boolean, float: pl.Float64}


class Field(NamedTuple):
    """What holds of a column's values beside their type."""

    unique: bool = False
    nullable: bool = False
    isin: Sequence[str] | None = None
    ge: float | None = None
    le: float | None = None


class Table:
    """What all tables share: no column beyond those declared, in the order declared. `RULES` hold of every row, by what they say."""

    RULES: Mapping[str, pl.Expr] = {}

    @classmethod
    def fields(cls) -> dict[str, tuple[pl.DataType, Field]]:
        """The type of each column and what holds of its values."""
        declared = {name: TYPES.get(kind, kind) for name, kind in vars(cls)["__annotations__"].items()}
        return {name: (kind, getattr(cls, name, Field())) for name, kind in declared.items()}

    @classmethod
    def holds(cls, data: pl.DataFrame) -> bool:
        """Whether the frame keeps the table's names, types and rules: what the pandera schema refuses, this refuses.

        A null passes every rule but that there are none; NaN is no value either.
        """
        if data.schema != schema(cls):
            return False
        kept = [rule.all() for rule in cls.RULES.values()]
        for name, (kind, rule) in cls.fields().items():
            column = pl.col(name)
            kept += [] if rule.nullable else [column.null_count() == 0]
            kept += [~column.is_nan().any()] if kind == pl.Float64 and not rule.nullable else []
            kept += [column.n_unique() == pl.len()] if rule.unique else []
            kept += [column.is_in(rule.isin).all()] if rule.isin is not None else []
            kept += [(column >= rule.ge).all()] if rule.ge is not None else []
            kept += [(column <= rule.le).all()] if rule.le is not None else []
        return data.select(pl.all_horizontal(kept)).item()

    @classmethod
    @cache
    def to_schema(cls):
        """The pandera schema of the table."""
        import pandera.polars as pa

        def column(kind: pl.DataType, rule: Field) -> pa.Column:
            bounds = {"isin": rule.isin, "ge": rule.ge, "le": rule.le}
            checks = [getattr(pa.Check, name)(value) for name, value in bounds.items() if value is not None]
            return pa.Column(kind, checks, nullable=rule.nullable, unique=rule.unique)

        return pa.DataFrameSchema(
            {name: column(*field) for name, field in cls.fields().items()},
            [pa.Check(lambda data, rule=rule: data.lazyframe.select(rule), error=said) for said, rule in cls.RULES.items()],
            name=cls.__name__,
            strict=True,
            ordered=True,
        )


class Document(Table):
    """A reference text. `dated` is the text's own date (ISO 8601), not when it was fetched."""

    document_id: str = Field(unique=True)
    lang: str
    title: str
    text: str
    url: str = Field(nullable=True)
    source: str
    licence: str
    dated: str = Field(nullable=True)
    is_wikipedia: bool


class Item(Table):
    """One thing to ask about. `group_id` names what must not be split between training and test.

    `question` is the question (qa), the last user turn (dialogue), the query (general) or empty (summarization);
    `history` the earlier turns; `right_answer` the answer, response or summary taken as right (null for general).
    The knowledge of an item is the text of its documents, joined by blank lines in the order of `document_ids`.
    mFAVA's tasks are the parts of its data: `train` (a labelled passage to learn from), `silver` (an information-seeking prompt with its
    reference), `article` (what queries are written about), `wild` (a query; models see it alone, detectors also its article's lead).
    WildHallucinations' are `chat` (a user's turn; `question` is its text) and `entity` (`question` is its name, its documents are the web
    pages found for it).
    """

    item_id: str = Field(unique=True)
    source: str
    task: str = Field(isin=TASKS)
    lang: str
    group_id: str
    document_ids: pl.List(pl.String)
    history: str
    question: str
    right_answer: str = Field(nullable=True)
    attributes: PAIRS


class Generation(Table):
    """One model's reply to one prompt about one item. `params` is the request's settings as JSON.

    `reason` says why a reply is not ok; `text` is empty where none came. `n_tokens_*` are as the endpoint counted them, `cost_usd` by
    the prices in params. `attributes` hold scheme, pattern, order, … as the purpose needs.
    """

    generation_id: str = Field(unique=True)
    item_id: str
    purpose: str
    model: str
    sample_index: pl.Int64 = Field(ge=0)
    params: str
    text: str
    finish_reason: str = Field(nullable=True)
    status: str = Field(isin=STATUSES)
    reason: str = Field(nullable=True)
    prompt_key: str
    n_tokens_in: pl.Int64 = Field(nullable=True, ge=0)
    n_tokens_out: pl.Int64 = Field(nullable=True, ge=0)
    cost_usd: float = Field(ge=0)
    attributes: PAIRS


class Sample(Table):
    """A labelled text. `pair_id` joins the two sides of a pair (null where a text stands alone).

    Spans are code points into `text`, half-open. `generator` is the model that wrote the text, null for people and sources.
    """

    sample_id: str = Field(unique=True)
    item_id: str
    pair_id: str = Field(nullable=True)
    group_id: str
    task: str = Field(isin=TASKS)
    lang: str
    text: str
    is_hallucinated: bool
    label_source: str = Field(isin=LABEL_SOURCES)
    generator: str = Field(nullable=True)
    pattern: str = Field(nullable=True)
    spans: SPANS
    rationale: str = Field(nullable=True)
    split: str = Field(isin=SPLITS)
    attributes: PAIRS


class Fact(Table):
    """One atomic fact of a reply; its verdicts are Judgements of its id.

    `subject` is the model that wrote the reply, `sentence_index` the place (from 0) of the sentence that it was taken from. `evidence` are
    the passages that it was checked against, best first, as `document_id:start-end` (code points). `is_duplicate`: an earlier fact of the
    reply says the same; `is_title`: it says no more than that what was asked about is what it is called.
    """

    fact_id: str = Field(unique=True)
    generation_id: str
    item_id: str
    subject: str
    sentence_index: pl.Int64 = Field(ge=0)
    sentence: str
    text: str
    is_duplicate: bool
    is_title: bool
    evidence: pl.List(pl.String)


class Judgement(Table):
    """What a detector, judge or annotator says of one text. `verdict` true: it contains hallucination; null: none could be read.

    `p` is the detector's probability of hallucination in [0, 1]. `attributes` hold variant, order, stage (`refined`), …
    """

    judgement_id: str = Field(unique=True)
    judge: str
    judge_version: str
    target_id: str
    verdict: bool = Field(nullable=True)
    status: str = Field(isin=STATUSES)
    reason: str = Field(nullable=True)
    spans: SPANS
    p: float = Field(nullable=True, ge=0, le=1)
    rationale: str = Field(nullable=True)
    attributes: PAIRS


class Score(Table):
    """One aggregate. `low` and `high` are its interval; `value` null where nothing was measured.

    `method` says how it was got: `estimator` (from our rows), `published` (printed by the paper), `planted` (the closed world's truth).
    `n` is the number of rows behind it, `inputs` the digest of the tables it was made from.
    """

    board: str
    metric: str
    subject: str
    slice: PAIRS
    value: float = Field(nullable=True)
    low: float = Field(nullable=True)
    high: float = Field(nullable=True)
    method: str = Field(isin=["estimator", "published", "planted"])
    n: pl.Int64 = Field(ge=0)
    inputs: str


class Outcome(Table):
    """What one subject got on one unit: the raw material of paired tests. `value` in [0, 1], null where the unit does not count.

    Units of one `cluster_id` (pair, dialogue, article, entity) are not independent of one another.
    """

    board: str
    metric: str
    subject: str
    slice: PAIRS
    unit_id: str
    cluster_id: str
    value: float = Field(nullable=True, ge=0, le=1)


class Row(Table):
    """One cell of a leaderboard line, in long form. Rank ranges are null for reference rows and unranked metrics.

    `kind` says what the subject is: `model`, `baseline` (needs no call), `published`, `planted`.
    """

    board: str
    table: str
    subject: str
    kind: str = Field(isin=["model", "baseline", "published", "planted"])
    metric: str
    slice: PAIRS
    rank_low: pl.Int64 = Field(nullable=True, ge=1)
    rank_high: pl.Int64 = Field(nullable=True, ge=1)
    value: float = Field(nullable=True)
    low: float = Field(nullable=True)
    high: float = Field(nullable=True)
    n: pl.Int64 = Field(ge=0)
    provenance: str


class Reject(Table):
    """A row that was not kept, with its reason. `row` is the 1-based row of a source file, null elsewhere."""

    where: str
    row: pl.Int64 = Field(nullable=True)
    target_id: str = Field(nullable=True)
    reason: str
    detail: str
    text: str


class Count(Table):
    """The account of one step: every reply is one of four outcomes, `n_in = n_ok + n_dead + n_abstained + n_unparsed`.

    `n_thought`: replies, whatever their outcome, from which thought was cut.
    """

    RULES = {
        "n_in = n_ok + n_dead + n_abstained + n_unparsed": pl.sum_horizontal("n_ok", "n_dead", "n_abstained", "n_unparsed")
        == pl.col("n_in")
    }

    step: str
    model: str
    slice: PAIRS
    n_in: pl.Int64 = Field(ge=0)
    n_ok: pl.Int64 = Field(ge=0)
    n_dead: pl.Int64 = Field(ge=0)
    n_abstained: pl.Int64 = Field(ge=0)
    n_unparsed: pl.Int64 = Field(ge=0)
    n_thought: pl.Int64 = Field(ge=0)


def pairs(**values: object) -> list[dict[str, str]]:
    """Key–value pairs as the tables hold them: sorted by key, values as text, None left out."""
    return [{"key": key, "value": str(values[key])} for key in sorted(values) if values[key] is not None]


def score_row(
    metric: str, subject: str, where: Mapping, found: Sequence[float | None] | float | None, n: int, *, board: str, inputs: str
) -> dict:
    """One Score row of ours from (value, low, high), a plain value or None: rounded, NaN as null, never −0.0."""
    three = tuple(found) if isinstance(found, (tuple, list)) else (found, None, None)
    value, low, high = (None if one is None or isnan(one) else round(float(one), DIGITS) + 0.0 for one in three)
    known = {"board": board, "metric": metric, "subject": subject, "slice": pairs(**where), "method": "estimator"}
    return known | {"value": value, "low": low, "high": high, "n": int(n), "inputs": inputs}


def pair(column: str, key: str) -> pl.Expr:
    """The value of one key of a `PAIRS` column, null where it is absent."""
    element = pl.element()
    return pl.col(column).list.eval(element.struct.field("value").filter(element.struct.field("key") == key)).list.first().alias(key)


def schema(table: type[Table]) -> pl.Schema:
    """The polars schema of a table, names in order."""
    return pl.Schema({name: kind for name, (kind, _) in table.fields().items()})


def frame(table: type[Table], rows: list[dict] | None = None) -> pl.DataFrame:
    """Rows as a frame of the table's schema; no rows give an empty frame. Missing keys become null."""
    return pl.DataFrame(rows or [], schema=schema(table), orient="row")


def validate(table: type[Table], data: pl.DataFrame, *, where: str) -> pl.DataFrame:
    """The frame itself if it keeps the table's rules, else TruerateError with the first broken rule."""
    if table.holds(data):
        return data
    from pandera.errors import SchemaError, SchemaErrors

    try:
        return table.to_schema().validate(data)
    except (SchemaError, SchemaErrors) as error:
        line = " ".join(str(error).split())[:300]
        raise TruerateError(f"{where}: not a {table.__name__} table: {line}") from None


def save(table: type[Table], data: pl.DataFrame, path: str | Path) -> None:
    """Validate and write as Parquet (zstd, deterministic bytes), atomically."""
    path = Path(path)
    validate(table, data, where=str(path))
    write_parquet(data, path)


def load(table: type[Table], path: str | Path) -> pl.DataFrame:
    """Read and validate. Raises TruerateError where the file is missing, unreadable or breaks a rule."""
    return validate(table, read_parquet(path), where=str(path))


def read(table: type[Table], path: str | Path) -> pl.DataFrame:
    """Read what an earlier stage validated, its names and types checked. Raises TruerateError where they or the file are not right."""
    data = read_parquet(path)
    if data.schema != schema(table):
        raise TruerateError(f"{path}: not a {table.__name__} table: its columns are others; run `dvc repro`")
    return data


def write_parquet(data: pl.DataFrame, path: Path) -> None:
    """Write a frame atomically: a reader sees the old file or the new one, never half of it; equal rows give equal bytes."""
    data = data.rechunk().select(pl.all().gather(pl.int_range(data.height)))  # a slice drags along what lies beside it in lists
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        data.write_parquet(scratch, compression="zstd", statistics=False)
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)  # what is left of a write that failed


def read_json(path: str | Path) -> dict:
    """Read what a step wrote as JSON beside its tables; TruerateError where there is none or it is no JSON."""
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        raise TruerateError(f"reading {str(path)!r}: it is not there; run `dvc repro`") from None
    except ValueError as error:
        raise TruerateError(f"reading {str(path)!r}: {error}; delete it and run `dvc repro`") from None


def read_parquet(path: str | Path, *, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read one Parquet file, or some of its columns; TruerateError where there is none or it is no Parquet."""
    try:
        return pl.read_parquet(path, columns=columns and list(columns))
    except FileNotFoundError:
        raise TruerateError(f"reading {str(path)!r}: it is not there; run `dvc repro`") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TruerateError(f"reading {str(path)!r}: {str(error).splitlines()[0]}; delete it and run `dvc repro`") from None
