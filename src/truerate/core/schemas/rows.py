"""Rows of tables as dictionaries: one function per table, which knows its columns and what most rows hold.

A row's keys are the table's columns in their order, so that a column that is added has one place besides its
declaration. Values are those of the table (`truerate.core.schemas.tables`), where their meaning stands.
"""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import polars as pl

from truerate.core.schemas.declare import DIGITS, Table
from truerate.core.schemas.tables import NO_ANSWERS, Generation, Judgement, Reject, Sample

NOT_FITTED = "not-fitted"  # the reason of a judgement by a detector that had nothing to learn from
Pairs = Sequence[Mapping[str, str]]  # of a `PAIRS` column, as `pairs` gives them


def pairs(**values: object) -> list[dict[str, str]]:
    """Key–value pairs as the tables hold them: sorted by key, values as text, None left out."""
    return [{"key": key, "value": str(values[key])} for key in sorted(values) if values[key] is not None]


def unpaired(pairs: Pairs | None) -> dict[str, str]:
    """Key–value pairs by their keys; of a null none."""
    return {pair["key"]: pair["value"] for pair in pairs or ()}


# What most rows of a table hold; of a column that is not here each row states its value.
_DEFAULTS: dict[type[Table], dict[str, Any]] = {
    Generation: {"sample_index": 0, "params": "{}", "finish_reason": None, "status": "ok", "reason": None, "prompt_key": "",
                 "n_tokens_in": None, "n_tokens_out": None, "cost_usd": 0.0, "attributes": ()},
    Sample: {"pair_id": None, "generator": None, "pattern": None, "spans": (), "rationale": None, "attributes": ()},
    Judgement: {"status": "ok", "reason": None, "spans": (), "p": None, "rationale": None, "attributes": ()},
    Reject: {"row": None, "target_id": None, "text": ""},
}  # fmt: skip


# By table a row with the defaults in the order of its columns, and the columns without one.
_TEMPLATES = {
    table: ({name: defaults.get(name) for name in table.fields()}, table.fields().keys() - defaults.keys())
    for table, defaults in _DEFAULTS.items()
}


def _row(table: type[Table], values: dict[str, Any]) -> dict[str, Any]:
    """A row of a table from the values of its columns. Raises TypeError for an unknown or missing one."""
    template, required = _TEMPLATES[table]
    row: dict[str, Any] = template | values
    if len(row) > len(template) or not required <= values.keys():
        wrong = sorted((row.keys() - template.keys()) | (required - values.keys()))
        raise TypeError(f"a {table.__name__} row without, or with another column: {', '.join(wrong)}")
    for name in ("spans", "attributes"):
        if name in row:
            row[name] = list(row[name])
    return row


def generation_row(**values: Any) -> dict[str, Any]:
    """One Generation row; by default one that came as published: no request, no tokens, no cost."""
    return _row(Generation, values)


def sample_row(**values: Any) -> dict[str, Any]:
    """One Sample row; by default of a text that stands alone, with no span marked."""
    return _row(Sample, values)


def judgement_row(**values: Any) -> dict[str, Any]:
    """One Judgement row; by default a verdict that was read, without spans or a probability."""
    return _row(Judgement, values)


def reject_row(**values: Any) -> dict[str, Any]:
    """One Reject row; by default of something that no row of a source file holds."""
    return _row(Reject, values)


def score_row(
    metric: str,
    subject: str,
    where: Mapping[str, Any],
    estimate: Sequence[float | None] | float | None,
    n: int,
    *,
    board: str,
    inputs: str,
) -> dict[str, Any]:
    """One Score row from (value, low, high), a value or None: rounded, NaN as null, never −0.0; an interval
    of no width, or with one end, is none.
    """
    three = tuple(estimate) if isinstance(estimate, (tuple, list)) else (estimate, None, None)
    value, low, high = (
        None if number is None or isnan(number) else round(float(number), DIGITS) + 0.0 for number in three
    )
    if low is None or high is None or low == high:
        low = high = None
    columns = {
        "board": board,
        "metric": metric,
        "subject": subject,
        "slice": pairs(**where),
        "method": "estimator",
    }
    return columns | {"value": value, "low": low, "high": high, "n": int(n), "inputs": inputs}


def emptied(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Score rows without what was measured: of a subject that never answered."""
    return [{**row, "value": None, "low": None, "high": None, "n": 0} for row in rows]


def unanswered(rows: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Return which rows (`subject`, `metric`, `value`, `slice`) have no value because their subject never
    answered: a NO_ANSWERS row of it covers their slice and begins their metric's name.
    """
    silent: dict[str, list[tuple[str, frozenset[Any]]]] = {}
    for row in rows:
        if row["metric"].endswith(NO_ANSWERS):
            silent.setdefault(row["subject"], []).append(
                (row["metric"].removesuffix(NO_ANSWERS), frozenset(row["slice"].items()))
            )
    return [
        row["value"] is None
        and any(
            row["metric"].startswith(start) and where <= row["slice"].items()
            for start, where in silent.get(row["subject"], ())
        )
        for row in rows
    ]


def is_cut() -> pl.Expr:
    """Return whether a Generation row is of a reply that ends at its limit of tokens, kept or dead."""
    return (pl.col("finish_reason") == "length").fill_null(False) | (
        (pl.col("status") == "dead") & (pl.col("reason") == "length")
    ).fill_null(False)


def pair(column: str, key: str) -> pl.Expr:
    """The value of one key of a `PAIRS` column, null where it is absent."""
    element = pl.element()
    return (
        pl.col(column)
        .list.eval(element.struct.field("value").filter(element.struct.field("key") == key))
        .list.first()
        .alias(key)
    )
