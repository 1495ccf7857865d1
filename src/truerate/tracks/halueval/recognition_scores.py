"""What is scored of recognition: every variant, failures by pattern; and the outcomes that ranks are tested
on. Of a judge none of whose requests was answered scores are empty (`metrics.recognition_scores.settled`).
"""

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, Score, frame
from truerate.metrics.contrasts import contrast_scores, contrasts
from truerate.metrics.judged import by_subject, over_seeds
from truerate.metrics.matching import in_matched_pairs, one_side
from truerate.metrics.means import spread
from truerate.metrics.recognition_scores import (
    Rows,
    is_right,
    pattern_ratios,
    recognition_scores,
    settled,
)
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.tracks.halueval.judged import HALLUCINATED_FIRST, KEYS, runs

UNITS = {"unit_id": pl.String, "cluster_id": pl.String, "value": pl.Float64}


def score_recognition(
    samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Score and Outcome rows of every judge on every task, variant and scheme."""
    scores, outcomes = Rows(), [frame(Outcome)]
    for subject, where, each in by_subject(runs(samples, judgements), KEYS):
        rows = over_seeds(each)
        score = _contrast if where["variant"] == "contrast" else _recognition
        made, told = settled(subject, where, rows, *score(subject, where, rows, writer), writer)
        scores.extend([*made, *_between_seeds(subject, where, each, writer)])
        outcomes.append(told)
    return frame(Score, scores), pl.concat(outcomes)


def _between_seeds(subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter) -> Rows:
    """How far the seeds of a detector are apart in accuracy; nothing of a judge with one."""
    each = [is_right(part).mean() for _, part in rows.sort("seed").group_by("seed", maintain_order=True)]
    if len(each) < 2:
        return []
    return [writer.row("accuracy_std", subject, where, spread(np.array(each)), len(each))]


def _contrast(
    subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter
) -> tuple[Rows, pl.DataFrame]:
    pairs = contrasts(rows, hallucinated_first=HALLUCINATED_FIRST)
    units = pl.DataFrame(
        {
            "unit_id": [pair.pair_id for pair in pairs],
            "cluster_id": [pair.group_id for pair in pairs],
            "value": [pair.accuracy for pair in pairs],
        },
        schema=UNITS,
    )
    told = writer.outcomes("accuracy", where, units.with_columns(subject=pl.lit(subject)))
    return contrast_scores(subject, where, pairs, writer), told


def _recognition(
    subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter
) -> tuple[Rows, pl.DataFrame]:
    made = recognition_scores(subject, where, rows, writer, more=pattern_ratios(rows, where))
    units = rows.select(unit_id="sample_id", cluster_id="group_id", subject=pl.lit(subject))
    told = writer.outcomes(
        "accuracy", where, units.with_columns(value=pl.Series(is_right(rows), dtype=pl.Float64))
    )
    return made + _subset_scores(subject, where, rows, writer), told


def _subset_scores(subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter) -> Rows:
    """Accuracy over one side per pair, as the paper's script asks it, and over the pairs matched in form;
    nothing where texts do not come in pairs.
    """
    if not rows["pair_id"].is_not_null().any():
        return []
    hits = is_right(rows)
    asked: list[Ratio] = [
        ("accuracy_one_side", where, *_within(hits, one_side(rows, seed=writer.seed))),
        ("accuracy_matched", where, *_within(hits, in_matched_pairs(rows, seed=writer.seed))),
    ]
    return writer.shares(subject, asked, rows["group_id"].to_list())


def _within(hits: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return hits * inside, inside
