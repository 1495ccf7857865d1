"""What papers print of a labelled set: shares of labels, counts, agreement, each made of the labels
themselves.

Rows of labels have `subject`, `slice`, `unit_id`, `part`, `question`, `rater`, `label`. A unit is a text; its
parts are its claims or facts (`part` is empty for the text as a whole); a question is what was asked of it; a
rater is empty where the set holds one label alone. A quantity asks one question and counts one label, or one
of several.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.metric import Metric
from truerate.metrics.agreement import agreement_sums, fleiss_kappa, rating_counts

QUESTION, LABEL, BESIDE = "question", "label", "beside"  # keys of a slice that say what is counted
ASKS = (QUESTION, LABEL, BESIDE)
EITHER = "|"  # between labels of which each counts
ALL, LOWEST, HIGHEST = "all", "lowest of the subjects", "highest of the subjects"  # in place of a subject
TABLE = "published"


class Counted(NamedTuple):
    """The rows that a quantity is made of: `asked`, of its question; `whole`, of any, so that a unit of which
    the question was never asked is known; the label's rows among the first are those in `labels` (all, where
    it is empty).
    """

    asked: pl.DataFrame
    whole: pl.DataFrame
    labels: frozenset[str]
    beside: pl.DataFrame

    @property
    def is_it(self) -> pl.Expr:
        """Whether a row has the label."""
        return pl.col("label").is_in(list(self.labels)) if self.labels else pl.lit(value=True)


def unit_share(rows: Counted) -> float | None:
    """Share of units that have the label, in [0, 1]; of several raters more than half must say so. Units
    without any label do not count.
    """
    labels = (
        rows.asked.drop_nulls("label")
        .group_by("subject", "unit_id", maintain_order=True)
        .agg(rows.is_it.mean().alias("share"))
    )
    return None if labels.is_empty() else _mean(labels["share"] > 0.5)


def rating_share(rows: Counted) -> float | None:
    """Share of single ratings that are the label, over all units and raters, in [0, 1]."""
    labels = rows.asked.drop_nulls("label")
    return None if labels.is_empty() else float(labels.select(rows.is_it.mean()).item())


def mean_part_share(rows: Counted) -> float | None:
    """Mean over the units that have parts of the share of their parts with the label, in [0, 1]."""
    shares = _part_shares(rows)
    return _mean(shares) if len(shares) else None


def all_part_share(rows: Counted) -> float | None:
    """As `mean_part_share` over all units: one without parts, as a reply that answers nothing, counts as 0.
    """  # fmt: skip
    n = rows.whole.select("subject", "unit_id").unique().height
    return float(_part_shares(rows).sum()) / n if n else None


def n_units(rows: Counted) -> float | None:
    """Return how many units have the label (any of their raters or parts)."""
    return float(rows.asked.filter(rows.is_it).select("subject", "unit_id").unique().height)


def n_parts(rows: Counted) -> float | None:
    """Return how many parts, or units as a whole, have the label."""
    parts = rows.asked.filter(rows.is_it).select("subject", "unit_id", "part").unique(maintain_order=True)
    return float(parts.height)


def kappa(rows: Counted) -> float | None:
    """Fleiss' κ of the raters, who said of each unit the label or not; None where no unit has two."""
    labels = rows.asked.drop_nulls("label").select(
        unit_id=pl.format("{}\n{}\n{}", "subject", "unit_id", "part"),
        label=pl.when(rows.is_it).then(pl.lit("yes")).otherwise(pl.lit("no")),
    )
    value = (
        float(fleiss_kappa(agreement_sums(rating_counts(labels)).sum(axis=0))) if labels.height else np.nan
    )
    return None if np.isnan(value) else value


def same_share(rows: Counted) -> float | None:
    """Share of units of which two questions have the same answer, the label or not, in [0, 1]."""
    both = _both(rows)
    return None if both.is_empty() else _mean(both["it"] == both["it_beside"])


def f1(rows: Counted) -> float | None:
    """F1 of the label by the question beside, held against the question itself, in [0, 1]; None where neither
    has it.
    """
    both = _both(rows)
    right = int((both["it"] & both["it_beside"]).sum())
    n = int(both["it"].sum()) + int(both["it_beside"].sum())
    return 2 * right / n if n else None


def balanced_accuracy(rows: Counted) -> float | None:
    """Mean of the shares of units with and without the label of which the question beside says the same, in
    [0, 1]; None where one of both kinds is missing.
    """
    both = _both(rows)
    sides = [both.filter(pl.col("it") == side) for side in (True, False)]
    if any(side.is_empty() for side in sides):
        return None
    sensitivity, passed = (_mean(side["it"] == side["it_beside"]) for side in sides)
    return (sensitivity + passed) / 2


def _mean(values: pl.Series) -> float:
    return float(values.cast(pl.Float64).to_numpy().mean())


def _part_shares(rows: Counted) -> pl.Series:
    labels = rows.asked.filter(pl.col("part") != "", pl.col("label").is_not_null())
    return labels.group_by("subject", "unit_id", maintain_order=True).agg(share=rows.is_it.mean())["share"]


def _both(rows: Counted) -> pl.DataFrame:
    key = ["subject", "unit_id", "part", "rater"]
    labels = rows.asked.drop_nulls("label").select(*key, it=rows.is_it)
    other = rows.beside.drop_nulls("label").select(*key, it=rows.is_it)
    return labels.join(other, on=key, how="inner", suffix="_beside", maintain_order="left")


