"""The account of each step that asks a model: every reply has exactly one outcome.

What was asked again stands in rows of its own (`attempt` 2): the first replies keep their outcome.
"""

from typing import Any

import polars as pl

from truerate.core.schemas import Count, frame, pair, pairs

_SLICED = ("task", "lang", "scheme", "variant", "stage", "attempt")


def counts(generations: pl.DataFrame) -> pl.DataFrame:
    """Count rows per step (the purpose), model, task, language, scheme, variant, stage and attempt, from
    Generation rows.
    """
    if generations.is_empty():
        return frame(Count)
    known = generations.select(
        "purpose", "model", "status", *(pair("attributes", key) for key in (*_SLICED, "thought"))
    )
    grouped = known.group_by("purpose", "model", *_SLICED).agg(
        pl.len().alias("n_in"),
        *(
            (pl.col("status") == status).sum().alias(f"n_{status}")
            for status in ("ok", "dead", "abstained", "unparsed")
        ),
        pl.col("thought").is_not_null().sum().alias("n_thought"),
    )
    rows = [_row(row) for row in grouped.sort("purpose", "model", *_SLICED).iter_rows(named=True)]
    return frame(Count, rows)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    sizes = {name: row[name] for name in ("n_in", "n_ok", "n_dead", "n_abstained", "n_unparsed", "n_thought")}
    return {
        "step": row["purpose"],
        "model": row["model"],
        "slice": pairs(**{key: row[key] for key in _SLICED}),
        **sizes,
    }
