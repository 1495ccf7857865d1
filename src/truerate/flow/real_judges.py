"""Whether a committed board keeps its order when another judge reads the same replies."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl

from truerate.flow.real_orders import WHOLE, order_of
from truerate.metrics.agreement import cohen_kappa, contingency, table_agreement
from truerate.site.real.results import JUDGE, RealBoard, RealScore, Slice, Swap

UNIT = ["subject", "unit_id"]


def swaps(board: RealBoard) -> tuple[Swap, ...]:
    """Each two of a board's judges held against one another: over everything what leads the board against each further
    judge, then these against one another; then, on each slice of one key, what leads against each.

    Empty where one judge alone read the replies; a pair without three subjects in common is left out.
    """
    slices: list[Slice] = [
        (),
        *(((key, value),) for key, values in board.slice_keys.items() for value in values),
    ]
    found = []
    for where in slices:
        judges = {WHOLE: _led(board, where), **board.judges(where)}
        pairs = combinations(judges, 2) if not where else ((WHOLE, name) for name in judges if name != WHOLE)
        found += [_swap(board, where, pair, judges) for pair in pairs]
    return tuple(one for one in found if one is not None)


def _led(board: RealBoard, where: Slice) -> dict[str, RealScore]:
    """The headline of each model on a slice, in the order of the board."""
    names = {model.subject: None for model in board.models}
    own = {
        score.subject: score
        for score in board.scores
        if score.metric == board.headline.name and score.slice == where
    }
    return {name: own[name] for name in names if name in own}


def _swap(
    board: RealBoard, where: Slice, pair: tuple[str, str], judges: Mapping[str, Mapping[str, RealScore]]
) -> Swap | None:
    told = board.in_words(where) if where else ""
    sides = ({name: one for name, one in judges[judge].items() if one.value is not None} for judge in pair)
    order = order_of(told, pair, *sides)
    if order is None:
        return None
    return Swap(order, *_agreement(*(_verdicts(board, judge, where) for judge in pair)))


def _verdicts(board: RealBoard, judge: str, where: Slice) -> pl.DataFrame:
    """The units of a judge's verdicts, or of the headline, on a slice: subject, unit_id, value; those that count."""
    pairs = where if judge == WHOLE else tuple(sorted(((JUDGE, judge), *where)))
    own = pl.col("slice") == ";".join(f"{key}={value}" for key, value in pairs)
    if judge == WHOLE:
        own &= pl.col("metric") == board.headline.name
    return board.rows.filter(own).select(*UNIT, "value").drop_nulls("value")


def _agreement(first: pl.DataFrame, second: pl.DataFrame) -> tuple[int, float | None, float | None]:
    """Replies that both judged, the share of equal verdicts, and Cohen's κ; None where it is not defined."""
    both = first.join(second, on=UNIT, suffix="_other", maintain_order="left")
    one, other = ((both[name] >= 0.5).to_numpy().astype(int) for name in ("value", "value_other"))
    table = contingency(one, other, 2)
    same, kappa = float(table_agreement(table)), float(cohen_kappa(table))
    return both.height, None if np.isnan(same) else same, None if np.isnan(kappa) else kappa
