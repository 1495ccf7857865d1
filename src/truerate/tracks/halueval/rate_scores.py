"""How often responses to general queries hallucinate by each judge's verdicts: raw, corrected by its errors on other
tasks, and by people's labels of some of the very responses, beside what all of the labels say.

People labelled each response that was selected (HELMA 2.2), so the rate is known: the rows say what a judge's verdicts
are worth as a measure, and what labels of every third response make of them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from truerate.core.keys import draw
from truerate.core.schemas import Score, frame
from truerate.metrics.estimators.own_rate import with_unjudged
from truerate.metrics.estimators.registry import LABELS_ALONE, PPI, ROGAN_GLADEN_BETWEEN, estimate_board
from truerate.metrics.estimators.sample import Calibration, Cell, verdicts
from truerate.metrics.intervals import cluster_sums
from truerate.metrics.rates import PREDICTION_POWERED, RAW, ROGAN_GLADEN, Estimate, estimate_rows
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halueval.recognition import PLAIN, judged

GENERAL = "general"
RATE, PEOPLE, ELSEWHERE = "general_rate", "people", "other-tasks"
WHERE = {"task": GENERAL}
OTHERS, FEW = (RAW, ROGAN_GLADEN, ROGAN_GLADEN_BETWEEN), (LABELS_ALONE, PPI, PREDICTION_POWERED)
ONE_LANG = "all-langs"  # the registry's cells are named by a language
LEAST, LABELLED_SHARE = 30, 3  # responses from which on there are rates; one in so many counts as labelled


def score_rates(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Score rows of hallucinated general responses by every judge's plain verdicts; none below LEAST labels."""
    responses = samples.filter(pl.col("task") == GENERAL, pl.col("label_source") != "silver")
    if responses.height < LEAST:
        return frame(Score)
    rows = judged(samples, judgements).filter(pl.col("variant") == PLAIN)
    few = drawn(responses["sample_id"].to_list(), writer.seed)
    score_rows = []
    for (judge,), of_judge in rows.group_by("judge", maintain_order=True):
        part = of_judge.filter(pl.col("sample_id").is_in(responses["sample_id"].implode()))
        if part.height == responses.height and part["verdict"].is_not_null().any():
            each = estimates_of(part, of_judge.filter(pl.col("task") != GENERAL), few, writer)
            score_rows += estimate_rows(RATE, str(judge), WHERE, each, part.height, writer)
    return frame(Score, score_rows)


def drawn(names: list[str], seed: int) -> frozenset[str]:
    """One in LABELLED_SHARE of the responses, in a seeded order, the same for all judges."""
    ordered = sorted(names, key=lambda name: (draw(seed, "general labels", name), name))
    return frozenset(ordered[: len(names) // LABELLED_SHARE])


def estimates_of(
    rows: pl.DataFrame, elsewhere: pl.DataFrame, few: frozenset[str], writer: ScoreWriter
) -> list[Estimate]:
    """The estimates of one judge: raw, by its errors `elsewhere`, by the labels of `few`, and people's."""
    confidence = writer.statistics.confidence
    key, calibrated = ("", ONE_LANG), calibration_of(elsewhere)
    asked: Mapping[str, Any] = {"confidence": confidence, "calibrated": calibrated, "names": OTHERS}
    each = estimate_board({key: cell_of(rows, frozenset())}, **asked)[key]
    each += estimate_board({key: cell_of(rows, few)}, confidence=confidence, names=FEW)[key]
    label, clusters = rows["is_hallucinated"].to_numpy().astype(float), rows["group_id"].to_list()
    sums = cluster_sums(clusters, np.stack([label, np.ones(rows.height)], axis=1))
    estimates = [
        Estimate(
            estimate.estimator,
            estimate.calibration if estimate.calibration == ELSEWHERE else None,
            estimate.interval,
        )
        for estimate in each
    ]
    return [*estimates, Estimate(PEOPLE, None, writer.share_interval(*sums.T))]


def cell_of(rows: pl.DataFrame, labelled: frozenset[str]) -> Cell:
    """The responses with a judge's verdicts and the labels of `labelled`; unread ones at the mean of the others."""
    ones = np.ones(rows.height)
    flagged = with_unjudged(ones, rows["verdict"].cast(pl.Float64).fill_null(float("nan")).to_numpy())
    is_known = rows["sample_id"].is_in(list(labelled)).to_numpy()
    label = np.where(is_known, rows["is_hallucinated"].to_numpy().astype(float), np.nan)
    return verdicts(flagged, label, rows["group_id"].to_numpy())


def calibration_of(rows: pl.DataFrame) -> dict[str, Calibration]:
    """A judge's verdicts on texts of other tasks as what it is calibrated on; nothing where there are none. Tasks
    stand for models: what sets one apart from another is all that is known of a task that is none of them.
    """
    judged_rows = rows.drop_nulls("verdict")
    if judged_rows.is_empty():
        return {}
    gold, flagged = (judged_rows[name].to_numpy().astype(float) for name in ("is_hallucinated", "verdict"))
    sums = np.stack([np.ones(judged_rows.height), gold, flagged, gold * flagged], axis=1)
    langs = np.full(judged_rows.height, ONE_LANG)
    return {
        ELSEWHERE: Calibration(
            sums, langs, judged_rows["task"].to_numpy(), judged_rows["group_id"].to_numpy()
        )
    }
