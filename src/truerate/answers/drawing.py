"""`truerate label draw`: which answers to have labelled, and the sheets that go out to be filled in."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from truerate.annotation.labelling import read_labelling
from truerate.annotation.page import labelling_page
from truerate.annotation.tasks import annotators
from truerate.core.errors import SettingsError, listed
from truerate.metrics.estimators.designs import (
    Design,
    bands,
    drawn,
    remaining,
    stratified,
    uncertain,
    uniform,
)
from truerate.sources.answers.fields import SLICE, VERDICT, given_fields
from truerate.sources.answers.forms import Source
from truerate.sources.answers.labels import with_labels
from truerate.sources.answers.opening import named_after
from truerate.sources.answers.reading import STATED, verdict_of
from truerate.sources.answers.table import REFUSED, AnswerTable, read_table

DESIGNS = ("uniform", "stratified", "uncertain")
LABELLING = Path(__file__).with_name("labelling.yaml")
SHOWN = ("question", "reference", "answer")
COLUMNS = ("id", "annotator", "probability", "weight", *SHOWN, "is_hallucinated", "comment")
NO_SPANS = "earlier labels are yes or no in the new sheet; their spans are left out"
LABELS_OF_CROSSED = (
    20  # labels for each value of a field in each band of a score: with fewer fields alone are strata
)
YES_NO = {True: "yes", False: "no"}
FORMULA = tuple("=+-@\t\r")  # how a cell begins that a spreadsheet would compute


@dataclass(frozen=True)
class Plan:
    """What to draw: `n` answers, the fields `by` whose values are strata, the column that holds a `score`,
    the `design` (None: by what is given), how many of the answers all `n_annotators` label, and the seed.
    """

    n: int
    by: Sequence[str] = ()
    score: str | None = None
    design: str | None = None
    n_shared: int = 0
    n_annotators: int = 1
    seed: int = 0


@dataclass(frozen=True)
class Drawn:
    """`rows`: of the drawn answers id, question, reference, answer, probability and weight (1 over it), in
    an order that tells nothing; `givens`: by annotator which of these rows are theirs; `earlier`: the same of
    answers that were labelled before, with `is_hallucinated`; `notes`: a line each.
    """

    rows: pl.DataFrame
    givens: Mapping[str, Sequence[int]]
    earlier: pl.DataFrame
    notes: Sequence[str]


def draw_labels(
    answers: Source,
    n: int,
    *,
    by: Sequence[str] = (),
    score: str | None = None,
    design: str | None = None,
    n_shared: int = 0,
    n_annotators: int = 1,
    seed: int = 0,
    labels: Source | None = None,
    fields: Iterable[str] = (),
) -> Drawn:
    """Draw `n` answers of a source (`read_table`) to be labelled, with each one's probability to be drawn; all
    else as in `Plan`. `labels`: of an earlier draw, beside which `n` more are drawn, most where those say that
    they tell most; its strata must be ones of this draw too. Raises TruerateError, one line, for a source, a plan
    or earlier labels that do not fit.
    """
    plan = Plan(n, by, score, design, n_shared, n_annotators, seed)
    table = read_table(answers, fields=given_fields(fields), slices=[*by, *([score] if score else [])])
    if labels is None:
        sheets = draw_rows(frame_of(table), plan)
    else:
        labelled = with_labels(table, labels)
        is_stated = (table.frame["state"] == STATED).to_numpy()
        sheets = draw_rows(frame_of(table), plan, earlier=labelled.frame.filter(is_stated))
        if labelled.frame["spans"].null_count() < labelled.frame.height:
            sheets = replace(sheets, notes=[*sheets.notes, NO_SPANS])
    return replace(sheets, notes=[*table.notes, *sheets.notes])


def draw_rows(frame: pl.DataFrame, plan: Plan, *, earlier: pl.DataFrame | None = None) -> Drawn:
    """Draw answers to be labelled from a frame with id, question, reference, answer, system and the columns
    of `plan`; `earlier`: the same rows with the label and the weight of an earlier draw, null without. Raises
    SettingsError for a plan that does not fit.
    """
    _check(frame, plan)
    score, notes = _score(frame, plan)
    name = plan.design or ("stratified" if plan.by or score is not None else "uniform")
    label = np.full(frame.height, np.nan)
    if earlier is not None:
        label = earlier["label"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    is_labelled = ~np.isnan(label)
    design = _design(frame, plan, name, score, label)
    if earlier is not None:
        _check_earlier(earlier["weight"].to_numpy()[is_labelled], design.stratum[is_labelled])
    rng = np.random.default_rng(plan.seed)
    taken = rng.permutation(drawn(remaining(design, is_labelled) if is_labelled.any() else design, rng))
    rows = frame.select("id", *SHOWN).with_columns(
        probability=pl.Series(design.probability), weight=pl.Series(1 / design.probability)
    )
    before = rows.with_columns(is_hallucinated=pl.Series(label == 1)).filter(is_labelled)
    n_strata, n_left = len(np.unique(design.stratum)), frame.height - before.height
    strata = f" over {n_strata} strata" if n_strata > 1 else ""
    more = f" beside {before.height} labelled ones" if before.height else ""
    notes = [f"drawn: {len(taken)} of {n_left} answers{more}, {name}{strata}, seed {plan.seed}", *notes]
    if len(taken) != min(plan.n, n_left):
        notes.append(f"{len(taken)} in place of {plan.n}: each of the {n_strata} strata has two at least")
    systems = frame["system"].unique(maintain_order=True).to_list() if "system" in frame.columns else []
    ids = rows["id"].str.to_lowercase().to_list()
    if len(systems) > 1 and any(system and system.lower() in row for system in systems for row in ids):
        notes.append(
            "ids hold the names of systems: the page does not show them, the CSV and Label Studio do"
        )
    return Drawn(rows[taken.tolist()], _given(len(taken), plan), before, notes)


def _check_earlier(weight: np.ndarray, stratum: np.ndarray) -> None:
    """Raise SettingsError unless earlier labels were drawn alike within the strata."""
    if not len(weight):
        raise SettingsError("--labels: none of them is of an answer that says something")
    for index in np.unique(stratum):
        inside = weight[stratum == index].astype(float)
        if not (np.isnan(inside).all() or np.allclose(inside, inside[0])):
            raise SettingsError(
                "--labels: answers of one stratum had unlike chances to be drawn; name the --by and --score "
                "of the earlier draw"
            )


def _check(frame: pl.DataFrame, plan: Plan) -> None:
    for column in (*plan.by, *([plan.score] if plan.score else [])):
        if column not in frame.columns:
            fields = [field for field in frame.columns if field not in ("id", *SHOWN)]
            raise SettingsError(f"no answer has the field {column!r}; the fields are {listed(fields)}")
    if plan.design not in (None, *DESIGNS):
        raise SettingsError(f"--design {plan.design!r} is not known; allowed: {listed(DESIGNS)}")
    if plan.design == "uncertain" and not plan.score:
        raise SettingsError("--design uncertain: name the field with the chance of a hallucination, --score")
    if plan.design == "stratified" and not (plan.by or plan.score):
        raise SettingsError("--design stratified: name the fields of the strata, --by, or a --score")
    if plan.design == "uncertain" and plan.by:
        raise SettingsError("--design uncertain takes no --by: its chances follow the score alone")
    if plan.n < 1 or plan.n_annotators < 1 or not 0 <= plan.n_shared <= plan.n:
        raise SettingsError("--n and --annotators are 1 or more, --shared is 0 to --n")
    if not frame.height:
        raise SettingsError("no answer says anything: there is nothing to label")


def _score(frame: pl.DataFrame, plan: Plan) -> tuple[np.ndarray | None, list[str]]:
    """The score of each answer in [0, 1], (n,), and a line on what was done to it; words of a verdict are 0 or 1."""
    if plan.score is None:
        return None, []
    by_value = {value: _number_of(value) for value in set(frame[plan.score].unique())}
    values = np.array([by_value[value] for value in frame[plan.score]], dtype=float)
    others = values[np.isfinite(values) & (values != REFUSED)]
    if (others >= 0).all():  # beside such a score −1 is a judge that refused
        values = np.where(values == REFUSED, np.nan, values)
    is_missing = ~np.isfinite(values)
    if is_missing.all():
        raise SettingsError(f"--score {plan.score}: none of its values is a number or a verdict")
    notes = []
    if is_missing.any():
        values = np.where(is_missing, values[~is_missing].mean(), values)
        notes.append(f"score {plan.score}: {is_missing.sum()} have none, their mean is taken")
    low, high = values.min(), values.max()
    if low < 0 or high > 1:
        values = (values - low) / (high - low)
        notes.append(f"score {plan.score}: its values {low:g} to {high:g} are taken as 0 to 1")
    return values, notes


def _number_of(value: object) -> float:
    try:
        number = verdict_of(value)
    except ValueError:
        number = None
    return np.nan if number is None else number


def _design(
    frame: pl.DataFrame, plan: Plan, name: str, score: np.ndarray | None, label: np.ndarray
) -> Design:
    n_labelled = int((~np.isnan(label)).sum())
    if name == "uncertain" and score is not None:
        if n_labelled:
            raise SettingsError("--design uncertain takes no --labels: it has no strata to be filled up")
        return uncertain(score, plan.n)
    if n_labelled == frame.height:
        raise SettingsError("--labels: all answers are labelled; there is nothing to draw")
    if name == "uniform":
        return uniform(frame.height, plan.n + n_labelled)
    stratum = bands(score if score is not None else np.zeros(frame.height))
    if plan.by:
        value = frame.select(pl.struct(plan.by).rank("dense")).to_series().to_numpy()
        crossed = value * (int(stratum.max()) + 1) + stratum
        has_enough = plan.n + n_labelled >= LABELS_OF_CROSSED * len(np.unique(crossed))
        stratum = crossed if has_enough else value
    return stratified(stratum, plan.n + n_labelled, score, label=label if n_labelled else None)


def _given(n: int, plan: Plan) -> dict[str, list[int]]:
    """Which of n rows each annotator is given: the first ones all are, the others in turns."""
    if plan.n_annotators == 1:
        return {"": list(range(n))}
    shared = min(plan.n_shared, n)
    return {
        name: [*range(shared), *range(shared + number, n, plan.n_annotators)]
        for number, name in enumerate(annotators(plan.n_annotators))
    }


# ---- sheets ------------------------------------------------------------------------------------------------
def write_sheets(sheets: Drawn, prefix: str, *, name: str) -> list[Path]:
    """Write the draw as a CSV sheet, tasks of Label Studio and a labelling page for each annotator to files
    that begin with `prefix`, and return them. Earlier labels stand in the first two, and for the page's export in
    a file of their own. A file that holds the same is left; raises SettingsError, before any is written, where one
    holds something else.
    """
    rows, earlier = sheets.rows.to_dicts(), sheets.earlier.to_dicts()
    contents = {
        f"{prefix}.csv": as_csv(rows, sheets.givens, earlier),
        f"{prefix}-label-studio.json": as_tasks(rows, earlier),
    }
    if earlier:
        labels = sheets.earlier.select("id", "weight", "is_hallucinated")
        contents[f"{prefix}-earlier.jsonl"] = labels.write_ndjson()
    for annotator, given in sheets.givens.items():
        tasks = [_task(rows[index]) for index in given]
        title = f"{name}-{annotator}" if annotator else name
        page = labelling_page(tasks, read_labelling(LABELLING), name=title, annotator=annotator or None)
        contents[f"{prefix}-{annotator}.html" if annotator else f"{prefix}.html"] = page
    files = {Path(path): text.encode() for path, text in contents.items()}
    for file, content in files.items():
        if file.exists() and file.read_bytes() != content:
            raise SettingsError(
                f"{str(file)!r} is there already, with another draw or labels; name another --to"
            )
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return list(files)


def as_csv(
    rows: Sequence[Mapping[str, Any]],
    givens: Mapping[str, Sequence[int]],
    earlier: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return the sheet as CSV, labels blank but those of `earlier` rows; a text that a spreadsheet would compute
    has a ' before it.
    """
    text = io.StringIO()
    sheet = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    sheet.writeheader()
    given_rows = [(name, rows[index]) for name, given in givens.items() for index in given]
    for annotator, row in [*given_rows, *(("", row) for row in earlier)]:
        shown = {field: f"'{row[field]}" if row[field].startswith(FORMULA) else row[field] for field in SHOWN}
        label = YES_NO[row["is_hallucinated"]] if "is_hallucinated" in row else ""
        sheet.writerow({**row, **shown, "annotator": annotator, "is_hallucinated": label, "comment": ""})
    return text.getvalue()


