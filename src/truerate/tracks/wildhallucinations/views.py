"""The replies of a board with their scores, and every view of these: all entities and the common ones, by domain, Wikipedia and rarity."""

from collections.abc import Collection, Sequence

import polars as pl

from truerate.metrics.cells import FOUND, moments, ratio_cells
from truerate.metrics.wildfact import common_entities, pooled, ratios, scored_replies

ALL, COMMON = "all", "common"
SLICES = ("domain", "wikipedia", "rarity")


def reply_scores(replies: pl.DataFrame, facts: pl.DataFrame, *, gamma: int, domains_above: int) -> pl.DataFrame:
    """`wildfact.scored_replies`, with the domains pooled as `other` that no more than `domains_above` entities have.

    `replies` also has `domain`, `wikipedia` (yes, no) and `rarity`, one value per entity; null: not known.
    """
    scored = scored_replies(replies, facts, gamma=gamma)
    domains = pooled(scored.select("entity", "domain").unique("entity").drop_nulls(), "domain", above=domains_above)
    return scored.drop("domain").join(domains, on="entity", how="left", maintain_order="left")


def score_cells(scored: pl.DataFrame, *, panel: Collection[str], confidence: float, sliced: Sequence[str] | None = None) -> pl.DataFrame:
    """All scores and shares of each subject: `subject`, `set` (all, common), `slice`, `group` (null: not sliced), and `cells.FOUND`.

    `sliced`: the metrics that are also told by slice; None for all of them.
    """
    known = ratios()
    names = list(known if sliced is None else sliced)
    common = scored["entity"].is_in(common_entities(scored, panel).implode())
    sums = moments(scored.with_columns(is_common=common), known, by=["subject", "is_common", *SLICES], cluster=["subject", "entity"])
    made = []
    for set_, rows in ((ALL, sums), (COMMON, sums.filter("is_common"))):
        made.append(_cells(rows, list(known), set_, None, confidence))
        made += [_cells(rows, names, set_, slice_, confidence) for slice_ in SLICES]
    return pl.concat(made)


def _cells(sums: pl.DataFrame, names: Sequence[str], set_: str, slice_: str | None, confidence: float) -> pl.DataFrame:
    if slice_ is None:
        found = ratio_cells(sums, names, by=["subject"], confidence=confidence).with_columns(group=pl.lit(None, pl.String))
    else:
        found = ratio_cells(sums.drop_nulls(slice_), names, by=["subject", slice_], confidence=confidence).rename({slice_: "group"})
    return found.select("subject", "group", "metric", *FOUND, set=pl.lit(set_), slice=pl.lit(slice_, pl.String))
