"""Repeats of an item: the same question answered by the same system again."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

SHOWN = 5  # flips in a line


@dataclass(frozen=True)
class Repeats:
    """`items` that stand several times, `answers` of them that are judged or labelled, the variance of
    verdicts `between` items and `within` them (None where no item has two), and the ids that flip.
    """

    items: int
    answers: int
    between: float | None
    within: float | None
    flips: Sequence[str]

    def line(self) -> str:
        """In words."""
        text = f"repeats: {self.answers} answers of {self.items} items"
        if self.within is not None and self.between is not None:
            text += f"; variance within items {self.within:.3f}, between {self.between:.3f}"
        more = f" and {len(self.flips) - SHOWN} more" if len(self.flips) > SHOWN else ""
        return f"{text}; flips: {', '.join(self.flips[:SHOWN]) + more if self.flips else 'none'}"


def repeats_of(stated: pl.DataFrame, *, has_repeats: bool = True) -> Repeats | None:
    """The repeats among answers that say something: those with the id of another one of their system, or if
    ids do not repeat (`has_repeats`), with its question and reference; where neither a system nor a run is named
    two answers to a question may be of two systems, and are no repeats. An answer counts by its label, else by its
    verdict.
    Variances by items: within Σ m p(1 − p) / Σ (m − 1), between that of p less what within leaves in it, at
    least 0. None without any.
    """
    key, is_kept = ["id", "system"], pl.lit(True)
    if not has_repeats or not stated.select(key).is_duplicated().any():
        if stated.select(pl.col("question").hash().n_unique()).item() >= stated.height - 1:
            return None
        key = ["question", "reference", "system"]
        is_kept = ((pl.col("system") != "") | (pl.col("run") != "")) & (pl.col("question") != "")
    if not stated.select(is_kept.any()).item():
        return None
    alike = pl.lit(0, pl.UInt64)  # the same of equal rows: no other ones are looked at
    for name in key:
        alike = alike ^ pl.col(name).hash()
    if stated.select(alike.n_unique()).item() == stated.height:
        return None
    used = {*key, "run", "id", "label", "verdict"}
    stated = stated.select(used).filter(is_kept & alike.is_duplicated())
    value = pl.coalesce("label", "verdict").cast(pl.Float64)
    items = stated.group_by(key, maintain_order=True).agg(
        pl.len().alias("n"),
        value.count().alias("m"),
        value.mean().alias("p"),
        pl.col("id").min().alias("name"),
    )
    several = items.filter(pl.col("n") > 1)
    if several.is_empty():
        return None
    judged = several.filter(pl.col("m") > 1)
    flips = judged.filter(pl.col("p").is_between(0, 1, closed="none"))["name"].to_list()
    within = between = None
    if not judged.is_empty():
        m, p = (judged[name].cast(pl.Float64).to_numpy() for name in ("m", "p"))
        within = float((m * p * (1 - p)).sum() / (m - 1).sum())
        spread = float(p.var(ddof=1)) if len(p) > 1 else 0.0
        between = max(0.0, spread - within * float((1 / m).mean()))
    return Repeats(several.height, int(several["n"].sum()), between, within, flips)
