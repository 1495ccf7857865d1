"""Everything that is scored of a board of HalluDial but its labels (`labels.label` gives those)."""

from typing import NamedTuple

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Outcome, Score, frame
from truerate.metrics.measures import measure_of
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halludial.agreement_scores import score_meta, score_silver
from truerate.tracks.halludial.compare_scores import score_compared
from truerate.tracks.halludial.detection_scores import (
    counted_texts,
    detection_outcomes,
    score_detection,
    score_reliability,
)
from truerate.tracks.halludial.judged_texts import by_judge, of_fitted
from truerate.tracks.halludial.location_scores import score_location
from truerate.tracks.halludial.making_scores import score_making
from truerate.tracks.halludial.rate_scores import RATE, score_rates
from truerate.tracks.halludial.settings import Settings
from truerate.tracks.halludial.transfer_scores import score_transfer
from truerate.tracks.halludial.written_scores import score_written

ALIKE = {RATE: "history"}  # every test turn is answered in both histories


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
    """All Score and Outcome rows of a board but those of its labels.

    `samples` are the data set's and the responses that people labelled, `judgements` the subjects' and the
    detectors', `generations` the data set's.
    """
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    tables = {"items": items, "samples": samples, "judgements": judgements, "generations": generations}
    return scored(at.p.track(board), writer, **tables)


def scored(
    settings: Settings,
    writer: ScoreWriter,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Score and Outcome rows with these settings; a detector that learned nothing here has none."""
    judgements = of_fitted(judgements)
    detector, name = settings.detector, settings.measure
    measure, detection = measure_of(settings.similarity), score_judges(samples, judgements, writer)
    written, responses = score_written(samples, judgements, detector=detector, writer=writer)
    made = [
        *detection.scores,
        *score_location(samples, judgements, writer, measure=measure, similarity=name),
        *score_compared(samples, judgements, writer),
        *score_rates(
            items, samples, judgements, generations, detector=detector, base=settings.base, writer=writer
        ),
        *written,
        *score_silver(samples, settings.annotator, writer),
        *score_meta(generations, judgements, items, writer),
        *score_making(items, samples, generations, writer),
    ]
    return frame(Score, made), pl.concat([detection.outcomes, responses])


class Detection(NamedTuple):
    """What is scored of detection, and what ranks are tested on."""

    scores: list[dict]
    outcomes: pl.DataFrame


def score_judges(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> Detection:
    """Detection of all judges, one judge's texts in memory at a time."""
    counts, outcomes, reliable = [], [frame(Outcome)], list[dict]()
    for rows in by_judge(samples, judgements):
        counts.append(counted_texts(rows))
        outcomes.append(detection_outcomes(rows, writer))
        reliable += [*score_reliability(rows, writer), *score_transfer(rows, writer)]
    scores = score_detection(pl.concat(counts), writer) if counts else []
    return Detection([*scores, *reliable], pl.concat(outcomes))
