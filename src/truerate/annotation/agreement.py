"""How well annotators agree: Score rows of those who labelled tasks, and of those that a source came with."""

import re
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from truerate.annotation.labels import Label
from truerate.metrics.agreement import (
    KAPPA,
    agreement_sums,
    fleiss_kappa,
    percent_agreement,
    span_counts,
    unitizing,
)
from truerate.metrics.intervals import UNIT
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.spans import span_f1, span_sums

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


def span_agreement(
    texts: Sequence[tuple[str, int, Sequence[Label]]], where: dict[str, Any], writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Return `krippendorff_alpha_u` of typed spans and `pair_span_f1`, from the cluster, the length and the labels
    of each text; n counts the texts with two labels, a label without spans is one.

    `pair_span_f1` = 2 Σ |A ∩ B| / Σ (|A| + |B|) over texts and pairs of annotators, A and B the characters that
    each marks, whatever their type; in [0, 1]. Both are null where no text has two labels or nobody marks a span.
    """
    shared = [
        (cluster, length, sorted(labels, key=lambda label: label.annotator))
        for cluster, length, labels in texts
        if len(labels) > 1
    ]
    clusters = [cluster for cluster, *_ in shared]
    sums, alpha = unitizing([(length, [label.spans for label in labels]) for _, length, labels in shared])
    marked = [[[span[:2] for span in label.spans] for label in labels] for *_, labels in shared]
    pairs = [span_sums(*zip(*combinations(spans, 2), strict=True)).sum(axis=0) for spans in marked]
    overlaps = np.array(pairs).reshape(-1, 3)
    return [
        writer.statistic("krippendorff_alpha_u", ANNOTATORS, where, sums, clusters, alpha, bounds=KAPPA),
        writer.statistic("pair_span_f1", ANNOTATORS, where, overlaps, clusters, span_f1),
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
