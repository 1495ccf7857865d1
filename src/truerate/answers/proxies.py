"""The verdicts of a file's own judges: each beside people's labels, and one proxy of them all."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from truerate.answers.grouping import grouping_of
from truerate.sources.answers.fields import SPAN
from truerate.sources.answers.reading import STATED
from truerate.sources.answers.table import AnswerTable, is_stated

FOLDS = 5  # in which labels are set aside when the weights of judges are learned
LEAST_LABELS = 20  # with fewer, judges count alike
RIDGE = 1.0  # of the weights, in labels: what holds judges together that say nearly the same
NO_VERDICT = "no verdict in the file"


@dataclass(frozen=True)
class Judges:
    """Judges by name: `scores` (answers, judges), 1 hallucinated, NaN unread, and what they flag; `label`
    (answers,), NaN without one; `weight` (answers,): 1 over the chance that a labelled one had to be drawn;
    `clusters` (answers,): of which none is split between folds.
    """

    names: tuple[str, ...]
    scores: np.ndarray
    flags: np.ndarray
    label: np.ndarray
    is_stated: np.ndarray
    weight: np.ndarray
    clusters: np.ndarray

    def judged(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with what most judges flag as the verdict (half of them is enough)."""
        n = (~np.isnan(self.flags.T)).sum(axis=0)
        is_flagged = 2 * (self.flags.T == 1).sum(axis=0) >= n
        is_read = pl.Series(self.is_stated & (n > 0))
        state = pl.when(pl.col("state") == STATED).then(pl.lit(NO_VERDICT)).otherwise(pl.col("state"))
        return frame.with_columns(
            pl.when(is_read).then(pl.Series(is_flagged)).alias("verdict"),
            pl.lit(None, pl.List(SPAN)).alias("marked"),
            pl.when(~is_read).then(state).alias("reason"),
        )

    def proxy(self, stated: pl.DataFrame, is_stated: np.ndarray) -> np.ndarray:
        """Return what the estimate leans on, (stated answers,), in [0, 1], NaN where no judge says anything:
        the verdict or score of one judge; of several the label foretold from all of them (least squares with
        RIDGE), that of a labelled answer by weights that were learned without it (cross-fitting, so the
        estimate stays right on average; Angelopoulos et al. 2023). Fewer than LEAST_LABELS labels: their mean.
        """
        columns = [_scaled(_some(column, is_stated)) for column in self.scores.T]
        if len(columns) == 1:
            return columns[0]
        scores = np.stack(columns, axis=1)
        is_read = ~np.isnan(scores).all(axis=1)
        with np.errstate(invalid="ignore"):
            means = np.nansum(scores, axis=1) / np.maximum((~np.isnan(scores)).sum(axis=1), 1)
        label = self.label[is_stated]
        labelled = np.flatnonzero(~np.isnan(label) & is_read)
        if len(labelled) < LEAST_LABELS:
            return np.where(is_read, means, np.nan)
        design = np.column_stack([np.ones(len(scores)), np.where(np.isnan(scores), means[:, None], scores)])
        # whole clusters are set aside, in the order of their first label
        _, first, cluster = np.unique(
            self.clusters[is_stated][labelled], return_index=True, return_inverse=True
        )
        fold = (np.argsort(np.argsort(first)) % FOLDS)[cluster]
        folds = []
        for number in range(FOLDS):
            others = labelled[fold != number]
            folds.append(np.clip(design @ _ridge(design[others], label[others]), 0, 1))
        foretold = np.mean(folds, axis=0)
        foretold[labelled] = np.stack(folds)[fold, labelled]
        return np.where(is_read, foretold, np.nan)

    def rates(self) -> list[dict[str, Any]]:
        """Each judge beside people: how many answers it has a verdict on, its flagged share, and on labelled
        answers, each as its chance to be drawn has it, sensitivity and specificity (None over nothing).
        """
        rows = []
        label, weight = _some(self.label, self.is_stated), _some(self.weight, self.is_stated)
        for name, flags in zip(self.names, _some(self.flags, self.is_stated).T, strict=True):
            is_read = ~np.isnan(flags)
            true, false = is_read & (label == 1), is_read & (label == 0)
            rows.append(
                {
                    "judge": name,
                    "n": int(is_read.sum()),
                    "flagged": _mean(flags[is_read]),
                    "sensitivity": _mean(flags[true], weight[true]),
                    "specificity": _mean(1 - flags[false], weight[false]),
                    "n_hallucinated": int(true.sum()),
                    "n_faithful": int(false.sum()),
                }
            )
        return rows

    def agreements(self) -> list[dict[str, Any]]:
        """Every two judges: the share of answers, of those both have a verdict on, on which they agree, and
        Cohen's κ (None where it is not defined).
        """
        rows = []
        for first, second in combinations(range(len(self.names)), 2):
            pair = _some(self.flags, self.is_stated)[:, [first, second]]
            a, b = pair[~np.isnan(pair).any(axis=1)].T
            agreed = _mean(a == b)
            kappa = None
            if agreed is not None:
                by_chance = float(a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean()))
                kappa = None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)
            rows.append(
                {
                    "judges": [self.names[first], self.names[second]],
                    "n": len(a),
                    "agreement": agreed,
                    "kappa": kappa,
                }
            )
        return rows

    def lines(self) -> Iterator[str]:
        """Each judge, and every two, in words; those whose threshold flags all or none of scores beyond 0 to 1."""
        for name, scores, flags in zip(self.names, self.scores.T, self.flags.T, strict=True):
            least, most = np.nanmin(scores, initial=np.inf), np.nanmax(scores, initial=-np.inf)
            if least < most and (least < 0 or most > 1) and np.nanmin(flags) == np.nanmax(flags):
                which = "all" if np.nanmax(flags) else "none"
                yield f"judge {name}: its scores are {least:g} to {most:g}, and {which} are flagged; give --threshold"
        for row in self.rates() if len(self.names) > 1 or not np.isnan(self.label).all() else ():
            errors = ""
            if row["sensitivity"] is not None or row["specificity"] is not None:
                errors = (
                    f"; sensitivity {_shown(row['sensitivity'])} of {row['n_hallucinated']} labelled "
                    f"hallucinated, specificity {_shown(row['specificity'])} of {row['n_faithful']} faithful"
                )
            yield f"judge {row['judge']}: flags {_shown(row['flagged'])} of {row['n']}{errors}"
        for pair in self.agreements():
            kappa = "" if pair["kappa"] is None else f", kappa {pair['kappa']:.2f}"
            yield f"{' and '.join(pair['judges'])} agree on {_shown(pair['agreement'])} of {pair['n']}{kappa}"

    def as_dict(self) -> Mapping[str, Any]:
        """Both tables for programs."""
        return {"rates": self.rates(), "agreements": self.agreements()}


