"""Recognition: does a judge say of a text that it contains hallucination, and is it right?

Columns read: `is_hallucinated` (Boolean, the label) and `verdict` (Boolean, true: judged hallucinated; null:
no verdict could be read).
"""

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Confusion:
    """Counts of labels against verdicts; the hallucinated class is the positive one.

    `unparsed_positive` and `unparsed_negative` are texts of either class whose verdict could not be read.
    """

    tp: int
    fp: int
    tn: int
    fn: int
    unparsed_positive: int
    unparsed_negative: int

    @property
    def n_hallucinated(self) -> int:
        """Texts labelled hallucinated, parsed or not."""
        return self.tp + self.fn + self.unparsed_positive

    @property
    def n_faithful(self) -> int:
        """Texts labelled free of hallucination, parsed or not."""
        return self.tn + self.fp + self.unparsed_negative

    @property
    def n(self) -> int:
        """All texts."""
        return self.n_hallucinated + self.n_faithful

    @property
    def n_parsed(self) -> int:
        """Texts with a verdict."""
        return self.tp + self.fp + self.tn + self.fn


def confusion(rows: pl.DataFrame) -> Confusion:
    """The confusion counts of a frame with `is_hallucinated` and `verdict`; an empty frame gives zeros."""
    label, verdict = pl.col("is_hallucinated"), pl.col("verdict")
    counts = rows.select(
        tp=(label & verdict).sum(),
        fp=(~label & verdict).sum(),
        tn=(~label & ~verdict).sum(),
        fn=(label & ~verdict).sum(),
        unparsed_positive=(label & verdict.is_null()).sum(),
        unparsed_negative=(~label & verdict.is_null()).sum(),
    )
    return Confusion(**counts.row(0, named=True))


def ratio(part: float, whole: float) -> float | None:
    """A share in [0, 1] where `part` is contained in `whole`; None where the whole is nothing."""
    return part / whole if whole else None


def accuracy(c: Confusion) -> float | None:
    """Recognition accuracy, unparsed counted wrong: (TP + TN) / all (HELMA Table 6; its code counts
    unreadable outputs as wrong).
    """
    return ratio(c.tp + c.tn, c.n)


def accuracy_parsed(c: Confusion) -> float | None:
    """Recognition accuracy, unparsed dropped: (TP + TN) / parsed (HalluDial's evaluation drops them). Stands
    beside `accuracy`.
    """
    return ratio(c.tp + c.tn, c.n_parsed)


def precision(c: Confusion) -> float | None:
    """Precision of the hallucinated class: TP / (TP + FP). None where nothing was judged hallucinated."""
    return ratio(c.tp, c.tp + c.fp)


def recall(c: Confusion) -> float | None:
    """Recall of the hallucinated class, unparsed counted as missed: TP / labelled hallucinated. None where no
    text is.
    """
    return ratio(c.tp, c.n_hallucinated)


def f1(c: Confusion) -> float | None:
    """F1 of the hallucinated class: 2 TP / (labelled + judged hallucinated). None where both are nothing."""
    return ratio(2 * c.tp, c.n_hallucinated + c.tp + c.fp)


def precision_faithful(c: Confusion) -> float | None:
    """Precision of the class without hallucination: TN / (TN + FN). None where nothing was judged so."""
    return ratio(c.tn, c.tn + c.fn)


def recall_faithful(c: Confusion) -> float | None:
    """Recall of the class without hallucination, unparsed counted as missed: TN / labelled so. None where no
    text is.
    """
    return ratio(c.tn, c.n_faithful)


def f1_faithful(c: Confusion) -> float | None:
    """F1 of the class without hallucination: 2 TN / (labelled + judged so). None where both are nothing."""
    return ratio(2 * c.tn, c.n_faithful + c.tn + c.fn)


def macro_f1(c: Confusion) -> float | None:
    """Mean of the two classes' F1 (HalluDial Tables 4 and 7). None where either is None."""
    first, second = f1(c), f1_faithful(c)
    return None if first is None or second is None else (first + second) / 2


def balanced_accuracy(c: Confusion) -> float | None:
    """Mean recall of the two classes, unparsed counted wrong; .5 for a judge that always says the same. None
    where a class is missing.
    """
    first, second = recall(c), recall_faithful(c)
    return None if first is None or second is None else (first + second) / 2


def tpr(c: Confusion) -> float | None:
    """True positive rate over parsed verdicts, P(judged hallucinated | hallucinated), as Rogan–Gladen needs
    it. None over none.
    """
    return ratio(c.tp, c.tp + c.fn)


def fpr(c: Confusion) -> float | None:
    """False positive rate over parsed verdicts, P(judged hallucinated | not hallucinated). None where none
    was parsed.
    """
    return ratio(c.fp, c.fp + c.tn)


def tnr(c: Confusion) -> float | None:
    """True negative rate (specificity) over parsed verdicts, 1 − FPR. None where none was parsed."""
    return ratio(c.tn, c.fp + c.tn)


def unparsed_rate(c: Confusion) -> float | None:
    """Share of texts whose verdict could not be read. None over no texts."""
    return ratio(c.unparsed_positive + c.unparsed_negative, c.n)


METRICS = (
    accuracy, accuracy_parsed, balanced_accuracy, precision, recall, f1, precision_faithful, recall_faithful, f1_faithful, macro_f1,
    tpr, fpr, tnr, unparsed_rate,
)  # fmt: skip


def recognition(rows: pl.DataFrame) -> dict[str, float | None]:
    """Every recognition metric of a frame by name, each in [0, 1] or None where it is over nothing."""
    counts = confusion(rows)
    return {metric.__name__: metric(counts) for metric in METRICS}
