"""A file of answers as one table: whatever form it has, whoever wrote it, a row per answer."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from truerate.core.errors import SourceError, listed
from truerate.sources.answers.annotators import one_per_answer
from truerate.sources.answers.exports import Export
from truerate.sources.answers.fields import (
    COLUMNS,
    SLICE,
    TEXTS,
    VERDICT,
    Fields,
    column_of,
    fields_of,
    is_turned,
    value_at,
)
from truerate.sources.answers.forms import HUB, Records, Source, at_line, named
from truerate.sources.answers.label_spans import spans_of, voted_labels
from truerate.sources.answers.large import Large, LineOf, large
from truerate.sources.answers.opening import of_hub, opened
from truerate.sources.answers.reading import (
    STATED,
    Answer,
    abstention_of,
    answer_of,
    id_of,
    labels_in,
    look_alikes,
    name_of,
    plain,
    reference_of,
    score_of,
    state_of,
    text_of,
    weight_of,
    without_thought,
)

UNREAD = "a large file: its texts are not read; answers abstain where it says so ('abstained')"
DEFAULT = 0.5  # from which a score between 0 and 1 flags
REFUSED = -1.0  # what some tools write where a judge refused


@dataclass(frozen=True)
class AnswerTable:
    """The answers of a source. `frame`: a row per answer in the file's order, the columns COLUMNS (`answer`
    without thought and special tokens, `written` as in the file where that differs; `label`: the vote of
    people, null without one or at a tie; `n_labels` votes; `weight` 1/π where a drawn sheet has it), then
    `verdict:NAME` (1 hallucinated … 0 faithful, null unread) and `slice:NAME`. `thresholds`: of each verdict,
    from which it flags. `notes`: how the source was read. `has_texts`: False where answers and references
    were not read, as verdicts were there. `has_repeats`: False where each id stands once.
    """

    frame: pl.DataFrame
    verdicts: Sequence[str] = ()
    slices: Sequence[str] = ()
    notes: Sequence[str] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    has_texts: bool = True
    has_repeats: bool = True

    def scores(self, verdict: str) -> np.ndarray:
        """The scores of a judge, (answers,), NaN where it has none."""
        values = self.frame[VERDICT + verdict]
        return (values.fill_null(np.nan) if values.null_count() else values).to_numpy()

    def flags(self, verdict: str) -> np.ndarray:
        """Return what a judge flags, 1 or 0, (answers,), NaN where it has no score."""
        scores = self.scores(verdict)
        return np.where(np.isnan(scores), np.nan, scores >= self.thresholds[verdict])


def read_table(
    source: Source,
    *,
    fields: Mapping[str, str] | None = None,
    verdicts: Sequence[str] = (),
    threshold: float = DEFAULT,
    slices: Sequence[str] = (),
    keeps_questions: bool = True,
) -> AnswerTable:
    """Return the answers of a source: a path, several, a folder or a pattern (`opening.opened`), `-` (stdin), a table of
    polars, pandas or `datasets`, or `hub:ORG/NAME`. `fields`: field by role (`fields.ROLES`), also as dotted path. `verdicts`: fields with
    the verdicts or scores of judges, `not:` before those whose high values mean faithful; one flags from
    `threshold` on, as the field counts. `slices`: fields to slice by, whatever they are called.
    `keeps_questions`: of a large file; else only which are equal.

    Raises SourceError, one line, with the number of the first line that does not fit, for what has no form of
    answers, or none.
    """
    given = fields or {}
    try:
        if isinstance(source, str) and source.startswith(HUB):
            source = of_hub(source)
        if (
            verdicts
            and (read := _large(source, given, verdicts, slices, keeps_questions=keeps_questions)) is not None
        ):
            written = read.fields.by_role.get("system", "system")
            notes = [*read.fields.notes, *_notes({}, written, read.systems, read.n_ties), UNREAD]
            return _finished(
                source,
                read.line_of,
                read.frame,
                verdicts,
                names={},
                threshold=threshold,
                notes=notes,
                has_texts=False,
                has_repeats=read.has_repeats,
            )
        records = opened(source, is_plain="answer" in given)
        if not isinstance(records, list):
            return _of_export(records, source, given, verdicts, threshold)
        if not records:
            raise SourceError(
                f'{named(source, "answers")}: it holds none; give {{"answer": …, "reference": …}} per line'
            )
        chosen = _fields(source, records, given, verdicts, slices)
        return _table(source, records, chosen, verdicts=verdicts, threshold=threshold)
    except pl.exceptions.PolarsError as error:
        raise SourceError(f"{named(source, 'answers')}: {str(error).splitlines()[0]}") from None


def _large(source: Source, *how: Any, keeps_questions: bool) -> Large | None:
    try:
        return large(source, *how, keeps_questions=keeps_questions)
    except SourceError as error:
        begin = named(source, "answers")
        raise SourceError(str(error) if str(error).startswith(begin) else f"{begin}: {error}") from None


def _fields(source: Source, *how: Any) -> Fields:
    try:
        return fields_of(*how)
    except SourceError as error:
        raise SourceError(f"{named(source, 'answers')}: {error}") from None


def table_of_records(
    records: Sequence[Mapping[str, Any]], tool: str, notes: Sequence[str], source: Source = None
) -> AnswerTable:
    """The table of records that an export of another tool was read into, all judges of it as verdicts."""
    judges = list(dict.fromkeys(name for record in records for name in record.get("verdicts") or {}))
    slices = list(dict.fromkeys(name for record in records for name in record.get("slices") or {}))
    rows = [
        dict(record)
        | {SLICE + name: value for name, value in (record.get("slices") or {}).items()}
        | {VERDICT + name: value for name, value in (record.get("verdicts") or {}).items()}
        for record in records
    ]
    roles = [*TEXTS[:2], "answer", *TEXTS[4:-1], "abstained"]
    chosen = Fields(
        {role: role for role in roles if any(row.get(role) is not None for row in rows) or role == "answer"},
        [SLICE + name for name in slices],
        ["labels"],
        [f"an export of {tool}", *notes],
    )
    table = _table(
        tool if source is None else source,
        list(enumerate(rows, start=1)),
        chosen,
        verdicts=[VERDICT + name for name in judges],
        threshold=DEFAULT,
        names={VERDICT + name: name for name in judges} | {SLICE + name: name for name in slices},
    )
    return table


def _of_export(
    export: Export, source: Source, given: Mapping[str, str], verdicts: Sequence[str], threshold: float
) -> AnswerTable:
    """An export's table with the judges that were asked for; all where none was."""
    if given:
        role, name = next(iter(given.items()))
        raise SourceError(
            f"{named(source, 'answers')}: --map {role}={name}: an export of {export.tool} is read by that tool's names; "
            "with --map answer=FIELD, too, it is read as a plain file"
        )
    table = table_of_records(export.records, export.tool, export.notes, source)
    names = [column_of(name) for name in verdicts] or list(table.verdicts)
    if absent := [name for name in names if name not in table.verdicts]:
        raise SourceError(
            f"{named(source, 'answers')}: --verdicts {absent[0]}: this export of {export.tool} has no such "
            f"judge; it has {listed(table.verdicts) or 'none'}"
        )
    frame = table.frame.with_columns(
        (1 - pl.col(VERDICT + column_of(name))).alias(VERDICT + column_of(name))
        for name in verdicts
        if name != column_of(name)
    )
    return replace(table, frame=frame, verdicts=names, thresholds=dict.fromkeys(names, threshold))


