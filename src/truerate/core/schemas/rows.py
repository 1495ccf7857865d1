"""Rows of tables as literals: pairs, scores, and which rows stand for no answer."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import polars as pl

from truerate.core.schemas.declare import DIGITS
from truerate.core.schemas.tables import NO_ANSWERS


def pairs(**values: object) -> list[dict[str, str]]:
    """Key–value pairs as the tables hold them: sorted by key, values as text, None left out."""
    return [{"key": key, "value": str(values[key])} for key in sorted(values) if values[key] is not None]


def score_row(
    metric: str,
    subject: str,
    where: Mapping[str, Any],
    found: Sequence[float | None] | float | None,
    n: int,
    *,
    board: str,
    inputs: str,
) -> dict[str, Any]:
    """One Score row of ours from (value, low, high), a plain value or None: rounded, NaN as null, never −0.0.

    An interval without width would claim certainty, and one with a single end says nothing: either is none.
    """
    three = tuple(found) if isinstance(found, (tuple, list)) else (found, None, None)
    value, low, high = (
        None if one is None or isnan(one) else round(float(one), DIGITS) + 0.0 for one in three
    )
    if low is None or high is None or low == high:
        low = high = None
    known = {
        "board": board,
        "metric": metric,
        "subject": subject,
        "slice": pairs(**where),
        "method": "estimator",
    }
    return known | {"value": value, "low": low, "high": high, "n": int(n), "inputs": inputs}


def emptied(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Score rows without what was measured: of a subject that never answered."""
    return [{**row, "value": None, "low": None, "high": None, "n": 0} for row in rows]


def unanswered(rows: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Which rows (`subject`, `metric`, `value`, `slice` as a dict) have no value because their subject never
    answered.

    It did not where a NO_ANSWERS row of the subject has a slice that the row's holds, and what that metric's
    name begins with.
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


def pair(column: str, key: str) -> pl.Expr:
    """The value of one key of a `PAIRS` column, null where it is absent."""
    element = pl.element()
    return (
        pl.col(column)
        .list.eval(element.struct.field("value").filter(element.struct.field("key") == key))
        .list.first()
        .alias(key)
    )
