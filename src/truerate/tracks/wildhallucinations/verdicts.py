"""What a judge says of facts: the verdicts of the verifier's batches, its single calls and other detectors,
joined to the facts.
"""

import polars as pl

from truerate.core.schemas import pair
from truerate.tracks.wildhallucinations.ready import HUMAN
from truerate.tracks.wildhallucinations.verifying import SINGLE

AT_ONCE = 250_000  # facts that are joined with their verdicts at a time
EVERY = pl.lit(True)


def said_by(
    judgements: pl.DataFrame, judge: str | None, *, is_single: bool = False, only: pl.Expr = EVERY
) -> pl.DataFrame:
    """`fact_id`, `verdict` (true: not supported) of one judge, in batches or one by one; one row per fact. `only`: of
    the rows for which this holds.
    """
    of_judge = pl.col("judge") == (judge or "")
    stage = (
        pl.col("stage") if "stage" in judgements.columns else pair("attributes", "stage")
    )  # thinned, or whole
    rows = judgements.lazy().filter(of_judge, stage == SINGLE if is_single else stage.is_null(), only)
    found = rows.select("verdict", fact_id="target_id").collect()  # no other column of the rows is copied
    return found.unique("fact_id", keep="first", maintain_order=True).select("fact_id", "verdict")


def judge_of(judgements: pl.DataFrame, verifier: str | None) -> str | None:
    """Whose verdicts count: people's where the source brought them, else the verifier's."""
    return HUMAN if (judgements["judge"] == HUMAN).any() else verifier


def verdicts_of(facts: pl.DataFrame, judgements: pl.DataFrame, verifier: str | None) -> pl.DataFrame:
    """The facts with `is_supported` by the judge who counts (`judge_of`); null where it gave no verdict that
    could be read.
    """
    judge, n_parts = judge_of(judgements, verifier), -(-facts.height // AT_ONCE) or 1
    if n_parts == 1:
        return facts.join(_is_supported(judgements, judge), on="fact_id", how="left", maintain_order="left")
    rows, joined = facts.select("fact_id", row=pl.int_range(pl.len(), dtype=pl.UInt32)), []
    for part in range(n_parts):  # a fact and its verdict are in one part, whatever its hash is
        own = rows.filter(pl.col("fact_id").hash() % n_parts == part)
        said = _is_supported(judgements, judge, only=pl.col("target_id").hash() % n_parts == part)
        joined.append(
            own.join(said, on="fact_id", how="left", maintain_order="left").select("row", "is_supported")
        )
    return facts.with_columns(pl.concat(joined).sort("row")["is_supported"])


def _is_supported(judgements: pl.DataFrame, judge: str | None, *, only: pl.Expr = EVERY) -> pl.DataFrame:
    return said_by(judgements, judge, only=only).select("fact_id", is_supported=~pl.col("verdict"))
