"""A committed result of a board of public files: its card, its scores, and the rows behind them, in a folder
that others may have written.

`card.json`, `scores.csv`, `rows.parquet`. No text of third parties stands in them: ids, labels and figures
alone.
"""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from truerate.config.data import ModelTask
from truerate.core.errors import SourceError, TruerateError
from truerate.core.invisible import OFF_LINE, is_line, visible
from truerate.core.metric import Direction, Interval, Metric, Unit
from truerate.core.schemas import Outcome, Table, frame, height, load, save

CARD, SCORES, ROWS = "card.json", "scores.csv", "rows.parquet"
FILES = (CARD, SCORES, ROWS)
TABLE = "table.csv"  # in place of rows, where figures alone are public
MAX_BYTES = 20_000_000  # of one file; those of the project are below 1 MB
SCORE_COLUMNS = {
    **dict.fromkeys(("metric", "subject", "kind", "slice"), pl.String),
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    **dict.fromkeys(("n", "rank_low", "rank_high"), pl.Int64),
    "provenance": pl.String,
}
TABLE_KEYS = {"subject": pl.String, "slice": pl.String, "n": pl.Int64}  # of a table, before its metrics
ATTRIBUTES = (
    "maker",
    "launched",
    "weights",
    "billions",
    "base",
    "effort",
)  # behind them, empty where not said
COUNTED = {"n_units": "unit_id", "n_clusters": "cluster_id", "n_subjects": "subject"}  # of a card, in rows
DIGITS = 6
SLICE = r"^([^=;]+=[^;]*(;[^=;]+=[^;]*)*)?$"
LONGEST = 500  # characters of a name, an id or a slice in a table
MAX_ROWS = 2_000_000  # of a table, whose bytes may be packed


