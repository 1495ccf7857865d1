"""The replies of a board as scores and tasks read them, their scores, and every view of these: all entities and the common
ones, by domain, Wikipedia, rarity and region.
"""

from collections.abc import Collection, Sequence

import polars as pl

from truerate.core.schemas import pair
from truerate.core.text import WORD
from truerate.llm.generation import REASKED, standing
from truerate.metrics.cells import FOUND, moments, product_cells, ratio_cells
from truerate.metrics.wildfact import (
    ALL_SUPPORTED,
    PRODUCTS,
    STATING,
    STRICT_RULES,
    common_entities,
    pooled,
    ratios,
    scored_replies,
    with_share,
)
from truerate.tracks.wildhallucinations.abstention import RULES
from truerate.tracks.wildhallucinations.facts import GENERATE, WRITE
from truerate.tracks.wildhallucinations.names import EXTRACT
from truerate.tracks.wildhallucinations.verifier import verdicts_of
from truerate.tracks.wildhallucinations.verifying import VERIFY

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


ALL, COMMON = "all", "common"
SLICES = ("domain", "wikipedia", "rarity", "region")


def reply_scores(
    replies: pl.DataFrame,
    facts: pl.DataFrame,
    *,
    gamma: int,
    domains_above: int,
    strict: STRICT_RULES = "readable",
) -> pl.DataFrame:
    """`wildfact.scored_replies`, with the domains pooled as `other` that no more than `domains_above`
    entities have.

    `replies` also has `domain`, `wikipedia` (yes, no), `rarity` and `region`, one value per entity; null: not known.
    """
    scored = scored_replies(replies, facts, gamma=gamma, strict=strict)
    domains = pooled(
        scored.select("entity", "domain").unique("entity", keep="first", maintain_order=True).drop_nulls(),
        "domain",
        above=domains_above,
    )
    return scored.drop("domain").join(domains, on="entity", how="left", maintain_order="left")


def score_cells(
    scored: pl.DataFrame, *, panel: Collection[str], confidence: float, sliced: Sequence[str] | None = None
) -> pl.DataFrame:
    """All scores and shares of each subject: `subject`, `set` (all, common), `slice`, `group` (null: not
    sliced), and `cells.FOUND`.

    `sliced`: the metrics that are also told by slice; None for all of them.
    """
    known = ratios()
    every = [*(name for name in known if name not in (STATING, ALL_SUPPORTED)), *PRODUCTS]
    names = every if sliced is None else list(sliced)
    common = scored["entity"].is_in(common_entities(scored, panel).implode())
    keys, cluster = ["subject", "is_common", *SLICES], ["subject", "entity"]
    sums = moments(scored.with_columns(is_common=common), known, by=keys, cluster=cluster, products=PRODUCTS)
    made = []
    for set_, rows in ((ALL, sums), (COMMON, sums.filter("is_common"))):
        made.append(_cells(rows, every, set_, None, confidence))
        made += [_cells(rows, names, set_, slice_, confidence) for slice_ in SLICES]
    return pl.concat(made)


def _cells(
    sums: pl.DataFrame, names: Sequence[str], set_: str, slice_: str | None, confidence: float
) -> pl.DataFrame:
    by = ["subject"] if slice_ is None else ["subject", slice_]
    rows = sums if slice_ is None else sums.drop_nulls(slice_)
    plain = [name for name in names if name not in PRODUCTS]
    parts = [ratio_cells(rows, plain, by=by, confidence=confidence)] if plain else []
    if products := {name: pair for name, pair in PRODUCTS.items() if name in names}:
        parts.append(product_cells(rows, products, by=by, confidence=confidence))
    found = pl.concat(parts).sort(by, maintain_order=True)
    found = (
        found.with_columns(group=pl.lit(None, pl.String))
        if slice_ is None
        else found.rename({slice_: "group"})
    )
    return found.select(
        "subject", "group", "metric", *FOUND, set=pl.lit(set_), slice=pl.lit(slice_, pl.String)
    )


LONG = (EXTRACT, GENERATE, WRITE, VERIFY)  # purposes of replies whose texts are not compared with words
RETRIEVED = "retrieved"  # of which only is read whether it is told
ASKED = "asked"
OF_REPLY = "generation"  # names the reply whose facts were written; of a call about many all of them, which are not read
KEPT = (
    REASKED,
    "stage",
    "documents",
    "n_words",
    "n_missed",
    "n_malformed",
    "is_whole",
    RETRIEVED,
    *(f"abstained_{rule}" for rule in RULES),
)


def thinned(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table as `scores.score` reads them; those of tables that are read whole, and those that are thinned
    already, as they are.

    Of Generation rows the texts of LONG and attributes other than KEPT are emptied, a key of a prompt says that there
    was one; of those of purpose `generate` there is `n_words`, the words of the text. Of the attributes of Judgement
    rows `stage` is left, a column. Judge, status and stage, and the ids of replies and of entities of Fact rows, are
    categories.
    """
    if table == "generations" and "n_words" not in rows.columns:
        is_long, is_reply = pl.col("purpose").is_in(LONG), pl.col("purpose") == GENERATE
        kept = pl.when(pl.col("purpose") == WRITE).then(_of_keys((*KEPT, OF_REPLY))).otherwise(_of_keys(KEPT))
        return rows.with_columns(
            text=pl.when(is_long).then(pl.lit("")).otherwise("text"),
            prompt_key=pl.when(pl.col("prompt_key") == "").then(pl.lit("")).otherwise(pl.lit(ASKED)),
            attributes=kept,
            n_words=pl.when(is_reply).then(pl.col("text").str.count_matches(WORD)),
        )
    if table == "judgements" and "stage" not in rows.columns:
        codes = pl.col("judge", "status").cast(pl.Categorical)
        return rows.with_columns(codes, pair("attributes", "stage").cast(pl.Categorical)).drop("attributes")
    if table == "facts":
        return rows.cast({"generation_id": pl.Categorical, "item_id": pl.Categorical})
    return rows


def _of_keys(keys: Collection[str]) -> pl.Expr:
    """The attributes of these keys; of what was retrieved no text."""
    key, value = (pl.element().struct.field(name) for name in ("key", "value"))
    told = pl.when(key == RETRIEVED).then(pl.lit("")).otherwise(value)
    is_kept = key.is_in(list(keys))
    # written anew, else what is left would hold on to the values that are not
    anew = (pl.format("{}", one.filter(is_kept)) for one in (key, told))
    return pl.col("attributes").list.eval(pl.struct(**dict(zip(("key", "value"), anew, strict=True))))