# ---- from records ------------------------------------------------------------------------------------------
def _table(
    source: Source,
    records: Records,
    chosen: Fields,
    *,
    verdicts: Sequence[str],
    threshold: float,
    names: Mapping[str, str] | None = None,
) -> AnswerTable:
    """The table of records whose fields are chosen. `names`: of columns, where they are not the fields'."""
    names = names or {}

    def column(role: str, convert: Callable[[Any, str], Any], path: str | None = None) -> list:
        """The values of a role, or at a path, each converted; a ValueError names its line."""
        path = path or chosen.by_role.get(role)
        values = []
        for number, record in records:
            try:
                values.append(convert(None if path is None else value_at(record, path), path or role))
            except ValueError as error:
                raise at_line(source, "answers", number, error) from None
        return values

    answer = chosen.by_role.get("answer")
    if answer is not None and "." not in answer:
        for number, record in records:
            if answer not in record:
                raise at_line(
                    source,
                    "answers",
                    number,
                    f'it has no {answer!r}; a line is {{"answer": …, "reference": …}}',
                )
    given = [value_at(record, answer) for _, record in records] if answer is not None else []
    is_mixed = any(isinstance(value, str) for value in given)
    n_numbers = sum(isinstance(value, bool | int | float) for value in given) if is_mixed else 0
    written = column("answer", answer_of if is_mixed else text_of)
    stated = [without_thought(text) for text in written]
    texts = [text for text, _ in stated]
    cuts = Counter(cut for _, of_answer in stated for cut in of_answer)
    abstained = column("abstained", abstention_of)
    votes = [column("label", labels_in, column_of(name)) for name in chosen.labels]
    label, n_labels, n_ties = voted_labels(chosen.labels, votes, len(records))
    ids = column("id", lambda value, _: None if value is None else id_of(value))
    systems = column("system", text_of)
    data: dict[str, Any] = {
        "id": [str(number) if name is None else name for (number, _), name in zip(records, ids, strict=True)],
        "run": column("run", lambda value, name: name_of(name, value)),
        "answer": texts,
        "written": [old if old != new else None for old, new in zip(written, texts, strict=True)],
        "reference": column("reference", reference_of),
        "question": [text.strip() for text in column("question", text_of)],
        "system": [plain(text) for text in systems],
        "lang": [plain(text) for text in column("lang", text_of)],
        "group": column("group", lambda value, _: name_of("group", value)),
        "state": [
            STATED if answer is None else state_of(text, given)
            for text, given in zip(texts, abstained, strict=True)
        ],
        "label": label,
        "n_labels": n_labels,
        "weight": column("weight", weight_of),
    }
    columns = {
        VERDICT + names.get(name, column_of(name)): column("verdict", score_of, column_of(name))
        for name in verdicts
    }
    sliced = {
        SLICE + names.get(name, name): [
            plain(text) for text in column("slice", lambda v, n: name_of(n, v), name)
        ]
        for name in chosen.slices
    }
    spans = spans_of(source, records, chosen, data)
    data["spans"] = spans
    data["label"] = [
        bool(places) if vote is None and places is not None else vote
        for vote, places in zip(label, spans, strict=True)
    ]
    schema = COLUMNS | dict.fromkeys(columns, pl.Float64) | dict.fromkeys(sliced, pl.String)
    frame = pl.DataFrame(data | columns | sliced, schema=schema)
    frame, kept, voted = one_per_answer(frame)
    records = [records[row] for row in kept] if voted else records
    notes = [*chosen.notes, *_notes(cuts, chosen.by_role.get("system", "system"), systems, n_ties), *voted]
    if n_numbers:
        notes.append(f"answers that are numbers, read as texts: {n_numbers}")
    line_of = [number for number, _ in records].__getitem__
    return _finished(source, line_of, frame, verdicts, names=names, threshold=threshold, notes=notes)


