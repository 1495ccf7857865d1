"""Recognition: does a judge say of a text that it contains hallucination, and is it right?

Each metric is a ratio of sums over texts: a function of `Verdicts` gives the numerator and the denominator of
every text, (texts,) each. The hallucinated class is the positive one. A ratio over nothing is null. A judge
that ran several times (the seeds of a detector) says Yes in a share of its runs, and No in a share.

As each metric adds up over texts, what it gives for one text of every kind (`_KINDS`) says what it makes of
counts: a board of a hundred thousand texts and a dozen judges is a few small tables (`counted`). Their
columns are COUNTED: of the hallucinated texts those judged so (`tp`), judged free of it (`fn`) and without a
readable verdict (`up`); of the others `fp`, `tn`, `un`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from truerate.core.aggregates import total
from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.judged import is_unanswered
from truerate.metrics.score_writer import Ratio, ScoreWriter

COUNTED = ("tp", "fn", "up", "fp", "tn", "un")
VIEW, BALANCED = "view", "balanced"
Parts = tuple[np.ndarray, np.ndarray]  # numerators and denominators, (texts,) each
Rows = list[dict[str, Any]]
Statistic = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Verdicts:
    """Of each text whether it is labelled hallucinated (`label`), and whether a judge said Yes, it is
    (`yes`), or No (`no`), or the shares of its runs that did; neither where no verdict could be read, or none
    came. All (texts,).
    """

    label: np.ndarray
    yes: np.ndarray
    no: np.ndarray

    @property
    def is_right(self) -> np.ndarray:
        """Verdicts that agree with the label, (texts,)."""
        return self.label * self.yes + ~self.label * self.no

    @property
    def is_read(self) -> np.ndarray:
        """Texts with a verdict, (texts,)."""
        return self.yes + self.no


def verdicts(rows: pl.DataFrame) -> Verdicts:
    """The verdicts of a frame with `is_hallucinated` (the label) and `verdict` (true: judged hallucinated;
    null: none that could be read); of several runs `verdict` is the share of readable ones that say so, and
    `read` the share that could be read (`judged.over_seeds`).
    """
    label, verdict = rows["is_hallucinated"].to_numpy().astype(bool), rows["verdict"]
    if verdict.dtype == pl.Boolean:
        yes, no = ((verdict == value).fill_null(False).to_numpy().astype(bool) for value in (True, False))
        return Verdicts(label, yes, no)
    share, read = verdict.fill_null(0.0).to_numpy(), rows["read"].to_numpy()
    return Verdicts(label, share * read, (1 - share) * read)


def accuracy(v: Verdicts) -> Parts:
    """Recognition accuracy, unparsed counted wrong: (TP + TN) / all, in [0, 1] (HaluEval Table 6)."""
    return v.is_right, np.ones(len(v.label))


def accuracy_parsed(v: Verdicts) -> Parts:
    """Recognition accuracy, unparsed dropped: (TP + TN) / parsed, in [0, 1] (HalluDial's evaluation
    drops them)."""
    return v.is_right, v.is_read


def precision(v: Verdicts) -> Parts:
    """Precision of the hallucinated class: TP / (TP + FP), in [0, 1]. Over nothing without such verdicts."""
    return v.label * v.yes, v.yes


def recall(v: Verdicts) -> Parts:
    """Recall of the hallucinated class, unparsed counted as missed: TP / labelled hallucinated, in [0, 1]."""
    return v.label * v.yes, v.label


def f1(v: Verdicts) -> Parts:
    """F1 of the hallucinated class: 2 TP / (labelled + judged hallucinated), in [0, 1]. No share of texts: a text may
    count in both parts of the denominator. Over nothing where both are nothing.
    """
    return 2.0 * v.label * v.yes, 1.0 * v.label + v.yes


def precision_right(v: Verdicts) -> Parts:
    """Precision of the class without hallucination: TN / (TN + FN), in [0, 1]. Over nothing without such."""
    return ~v.label * v.no, v.no


def recall_right(v: Verdicts) -> Parts:
    """Recall of the class without hallucination, unparsed counted as missed: TN / labelled so, in [0, 1]."""
    return ~v.label * v.no, ~v.label


def f1_right(v: Verdicts) -> Parts:
    """F1 of the class without hallucination: 2 TN / (labelled + judged so), in [0, 1], as `f1`."""
    return 2.0 * ~v.label * v.no, 1.0 * ~v.label + v.no


def tpr(v: Verdicts) -> Parts:
    """True positive rate over parsed verdicts, P(judged hallucinated | hallucinated), in [0, 1]."""
    return v.label * v.yes, v.label * v.is_read


def failure_rate(v: Verdicts) -> Parts:
    """Share of hallucinated texts that a judge passes, over parsed verdicts: 1 − TPR, in [0, 1] (HaluEval Table 7)."""
    return v.label * v.no, v.label * v.is_read


def tnr(v: Verdicts) -> Parts:
    """True negative rate (specificity) over parsed verdicts: P(judged free of it | not hallucinated), in [0, 1]."""
    return ~v.label * v.no, ~v.label * v.is_read


def unparsed_rate(v: Verdicts) -> Parts:
    """Share of texts whose verdict could not be read, or never came, in [0, 1]."""
    return 1.0 - v.is_read, np.ones(len(v.label))


Formula = Callable[[Verdicts], Parts]


def _by_name(*formulas: Formula) -> Mapping[str, Formula]:
    return MappingProxyType({of.__name__: of for of in formulas})


SHARES = _by_name(
    accuracy, accuracy_parsed, precision, recall, precision_right, recall_right, tpr, tnr, unparsed_rate
)
F1S = _by_name(f1, f1_right)
OF_PATTERN = _by_name(tpr, failure_rate)
# Means of both classes. Avg. P and Avg. R are HalluDial's, whose script drops unreadable verdicts.
MEANS: Mapping[str, tuple[Formula, Formula]] = MappingProxyType(
    {
        "macro_f1": (f1, f1_right),
        "avg_precision": (precision, precision_right),
        "avg_recall": (tpr, tnr),
    }
)


def class_columns(first: Parts, second: Parts) -> np.ndarray:
    """Return what a mean of two ratios is made of: their numerators and denominators, (texts, 4)."""
    return np.stack([*first, *second], axis=1).astype(float)


def macro_f1(totals: np.ndarray) -> np.ndarray:
    """Mean F1 of both classes, in [0, 1], from totals (…, 4) of `f1` and `f1_right`; NaN where one is over nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return (totals[..., 0] / totals[..., 1] + totals[..., 2] / totals[..., 3]) / 2


