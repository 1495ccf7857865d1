"""Rows of tables as dictionaries: one function per table, which knows its columns and what most rows hold.

A row's keys are the table's columns in their order, so that a column that is added has one place besides its
declaration. Values are those of the table (`truerate.core.schemas.tables`), where their meaning stands.
"""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import polars as pl

from truerate.core.schemas.declare import DIGITS
from truerate.core.schemas.tables import NO_ANSWERS

NOT_FITTED = "not-fitted"  # the reason of a judgement by a detector that had nothing to learn from
Pairs = Sequence[Mapping[str, str]]  # of a `PAIRS` column, as `pairs` gives them
Spans = Sequence[Mapping[str, object]]  # of a `SPANS` column: start, end, type, p


def pairs(**values: object) -> list[dict[str, str]]:
    """Key–value pairs as the tables hold them: sorted by key, values as text, None left out."""
    return [{"key": key, "value": str(values[key])} for key in sorted(values) if values[key] is not None]


def unpaired(pairs: Pairs | None) -> dict[str, str]:
    """Key–value pairs by their keys; of a null none."""
    return {pair["key"]: pair["value"] for pair in pairs or ()}


def generation_row(
    *,
    generation_id: str,
    item_id: str,
    purpose: str,
    model: str,
    sample_index: int = 0,
    params: str = "{}",
    text: str,
    finish_reason: str | None = None,
    status: str = "ok",
    reason: str | None = None,
    prompt_key: str = "",
    n_tokens_in: int | None = None,
    n_tokens_out: int | None = None,
    cost_usd: float = 0.0,
    attributes: Pairs = (),
) -> dict[str, Any]:
    """One Generation row; by default one that came as published: no request, no tokens, no cost."""
    return {
        "generation_id": generation_id,
        "item_id": item_id,
        "purpose": purpose,
        "model": model,
        "sample_index": sample_index,
        "params": params,
        "text": text,
        "finish_reason": finish_reason,
        "status": status,
        "reason": reason,
        "prompt_key": prompt_key,
        "n_tokens_in": n_tokens_in,
        "n_tokens_out": n_tokens_out,
        "cost_usd": cost_usd,
        "attributes": list(attributes),
    }


def sample_row(
    *,
    sample_id: str,
    item_id: str,
    pair_id: str | None = None,
    group_id: str,
    task: str,
    lang: str,
    text: str,
    is_hallucinated: bool,
    label_source: str,
    generator: str | None = None,
    pattern: str | None = None,
    spans: Spans = (),
    rationale: str | None = None,
    split: str,
    attributes: Pairs = (),
) -> dict[str, Any]:
    """One Sample row; by default of a text that stands alone, with no span marked."""
    return {
        "sample_id": sample_id,
        "item_id": item_id,
        "pair_id": pair_id,
        "group_id": group_id,
        "task": task,
        "lang": lang,
        "text": text,
        "is_hallucinated": is_hallucinated,
        "label_source": label_source,
        "generator": generator,
        "pattern": pattern,
        "spans": list(spans),
        "rationale": rationale,
        "split": split,
        "attributes": list(attributes),
    }


def judgement_row(
    *,
    judgement_id: str,
    judge: str,
    judge_version: str,
    target_id: str,
    verdict: bool | None,
    status: str = "ok",
    reason: str | None = None,
    spans: Spans = (),
    p: float | None = None,
    rationale: str | None = None,
    attributes: Pairs = (),
) -> dict[str, Any]:
    """One Judgement row; by default a verdict that was read, without spans or a probability."""
    return {
        "judgement_id": judgement_id,
        "judge": judge,
        "judge_version": judge_version,
        "target_id": target_id,
        "verdict": verdict,
        "status": status,
        "reason": reason,
        "spans": list(spans),
        "p": p,
        "rationale": rationale,
        "attributes": list(attributes),
    }


def reject_row(
    *,
    where: str,
    row: int | None = None,
    target_id: str | None = None,
    reason: str,
    detail: str,
    text: str = "",
) -> dict[str, Any]:
    """One Reject row; by default of something that no row of a source file holds."""
    return {
        "where": where,
        "row": row,
        "target_id": target_id,
        "reason": reason,
        "detail": detail,
        "text": text,
    }


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
    """One Score row from (value, low, high), a value or None: rounded, NaN as null, never −0.0; an interval of
    no width, or with one end, is none.
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
    """Which rows (`subject`, `metric`, `value`, `slice`) have no value because their subject never answered: a
    NO_ANSWERS row of it covers their slice and begins their metric's name.
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
    """Whether a Generation row is of a reply that ends at its limit of tokens, kept or dead."""
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
