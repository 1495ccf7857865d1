"""Recognition from counts: of each cluster how many texts of either label were judged so or so.

The numbers are those of `recognition`, which is over texts one by one: here a board of a hundred thousand texts
and a dozen judges is a few small tables. Columns are those of COUNTED: of the hallucinated texts those judged
so (`tp`), judged free of it (`fn`) and without a readable verdict (`up`); of the others `fp`, `tn`, `un`.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from truerate.metrics.intervals import Interval
from truerate.metrics.score_writer import ScoreWriter

COUNTED = ("tp", "fn", "up", "fp", "tn", "un")
WHOLE = "tp fn up fp tn un"
VIEW, BALANCED = "view", "balanced"
# Numerator and denominator of each share, as the columns that are added up.
SHARES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "accuracy": ("tp tn", WHOLE),
        "accuracy_parsed": ("tp tn", "tp fn fp tn"),
        "precision": ("tp", "tp fp"),
        "recall": ("tp", "tp fn up"),
        "precision_right": ("tn", "tn fn"),
        "recall_right": ("tn", "fp tn un"),
        "tpr": ("tp", "tp fn"),
        "tnr": ("tn", "fp tn"),
        "unparsed_rate": ("up un", WHOLE),
    }
)
Statistic = Callable[[np.ndarray], np.ndarray]


def counted(rows: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """COUNTED per group and per value of the columns `by`, with `n_dead`, from `group_id`, `is_hallucinated`,
    `verdict` and `status`; sorted.
    """
    label, yes = pl.col("is_hallucinated"), pl.col("verdict")
    cells = {}
    for side, names in ((label, COUNTED[:3]), (~label, COUNTED[3:])):
        for name, said in zip(names, (yes == True, yes == False, yes.is_null()), strict=True):  # noqa: E712
            cells[name] = (side & said.fill_null(False)).sum().cast(pl.Float64)
    keys = [*by, "group_id"]
    dead = (pl.col("status") == "dead").sum().cast(pl.Float64)
    return rows.group_by(keys).agg(**cells, n_dead=dead).sort(keys)


def total(counts: np.ndarray, names: str) -> np.ndarray:
    """The sum of some columns of counts (…, 6), (…,)."""
    return counts[..., [COUNTED.index(name) for name in names.split()]].sum(axis=-1)


def f1(counts: np.ndarray) -> np.ndarray:
    """F1 of the hallucinated class from totals (…, 6): 2 TP / (labelled + judged hallucinated); NaN over nothing."""
    return 2 * total(counts, "tp") / (total(counts, "tp fn up") + total(counts, "tp fp"))


def f1_right(counts: np.ndarray) -> np.ndarray:
    """F1 of the class without hallucination, as `f1`."""
    return 2 * total(counts, "tn") / (total(counts, "fp tn un") + total(counts, "tn fn"))


def macro_f1(counts: np.ndarray) -> np.ndarray:
    """The mean of both classes' F1; NaN where one of them is over nothing."""
    return (f1(counts) + f1_right(counts)) / 2


def balanced_accuracy(counts: np.ndarray) -> np.ndarray:
    """The mean recall of both classes, unread verdicts missed; NaN where a class has no text."""
    return (
        total(counts, "tp") / total(counts, "tp fn up") + total(counts, "tn") / total(counts, "fp tn un")
    ) / 2


def balanced(counts: np.ndarray) -> np.ndarray:
    """Counts (…, 6) as they were if each class had half of the texts: shares of the class, so that metrics are
    what a balanced set would give; NaN where a class has no text.
    """
    sides = [total(counts, names)[..., None] for names in ("tp fn up", "fp tn un")]
    return counts / np.concatenate([np.repeat(side, 3, axis=-1) for side in sides], axis=-1)


def _ratio(name: str) -> Statistic:
    top, bottom = SHARES[name]
    return lambda counts: total(counts, top) / total(counts, bottom)