def balanced_accuracy(totals: np.ndarray) -> np.ndarray:
    """Mean recall of both classes, in [0, 1], from totals (…, 4) of `recall` and `recall_right`; NaN without a class."""
    return macro_f1(totals)


# ---- from counts -------------------------------------------------------------------------------------------
_KINDS = Verdicts(
    *(np.array([name in group for name in COUNTED]) for group in (COUNTED[:3], ("tp", "fp"), ("fn", "tn")))
)


def counted(rows: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """COUNTED and `n_dead` per group and value of `by`, sorted."""
    label, yes = pl.col("is_hallucinated"), pl.col("verdict")
    cells = {}
    for side, names in ((label, COUNTED[:3]), (~label, COUNTED[3:])):
        for name, is_verdict in zip(names, (yes.eq(True), yes.eq(False), yes.is_null()), strict=True):
            cells[name] = (side & is_verdict.fill_null(False)).sum().cast(pl.Float64)
    keys = [*by, "group_id"]
    dead = (pl.col("status") == "dead").sum().cast(pl.Float64)
    return rows.group_by(keys, maintain_order=True).agg(**cells, n_dead=dead).sort(keys)


def parts(counts: np.ndarray, of: Formula) -> Parts:
    """Numerators and denominators, (…,) each, of a formula of `recognition` from counts (…, 6). Added up in
    order, on every machine alike: a product of matrices would part draws that are equal.
    """
    top, bottom = ((counts * np.asarray(part, dtype=float)).sum(axis=-1) for part in of(_KINDS))
    return top, bottom


def _ratio(of: Formula) -> Statistic:
    def ratio(counts: np.ndarray) -> np.ndarray:
        top, bottom = parts(counts, of)
        return top / bottom

    return ratio


def _mean_of(first: Formula, second: Formula) -> Statistic:
    return lambda counts: macro_f1(np.stack([*parts(counts, first), *parts(counts, second)], axis=-1))


def balanced(counts: np.ndarray) -> np.ndarray:
    """Counts (…, 6) as if each class had half of the texts; NaN where a class has no text."""
    sides = [parts(counts, of)[1][..., None] for of in (recall, recall_right)]
    return counts / np.concatenate([np.repeat(side, 3, axis=-1) for side in sides], axis=-1)


RATIOS: Mapping[str, Statistic] = MappingProxyType(
    {name: _ratio(of) for name, of in F1S.items()}
    | {name: _mean_of(*sides) for name, sides in MEANS.items()}
    | {"balanced_accuracy": _mean_of(recall, recall_right)}
)
# What a balanced set would give: of texts whose shares are those of the source, what depends on them.
OF_BALANCED: Mapping[str, Statistic] = MappingProxyType(
    {name: _ratio(SHARES[name]) for name in ("accuracy", "precision", "precision_right")}
    | {name: RATIOS[name] for name in ("f1", "f1_right", "macro_f1")}
)


def count_scores(subject: str, where: Mapping[str, Any], counts: pl.DataFrame, writer: ScoreWriter) -> Rows:
    """Return score rows of every recognition metric of one judge from `counted` rows, and of what depends on
    the share of hallucinated texts also as a balanced set would give it (`view` balanced). Where every reply
    is a dead letter nothing was answered (`ScoreWriter.no_answers`). Where replies came and none could be
    read there is no accuracy: all but `unparsed_rate` is empty, and `no_verdicts` counts them.
    """
    by_group = counts.group_by("group_id", maintain_order=True)
    grouped = by_group.agg(total(pl.col(*COUNTED, "n_dead"))).sort("group_id")
    sums = grouped.select(COUNTED).to_numpy()
    n, rows = int(sums.sum()), []
    for name, of in SHARES.items():
        tops, bottoms = parts(sums, of)
        interval = writer.share_interval(tops, bottoms)
        rows.append(writer.row(name, subject, where, interval, int(bottoms.sum())))
    rows += _statistics(subject, where, sums, writer)
    if n and grouped["n_dead"].sum() == n:
        return writer.no_answers(subject, where, rows, n)
    if n and not parts(sums, accuracy_parsed)[1].any():
        return writer.no_verdicts(subject, where, rows, n, kept="unparsed_rate")
    return rows


def _statistics(subject: str, where: Mapping[str, Any], sums: np.ndarray, writer: ScoreWriter) -> Rows:
    """Return rows of the statistics that are no shares, all from one bootstrap; where each class was judged
    alike throughout, those that have no spread take their ends from the rates of the classes.
    """
    slices = [(name, where) for name in RATIOS] + [(name, {**where, VIEW: BALANCED}) for name in OF_BALANCED]
    each = writer.intervals(sums, _all_of) if len(sums) else [Interval(np.nan, np.nan, np.nan)] * len(slices)
    if (ends := constant_ends(sums, writer)) is not None:
        with np.errstate(invalid="ignore", divide="ignore"):
            lows, highs = _all_of(ends)
        for at, (name, slice_) in enumerate(slices):
            if name in ("balanced_accuracy", "avg_recall") or VIEW in slice_:
                each[at] = Interval(each[at].value, float(lows[at]), float(highs[at]))
    n = int(sums.sum())
    pairs = zip(slices, each, strict=True)
    return [writer.row(name, subject, slice_, interval, n) for (name, slice_), interval in pairs]


def constant_ends(sums: np.ndarray, writer: ScoreWriter) -> np.ndarray | None:
    """Return where every text of a class got the same verdict, in both classes: balanced counts (2, 6) at the
    lower and at the upper ends of the intervals of both recalls; else None.

    No resample differs from another there, and Wilson's interval over clusters would take one half for the
    share of something: who always says Yes has a recall of 1 and one of 0, which few texts leave open by
    little. All statistics of balanced counts rise with both recalls, so that these ends are theirs; a wrong
    one asks for a wrong end of a recall.
    """
    if not len(sums) or ((sums.sum(axis=0).reshape(2, 3) > 0).sum(axis=1) != 1).any():
        return None
    recalls = [writer.share_interval(*parts(sums, of)) for of in (recall, recall_right)]
    if any(interval is None or np.isnan([interval.low, interval.high]).any() for interval in recalls):
        return None
    ends, passed = np.array([[interval.low, interval.high] for interval in recalls if interval])
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
    mean_recall = (of_class[0] + of_class[1]) / 2
    is_defined = label.any() & (~label).any() & pl.col("verdict").is_not_null().any()
    outcome = mean_recall + (is_right - rate) * pl.len() / (2 * n_class)
    return rows.with_columns(outcome=pl.when(is_defined).then(outcome))


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
    clusters, given = rows["group_id"].to_list(), verdicts(rows)
    shares: list[Ratio] = [(name, where, *of(given)) for name, of in SHARES.items()]
    halves: list[Ratio] = [(name, where, *of(given)) for name, of in F1S.items()]
    scores = writer.shares(subject, [*shares, *more], clusters)
    scores += writer.ratios(subject, halves, clusters)
    sides = [class_columns(first(given), second(given)) for first, second in MEANS.values()]
    sums = cluster_sums(clusters, np.hstack(sides))
    means = writer.intervals(sums, _means) if len(sums) else [None] * len(MEANS)
    named = zip(MEANS, means, strict=True)
    return [*scores, *(writer.row(name, subject, where, interval, rows.height) for name, interval in named)]


def _means(totals: np.ndarray) -> np.ndarray:
    """MEANS from their totals side by side (draws, 4 m), (draws, m)."""
    return np.stack([macro_f1(part) for part in np.split(totals, len(MEANS), axis=-1)], axis=-1)


def pattern_ratios(rows: pl.DataFrame, where: Mapping[str, Any], key: str = "pattern") -> list[Ratio]:
    """TPR and failure rate of the hallucinated texts of each value of a column (HaluEval Table 7)."""
    given, ratios = verdicts(rows), list[Ratio]()
    for pattern in sorted(rows.filter("is_hallucinated")[key].drop_nulls().unique()):
        inside = is_true(rows[key] == pattern)
        for name, of in OF_PATTERN.items():
            tops, bottoms = of(given)
            ratios.append((name, {**where, key: pattern}, tops * inside, bottoms * inside))
    return ratios


def is_right(rows: pl.DataFrame) -> np.ndarray:
    """Return which verdicts agree with the label, (rows,), of several runs the share; unread ones do not."""
    return verdicts(rows).is_right


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
