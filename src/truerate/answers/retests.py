"""Repeats of a judge: the same text judged again by the same judge, and how far it agrees with itself."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from truerate.metrics.agreement import agreement_sums, fleiss_kappa
from truerate.metrics.intervals import Interval, share_interval

# A verdict's field that names its run: judge_run1, judge (epoch 2)
_RUN = re.compile(r"(.+?)[\W_]*(?:run|epoch|repeat|attempt|trial)[\W_]*\d+\W*", re.IGNORECASE)
ASKED = ("question", "reference", "answer")  # what a judge sees of an answer


@dataclass(frozen=True)
class Retest:
    """A judge on `texts` that it judged several times, `verdicts` in all: the share of pairs of verdicts on one
    text that are equal (mean over texts) with its interval of 95 %, Fleiss' κ (None where all verdicts are
    one), and `noise`, the share that its disagreement with itself has in the variance of their flagged share.
    """

    judge: str
    texts: int
    verdicts: int
    agreement: Interval
    kappa: float | None
    noise: float

    def line(self) -> str:
        """In words."""
        kappa = "" if self.kappa is None else f", kappa {self.kappa:.2f}"
        low, high = (f"{100 * end:.1f} %" for end in self.agreement[1:])
        narrower = 100 * (1 - (1 - self.noise) ** 0.5)
        noise = f"; without this noise the interval of their flagged share would be {narrower:.0f} % narrower"
        return (
            f"judge {self.judge} again on the same text ({self.texts} texts, {self.verdicts} verdicts): equal in "
            f"{100 * self.agreement.value:.1f} % ({low} to {high}) of pairs{kappa}{noise if self.noise else ''}"
        )


def retests_of(stated: pl.DataFrame, names: Sequence[str], flags: np.ndarray) -> list[Retest]:
    """The repeats of each judge among answers that say something. `flags` (answers, judges): what each of
    `names` flags, NaN unread. A judge sees the same where question, reference and answer are the same,
    whatever the id, and by fields that differ in their run alone (`judge_run1`, `judge_run2`). Empty where no
    text was judged twice, or where texts were not read.
    """
    is_text = pl.col("answer").fill_null("") != ""
    if not stated.select(is_text.any()).item():
        return []
    has_text = stated.select(is_text).to_series().to_numpy()
    # answers without question and reference are the same by their id alone
    own_id = pl.when((pl.col("question") == "") & (pl.col("reference") == "")).then("id")
    same = stated.select(*ASKED, own_id=own_id).with_row_index("row").with_columns(
        pl.col("row").min().over(*ASKED, "own_id")
    )["row"].to_numpy()  # fmt: skip
    return list(_retests(same, has_text, names, flags))


def _retests(
    same: np.ndarray, has_text: np.ndarray, names: Sequence[str], flags: np.ndarray
) -> Iterator[Retest]:
    columns: dict[str, list[np.ndarray]] = {}
    for name, column in zip(names, flags.T, strict=True):
        in_runs = _RUN.fullmatch(name)
        columns.setdefault(in_runs[1] if in_runs else name, []).append(column)
    for judge, of_judge in columns.items():
        counts = np.zeros((len(same), 2))
        for column in of_judge:
            is_read = has_text & ~np.isnan(column)
            for side in (0, 1):
                counts[:, side] += np.bincount(same[is_read], column[is_read] == side, minlength=len(same))
        several = counts[counts.sum(axis=1) > 1]
        if len(several):
            yield _retest(judge, several)


def _retest(judge: str, counts: np.ndarray) -> Retest:
    """Of texts judged m times and flagged in a share p: the variance of a text's share from its judge's noise,
    p(1 − p)/(m − 1), in the mean, over the variance of the shares between texts, in which it is contained.
    """
    n = counts.sum(axis=1)
    share = counts[:, 1] / n
    noise = float(np.mean(share * (1 - share) / (n - 1)))
    spread = float(share.var(ddof=1)) if len(share) > 1 else 0.0
    sums = agreement_sums(counts)
    agreement = share_interval(sums[:, 1], np.ones(len(counts)), confidence=0.95)
    assert agreement is not None  # a text was judged twice
    kappa = float(fleiss_kappa(sums.sum(axis=0)))
    ratio = min(noise / spread, 1.0) if spread else float(noise > 0)
    return Retest(judge, len(counts), int(n.sum()), agreement, None if np.isnan(kappa) else kappa, ratio)
