"""Recognition from counts: of each cluster how many texts of either label were judged so or so.

The formulas are those of `recognition`, which are of texts one by one: each adds up over texts, so what it
says of one text of every kind says what it makes of counts. Here a board of a hundred thousand texts and a
dozen judges is a few small tables. Columns are those of COUNTED: of the hallucinated texts those judged so
(`tp`), judged free of it (`fn`) and without a readable verdict (`up`); of the others `fp`, `tn`, `un`.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from truerate.core.aggregates import total
from truerate.metrics import recognition
from truerate.metrics.intervals import Interval
from truerate.metrics.judged import is_unanswered
from truerate.metrics.recognition import Parts, Verdicts
from truerate.metrics.score_writer import Ratio, ScoreWriter

COUNTED = ("tp", "fn", "up", "fp", "tn", "un")
VIEW, BALANCED = "view", "balanced"
Of = Callable[[Verdicts], Parts]
Statistic = Callable[[np.ndarray], np.ndarray]
_KINDS = Verdicts(
    *(np.array([name in group for name in COUNTED]) for group in (COUNTED[:3], ("tp", "fp"), ("fn", "tn")))
)


def counted(rows: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """COUNTED and `n_dead` per group and value of `by`, sorted."""
    label, yes = pl.col("is_hallucinated"), pl.col("verdict")
    cells = {}
    for side, names in ((label, COUNTED[:3]), (~label, COUNTED[3:])):
        for name, is_verdict in zip(names, (yes == True, yes == False, yes.is_null()), strict=True):  # noqa: E712
            cells[name] = (side & is_verdict.fill_null(False)).sum().cast(pl.Float64)
    keys = [*by, "group_id"]
    dead = (pl.col("status") == "dead").sum().cast(pl.Float64)
    return rows.group_by(keys, maintain_order=True).agg(**cells, n_dead=dead).sort(keys)


def parts(counts: np.ndarray, of: Of) -> Parts:
    """Numerators and denominators, (…,) each, of a formula of `recognition` from counts (…, 6). Added up in
    order, on every machine alike: a product of matrices would part draws that are equal.
    """
    top, bottom = ((counts * np.asarray(part, dtype=float)).sum(axis=-1) for part in of(_KINDS))
    return top, bottom


def _ratio(of: Of) -> Statistic:
    def ratio(counts: np.ndarray) -> np.ndarray:
        top, bottom = parts(counts, of)
        return top / bottom

    return ratio


def _of_both(first: Of, second: Of, mean: Statistic) -> Statistic:
    return lambda counts: mean(np.stack([*parts(counts, first), *parts(counts, second)], axis=-1))


def balanced(counts: np.ndarray) -> np.ndarray:
    """Counts (…, 6) as if each class had half of the texts; NaN where a class has no text."""
    sides = [parts(counts, of)[1][..., None] for of in (recognition.recall, recognition.recall_right)]
    return counts / np.concatenate([np.repeat(side, 3, axis=-1) for side in sides], axis=-1)


RATIOS: Mapping[str, Statistic] = MappingProxyType(
    {name: _ratio(of) for name, of in recognition.F1S.items()}
    | {
        "macro_f1": _of_both(recognition.f1, recognition.f1_right, recognition.macro_f1),
        "balanced_accuracy": _of_both(
            recognition.recall, recognition.recall_right, recognition.balanced_accuracy
        ),
    }
)
# What a balanced set would give: of texts whose shares are those of the source, what depends on them.
OF_BALANCED: Mapping[str, Statistic] = MappingProxyType(
    {name: _ratio(recognition.SHARES[name]) for name in ("accuracy", "precision", "precision_right")}
    | {name: RATIOS[name] for name in ("f1", "f1_right", "macro_f1")}
)


def count_scores(
    subject: str, where: Mapping[str, Any], counts: pl.DataFrame, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Score rows of every recognition metric of one judge from `counted` rows, and of what depends on the
    share of hallucinated texts also as a balanced set would give it (`view` balanced).

    Where every reply is a dead letter nothing was answered (`ScoreWriter.no_answers`). Where replies came and
    none could be read there is no accuracy: all but `unparsed_rate` is empty, and `no_verdicts` counts them.
    """
    grouped = (
        counts.group_by("group_id", maintain_order=True)
        .agg(total(pl.col(*COUNTED, "n_dead")))
        .sort("group_id")
    )
    sums = grouped.select(COUNTED).to_numpy()
    n = int(sums.sum())
    rows = [*_shares(subject, where, sums, writer), *_statistics(subject, where, sums, writer)]
    if n and grouped["n_dead"].sum() == n:
        return writer.no_answers(subject, where, rows, n)
    if n and not parts(sums, recognition.accuracy_parsed)[1].any():
        return writer.no_verdicts(subject, where, rows, n, kept="unparsed_rate")
    return rows


def _shares(
    subject: str, where: Mapping[str, Any], sums: np.ndarray, writer: ScoreWriter
) -> list[dict[str, Any]]:
    rows = []
    for name, of in recognition.SHARES.items():
        tops, bottoms = parts(sums, of)
        interval = writer.share_interval(tops, bottoms)
        rows.append(writer.row(name, subject, where, interval, int(bottoms.sum())))
    return rows


