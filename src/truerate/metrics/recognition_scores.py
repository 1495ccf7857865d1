"""Score and Outcome rows of recognition, of any unit that carries a label and a verdict.

A verdict that could not be read counts as wrong in `accuracy`, `recall`, `f1`, `macro_f1` and their `_right`
twins; `accuracy_parsed`, `tpr`, `tnr` and `failure_rate` are over readable verdicts, with `unparsed_rate`
beside them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from truerate.metrics import recognition
from truerate.metrics.judged import is_unanswered
from truerate.metrics.score_writer import Ratio, ScoreWriter

Rows = list[dict[str, Any]]


def recognition_scores(
    subject: str,
    where: Mapping[str, Any],
    rows: pl.DataFrame,
    writer: ScoreWriter,
    more: Sequence[Ratio] = (),
) -> Rows:
    """Every recognition metric of one judge over rows with `group_id`, `is_hallucinated` and `verdict`; `more`
    shares of the same rows stand behind the plain ones.
    """
    clusters, said = rows["group_id"].to_list(), recognition.verdicts(rows)
    shares: list[Ratio] = [(name, where, *of(said)) for name, of in recognition.SHARES.items()]
    halves: list[Ratio] = [(name, where, *of(said)) for name, of in recognition.F1S.items()]
    both = recognition.class_columns(recognition.f1(said), recognition.f1_right(said))

    made = writer.shares(subject, [*shares, *more], clusters)
    made += writer.ratios(subject, halves, clusters)
    return [*made, writer.statistic("macro_f1", subject, where, both, clusters, recognition.macro_f1)]


def pattern_ratios(rows: pl.DataFrame, where: Mapping[str, Any], key: str = "pattern") -> list[Ratio]:
    """TPR and failure rate of the hallucinated texts of each value of a column (HELMA Table 7)."""
    said, made = recognition.verdicts(rows), list[Ratio]()
    for pattern in sorted(rows.filter("is_hallucinated")[key].drop_nulls().unique()):
        inside = is_true(rows[key] == pattern)
        for name, of in recognition.OF_PATTERN.items():
            tops, bottoms = of(said)
            made.append((name, {**where, key: pattern}, tops * inside, bottoms * inside))
    return made


def is_right(rows: pl.DataFrame) -> np.ndarray:
    """Which verdicts agree with the label, (rows,), of several runs the share; one that could not be read does
    not.
    """
    return recognition.verdicts(rows).is_right


def is_true(column: pl.Series) -> np.ndarray:
    """A column of yes and no as (rows,) of bool; null is no."""
    return column.fill_null(False).to_numpy().astype(bool)


def settled(
    subject: str,
    where: Mapping[str, Any],
    rows: pl.DataFrame,
    scores: Rows,
    outcomes: pl.DataFrame,
    writer: ScoreWriter,
) -> tuple[Rows, pl.DataFrame]:
    """The Score and Outcome rows of a judge as they stand; where every reply of it is a dead letter nothing
    was answered: they are empty, and `no_answers` counts the letters.
    """
    if not is_unanswered(rows):
        return scores, outcomes
    silent = outcomes.with_columns(value=pl.lit(None, dtype=pl.Float64))
    return writer.no_answers(subject, where, scores, rows.height), silent