def _line(text: str) -> str:
    """The text itself. Raises ValueError where it is no line of visible characters."""
    if not is_line(text):
        raise ValueError("it has a line end, a tab, or a character that is not seen")
    return text


Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Line = Annotated[str, StringConstraints(max_length=2000), AfterValidator(_line)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=300), AfterValidator(_line)]
_URL = StringConstraints(max_length=2000, pattern=r"^https?://[^\s<>\"']+$")
Address = Annotated[str, _URL, AfterValidator(_line)]
KINDS = ("model", "baseline")
Dated = Annotated[str, StringConstraints(pattern=r"^(\d{4}(-\d{2}){0,2})?$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SetCard(_Strict):
    """The public set: how it is named, cited, licensed, found, and what of it may be shown."""

    name: Title
    citation: Line
    licence: Line
    url: Address | None
    redistribution: Literal["yes", "ids-only", "no"]


class MetricCard(_Strict):
    """The record of a metric, as `core.metric.Metric` has it; without `interval` where its intervals do not
    follow from units alone, so that none is committed.
    """

    name: Name
    label: Title
    definition: Line
    table: Line
    unit: Unit
    direction: Direction
    chance: float | None
    interval: Interval
    source: Line

    @property
    def record(self) -> Metric:
        """The record itself."""
        return Metric(**self.model_dump())


class Headline(_Strict):
    """What leads: a metric with its label, unit and direction, its slice (`key=value` behind semicolons), and
    both in words.
    """

    metric: Name
    label: Title
    unit: Unit
    direction: Literal["up", "down"]
    slice: Line
    what: Line


class AggregateCard(_Strict):
    """Of a result whose rows nobody has: the files that the published figures were read from."""

    files: tuple[Line, ...]


class ResultCard(_Strict):
    """What a committed result says of itself.

    `unit`: what a row is of (reply, fact …); `labelled_by`: who labelled the units, empty where nobody said;
    `judge`: whose verdicts they are, null where people's; `judges_own`: the subjects of that judge's own
    maker; `n_left_out`: scores of the board that rest on more than the mean over units and stand on its page
    alone; `task`: what the models were asked to do, `dated`: when that was published (a year, month or day), both
    empty where not stated; `aggregate`: set where a table of published figures stands in place of rows.
    """

    board: Name
    title: Title
    track: Name
    task: ModelTask | Literal[""] = ""
    dated: Dated = ""
    set: SetCard
    unit: Line
    labelled_by: Line
    judge: Line | None
    n_subjects: int = Field(ge=1)
    n_units: int = Field(ge=1)
    n_clusters: int = Field(ge=1)
    headline: Headline
    command: Line
    caveats: tuple[Line, ...]
    metrics: tuple[MetricCard, ...]
    confidence: float = Field(gt=0.5, lt=1)
    n_bootstrap: int = Field(ge=100, le=100_000)
    alpha: float = Field(gt=0, lt=1)
    seed: int
    n_left_out: int = Field(ge=0)
    published: tuple[Line, ...] = ()
    judges_own: tuple[Title, ...] = ()
    aggregate: AggregateCard | None = None

    @property
    def records(self) -> dict[str, Metric]:
        """The metrics' records by name."""
        return {metric.name: metric.record for metric in self.metrics}


class Result(_Strict):
    """A committed result: `scores` has SCORE_COLUMNS, `rows` are Outcome rows; where figures alone are public
    there are none, and `table` has TABLE_KEYS, a count per metric, and ATTRIBUTES.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)
    card: ResultCard
    scores: pl.DataFrame
    rows: pl.DataFrame = Field(default_factory=lambda: frame(Outcome))
    table: pl.DataFrame | None = None


def refuse(is_wrong: bool, message: str) -> None:
    """Raise SourceError with this message where something is wrong."""
    if is_wrong:
        raise SourceError(message)


def boards_of(folder: Path) -> list[str]:
    """The names of the results in a folder, sorted. Raises SourceError where it is none."""
    what = f"{str(folder)!r} is no folder; name the one that holds a folder per board"
    refuse(not folder.is_dir(), f"results: {what}")
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def load_result(folder: Path, *, board: str | None = None) -> Result:
    """The result in a folder, of a `board`: by default of that which the folder is named by.

    Raises SourceError, one line, for what is missing, damaged, of another form, too large, a link, or of
    another board.
    """
    where = f"result {folder.name!r}"
    behind = TABLE if (folder / TABLE).exists() and not (folder / ROWS).exists() else ROWS
    files = (CARD, SCORES, behind)
    for name in files:
        path, most = folder / name, f"{MAX_BYTES // 10**6} MB"
        is_file = path.is_file() and not path.is_symlink()
        refuse(not is_file, f"{where}: no file {name!r}; a result holds {', '.join(files)}")
        is_large = path.stat().st_size > MAX_BYTES
        refuse(is_large, f"{where}: {name} is larger than {most}; leave texts out of it")
    card = _card(folder / CARD, where)
    wrong_board = f"{where}: {CARD} is of board {card.board!r}; a result lies in a folder of its board's name"
    refuse(card.board != (board or folder.name), wrong_board)
    needs = TABLE if card.aggregate else ROWS
    refuse(behind != needs, f"{where}: no file {needs!r}, which {CARD} says its scores are made of")
    scores = _scores(folder / SCORES, f"{where}: {SCORES}")
    _refuse_unrecorded([*scores["metric"], card.headline.metric], card, f"{where}: {SCORES}")
    if card.aggregate:
        table = _table(folder / TABLE, card.records, f"{where}: {TABLE}")
        return Result(card=card, scores=scores, table=table)
    rows = load_table(Outcome, folder / ROWS, f"{where}: {ROWS}", what="units")
    _check_rows(rows, card, f"{where}: {ROWS}")
    _refuse_unrecorded(rows["metric"], card, f"{where}: {ROWS}")
    unscored = rows.join(scores, on=["metric", "subject"], how="anti", maintain_order="left")["subject"]
    for subject in unscored.head(1):
        raise SourceError(f"{where}: {ROWS} holds units of {subject[:80]!r}, of which {SCORES} has no score")
    return Result(card=card, scores=scores, rows=rows)


def _refuse_unrecorded(metrics: Iterable[str], card: ResultCard, where: str) -> None:
    unknown = min(set(metrics) - set(card.records), default="")
    refuse(unknown != "", f"{where} holds metric {unknown[:80]!r}, of which {CARD} has no record")


def save_result(result: Result, folder: Path) -> None:
    """Write a result: the same rows always the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    without = {"aggregate"} if result.card.aggregate is None else None
    (folder / CARD).write_text(result.card.model_dump_json(indent=1, exclude=without) + "\n", "utf-8")
    _write_csv(result.scores.select(list(SCORE_COLUMNS)), folder / SCORES, float_precision=DIGITS)
    if result.table is None:
        save(Outcome, result.rows, folder / ROWS)
    else:
        _write_csv(result.table, folder / TABLE)


def _write_csv(table: pl.DataFrame, path: Path, **how: Any) -> None:
    out = io.BytesIO()
    table.write_csv(out, line_terminator="\n", **how)
    path.write_bytes(out.getvalue())


def _table(path: Path, metrics: Iterable[str], where: str) -> pl.DataFrame:
    """The table behind a result of published figures. Raises SourceError."""
    form = TABLE_KEYS | dict.fromkeys(metrics, pl.Float64) | dict.fromkeys(ATTRIBUTES, pl.String)
    table = read_csv_lines(path, where, schema_overrides=form)
    refuse(table.columns != list(form), f"{where} has other columns; allowed: {', '.join(form)}")
    table = table.with_columns(pl.col(pl.String).fill_null(""))
    check_table(table, metrics, where)
    return table


def check_table(table: pl.DataFrame, metrics: Iterable[str], where: str) -> None:
    """Raise SourceError, one line, for published figures that cannot be: no model, one named twice or not at
    all, a count that is none or beyond n.
    """
    refuse(table.is_empty(), f"{where} holds no model")
    refuse_no_names(table.select("subject", "slice", *ATTRIBUTES), where)
    names = table.select("subject", "slice")
    refuse(names.is_duplicated().any(), f"{where} names a model twice; one line for each")
    is_unnamed = table["subject"].fill_null("").str.strip_chars().eq("").any()
    refuse(is_unnamed, f"{where} holds a line without a model")
    for name in metrics:
        is_sound = pl.col(name).is_between(0, pl.col("n")) & (pl.col("n") >= 1)
        for row in table.filter(is_sound.fill_null(False).not_()).head(1).to_dicts():
            raise SourceError(f"{where}: {name} of {row['subject'][:80]!r} counts {row[name]} of {row['n']}")


def counts_of(rows: pl.DataFrame) -> dict[str, int]:
    """Return how many subjects, units and clusters rows are of, as a card has it."""
    return {name: rows[column].n_unique() for name, column in COUNTED.items()}


def counts_of_table(table: pl.DataFrame) -> dict[str, int]:
    """Return the same of a table of published figures: most units of a model, each a cluster of its own."""
    lead = table.filter(slice="")
    most = int(table["n"].max() or 0)
    return {"n_units": most, "n_clusters": most, "n_subjects": lead.height}


def is_same(first: pl.Expr, second: pl.Expr, within: float) -> pl.Expr:
    """Return whether two cells are equal up to `within`, or both empty."""
    gap = (first - second).abs() <= within
    return gap.fill_null(first.is_null() & second.is_null())


def rank_range(low: float | None, high: float | None) -> str:
    """Return a rank range as printed, `1–2` or `1`; empty where nothing is ranked."""
    if low is None or high is None:
        return ""
    return f"{low}" if low == high else f"{low}–{high}"


def slice_text(pairs: list[dict[str, str]]) -> str:
    """A slice as it stands in scores.csv: `key=value` behind semicolons, sorted by key; empty over
    everything.
    """
    return ";".join(f"{pair['key']}={pair['value']}" for pair in pairs)


def slice_texts(slices: pl.Expr) -> pl.Expr:
    """`slice_text` of every row of a column, null where that is null: some hundred times as fast, which a
    site of 200,000 committed rows needs.
    """
    pair = pl.format("{}={}", pl.element().struct.field("key"), pl.element().struct.field("value"))
    return slices.list.eval(pair).list.join(";")


def load_table(table: type[Table], path: Path, where: str, *, what: str) -> pl.DataFrame:
    """A Parquet file of `what` (units, labels) that others may have written.

    Raises SourceError, one line, for a link, a file that is too large, has too many rows, or is no such
    table.
    """
    refuse_no_file(path, where)
    refuse_many(path, where)
    try:
        return load(table, path)
    except TruerateError as error:
        raise SourceError(f"{where} is no table of {what}: {reason_of(error, path)}") from None


def refuse_no_file(path: Path, where: str) -> None:
    """Raise SourceError for a path that is a link or no file, and for a file that is too large."""
    is_file = path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_BYTES
    refuse(not is_file, f"{where} is a link, no file, or too large")


def reason_of(error: Exception, path: Path) -> str:
    """The reason why a table cannot be read, without the folder in which it lies."""
    reason = str(error).removeprefix("reading ").replace(str(path), path.name)
    return reason.partition("; delete it")[0][:200]


def refuse_many(path: Path, where: str) -> None:
    """Raise SourceError for a Parquet file of more than MAX_ROWS rows: few packed bytes may hold any number
    of them.
    """
    try:
        n_rows = height(path)
    except (OSError, pl.exceptions.PolarsError):
        return  # reading the file says that it is no table
    refuse(n_rows > MAX_ROWS, f"{where} has {n_rows:,} rows; allowed: {MAX_ROWS:,}")


def read_csv_lines(path: Path, where: str, **how: Any) -> pl.DataFrame:
    """A CSV file that others may have written. Raises SourceError, one line."""
    try:
        return pl.read_csv(path.read_bytes(), **how)
    except (pl.exceptions.PolarsError, OSError, UnicodeError) as error:
        raise SourceError(f"{where}: {visible(str(error).splitlines()[0][:200])}") from None


def refuse_no_names(texts: pl.DataFrame, where: str) -> None:
    """Raise SourceError for a name, id or slice that is none: longer than LONGEST, or no line of visible
    characters.
    """
    why = f"is none: longer than {LONGEST} characters, or with a line end or a character that is not seen"
    for name in texts.columns:
        is_none = (pl.col(name).str.len_chars() > LONGEST) | pl.col(name).str.contains(OFF_LINE)
        for text in texts.filter(is_none)[name].head(1):
            raise SourceError(f"{where}: {name} {text[:40]!r} {why}")


def facts_of(record: Metric) -> dict[str, Any]:
    """A record as a card has it."""
    return {name: getattr(record, name) for name in MetricCard.model_fields}


def _card(path: Path, where: str) -> ResultCard:
    try:
        return ResultCard.model_validate_json(path.read_bytes(), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = visible(".".join(map(str, first["loc"])), is_line=True)[:80] or "its JSON"
        raise SourceError(f"{where}: {path.name}: {field}: {first['msg'][:200]}") from None


def _scores(path: Path, where: str) -> pl.DataFrame:
    """The scores of a file; raises SourceError for a line that cannot be, as with ranks the wrong way round."""
    table = read_csv_lines(path, where, schema_overrides=SCORE_COLUMNS, truncate_ragged_lines=False)
    is_form = table.columns == list(SCORE_COLUMNS)
    refuse(not is_form, f"{where} has other columns; allowed: {', '.join(SCORE_COLUMNS)}")
    scores = table.with_columns(pl.col(pl.String).fill_null(""))
    is_double = scores.select("metric", "subject", "slice").is_duplicated().any()
    refuse(is_double, f"{where} says a score twice; one line for each metric, subject and slice")
    numbers = pl.all_horizontal(pl.col("value", "low", "high").is_finite().fill_null(True))
    is_odd = scores.select((~numbers | pl.col("n").is_null()).any()).item()
    refuse(is_odd, f"{where} holds a value that is no number; leave it empty where nothing was measured")
    refuse_no_names(scores.select("metric", "subject", "slice", "provenance"), where)
    first, last = pl.col("rank_low"), pl.col("rank_high")
    wrong = {
        f"a kind that is none; allowed: {', '.join(KINDS)}": ~pl.col("kind").is_in(KINDS),
        "a line without a subject": pl.col("subject") == "",
        "an interval whose low end is above the high one": pl.col("low") > pl.col("high"),
        "a rank range without an end, or whose ends are none": (
            (first.is_null() != last.is_null()) | (first < 1) | (first > last)
        ),
        "a slice that is not key=value;key=value": ~pl.col("slice").str.contains(SLICE),
        "a negative n": pl.col("n") < 0,
    }
    for why, is_wrong in wrong.items():
        refuse(scores.select(is_wrong.fill_null(False).any()).item(), f"{where} holds {why}")
    return scores


def _check_rows(rows: pl.DataFrame, card: ResultCard, where: str) -> None:
    texts = rows.select("metric", "subject", "unit_id", "cluster_id", slice=slice_texts(pl.col("slice")))
    refuse_no_names(texts, where)
    strange = min(set(rows["board"].unique()) - {card.board}, default="")
    refuse(strange != "", f"{where} holds rows of board {strange[:80]!r}")
    is_double = rows.select("metric", "subject", "slice", "unit_id").is_duplicated().any()
    refuse(is_double, f"{where} holds a unit twice for one metric, subject and slice")
    is_finite = rows["value"].drop_nulls().is_finite().all()
    refuse(not is_finite, f"{where} holds a value that is no number")