def judges_of(table: AnswerTable) -> Judges:
    """The judges of a table that were asked for."""
    columns = [table.scores(name) for name in table.verdicts], [table.flags(name) for name in table.verdicts]
    scores, flags = (each[0][:, None] if len(each) == 1 else np.stack(each, axis=1) for each in columns)
    label = table.frame["label"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    weight, clusters = np.broadcast_to(1.0, len(scores)), np.broadcast_to(0, len(scores))
    if table.frame.select(pl.col("weight").is_not_null().any()).item():
        weight = table.frame["weight"].fill_null(1.0).to_numpy()
    if len(scores.T) > 1:
        clusters = grouping_of(table.frame, has_repeats=table.has_repeats).clusters
    return Judges(tuple(table.verdicts), scores, flags, label, is_stated(table.frame), weight, clusters)


def _some(values: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Some rows; all of them are not copied."""
    return values if inside.all() else values[inside]


def _scaled(scores: np.ndarray) -> np.ndarray:
    """Scores in [0, 1]: as they are where they are, else by their least and greatest."""
    low, high = np.nanmin(scores, initial=0.0), np.nanmax(scores, initial=1.0)
    return scores if low == 0 and high == 1 else (scores - low) / (high - low)


def _ridge(design: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Weights of least squares, the constant free, the others held by RIDGE."""
    penalty = np.diag([0.0, *[RIDGE * 0.25] * (design.shape[1] - 1)])
    weights: np.ndarray = np.linalg.lstsq(design.T @ design + penalty, design.T @ label, rcond=None)[0]
    return weights


def _mean(values: np.ndarray, weight: np.ndarray | None = None) -> float | None:
    return float(np.average(values, weights=weight)) if len(values) else None


def _shown(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
