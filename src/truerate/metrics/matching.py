"""Subsets of pairs of texts: one side each, as a seeded draw has it, and pairs matched in form, in which neither
length nor a full stop tells the sides apart.
"""

from collections.abc import Sequence
from math import log

import numpy as np
import polars as pl

from truerate.core.keys import draw
from truerate.metrics.overlap import form

EXACT = 8  # up to so many words lengths are matched to the word, above in bins of a tenth
STEP = 1.1

Shape = tuple[int, bool]


def shape(text: str) -> Shape:
    """The bin of a text's length in words, and whether it ends with a full stop."""
    found = form(text)
    n = int(found.n_words)
    binned = n if n <= EXACT else EXACT + int(log(n / EXACT) / log(STEP)) + 1
    return binned, bool(found.has_final_stop)


def matched(hallucinated: Sequence[Shape], right: Sequence[Shape], order: Sequence[float]) -> np.ndarray:
    """Which pairs stand in the matched subset, (pairs,) of bool.

    A pair whose sides have one shape is in it. Of pairs with the shapes A and B as many as have the
    hallucinated side in A are kept as have it in B, those first by `order` (a seeded draw per pair). Among
    the kept pairs each shape is therefore as frequent on one side as on the other, and a judge that looks
    at shapes alone has the balanced accuracy of a guess: exactly one half. Empty where no pair has a
    counterpart.
    """
    kept = np.zeros(len(order), dtype=bool)
    found: dict[frozenset[Shape], tuple[list[int], list[int]]] = {}
    for place in sorted(range(len(order)), key=lambda one: (order[one], one)):
        first, second = hallucinated[place], right[place]
        if first == second:
            kept[place] = True
        else:
            found.setdefault(frozenset((first, second)), ([], []))[first > second].append(place)
    for one, other in found.values():
        n = min(len(one), len(other))
        kept[one[:n] + other[:n]] = True
    return kept


def one_side(rows: pl.DataFrame, *, seed: int) -> np.ndarray:
    """Which rows a protocol that asks one side per pair would have asked, (rows,) of bool: hallucinated or
    right with equal chance, by a recorded seed. From `pair_id`, `is_hallucinated`.
    """
    is_drawn = {
        name: draw(seed, "side", name) < 0.5
        for name in rows["pair_id"].unique(maintain_order=True).drop_nulls()
    }
    sides = zip(rows["pair_id"].to_list(), rows["is_hallucinated"].to_list(), strict=True)
    return np.array(
        [pair_id is not None and is_drawn[pair_id] == label for pair_id, label in sides], dtype=bool
    )


def in_matched_pairs(rows: pl.DataFrame, *, seed: int) -> np.ndarray:
    """Which rows are sides of the pairs matched in form (`matched`), (rows,) of bool, from `pair_id`,
    `is_hallucinated`, `text`. A pair of which one side alone was judged is in none.
    """
    sides = (
        rows.drop_nulls("pair_id").select("pair_id", "is_hallucinated", "text").unique(maintain_order=True)
    )
    both = sides.filter("is_hallucinated").join(
        sides.filter(~pl.col("is_hallucinated")), on="pair_id", suffix="_right", maintain_order="left"
    )
    both = both.sort("pair_id").unique("pair_id", keep="none", maintain_order=True)
    hallucinated, right = ([shape(text) for text in both[name].to_list()] for name in ("text", "text_right"))
    names = both["pair_id"].to_list()
    kept = matched(hallucinated, right, [draw(seed, "matched", name) for name in names])
    chosen = {name for name, is_kept in zip(names, kept, strict=True) if is_kept}
    return np.array([name in chosen for name in rows["pair_id"].to_list()], dtype=bool)