_MADE: dict[str, tuple[str, Callable[[Counted], float | None], str]] = {
    "unit_share": ("Share of units", unit_share, "share"),
    "rating_share": ("Share of ratings", rating_share, "share"),
    "mean_part_share": ("Mean share of a unit's parts", mean_part_share, "share"),
    "all_part_share": ("Mean share of parts, over all units", all_part_share, "share"),
    "n_units": ("Units", n_units, "count"),
    "n_parts": ("Parts", n_parts, "count"),
    "fleiss_kappa": ("Fleiss' κ", kappa, "number"),
    "same_share": ("Agreement", same_share, "share"),
    "balanced_accuracy": ("Balanced accuracy", balanced_accuracy, "share"),
    "f1": ("F1", f1, "share"),
}
COMPARED = ("same_share", "balanced_accuracy", "f1")  # of two questions
RECORDS: Mapping[str, Metric] = {
    name: Metric(
        name=name,
        label=label,
        definition=" ".join((of.__doc__ or "").split()).replace("`", ""),
        table=TABLE,
        unit=unit,  # type: ignore[arg-type]
    )
    for name, (label, of, unit) in _MADE.items()
}


def quantity(name: str, labels: pl.DataFrame, subject: str, where: Mapping[str, str]) -> float | None:
    """A quantity of labels: of one subject, of all together (`ALL`), or the lowest or highest of all
    subjects. `where` says what is counted (`QUESTION`, `LABEL`, and `BESIDE` where two questions are
    compared) and which part of the set: its other keys are pairs of the rows' slices. None where nothing is
    measured. Raises KeyError for a name that is none of `RECORDS`.
    """
    chosen = labels
    for key, value in where.items():
        if key not in ASKS:
            pair = (pl.element().struct.field("key") == key) & (pl.element().struct.field("value") == value)
            chosen = chosen.filter(pl.col("slice").list.eval(pair).list.any())
    if subject in (LOWEST, HIGHEST):
        names = chosen["subject"].unique().sort().to_list()
        values = [_of(name, chosen.filter(subject=model), where) for model in names]
        defined = [value for value in values if value is not None]
        return (min(defined) if subject == LOWEST else max(defined)) if defined else None
    return _of(name, chosen if subject == ALL else chosen.filter(subject=subject), where)


def unasked(name: str, keys: Sequence[str]) -> str:
    """Return what a slice of these keys lacks, or says twice, of what a quantity asks; empty where nothing."""
    wanted = (QUESTION, BESIDE) if name in COMPARED else (QUESTION,)
    twice = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    lacking = [key for key in wanted if key not in keys]
    return f"says {twice[0]!r} twice" if twice else f"has no {lacking[0]!r}" if lacking else ""


def asked_in_words(where: Mapping[str, str]) -> str:
    """Return what a slice counts: `claim: Neutral`, or one question `against` another; empty for nothing."""
    if BESIDE in where:
        return f"{where.get(QUESTION, 'any question')} against {where[BESIDE]}"
    if QUESTION not in where and LABEL not in where:
        return ""
    label = where.get(LABEL, "any label").replace(EITHER, " or ")
    return f"{where.get(QUESTION, 'any question')}: {label}"


def _of(name: str, labels: pl.DataFrame, where: Mapping[str, str]) -> float | None:
    asked = labels.filter(question=where[QUESTION]) if QUESTION in where else labels
    if asked.is_empty():
        return None
    beside = labels.filter(question=where[BESIDE]) if BESIDE in where else labels.clear()
    counted = frozenset(where[LABEL].split(EITHER)) if LABEL in where else frozenset[str]()
    return _MADE[name][1](Counted(asked, labels, counted, beside))


PRIOR = 0.5  # added to each count of a table of label by verdict (Jeffreys), so that no verdict is proof


def bits_against(labels: np.ndarray, verdicts: np.ndarray) -> np.ndarray:
    """log2 of how many times likelier the verdicts on each text are under the other label than under its own,
    (texts,).

    The likelihood ratio of naive Bayes: Σ log2 P(verdict | other label) / P(verdict | label), the rates of
    each judge being those against these very labels, each count with PRIOR added. Judges that err together
    are counted as though they did not, and wrong labels make a judge look worse than it is: it orders texts
    to look at, and is no probability. A judge whose Youden's J on these texts is not above 0 tells nothing
    and counts for nothing.

    `labels`: 0 or 1; `verdicts`: (texts, judges), NaN where there is none. NaN for a text without a verdict
    that counts.
    """
    is_defined = ~np.isnan(verdicts)
    says = np.where(is_defined, verdicts, 0.0) >= 0.5
    total = np.full(len(labels), np.nan)
    for judge in range(verdicts.shape[1]):
        rate = [_rate(says[:, judge], is_defined[:, judge] & (labels == label)) for label in (0, 1)]
        if rate[1] <= rate[0]:
            continue
        # of each label the probability of what the judge said, on every text
        losses = [np.where(says[:, judge], share, 1 - share) for share in rate]
        ratio = np.where(labels == 1, np.log2(losses[0] / losses[1]), np.log2(losses[1] / losses[0]))
        total = np.where(is_defined[:, judge], np.where(np.isnan(total), 0.0, total) + ratio, total)
    return total


def _rate(says: np.ndarray, of: np.ndarray) -> float:
    """The share of some texts that a judge calls hallucinated, PRIOR added to both counts."""
    return float((says[of].sum() + PRIOR) / (of.sum() + 2 * PRIOR))
