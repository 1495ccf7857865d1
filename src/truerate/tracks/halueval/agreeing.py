"""How well annotators agree, with intervals: Fleiss' κ and percent agreement as statistics of sums, so that
texts can be resampled.

Definitions: `metrics.agreement`. The sums per text are [Σ P_i, units, ratings of one label, ratings], P_i the
share of agreeing rater pairs of a unit; a unit is a text, or a word of it. Units with fewer than two ratings
are left out.
"""

import re

import numpy as np
import polars as pl

from truerate.metrics.agreement import span_counts
from truerate.metrics.score_writer import ScoreWriter

ANNOTATORS = "annotators"
_WORD = re.compile(r"\S+")


def agreement_sums(counts: np.ndarray) -> list[float]:
    """The four sums of one text from its units' counts (units, 2) of raters per label."""
    counts = counts[counts.sum(axis=1) >= 2]
    n = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    return [float(agreeing.sum()), float(len(counts)), float(counts[:, 1].sum()), float(n.sum())]


def agreement_scores(
    sums: list[list[float]], clusters: list[str], where: dict, writer: ScoreWriter
) -> list[dict]:
    """Score rows `fleiss_kappa` and `percent_agreement`, resampling clusters of texts; null over no unit with
    two ratings.
    """
    values = np.array(sums, dtype=float).reshape(len(sums), 4)
    return [
        writer.statistic(
            "fleiss_kappa", ANNOTATORS, where, values, clusters, _fleiss_kappa, bounds=(-1.0, 1.0)
        ),
        writer.statistic(
            "percent_agreement",
            ANNOTATORS,
            where,
            values,
            clusters,
            lambda totals: totals[:, 0] / totals[:, 1],
        ),
    ]


def _fleiss_kappa(totals: np.ndarray) -> np.ndarray:
    observed, share = totals[:, 0] / totals[:, 1], totals[:, 2] / totals[:, 3]
    expected = share**2 + (1 - share) ** 2
    return np.where(expected < 1 - 1e-12, (observed - expected) / (1 - expected), np.nan)


def published_agreement(judgements: pl.DataFrame, samples: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Agreement of the annotators that a source came with, per task: on whole texts, and on the words that
    they marked.

    A word (split at white space) is marked where it lies fully inside one span, as the XSum annotations count
    it. Texts of one group (an article) are resampled together. No judgements, no rows.
    """
    raters = judgements.group_by("target_id", maintain_order=True).agg("verdict", "spans")
    rated = samples.join(raters, left_on="sample_id", right_on="target_id", suffix="_of_raters").sort(
        "sample_id"
    )
    made = []
    for (task,), part in sorted(rated.group_by("task"), key=lambda found: found[0]):
        texts = [
            agreement_sums(np.array([[len(said) - sum(said), sum(said)]], dtype=float))
            for said in part["verdict"]
        ]
        words = [agreement_sums(_word_counts(row)) for row in part.iter_rows(named=True)]
        for unit, sums in (("text", texts), ("word", words)):
            made += agreement_scores(sums, part["group_id"].to_list(), {"task": task, "unit": unit}, writer)
    return made


def _word_counts(row: dict) -> np.ndarray:
    """How many raters left each word of a text unmarked, and how many marked it."""
    words = [found.span() for found in _WORD.finditer(row["text"])]
    raters = [[(span["start"], span["end"]) for span in spans] for spans in row["spans_of_raters"]]
    return span_counts(raters, words, rule="inside")
