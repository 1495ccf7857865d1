"""How well annotators agree: Score rows of those that a source came with, and of those who labelled responses."""

import re

import numpy as np
import polars as pl

from truerate.metrics.agreement import KAPPA, agreement_sums, fleiss_kappa, percent_agreement, span_counts
from truerate.metrics.score_writer import ScoreWriter

ANNOTATORS = "annotators"
_WORD = re.compile(r"\S+")


def verdict_sums(verdicts: list[list[bool]]) -> np.ndarray:
    """`agreement_sums` of texts by what their annotators said of each, (texts, 5)."""
    counts = [[len(verdict) - sum(verdict), sum(verdict)] for verdict in verdicts]
    return agreement_sums(np.array(counts, dtype=float).reshape(-1, 2))


def agreement_scores(sums: np.ndarray, clusters: list[str], where: dict, writer: ScoreWriter) -> list[dict]:
    """Score rows `fleiss_kappa` and `percent_agreement` from the `agreement_sums` of texts, (texts, 5),
    resampling clusters of texts; null over no unit with two ratings.
    """
    return [
        writer.statistic("fleiss_kappa", ANNOTATORS, where, sums, clusters, fleiss_kappa, bounds=KAPPA),
        writer.statistic("percent_agreement", ANNOTATORS, where, sums, clusters, percent_agreement),
    ]


def published_agreement(judgements: pl.DataFrame, samples: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Agreement of the annotators that a source came with, per task: on whole texts, and on the words that
    they marked.

    A word (split at white space) is marked where it lies fully inside one span, as the XSum annotations count
    it. Texts of one group (an article) are resampled together. No judgements, no rows.
    """
    raters = judgements.group_by("target_id", maintain_order=True).agg("verdict", "spans")
    rated = samples.join(
        raters, left_on="sample_id", right_on="target_id", suffix="_of_raters", maintain_order="left"
    ).sort("sample_id")
    made = []
    for (task,), part in sorted(rated.group_by("task", maintain_order=True), key=lambda found: found[0]):
        texts = verdict_sums(part["verdict"].to_list())
        words = [agreement_sums(_word_counts(row)).sum(axis=0) for row in part.iter_rows(named=True)]
        for unit, sums in (("text", texts), ("word", np.stack(words))):
            made += agreement_scores(sums, part["group_id"].to_list(), {"task": task, "unit": unit}, writer)
    return made


def _word_counts(row: dict) -> np.ndarray:
    """How many raters left each word of a text unmarked, and how many marked it."""
    words = [match.span() for match in _WORD.finditer(row["text"])]
    raters = [[(span["start"], span["end"]) for span in spans] for spans in row["spans_of_raters"]]
    return span_counts(raters, words, rule="inside")