def _notes(cuts: Mapping[str, int], system: str, systems: Iterable[str], n_ties: int) -> Iterator[str]:
    if cuts:
        yield f"cut off answers: {', '.join(f'{cut} in {n}' for cut, n in cuts.items())}"
    yield from look_alikes(system, systems)
    if n_ties:
        yield f"labels on which people are divided evenly, not used: {n_ties}"


def _finished(
    source: Source,
    line_of: LineOf,
    frame: pl.DataFrame,
    verdicts: Sequence[str],
    *,
    names: Mapping[str, str],
    threshold: float,
    notes: Sequence[str],
    has_texts: bool = True,
    has_repeats: bool = True,
) -> AnswerTable:
    """The table with verdicts the right way round, those of −1 beside 0 and more left out (judges that refused),
    repeats numbered, and checked.
    """
    thresholds = {}
    notes = list(notes)
    for name in verdicts:
        judge = names.get(name, column_of(name))
        scores = frame[VERDICT + judge]
        n = int((scores == REFUSED).sum() or 0)
        if n and (scores.filter(scores != REFUSED) >= 0).all():
            frame = frame.with_columns(pl.when(scores != REFUSED).then(scores).alias(VERDICT + judge))
            notes.append(f"{judge}: {n} verdicts of −1 beside 0 and more are taken for refusals, no verdicts")
        thresholds[judge] = threshold
        low, high = (float(end) if end is not None else 0.0 for end in (scores.min(), scores.max()))
        if high > 1 or low < REFUSED:
            scale = f"{judge} lies in {low:g} … {high:g}"
            if low >= 0 and threshold == DEFAULT and name not in names and not frame["label"].count():
                raise SourceError(
                    f"{named(source, 'answers')}: {scale}; say from which score on it flags, --threshold"
                )
            notes.append(f"{scale} and flags from {threshold:g} on (--threshold)")
        if name not in names and is_turned(name):
            column = frame[VERDICT + judge]
            top = 1.0 if column.is_between(0, 1).all() else 0.0
            thresholds[judge] = float(np.nextafter(top - threshold, np.inf))
            frame = frame.with_columns((top - column).alias(VERDICT + judge))
    has_repeats = has_repeats and frame["id"].hash().n_unique() < frame.height
    frame, more = _repeated(source, line_of, frame) if has_repeats else (frame, [])
    judges = [column.removeprefix(VERDICT) for column in frame.columns if column.startswith(VERDICT)]
    slices = [column.removeprefix(SLICE) for column in frame.columns if column.startswith(SLICE)]
    return AnswerTable(frame, judges, slices, [*notes, *more], thresholds, has_texts, has_repeats)


