"""Samples joined with judgements of them: rows that compare labels with verdicts (without numpy)."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from truerate.core.schemas import pair

VARYING = ("variant", "order")  # attributes of a judgement that every joined row has
LABELLED = ("item_id", "pair_id", "group_id", "task", "pattern", "is_hallucinated", "text")


def judged(
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    *,
    variant: str,
    sample_keys: Sequence[str] = (),
    judgement_keys: Sequence[str] = (),
    columns: Sequence[str] = LABELLED,
    fields: Sequence[str] = (),
    target: pl.Expr | None = None,
) -> pl.DataFrame:
    """Return one row per judgement of a sample: its verdict with what describes the sample.

    A judgement without a variant is a fitted detector's and counts as `variant`. Judgements of a `stage`
    (annotators' labels, judgements of rewritten texts) are left out. Columns: `judge`, `verdict`, `status`,
    `variant`, `order`, those attributes of the judgement that `judgement_keys` names and its columns that
    `fields` names, `sample_id`, `columns` of the sample (`task` among them), and its attributes that
    `sample_keys` names. `target`: the id by which a sample is judged, where it is not its own.
    """
    of_judgement = judgements.select(
        "judge",
        "target_id",
        "verdict",
        "status",
        *fields,
        *(pair("attributes", key) for key in (*VARYING, "stage", *judgement_keys)),
    )
    of_judgement = of_judgement.filter(pl.col("stage").is_null()).drop("stage")
    of_sample = samples.select(
        "sample_id",
        *columns,
        *(pair("attributes", key) for key in sample_keys),
        target_id=pl.col("sample_id") if target is None else target,
    )
    joined = of_judgement.join(of_sample, on="target_id", how="inner", maintain_order="left").drop(
        "target_id"
    )
    return joined.with_columns(pl.col("variant").fill_null(variant)).sort(
        "judge", "task", "variant", "sample_id", "order"
    )


def over_seeds(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of `judged` (with the attribute `seed`), one per text and judge: several seeds of a detector
    are its runs, and a text counts once. Where there are any, `verdict` is the share of its readable verdicts
    that say yes (null: none is readable), and `read` the share that is; else rows stay as they are. Without
    `seed`.
    """
    unit = [name for name in ("judge", "variant", "order", "sample_id") if name in rows.columns]
    if not rows.select(unit).is_duplicated().any():
        return rows.drop("seed")
    runs = rows.group_by(unit, maintain_order=True)
    verdict = pl.col("verdict")
    of_runs = [verdict.cast(pl.Float64).mean(), verdict.is_not_null().mean().alias("read")]
    once = runs.agg(*of_runs, pl.exclude(*unit, "seed", "verdict").sort_by("seed").first())
    return once.select(*(name for name in rows.columns if name != "seed"), "read")


def by_subject(rows: pl.DataFrame, keys: Sequence[str]) -> Iterator[tuple[str, dict[str, Any], pl.DataFrame]]:
    """The rows of each judge and each combination of `keys` that occurs, with that as a slice; sorted."""
    whole = ("judge", *keys)
    for row in rows.select(whole).unique().sort(whole).iter_rows(named=True):
        part = rows.filter(*(pl.col(key).eq_missing(pl.lit(row[key])) for key in whole))
        yield row["judge"], {key: row[key] for key in keys}, part


def is_unanswered(rows: pl.DataFrame) -> bool:
    """Return whether every reply of a judge is a dead letter; an unreadable one is an answer."""
    return not rows.is_empty() and bool((rows["status"] == "dead").all())