def as_tasks(rows: Sequence[Mapping[str, Any]], earlier: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return the draw as tasks of Label Studio; those of `earlier` rows bring their label."""
    tasks: list[dict[str, Any]] = [{"data": _task(row)} for row in rows]
    for row in earlier:
        value = {"choices": [YES_NO[row["is_hallucinated"]]]}
        result = {"from_name": "is_hallucinated", "to_name": "answer", "type": "choices", "value": value}
        tasks.append({"data": _task(row), "annotations": [{"result": [result]}]})
    return json.dumps(tasks, ensure_ascii=False, indent=1)


def _task(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"task_id": row["id"], "weight": row["weight"], **{field: row[field] for field in SHOWN}}


def prefix_of(answers: str) -> str:
    """The beginning of the sheets' names where none is given: beside the answers, named after them."""
    return str(named_after(answers, "-labels"))


def frame_of(table: AnswerTable) -> pl.DataFrame:
    """The answers that say something as a frame: id, question, reference, answer, system, lang, slices, and the judges
    that an export brings.
    """
    stated = table.frame.filter(pl.col("state") == STATED)
    names = ("system", "lang", "id", "question", "reference", "answer")
    return stated.select(
        *names,
        *(pl.col(SLICE + name).alias(name) for name in table.slices if name not in names),
        *(
            pl.col(VERDICT + name).alias(name)
            for name in table.verdicts
            if name not in (*names, *table.slices)
        ),
    )


_UNSAFE = re.compile(r"[^\w.-]+")


def title_of(answers: str) -> str:
    """The name that a page and its export have: that of the file of answers."""
    return _UNSAFE.sub("_", named_after(answers, "").name)
