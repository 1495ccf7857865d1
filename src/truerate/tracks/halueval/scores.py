"""Everything that is scored of a board of HaluEval but its labels (`labels.label` gives those)."""

import polars as pl

from truerate.config.layout import Layout
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halueval.candidate_scores import (
    score_candidates,
    score_filtering,
    score_labels,
    score_responses,
)
from truerate.tracks.halueval.cleaned_scores import score_cleaned
from truerate.tracks.halueval.rate_scores import score_rates
from truerate.tracks.halueval.recognition_scores import score_recognition
from truerate.tracks.halueval.refinement_scores import score_refinement, score_rewritings


def score(
    at: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
    inputs: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All Score and Outcome rows of a board but those of its labels (`label` gives them).

    `samples` are the data set's and the labelled general ones, `judgements` the subjects' and the detectors',
    `generations` the data set's.
    """
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    scores, outcomes = score_recognition(samples, judgements, writer)
    made = [
        scores,
        score_refinement(samples, judgements, writer),
        score_rewritings(generations, items, samples, writer),
        score_rates(samples, judgements, writer),
        score_labels(samples, writer),
        score_candidates(generations, items, writer),
        score_cleaned(generations, items, writer),
        score_filtering(generations, items, writer),
        score_responses(generations, writer, similarity=at.p.track(board).measure),
    ]
    return pl.concat(made), outcomes
