"""Samples joined with what judges say of them: the rows from which recognition is scored."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from truerate.core.keys import draw
from truerate.core.schemas import pair
from truerate.metrics.matching import matched, shape

PLAIN = "plain"
HALLUCINATED_FIRST = "hallucinated-first"
KEYS = ("judge", "task", "variant", "scheme")


def judged(samples: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """One row per judgement of a sample by a model or detector: the sample's label, group, pattern and
    scheme, and the verdict.

    A judgement without a variant is a fitted detector's and counts as plain. Annotators' labels and
    judgements of refined texts are left out. Columns `judge`, `task`, `variant`, `order`, `scheme`,
    `sample_id`, `item_id`, `pair_id`, `group_id`, `pattern`, `is_hallucinated`, `text`, `verdict`, `status`.
    `scheme` is null unless the data set holds several published candidates per question.
    """
    said = judgements.select(
        "judge",
        "target_id",
        "verdict",
        "status",
        *(pair("attributes", key) for key in ("variant", "order", "stage")),
    ).filter(pl.col("stage").is_null())
    known = samples.select(
        "sample_id",
        "item_id",
        "pair_id",
        "group_id",
        "task",
        "pattern",
        "is_hallucinated",
        "text",
        pair("attributes", "scheme"),
    )
    joined = said.join(known, left_on="target_id", right_on="sample_id", how="inner").rename(
        {"target_id": "sample_id"}
    )
    return (
        joined.with_columns(pl.col("variant").fill_null(PLAIN))
        .drop("stage")
        .sort("judge", "task", "variant", "sample_id", "order")
    )


def by_subject(rows: pl.DataFrame) -> Iterator[tuple[str, dict, pl.DataFrame]]:
    """The rows of each judge, task, variant and scheme, with that as a slice."""
    for found in rows.select(KEYS).unique().sort(KEYS).iter_rows(named=True):
        part = rows.filter(*(pl.col(key).eq_missing(pl.lit(found[key])) for key in KEYS))
        yield found["judge"], {key: found[key] for key in KEYS[1:]}, part


def is_unanswered(rows: pl.DataFrame) -> bool:
    """Whether every reply of a judge is a dead letter; one that came and could not be read is an answer."""
    return not rows.is_empty() and bool((rows["status"] == "dead").all())


@dataclass(frozen=True)
class Contrast:
    """What a judge said of one pair: per order, whether it named the hallucinated side (None: no choice could
    be read).
    """

    pair_id: str
    group_id: str
    named: dict[str, bool | None]

    @property
    def is_right(self) -> list[bool]:
        """Per order, in the order of their names, whether the hallucinated side was named."""
        return [self.named[order] is True for order in sorted(self.named)]

    @property
    def named_first(self) -> list[bool | None]:
        """Per order whether the text shown first was named (None: no choice could be read)."""
        return [
            None if verdict is None else verdict == (order == HALLUCINATED_FIRST)
            for order, verdict in sorted(self.named.items())
        ]

    @property
    def accuracy(self) -> float:
        """The share of the orders in which the hallucinated side was named."""
        return sum(self.is_right) / len(self.named)

    def in_one_order(self, *, seed: int) -> bool:
        """Whether it was named in the one order that a seeded draw asks."""
        return self.is_right[int(draw(seed, "order", self.pair_id) * len(self.named))]


def contrasts(rows: pl.DataFrame) -> list[Contrast]:
    """The contrast judgements of one judge, one entry per pair."""
    found: dict[str, Contrast] = {}
    for row in rows.filter("is_hallucinated").sort("pair_id", "order").iter_rows(named=True):
        found.setdefault(row["pair_id"], Contrast(row["pair_id"], row["group_id"], {})).named[
            row["order"]
        ] = row["verdict"]
    return list(found.values())


def one_side(rows: pl.DataFrame, *, seed: int) -> np.ndarray:
    """Which rows the paper's protocol would have asked: one side per pair, hallucinated or right with equal
    chance, by a recorded seed.
    """
    is_drawn = {name: draw(seed, "side", name) < 0.5 for name in rows["pair_id"].unique().drop_nulls()}
    sides = zip(rows["pair_id"].to_list(), rows["is_hallucinated"].to_list(), strict=True)
    return np.array(
        [pair_id is not None and is_drawn[pair_id] == label for pair_id, label in sides], dtype=bool
    )


def in_matched_pairs(rows: pl.DataFrame, *, seed: int) -> np.ndarray:
    """Which rows are sides of the pairs matched in form (`metrics.matching`), (rows,) of bool. A pair of
    which one side alone was judged is in none.
    """
    sides = rows.drop_nulls("pair_id").select("pair_id", "is_hallucinated", "text").unique()
    both = sides.filter("is_hallucinated").join(
        sides.filter(~pl.col("is_hallucinated")), on="pair_id", suffix="_right"
    )
    both = both.sort("pair_id").unique("pair_id", keep="none", maintain_order=True)
    hallucinated, right = ([shape(text) for text in both[name].to_list()] for name in ("text", "text_right"))
    names = both["pair_id"].to_list()
    kept = matched(hallucinated, right, [draw(seed, "matched", name) for name in names])
    chosen = {name for name, is_kept in zip(names, kept, strict=True) if is_kept}
    return np.array([name in chosen for name in rows["pair_id"].to_list()], dtype=bool)
