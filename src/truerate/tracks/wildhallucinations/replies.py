"""The replies about entities, as scores and tasks read them."""

import polars as pl

from truerate.core.schemas import pair
from truerate.llm.generation import standing
from truerate.metrics.wildfact import scored_replies, with_share
from truerate.tracks.wildhallucinations.facts import GENERATE, WRITE
from truerate.tracks.wildhallucinations.verdicts import verdicts_of

ANY = 1  # γ of a length penalty that nobody reads


def slices_of() -> dict[str, pl.Expr]:
    """What entities are sliced by, read from the attributes of their Item rows: `domain`, `wikipedia` (yes, no),
    `rarity` and `region`; null where it is not known.
    """
    is_wikipedia = pair("attributes", "is_wikipedia")
    return {
        "domain": pair("attributes", "domain"),
        "wikipedia": is_wikipedia.replace_strict({"true": "yes", "false": "no"}, default=None),
        "rarity": pair("attributes", "rarity_group"),
        "region": pair("attributes", "region"),
    }


def replies_of(items: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """The replies about entities: `generation_id`, `subject`, `entity`, `is_abstained` (null: none came),
    `is_whole` and the slices.

    `is_whole`: facts were written for it, and no sentence or line of them was lost. A reply without facts
    written is not scored; one that its source brought came with its facts, unless it says otherwise.
    """
    lost = pl.sum_horizontal(
        *(
            pair("attributes", name).cast(pl.Int64, strict=False).fill_null(0)
            for name in ("n_missed", "n_malformed")
        )
    )
    written = standing(generations.filter(purpose=WRITE)).select(
        pair("attributes", "generation").alias("generation_id"),
        is_whole=(pl.col("status") == "ok") & (lost == 0),
    )
    slices = items.filter(task="entity").select(entity="item_id", **slices_of())
    is_abstained = pl.when(pl.col("status").is_in(["ok", "abstained"])).then(pl.col("status") == "abstained")
    replies = generations.filter(purpose=GENERATE).sort("generation_id")
    rows = replies.select(
        "generation_id",
        subject="model",
        entity="item_id",
        is_abstained=is_abstained,
        is_given=(pl.col("prompt_key") == "") & pair("attributes", "is_whole").ne_missing("false"),
    )
    with_whole = rows.join(
        written.unique("generation_id", keep="first", maintain_order=True),
        on="generation_id",
        how="left",
        maintain_order="left",
    )
    with_whole = with_whole.with_columns(pl.col("is_whole").fill_null(pl.col("is_given"))).drop("is_given")
    return with_whole.join(slices, on="entity", how="left", maintain_order="left")


def readable_replies(
    items: pl.DataFrame,
    generations: pl.DataFrame,
    facts: pl.DataFrame,
    judgements: pl.DataFrame,
    *,
    verifier: str | None,
) -> pl.DataFrame:
    """`replies_of` with `is_responding` and `strict`: of a reply that responds and has a verdict on each of its facts
    1 where all are supported, else 0; null where that cannot be told.
    """
    own = facts.select("fact_id", "generation_id", "is_duplicate", "is_title")
    checked = with_share(verdicts_of(own, judgements, verifier))
    return scored_replies(replies_of(items, generations), checked, gamma=ANY)