RATIOS: Mapping[str, Statistic] = MappingProxyType(
    {of.__name__: of for of in (f1, f1_right, macro_f1, balanced_accuracy)}
)
# What a balanced set would give: of texts whose shares are those of the source, what depends on them.
OF_BALANCED: Mapping[str, Statistic] = MappingProxyType(
    {name: _ratio(name) for name in ("accuracy", "precision", "precision_right")}
    | {of.__name__: of for of in (f1, f1_right, macro_f1)}
)


def count_scores(
    subject: str, where: Mapping[str, Any], counts: pl.DataFrame, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Score rows of every recognition metric of one judge from `counted` rows, and of what depends on the share
    of hallucinated texts also as a balanced set would give it (`view` balanced).

    Where every reply is a dead letter nothing was answered (`ScoreWriter.no_answers`). Where replies came and
    none could be read there is no accuracy: all but `unparsed_rate` is empty, and `no_verdicts` counts them.
    """
    grouped = counts.group_by("group_id").agg(pl.col(*COUNTED, "n_dead").sum()).sort("group_id")
    sums = grouped.select(COUNTED).to_numpy()
    n = int(sums.sum())
    made = [*_shares(subject, where, sums, writer), *_statistics(subject, where, sums, writer)]
    if n and grouped["n_dead"].sum() == n:
        return writer.no_answers(subject, where, made, n)
    if n and not total(sums, "tp fn fp tn").any():
        return writer.no_verdicts(subject, where, made, n, kept="unparsed_rate")
    return made


def _shares(
    subject: str, where: Mapping[str, Any], sums: np.ndarray, writer: ScoreWriter
) -> list[dict[str, Any]]:
    made = []
    for name, (top, bottom) in SHARES.items():
        tops, bottoms = total(sums, top), total(sums, bottom)
        interval = writer.share_interval(tops, bottoms)
        made.append(writer.row(name, subject, where, interval, int(bottoms.sum())))
    return made


def _statistics(
    subject: str, where: Mapping[str, Any], sums: np.ndarray, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Statistics that are no shares, all from one bootstrap."""
    n = int(sums.sum())
    names = [(name, where) for name in RATIOS]
    names += [(name, {**where, VIEW: BALANCED}) for name in OF_BALANCED]
    each = writer.intervals(sums, _all_of) if len(sums) else [Interval(np.nan, np.nan, np.nan)] * len(names)
    return [
        writer.row(name, subject, slice_, interval, n)
        for (name, slice_), interval in zip(names, each, strict=True)
    ]


def _all_of(counts: np.ndarray) -> np.ndarray:
    """RATIOS, then OF_BALANCED, from totals (draws, 6), (draws, m)."""
    even = balanced(counts)
    each = [of(counts) for of in RATIOS.values()] + [of(even) for of in OF_BALANCED.values()]
    return np.stack(each, axis=-1)


# ---- what ranks are tested on ------------------------------------------------------------------------------


def balanced_outcomes(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with `outcome`: what each says of the balanced accuracy, whose mean over the rows it is.

    `B + (r - R) n / 2 n_c`: B the balanced accuracy, r 1 where the verdict is right, else 0, R the share of right
    verdicts in the row's class and n_c the size of that class. It is the statistic's linear form, so that the
    spread of the mean is that of the statistic: who always says Yes has no spread, however the classes are mixed.
    It may leave [0, 1]. Null for all where a class is missing, or no verdict could be read.
    """
    label = pl.col("is_hallucinated")
    is_right = (pl.col("verdict") == label).fill_null(False).cast(pl.Float64)
    of_class = [is_right.filter(label).mean(), is_right.filter(~label).mean()]
    n_class = pl.when(label).then(label.sum()).otherwise((~label).sum())
    rate = pl.when(label).then(of_class[0]).otherwise(of_class[1])
    balanced_accuracy = (of_class[0] + of_class[1]) / 2
    is_told = label.any() & (~label).any() & pl.col("verdict").is_not_null().any()
    outcome = balanced_accuracy + (is_right - rate) * pl.len() / (2 * n_class)
    return rows.with_columns(outcome=pl.when(is_told).then(outcome))
