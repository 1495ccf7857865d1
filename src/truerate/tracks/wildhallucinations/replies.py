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
ALL, COMMON = "all", "common"
SLICES = ("domain", "wikipedia", "rarity", "region")


def estimate_of(row: dict) -> tuple[float | None, float | None, float | None]:
    """Return value, low and high of a row of `cells.ratio_cells`."""
    return row["value"], row["low"], row["high"]


def slices_of() -> dict[str, pl.Expr]:
    """Return what entities are sliced by, read from the attributes of their Item rows; null where not known."""
    names = {"domain": "domain", "wikipedia": "is_wikipedia", "rarity": "rarity_group", "region": "region"}
    slices = {slice_: pair("attributes", name) for slice_, name in names.items()}
    yes_no = {"true": "yes", "false": "no"}
    return slices | {"wikipedia": slices["wikipedia"].replace_strict(yes_no, default=None)}


def replies_of(items: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """Return the replies about entities: `generation_id`, `subject`, `entity`, `is_abstained` (null: none came),
    `is_whole` and the slices.

    `is_whole`: facts were written for it, and no sentence or line of them was lost. A reply without facts
    written is not scored; one that its source brought came with its facts, unless it says otherwise.
    """
    counts = (pair("attributes", name).cast(pl.Int64, strict=False) for name in ("n_missed", "n_malformed"))
    n_lost = pl.sum_horizontal(*(count.fill_null(0) for count in counts))
    written = standing(generations.filter(purpose=WRITE)).select(
        generation_id=pair("attributes", "generation"), is_whole=(pl.col("status") == "ok") & (n_lost == 0)
    )
    is_abstained = pl.when(pl.col("status").is_in(["ok", "abstained"])).then(pl.col("status") == "abstained")
    rows = generations.filter(purpose=GENERATE).sort("generation_id")
    rows = rows.select(
        "generation_id",
        subject="model",
        entity="item_id",
        is_abstained=is_abstained,
        is_given=(pl.col("prompt_key") == "") & pair("attributes", "is_whole").ne_missing("false"),
    )
    written = written.unique("generation_id", keep="first", maintain_order=True)
    rows = rows.join(written, on="generation_id", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("is_whole").fill_null(pl.col("is_given"))).drop("is_given")
    slices = items.filter(task="entity").select(entity="item_id", **slices_of())
    return rows.join(slices, on="entity", how="left", maintain_order="left")


def readable_replies(
    items: pl.DataFrame,
    generations: pl.DataFrame,
    facts: pl.DataFrame,
    judgements: pl.DataFrame,
    *,
    verifier: str | None,
) -> pl.DataFrame:
    """Return `replies_of` with `is_responding` and `strict`: of a reply that responds and has a verdict on each of its facts
    1 where all are supported, else 0; null where that cannot be told.
    """
    slim = facts.select("fact_id", "generation_id", "is_duplicate", "is_title")
    checked = with_share(verdicts_of(slim, judgements, verifier))
    return scored_replies(replies_of(items, generations), checked, gamma=ANY)


def reply_scores(
    replies: pl.DataFrame,
    facts: pl.DataFrame,
    *,
    gamma: int,
    domains_above: int,
    strict: STRICT_RULES = "readable",
) -> pl.DataFrame:
    """Return `wildfact.scored_replies`, with the domains pooled as `other` that no more than `domains_above` entities have.

    `replies` also has the columns of SLICES, one value per entity; null: not known.
    """
    scored = scored_replies(replies, facts, gamma=gamma, strict=strict)
    domains = scored.select("entity", "domain").unique("entity", keep="first", maintain_order=True)
    domains = pooled(domains.drop_nulls(), "domain", above=domains_above)
    return scored.drop("domain").join(domains, on="entity", how="left", maintain_order="left")


def score_cells(
    scored: pl.DataFrame, *, panel: Collection[str], confidence: float, sliced: Sequence[str] | None = None
) -> pl.DataFrame:
    """Return all scores and shares of each subject: `subject`, `set` (all, common), `slice`, `group` (null: not
    sliced), and `cells.FOUND`.

    `sliced`: the metrics that are also given by slice; None for all of them.
    """
    pairs = ratios()
    metrics = [*(name for name in pairs if name not in (STATING, ALL_SUPPORTED)), *PRODUCTS]
    common = scored["entity"].is_in(common_entities(scored, panel).implode())
    keys, cluster = ["subject", "is_common", *SLICES], ["subject", "entity"]
    sums = moments(scored.with_columns(is_common=common), pairs, by=keys, cluster=cluster, products=PRODUCTS)
    parts = []
    for set_, rows in ((ALL, sums), (COMMON, sums.filter("is_common"))):
        for slice_ in (None, *SLICES):
            names = metrics if slice_ is None or sliced is None else sliced
            cells = _cells(rows, names, slice_, confidence)
            parts.append(cells.with_columns(set=pl.lit(set_), slice=pl.lit(slice_, pl.String)))
    return pl.concat(parts)


def _cells(sums: pl.DataFrame, names: Sequence[str], slice_: str | None, confidence: float) -> pl.DataFrame:
    """Cells of each subject, or of each value of a slice that it has."""
    by = ["subject"] if slice_ is None else ["subject", slice_]
    rows = sums if slice_ is None else sums.drop_nulls(slice_)
    simple = [name for name in names if name not in PRODUCTS]
    products = {name: parts for name, parts in PRODUCTS.items() if name in names}
    parts = [ratio_cells(rows, simple, by=by, confidence=confidence)] if simple else []
    parts += [product_cells(rows, products, by=by, confidence=confidence)] if products else []
    group = pl.lit(None, pl.String) if slice_ is None else pl.col(slice_)
    return (
        pl.concat(parts)
        .sort(by, maintain_order=True)
        .select("subject", group.alias("group"), "metric", *FOUND)
    )


# ---- columns of millions of rows -----------------------------------------------------------------------------

LONG = (EXTRACT, GENERATE, WRITE, VERIFY)  # purposes of replies whose texts are not compared with words
RETRIEVED = "retrieved"  # of which only is read whether it is told
ASKED = "asked"
OF_REPLY = "generation"  # names the reply whose facts were written; of a call about many all of them, which are not read
_RULES = tuple(f"abstained_{rule}" for rule in RULES)
KEPT = (REASKED, "stage", "documents", "n_words", "n_missed", "n_malformed", "is_whole", RETRIEVED, *_RULES)


def pruned(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table as `scores.score` reads them; those of tables that are read whole, and those that are pruned already,
    as they are.

    Of Generation rows the texts of LONG and attributes other than KEPT are emptied, a key of a prompt says that there was
    one; of those of purpose `generate` there is `n_words`, the words of the text. Of the attributes of Judgement rows
    `stage` is left, a column. Judge, status and stage, and the ids of replies and of entities of Fact rows, are categories.
    """
    if table == "generations" and "n_words" not in rows.columns:
        purpose = pl.col("purpose")
        return rows.with_columns(
            text=pl.when(purpose.is_in(LONG)).then(pl.lit("")).otherwise("text"),
            prompt_key=pl.when(pl.col("prompt_key") == "").then(pl.lit("")).otherwise(pl.lit(ASKED)),
            attributes=pl.when(purpose == WRITE).then(_of_keys((*KEPT, OF_REPLY))).otherwise(_of_keys(KEPT)),
            n_words=pl.when(purpose == GENERATE).then(pl.col("text").str.count_matches(WORD)),
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
    values = pl.when(key == RETRIEVED).then(pl.lit("")).otherwise(value)
    is_kept = key.is_in(list(keys))
    # written anew, else what is left would hold on to the values that are not
    parts = {"key": pl.format("{}", key.filter(is_kept)), "value": pl.format("{}", values.filter(is_kept))}
    return pl.col("attributes").list.eval(pl.struct(**parts))
