"""The rules of counting that the rows of a committed board leave open, and its rates under each combination of them:
who labelled or judged, which version of the labels, how a label is read that says neither, what a unit without a value
counts as, and what counts the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict

from truerate.core.aggregates import average
from truerate.core.data_files import RECORD, read_data
from truerate.results.board import JUDGE, RealBoard
from truerate.results.ranges.multiverse import Combination, Multiverse, trimmed
from truerate.site.measures import Measure

BY, VERSION, WEIGHT, ABSTENTIONS = "Judge", "Labels", "Weights", "Abstentions"  # names of rules
ANNOTATORS = "Annotators"
LABELLED = Measure(
    "labelled_rate", "Hallucinated", "share of a system's texts that annotators label as hallucinated", "rates", "share", "down",
)  # fmt: skip
STANDARD = "the board’s own"
OUT, OUT_FOR_ALL = "left out", "left out for all models"
AS = {
    "down": {"counted as not hallucinated": 0.0, "counted as hallucinated": 1.0},
    "up": {"counted as wrong": 0.0, "counted as right": 1.0},
}
PARTLY = {"not counted": 0.0, "counted as half": 0.5, "counted": 1.0}
RULE = "rule"  # the slice key of another version of the labels
PARTS = ("task", "corpus")  # keys of slices that are parts of a set
SAME = 2e-6  # values of rows have six digits
UNIT = ["subject", "unit_id"]
Reading = tuple[Combination, np.ndarray, np.ndarray | None]  # choices; value per unit, NaN without; its parts


class LabelRule(BaseModel):
    """A label that each of several choices reads as another number; None leaves it out."""

    model_config = ConfigDict(**RECORD)
    label: str
    choices: dict[str, float | None]


class Question(BaseModel):
    """What each label of a question gives by the board's rule, what a part of a unit and a unit without
    one are called, and the rules that read a label otherwise.
    """

    model_config = ConfigDict(**RECORD)
    gives: dict[str, float]
    part: str = ""
    silent: str = ABSTENTIONS
    rules: dict[str, LabelRule]


class Partial(BaseModel):
    """The rule of a partial verdict, and the metric of published figures that counts it fully."""

    model_config = ConfigDict(**RECORD)
    rule: str
    widely: str


class Rules(BaseModel):
    """What rules.yaml holds."""

    model_config = ConfigDict(**RECORD)
    labels: dict[str, Question]
    partial: dict[str, Partial]
    asked: dict[str, int]
    votes: dict[str, str]


RULES = read_data(Path(__file__).with_name("rules.yaml"), Rules.model_validate)


def multiverse_of(board: RealBoard, labels: pl.DataFrame | None = None) -> Multiverse | None:
    """The rates of a board's models under every combination of the rules that its rows and `labels`, or its published
    figures, leave open. Of a board without models those of the systems whose texts several annotators labelled. None
    where no rule changes a rate, there is neither, or what leads is no share.
    """
    if not board.has_models:
        return None if labels is None else _of_annotators(labels)
    if board.headline.unit != "share":
        return None
    rated = _of_rows(board, labels) if board.table is None else _of_table(board, board.table)
    combinations, rates = zip(*rated, strict=True)
    subjects = tuple(model.subject for model in board.models)
    return trimmed(Multiverse(subjects, combinations, np.array(rates), board.headline.is_lower_better))


def _of_annotators(labels: pl.DataFrame) -> Multiverse | None:
    """The share of each system's texts that count as hallucinated, by how many of a text's annotators must say so."""
    yes = pl.concat_str("question", pl.lit("="), "label").is_in(
        [f"{name}={label}" for name, label in RULES.votes.items()]
    )
    votes = labels.filter(pl.col("question").is_in(list(RULES.votes)), part="").drop_nulls("label")
    texts = votes.group_by(UNIT, maintain_order=True).agg(share=average(yes.cast(pl.Float64)), n=pl.len())
    if texts.is_empty() or texts["n"].max() == 1:
        return None
    share, subject = texts["share"].to_numpy(), texts["subject"].rank("dense").to_numpy() - 1
    systems = texts["subject"].unique().sort()
    readings = {
        "most must say so": share > 0.5,
        "any must say so": share > 0,
        "all must say so": share == 1,
        "split texts left out": np.where(share % 1, np.nan, share),
    }
    rates = np.array([_means(1.0 * values, None, subject, len(systems)) for values in readings.values()])
    order = np.argsort(rates[0], kind="stable")
    combinations = tuple({ANNOTATORS: choice} for choice in readings)
    return trimmed(Multiverse(tuple(systems[order]), combinations, rates[:, order], True, LABELLED))


def _of_table(board: RealBoard, table: pl.DataFrame) -> Iterator[tuple[Combination, np.ndarray]]:
    """Yield the rates of published figures: a partial verdict counted not, half and fully, and units of which a model
    has no verdict left out and counted.
    """
    lead, names = board.headline, pl.DataFrame({"subject": [model.subject for model in board.models]})
    whole = names.join(table.filter(slice=""), on="subject", how="left", maintain_order="left")
    counts, n = whole[lead.name].to_numpy(), whole["n"].to_numpy()
    partly: list[tuple[Combination, np.ndarray]] = [({}, counts)]
    if (rule := RULES.partial.get(lead.name)) and rule.widely in table.columns:
        gap = whole[rule.widely].to_numpy() - counts
        partly = [({rule.rule: choice}, counts + share * gap) for choice, share in PARTLY.items()]
    n_silent = RULES.asked.get(board.name, n) - n
    for choices, hits in partly:
        yield choices | {ABSTENTIONS: OUT}, hits / n
        for choice, value in AS[_way(board)].items():
            yield choices | {ABSTENTIONS: choice}, (hits + value * n_silent) / (n + n_silent)


def _of_rows(board: RealBoard, labels: pl.DataFrame | None) -> Iterator[tuple[Combination, np.ndarray]]:
    """Yield the rates of rows: of each reading of their values, with units that have none, and with each weight."""
    units = Units.of(board)
    cells = {key: cell for key in PARTS if (cell := units.cells(board, key)) is not None}
    question, readings = _labelled(board, units, labels)
    part, silent = (question.part, question.silent) if question else ("", ABSTENTIONS)
    for choices, values, n_parts in [*readings, *_judged(board, units)]:
        for silence, filled in _silent(board, units, values, silent):
            every = choices | silence
            yield every | {WEIGHT: f"each {board.card['unit']} counts the same"}, units.rates(filled)
            # a unit without parts has none that could be counted
            if n_parts is not None and not AS[_way(board)].keys() & silence.values():
                yield every | {WEIGHT: f"each {part} counts the same"}, units.rates(filled, n_parts)
            for key, cell in cells.items():
                yield every | {WEIGHT: f"each {key} counts the same"}, units.rates_of_cells(filled, cell)


@dataclass(frozen=True)
class Units:
    """The units of a board's headline: `table` has a line for each model and unit, `value` is NaN where the board
    leaves one out, `subject` is the place of its model among `n_models`.
    """

    table: pl.DataFrame
    subject: np.ndarray
    value: np.ndarray
    n_models: int

    @classmethod
    def of(cls, board: RealBoard) -> "Units":
        """The units of a board's models over everything."""
        places = {model.subject: index for index, model in enumerate(board.models)}
        whole = board.rows.filter(pl.col("subject").is_in(list(places)), metric=board.headline.name, slice="")
        subject = whole["subject"].replace_strict(places, return_dtype=pl.Int64).to_numpy()
        return cls(whole.select(UNIT), subject, _floats(whole["value"]), len(places))

    def column(self, values: pl.DataFrame, name: str = "value") -> np.ndarray:
        """A column of another table on these units, NaN where it has none."""
        return _floats(self.table.join(values, on=UNIT, how="left", maintain_order="left")[name])

    def cells(self, board: RealBoard, key: str) -> np.ndarray | None:
        """The place of the slice of each unit among those of a key; None where they do not hold every unit once."""
        slices = [f"{key}={value}" for value in board.slice_keys.get(key, ())]
        rows = board.rows.filter(pl.col("slice").is_in(slices), metric=board.headline.name)
        rows = rows.select(
            *UNIT, cell=pl.col("slice").replace_strict(slices, range(len(slices)), return_dtype=pl.Int64)
        )
        if rows.is_empty() or rows.select(UNIT).is_duplicated().any():
            return None
        if np.isnan(cell := self.column(rows, "cell")).any():
            return None
        return cell.astype(int)

    def silent_for_some(self) -> np.ndarray:
        """Return whether some model has no value on a unit, by line."""
        silent = self.table.select("unit_id", is_silent=pl.Series(np.isnan(self.value)))
        return silent.select(pl.col("is_silent").any().over("unit_id")).to_series().to_numpy()

    def rates(self, values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """The weighted mean of each model's values, shape (models,); NaN of none."""
        return _means(values, weights, self.subject, self.n_models)

    def rates_of_cells(self, values: np.ndarray, cell: np.ndarray) -> np.ndarray:
        """The plain mean of each model's means over its cells, shape (models,): a cell without a value does not count."""
        n_cells = int(cell.max()) + 1
        means = _means(values, None, self.subject * n_cells + cell, self.n_models * n_cells)
        index = np.repeat(np.arange(self.n_models), n_cells)
        return _means(means, None, index, self.n_models)


def _way(board: RealBoard) -> str:
    return "down" if board.headline.is_lower_better else "up"


def _floats(values: pl.Series) -> np.ndarray:
    return values.cast(pl.Float64).fill_null(np.nan).to_numpy()


def _means(values: np.ndarray, weights: np.ndarray | None, index: np.ndarray, n_places: int) -> np.ndarray:
    """The weighted mean of the values of each index, shape (n_places,); NaN where no value has a weight."""
    weighs = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    sums = np.bincount(index, weighs * np.nan_to_num(values), n_places)
    whole = np.bincount(index, weighs, n_places)
    return np.divide(sums, whole, out=np.full(n_places, np.nan), where=whole > 0)


def _silent(
    board: RealBoard, units: Units, values: np.ndarray, rule: str
) -> Iterator[tuple[Combination, np.ndarray]]:
    """Yield a reading with the units that have no value by the board's rule left out, left out for all models, and counted."""
    is_silent = np.isnan(units.value)
    yield {rule: OUT}, values
    if not is_silent.any():
        return
    yield {rule: OUT_FOR_ALL}, np.where(units.silent_for_some(), np.nan, values)
    for choice, value in AS[_way(board)].items():
        yield {rule: choice}, np.where(is_silent, value, values)


def _judged(board: RealBoard, units: Units) -> Iterator[Reading]:
    """Yield the verdicts of each further judge of the same replies, and other versions of the labels."""
    for judge in board.judges():
        rows = board.rows.filter(slice=f"{JUDGE}={judge}")
        yield {BY: board.value_in_words(JUDGE, judge)}, units.column(rows), None


def _labelled(
    board: RealBoard, units: Units, labels: pl.DataFrame | None
) -> tuple[Question | None, list[Reading]]:
    """The question of rules.yaml that the labels answer, and the values by each reading of its labels, the board's
    first; without such a question the versions of the labels that the rows hold.
    """
    by = {BY: board.lead}
    for name, question in RULES.labels.items() if labels is not None else ():
        asked = labels.filter(question=name).drop_nulls("label")
        if asked.is_empty() or not set(asked["label"]) <= set(question.gives):
            continue
        readings = [
            (by | choices, *_read(units, asked, question.gives | gives))
            for choices, gives in _choices(question)
        ]
        if np.allclose(readings[0][1], units.value, rtol=0, atol=SAME, equal_nan=True):
            # rows hold six digits, as their scores do
            values = [units.value, *(values for _, values, _ in readings[1:])]
            return question, [
                (choices, value, n_parts if question.part else None)
                for (choices, _, n_parts), value in zip(readings, values, strict=True)
            ]
    versions = {STANDARD: ""} | {
        board.value_in_words(RULE, value): f"{RULE}={value}" for value in board.slice_keys.get(RULE, ())
    }
    rows = board.rows.filter(metric=board.headline.name)
    return None, [
        (by | {VERSION: name}, units.column(rows.filter(slice=where)), None)
        for name, where in versions.items()
    ]


def _choices(question: Question) -> Iterator[tuple[Combination, dict[str, float | None]]]:
    """Yield each combination of the choices of a question's rules, and what its labels give by it."""
    rules = question.rules
    for picked in product(*(rule.choices.items() for rule in rules.values())):
        choices = {name: choice for name, (choice, _) in zip(rules, picked, strict=True)}
        yield choices, {rule.label: gives for rule, (_, gives) in zip(rules.values(), picked, strict=True)}


def _read(
    units: Units, asked: pl.DataFrame, gives: Mapping[str, float | None]
) -> tuple[np.ndarray, np.ndarray]:
    """The value of each unit by what its labels give, and how many of them count."""
    read = asked.with_columns(gives=pl.col("label").replace_strict(gives, return_dtype=pl.Float64))
    of_units = read.group_by(UNIT, maintain_order=True).agg(
        value=average(pl.col("gives")), n=pl.col("gives").count()
    )
    return units.column(of_units), np.nan_to_num(units.column(of_units, "n"))