def _statistics(
    subject: str, where: Mapping[str, Any], sums: np.ndarray, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Statistics that are no shares, all from one bootstrap; those that have no spread because each class was
    judged alike throughout from the rates of the classes.
    """
    n = int(sums.sum())
    names = [(name, where) for name in RATIOS]
    names += [(name, {**where, VIEW: BALANCED}) for name in OF_BALANCED]
    each = writer.intervals(sums, _all_of) if len(sums) else [Interval(np.nan, np.nan, np.nan)] * len(names)
    if (ends := constant_ends(sums, writer)) is not None:
        with np.errstate(invalid="ignore", divide="ignore"):
            lows, highs = _all_of(ends)
        each = [
            Interval(statistics.value, float(low), float(high))
            if "balanced_accuracy" == name or VIEW in slice_
            else statistics
            for statistics, (name, slice_), low, high in zip(each, names, lows, highs, strict=True)
        ]
    return [
        writer.row(name, subject, slice_, interval, n)
        for (name, slice_), interval in zip(names, each, strict=True)
    ]


def constant_ends(sums: np.ndarray, writer: ScoreWriter) -> np.ndarray | None:
    """Where every text of a class got the same verdict, in both classes: balanced counts (2, 6) at the lower
    and at the upper ends of the intervals of both recalls; else None.

    No resample differs from another there, and Wilson's interval over clusters would take one half for the
    share of something: who always says Yes has a recall of 1 and one of 0, which few texts leave open by
    little. All statistics of balanced counts rise with both recalls, so that these ends are theirs; a wrong
    one asks for a wrong end of a recall.
    """
    if not len(sums) or ((sums.sum(axis=0).reshape(2, 3) > 0).sum(axis=1) != 1).any():
        return None
    recalls = [
        writer.share_interval(*parts(sums, of)) for of in (recognition.recall, recognition.recall_right)
    ]
    if any(recall is None or np.isnan([recall.low, recall.high]).any() for recall in recalls):
        return None
    ends, passed = np.array([[recall.low, recall.high] for recall in recalls if recall])
    nothing = np.zeros(2)
    return np.stack([ends, 1 - ends, nothing, 1 - passed, passed, nothing], axis=1)


def _all_of(counts: np.ndarray) -> np.ndarray:
    """RATIOS, then OF_BALANCED, from totals (draws, 6), (draws, m). Draws that are equal but for the order in
    which they were computed are made equal: an accelerated interval counts how many lie below the value.
    """
    even = balanced(counts)
    each = [of(counts) for of in RATIOS.values()] + [of(even) for of in OF_BALANCED.values()]
    return np.round(np.stack(each, axis=-1), 12)


# ---- what ranks are tested on ------------------------------------------------------------------------------


def balanced_outcomes(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with `outcome`: what each says of the balanced accuracy, whose mean over the rows it is.

    `B + (r - R) n / 2 n_c`: B the balanced accuracy, r 1 where the verdict is right, else 0, R the share of
    right verdicts in the row's class and n_c the size of that class. It is the statistic's linear form, so
    that the spread of the mean is that of the statistic: who always says Yes has no spread, however the
    classes are mixed. It may leave [0, 1]. Null for all where a class is missing, or no verdict could be
    read.
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


Rows = list[dict[str, Any]]


def recognition_scores(
    subject: str,
    where: Mapping[str, Any],
    rows: pl.DataFrame,
    writer: ScoreWriter,
    more: Sequence[Ratio] = (),
) -> Rows:
    """Every recognition metric of one judge over rows with `group_id`, `is_hallucinated` and `verdict`;
    `more` shares of the same rows stand behind the plain ones.
    """
    clusters, verdicts = rows["group_id"].to_list(), recognition.verdicts(rows)
    shares: list[Ratio] = [(name, where, *of(verdicts)) for name, of in recognition.SHARES.items()]
    halves: list[Ratio] = [(name, where, *of(verdicts)) for name, of in recognition.F1S.items()]
    both = recognition.class_columns(recognition.f1(verdicts), recognition.f1_right(verdicts))

    scores = writer.shares(subject, [*shares, *more], clusters)
    scores += writer.ratios(subject, halves, clusters)
    return [*scores, writer.statistic("macro_f1", subject, where, both, clusters, recognition.macro_f1)]


def pattern_ratios(rows: pl.DataFrame, where: Mapping[str, Any], key: str = "pattern") -> list[Ratio]:
    """TPR and failure rate of the hallucinated texts of each value of a column (HELMA Table 7)."""
    verdicts, ratios = recognition.verdicts(rows), list[Ratio]()
    for pattern in sorted(rows.filter("is_hallucinated")[key].drop_nulls().unique()):
        inside = is_true(rows[key] == pattern)
        for name, of in recognition.OF_PATTERN.items():
            tops, bottoms = of(verdicts)
            ratios.append((name, {**where, key: pattern}, tops * inside, bottoms * inside))
    return ratios


def is_right(rows: pl.DataFrame) -> np.ndarray:
    """Which verdicts agree with the label, (rows,), of several runs the share; unread ones do not."""
    return recognition.verdicts(rows).is_right


def is_true(column: pl.Series) -> np.ndarray:
    """A column of yes and no as (rows,) of bool; null is no."""
    return column.fill_null(False).to_numpy().astype(bool)


def settled(
    subject: str,
    where: Mapping[str, Any],
    rows: pl.DataFrame,
    scores: Rows,
    outcomes: pl.DataFrame,
    writer: ScoreWriter,
) -> tuple[Rows, pl.DataFrame]:
    """The Score and Outcome rows of a judge as they stand; where every reply of it is a dead letter nothing
    was answered: they are empty, and `no_answers` counts the letters.
    """
    if not is_unanswered(rows):
        return scores, outcomes
    silent = outcomes.with_columns(value=pl.lit(None, dtype=pl.Float64))
    return writer.no_answers(subject, where, scores, rows.height), silent
