"""What a judge says of facts: the verdicts of the verifier's batches, its single calls and other detectors,
joined to the facts.
"""

import polars as pl

from truerate.core.schemas import pair
from truerate.tracks.wildhallucinations.ready import HUMAN
from truerate.tracks.wildhallucinations.verifying import SINGLE


def said_by(judgements: pl.DataFrame, judge: str | None, *, is_single: bool = False) -> pl.DataFrame:
    """`fact_id`, `verdict` (true: not supported) of one judge, in batches or one by one; one row per fact."""
    of_judge = pl.col("judge") == (judge or "")
    stage = pair("attributes", "stage")
    rows = judgements.lazy().filter(of_judge, stage == SINGLE if is_single else stage.is_null())
    found = rows.select("verdict", fact_id="target_id").collect()  # no other column of the rows is copied
    return found.unique("fact_id", keep="first", maintain_order=True).select("fact_id", "verdict")


def judge_of(judgements: pl.DataFrame, verifier: str | None) -> str | None:
    """Whose verdicts count: people's where the source brought them, else the verifier's."""
    return HUMAN if HUMAN in judgements["judge"] else verifier


def verdicts_of(facts: pl.DataFrame, judgements: pl.DataFrame, verifier: str | None) -> pl.DataFrame:
    """The facts with `is_supported` by the judge who counts (`judge_of`); null where it gave no verdict that
    could be read.
    """
    found = said_by(judgements, judge_of(judgements, verifier)).select(
        "fact_id", is_supported=~pl.col("verdict")
    )
    return facts.join(found, on="fact_id", how="left", maintain_order="left")
