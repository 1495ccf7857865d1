"""The account of each step that asks a model: every reply has exactly one outcome.

What was asked again stands in rows of its own (`attempt` 2): the first replies keep their outcome.
"""

from collections.abc import Sequence
from typing import Any

import polars as pl

from truerate.core.schemas import Count, frame, pair, pairs

_SLICED = ("task", "lang", "scheme", "variant", "stage", "attempt")
_BY = ("purpose", "model", *_SLICED)


def counts(generations: pl.DataFrame) -> pl.DataFrame:
    """Count Generation rows per step, model, task, language, scheme, variant, stage and attempt."""
    return counted([tallied(generations)])


def tallied(generations: pl.DataFrame) -> pl.DataFrame:
    """Return how many of some Generation rows there are of each outcome, for `counted`."""
    outcomes = generations.select(
        "purpose", "model", "status", *(pair("attributes", key) for key in (*_SLICED, "thought"))
    )
    return outcomes.group_by(_BY, maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("n_in"),
        *(
            (pl.col("status") == status).sum().cast(pl.Int64).alias(f"n_{status}")
            for status in ("ok", "dead", "abstained", "unparsed")
        ),
        pl.col("thought").is_not_null().sum().cast(pl.Int64).alias("n_thought"),
    )


def counted(tallies: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Count rows from the tallies of all slices of a board's Generation rows."""
    summed = pl.concat(tallies).group_by(_BY, maintain_order=True).sum().sort(_BY)
    return frame(Count, [_row(row) for row in summed.iter_rows(named=True)])


def _row(row: dict[str, Any]) -> dict[str, Any]:
    sizes = {name: row[name] for name in ("n_in", "n_ok", "n_dead", "n_abstained", "n_unparsed", "n_thought")}
    return {
        "step": row["purpose"],
        "model": row["model"],
        "slice": pairs(**{key: row[key] for key in _SLICED}),
        **sizes,
    }
