"""Which answers have in common what they were asked about, and so are no independent draws."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from truerate.metrics.estimators.label_groups import are_by_group
from truerate.metrics.estimators.sample import verdicts


@dataclass(frozen=True)
class Grouping:
    """The number of the group of each answer, (answers,), by `by` (None: each answer is one of its own), and
    how many groups there are.
    """

    clusters: np.ndarray
    by: str | None
    n: int


def grouping_of(frame: pl.DataFrame, *, has_repeats: bool = True) -> Grouping:
    """The groups of answers: by `group` where the file has it, else by question, else by a reference that
    several have in common (one that all have tells nothing), else by an id that repeats share (`has_repeats`);
    answers without any of it are groups of their own.

    Where labels were given to all answers about one reference or to none (`are_by_group`), references are the
    groups, however many questions were asked about each: it is they that were drawn to be labelled.
    """
    if frame.select((pl.col("group") != "").any()).item():
        return _by("group", frame) or _alone(frame)
    by_reference, by_question = _by("reference", frame), _by("question", frame)
    if by_reference is None or by_reference.n == 1:
        return by_question or (_by("id", frame) if has_repeats else None) or _alone(frame)
    label = np.where(frame["label"].is_not_null().to_numpy(), 0.0, np.nan)
    if by_question is None or are_by_group(verdicts(np.zeros(frame.height), label, by_reference.clusters)):
        return by_reference
    return by_question


def _by(what: str, frame: pl.DataFrame) -> Grouping | None:
    """The groups by a column, each with the number of its first row; None where no two answers have a value in common."""
    n, is_given = frame.select(pl.col(what).hash().n_unique(), (pl.col(what) != "").any().alias("given")).row(
        0
    )
    if n == frame.height or not is_given:
        return None
    row = pl.col("row").cast(pl.Int64)
    first = pl.when(pl.col(what) == "").then(row).otherwise(row.min().over(what))
    clusters = frame.select(what).with_row_index("row").select(first).to_series()
    n = clusters.n_unique()
    return Grouping(clusters.to_numpy(), what, n) if n < frame.height else None


def _alone(frame: pl.DataFrame) -> Grouping:
    return Grouping(np.arange(frame.height, dtype=np.int32), None, frame.height)