def _repeated(source: Source, line_of: LineOf, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The frame with the runs of ids that stand several times numbered. Raises SourceError where such rows
    were asked something else, or name the same run.
    """
    key = ["id", "system", "run"]
    if not frame.select(key).is_duplicated().any():
        return frame, []
    first = frame.select(pl.struct(key).is_first_distinct()).to_series()
    rows = frame.with_row_index("row").with_columns(pl.col("row").min().over(key).alias("first"))
    doubled = rows.filter(pl.col("row") != pl.col("first"))
    for row in doubled.iter_rows(named=True):
        other = frame.row(row["first"], named=True)
        if row["run"] or (row["question"], row["reference"]) != (other["question"], other["reference"]):
            number, before = line_of(row["row"]), line_of(row["first"])
            raise at_line(
                source,
                "answers",
                number,
                f"id {row['id']!r} is that of line {before} too; an id names one answer, or repeats of it "
                "(with 'run')",
            )
    n = frame.height - int(first.sum())
    numbered = (pl.col("row").cum_count().over(key)).cast(pl.String)
    repeats = rows.with_columns(
        pl.when(pl.len().over(key) > 1).then(numbered).otherwise(pl.col("run")).alias("run")
    )
    return repeats.drop("row", "first"), [f"{n} answers have the id of another one: repeats of it"]


def is_stated(frame: pl.DataFrame) -> np.ndarray:
    """Return which answers of a table say something, (answers,)."""
    return frame.select(pl.col("state") == STATED).to_series().to_numpy()


def answers_of(frame: pl.DataFrame) -> list[Answer]:
    """The rows of a frame as a detector sees them, their number in place of the id, which repeats share."""
    columns = (frame[name].to_list() for name in ("answer", "reference", "question", "written"))
    return [Answer(str(n), *row) for n, row in enumerate(zip(*columns, strict=True))]
