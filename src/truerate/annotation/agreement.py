"""How well annotators agree: Score rows of those who labelled tasks, and of those that a source came with."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl

from truerate.metrics.agreement import KAPPA, agreement_sums, fleiss_kappa, percent_agreement, span_counts
from truerate.metrics.intervals import UNIT
from truerate.metrics.score_writer import ScoreWriter

ANNOTATORS = "annotators"  # the subject of their scores
_WORD = re.compile(r"\S+")
Statistic = Callable[[np.ndarray], np.ndarray]


def verdict_sums(verdicts: Sequence[Sequence[bool]]) -> np.ndarray:
    """Return `agreement_sums` of texts by what their annotators say of each, (texts, 5)."""
    counts = [[len(of_text) - sum(of_text), sum(of_text)] for of_text in verdicts]
    return agreement_sums(np.array(counts, dtype=float).reshape(-1, 2))


def agreement_scores(
    sums: np.ndarray,
    clusters: list[str],
    where: dict[str, Any],
    writer: ScoreWriter,
    statistics: Sequence[Statistic] = (fleiss_kappa, percent_agreement),
) -> list[dict[str, Any]]:
    """Return a Score row per statistic, which gives it its name, from the `agreement_sums` of texts,
    resampling clusters of texts; null over no text with two ratings.
    """
    return [
        writer.statistic(
            statistic.__name__,
            ANNOTATORS,
            where,
            sums,
            clusters,
            statistic,
            bounds=UNIT if statistic is percent_agreement else KAPPA,
        )
        for statistic in statistics
    ]


def published_agreement(
    judgements: pl.DataFrame, samples: pl.DataFrame, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Return the agreement of the annotators that a source came with, per task: on whole texts, and on the
    words that they marked.

    A word (split at white space) is marked where it lies inside one span, as the XSum annotations count it.
    Texts of one group (an article) are resampled together. No judgements, no rows.
    """
    raters = judgements.group_by("target_id", maintain_order=True).agg("verdict", "spans")
    rated = samples.join(
        raters, left_on="sample_id", right_on="target_id", suffix="_of_raters", maintain_order="left"
    ).sort("sample_id")
    scores = []
    for (task,), part in sorted(rated.group_by("task", maintain_order=True), key=lambda group: group[0]):
        texts = verdict_sums(part["verdict"].to_list())
        words = [agreement_sums(_word_counts(row)).sum(axis=0) for row in part.iter_rows(named=True)]
        for unit, sums in (("text", texts), ("word", np.stack(words))):
            scores += agreement_scores(sums, part["group_id"].to_list(), {"task": task, "unit": unit}, writer)
    return scores


def _word_counts(row: dict[str, Any]) -> np.ndarray:
    """Return how many raters left each word of a text unmarked, and how many marked it."""
    words = [match.span() for match in _WORD.finditer(row["text"])]
    raters = [[(span["start"], span["end"]) for span in spans] for spans in row["spans_of_raters"]]
    return span_counts(raters, words, rule="inside")
