"""Contrasts: which of two texts is the hallucinated one, each pair asked in several orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from truerate.core.keys import draw
from truerate.metrics.score_writer import Ratio, ScoreWriter


@dataclass(frozen=True)
class Contrast:
    """What a judge said of one pair: per order, whether it named the hallucinated side (None: no choice could
    be read). `hallucinated_first` is the order in which that side is shown first.
    """

    pair_id: str
    group_id: str
    named: dict[str, bool | None]
    hallucinated_first: str

    @property
    def is_right(self) -> list[bool]:
        """Per order, in the order of their names, whether the hallucinated side was named."""
        return [self.named[order] is True for order in sorted(self.named)]

    @property
    def named_first(self) -> list[bool | None]:
        """Per order whether the text shown first was named (None: no choice could be read)."""
        return [
            None if verdict is None else verdict == (order == self.hallucinated_first)
            for order, verdict in sorted(self.named.items())
        ]

    @property
    def accuracy(self) -> float:
        """The share of the orders in which the hallucinated side was named."""
        return sum(self.is_right) / len(self.named)

    def in_one_order(self, *, seed: int) -> bool:
        """Whether it was named in the one order that a seeded draw asks."""
        return self.is_right[int(draw(seed, "order", self.pair_id) * len(self.named))]


def contrasts(rows: pl.DataFrame, *, hallucinated_first: str, pair_id: str = "pair_id") -> list[Contrast]:
    """The contrast judgements of one judge, one entry per pair, from `is_hallucinated`, `order`, `verdict`,
    `group_id` and the column that names the pair: the rows of hallucinated sides say all.
    """
    by_pair: dict[str, Contrast] = {}
    for row in rows.filter("is_hallucinated").sort(pair_id, "order").iter_rows(named=True):
        new = Contrast(row[pair_id], row["group_id"], {}, hallucinated_first)
        by_pair.setdefault(row[pair_id], new).named[row["order"]] = row["verdict"]
    return list(by_pair.values())


def contrast_scores(
    subject: str, where: Mapping[str, Any], pairs: Sequence[Contrast], writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Accuracy of naming the hallucinated side over both orders of every pair (as in HELMA Table 9, where
    each pair is asked once), in both of them, and in one that is drawn; how often the text shown first is
    named; and the share of replies without a choice.
    """
    if not pairs:
        return []
    clusters = [pair.group_id for pair in pairs for _ in pair.named]
    hits = np.array([is_right for pair in pairs for is_right in pair.is_right])
    places = [place for pair in pairs for place in pair.named_first]
    read = np.array([place is not None for place in places])
    first = np.array([place is True for place in places])
    every, of_pairs = np.ones(len(hits)), [pair.group_id for pair in pairs]
    in_both = [len(pair.named) == 2 and all(pair.is_right) for pair in pairs]
    drawn = [pair.in_one_order(seed=writer.seed) for pair in pairs]
    asked: list[Ratio] = [
        ("accuracy", where, hits, every),
        ("first_position_rate", where, first, read),
        ("unparsed_rate", where, ~read, every),
    ]
    return [
        *writer.shares(subject, asked, clusters),
        writer.share("accuracy_both_orders", subject, where, in_both, of_pairs),
        writer.share("accuracy_one_side", subject, where, drawn, of_pairs),
    ]
