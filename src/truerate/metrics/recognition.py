"""Recognition: does a judge say of a text that it contains hallucination, and is it right?

A judge that ran several times (the seeds of a detector) says Yes in a share of its runs, and No in a share.

Each metric is a ratio of sums over texts: a function of `Verdicts` gives the numerator and the denominator of
every text, (texts,) each, which the score writer adds up with the clusters that its interval needs. The
hallucinated class is the positive one. A ratio over nothing is null.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import polars as pl

Parts = tuple[np.ndarray, np.ndarray]  # numerators and denominators, (texts,) each


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
    """Recognition accuracy, unparsed counted wrong: (TP + TN) / all (HELMA Table 6)."""
    return v.is_right, np.ones(len(v.label))


def accuracy_parsed(v: Verdicts) -> Parts:
    """Recognition accuracy, unparsed dropped: (TP + TN) / parsed (HalluDial's evaluation drops them)."""
    return v.is_right, v.is_read


def precision(v: Verdicts) -> Parts:
    """Precision of the hallucinated class: TP / (TP + FP). Over nothing where nothing was judged
    hallucinated.
    """
    return v.label * v.yes, v.yes


def recall(v: Verdicts) -> Parts:
    """Recall of the hallucinated class, unparsed counted as missed: TP / labelled hallucinated."""
    return v.label * v.yes, v.label


def f1(v: Verdicts) -> Parts:
    """F1 of the hallucinated class: 2 TP / (labelled + judged hallucinated). No share of texts: a text may
    count in both parts of the denominator. Over nothing where both are nothing.
    """
    return 2.0 * v.label * v.yes, 1.0 * v.label + v.yes


def precision_right(v: Verdicts) -> Parts:
    """Precision of the class without hallucination: TN / (TN + FN). Over nothing where nothing was judged so."""
    return ~v.label * v.no, v.no


def recall_right(v: Verdicts) -> Parts:
    """Recall of the class without hallucination, unparsed counted as missed: TN / labelled so."""
    return ~v.label * v.no, ~v.label


def f1_right(v: Verdicts) -> Parts:
    """F1 of the class without hallucination: 2 TN / (labelled + judged so), as `f1`."""
    return 2.0 * ~v.label * v.no, 1.0 * ~v.label + v.no


def tpr(v: Verdicts) -> Parts:
    """True positive rate over parsed verdicts, P(judged hallucinated | hallucinated)."""
    return v.label * v.yes, v.label * v.is_read


def failure_rate(v: Verdicts) -> Parts:
    """Share of hallucinated texts that a judge passes, over parsed verdicts: 1 − TPR (HELMA Table 7)."""
    return v.label * v.no, v.label * v.is_read


def tnr(v: Verdicts) -> Parts:
    """True negative rate (specificity) over parsed verdicts: P(judged free of it | not hallucinated)."""
    return ~v.label * v.no, ~v.label * v.is_read


def unparsed_rate(v: Verdicts) -> Parts:
    """Share of texts whose verdict could not be read, or never came."""
    return 1.0 - v.is_read, np.ones(len(v.label))


def _by_name(*formulas: Callable[[Verdicts], Parts]) -> Mapping[str, Callable[[Verdicts], Parts]]:
    return MappingProxyType({of.__name__: of for of in formulas})


SHARES = _by_name(
    accuracy, accuracy_parsed, precision, recall, precision_right, recall_right, tpr, tnr, unparsed_rate
)
F1S = _by_name(f1, f1_right)
OF_PATTERN = _by_name(tpr, failure_rate)


def class_columns(first: Parts, second: Parts) -> np.ndarray:
    """What a mean of two ratios is made of: their numerators and denominators, (texts, 4)."""
    return np.stack([*first, *second], axis=1).astype(float)


def macro_f1(totals: np.ndarray) -> np.ndarray:
    """Mean F1 of both classes, from totals (…, 4) of `f1` and `f1_right`; NaN where one is over nothing."""
    return _mean_of_two(totals)


def balanced_accuracy(totals: np.ndarray) -> np.ndarray:
    """Mean recall of both classes, from totals (…, 4); NaN where a class has no text."""
    return _mean_of_two(totals)


def _mean_of_two(totals: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return (totals[..., 0] / totals[..., 1] + totals[..., 2] / totals[..., 3]) / 2
