"""Everything that is scored of a board of labelled replies: rates of those who wrote them, by people's labels
or a judge's verdicts; detectors held against people; and what detectors say of rates.
"""

from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Outcome, Score, frame
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.labelled_replies.detector_scores import score_corrected, score_detectors, verdicts_on
from truerate.tracks.labelled_replies.replies import by_rule, by_subject, replies, rules_of, slices

RATE, JUDGED = "hallucination_rate", "judged_rate"


def score(
    config: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
    inputs: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All Score and Outcome rows of a board."""
    writer = ScoreWriter(board, inputs, config.p.statistics, config.p.seed)
    rows = replies(samples)
    subjects = rows.filter(~pl.col("is_calibration"))
    judged_rows = verdicts_on(rows, judgements)
    rates, outcomes = score_rates(subjects, writer)
    judged, verdicts = score_judged(judged_rows.filter(~pl.col("is_calibration")), writer)
    score_rows = [*rates, *judged, *score_labels(subjects, writer), *score_detectors(judged_rows, writer)]
    score_rows += score_corrected(judged_rows, writer, config.p.track(board))
    return frame(Score, score_rows), pl.concat([outcomes, verdicts])


def score_rates(subjects: pl.DataFrame, writer: ScoreWriter) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """The share of each subject's replies that is labelled hallucinated, over all, by task and by each
    further rule, and what each got on each unit.
    """
    score_rows: list[dict[str, Any]] = []
    outcomes = [frame(Outcome)]
    for rule in (None, *rules_of(subjects)):
        labelled = subjects if rule is None else by_rule(subjects, rule)
        named = {} if rule is None else {"rule": rule}
        for task, part in slices(labelled):
            where = {**named, **task}
            for subject, of_subject in by_subject(part):
                hits, clusters = of_subject["is_hallucinated"].to_numpy(), of_subject["cluster"].to_list()
                score_rows.append(writer.share(RATE, subject, where, hits, clusters))
            units = part.select("subject", unit_id="unit", cluster_id="cluster", value="is_hallucinated")
            outcomes.append(writer.outcomes(RATE, where, units))
    return score_rows, pl.concat(outcomes)


def score_judged(judged_rows: pl.DataFrame, writer: ScoreWriter) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """The share of each subject's replies that each detector or judge calls hallucinated, over all and by
    task, and what it said of each unit: the board as it would stand by that judge alone. `judged_rows`:
    `verdicts_on`.
    """
    score_rows: list[dict[str, Any]] = []
    outcomes = [frame(Outcome)]
    for (judge,), of_judge in judged_rows.group_by("detector", maintain_order=True):
        for task, part in slices(of_judge):
            where = {"judge": str(judge), **task}
            for subject, replies_of in by_subject(part):
                hits, clusters = replies_of["verdict"].to_numpy(), replies_of["cluster"].to_list()
                score_rows.append(writer.share(JUDGED, subject, where, hits, clusters))
            units = part.select("subject", unit_id="unit", cluster_id="cluster", value="verdict")
            outcomes.append(writer.outcomes(JUDGED, where, units))
    return score_rows, pl.concat(outcomes)


def score_labels(subjects: pl.DataFrame, writer: ScoreWriter) -> list[dict[str, Any]]:
    """The share of each published label, and of each group of files that verdicts stand in, per subject; and
    the share of verdicts of a judge whose maker is the subject's own.
    """
    score_rows = []
    for metric, column in (("label_rate", "label"), ("files_rate", "files")):
        for value in sorted(subjects[column].drop_nulls().unique()):
            for subject, of_subject in by_subject(subjects.drop_nulls(column)):
                hits, clusters = (of_subject[column] == value).to_numpy(), of_subject["cluster"].to_list()
                score_rows.append(writer.share(metric, subject, {column: value}, hits, clusters))
    for subject, of_subject in by_subject(subjects.drop_nulls("judge")):
        hits = (of_subject["own_judge"] == "True").fill_null(False).to_numpy()
        score_rows.append(writer.share("own_judge_rate", subject, {}, hits, of_subject["cluster"].to_list()))
    return score_rows
