"""The replies of a board with their scores, and every view of these: all entities and the common ones, by
domain, Wikipedia, rarity and region.
"""

from collections.abc import Collection, Sequence

import polars as pl

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
)

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
