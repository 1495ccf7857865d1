"""Everything that is scored of a board of labelled replies: rates of those who wrote them, by people's labels or a
judge's verdicts; detectors held against people; and what detectors say of rates.
"""

from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Outcome, Score, frame
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.labelled_replies.corrected_scores import score_corrected
from truerate.tracks.labelled_replies.detector_scores import score_detectors, verdicts_on
from truerate.tracks.labelled_replies.replies import by_rule, by_subject, replies, rules_of, slices

RATE, JUDGED = "hallucination_rate", "judged_rate"


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
    """All Score and Outcome rows of a board."""
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    rows = replies(samples)
    subjects = rows.filter(~pl.col("is_calibration"))
    said = verdicts_on(rows, judgements)
    rates, outcomes = score_rates(subjects, writer)
    judged, verdicts = score_judged(said.filter(~pl.col("is_calibration")), writer)
    made = [
        *rates,
        *judged,
        *score_labels(subjects, writer),
        *score_detectors(said, writer),
        *score_corrected(said, writer, at.p.track(board)),
    ]
    return frame(Score, made), pl.concat([outcomes, verdicts])


def score_rates(subjects: pl.DataFrame, writer: ScoreWriter) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """The share of each subject's replies that is labelled hallucinated, over all, by task and by each further
    rule, and what each got on each unit.
    """
    made: list[dict[str, Any]] = []
    outcomes = [frame(Outcome)]
    for rule in (None, *rules_of(subjects)):
        labelled = subjects if rule is None else by_rule(subjects, rule)
        named = {} if rule is None else {"rule": rule}
        for task, part in slices(labelled):
            where = {**named, **task}
            for subject, own in by_subject(part):
                hits, clusters = own["is_hallucinated"].to_numpy(), own["cluster"].to_list()
                made.append(writer.share(RATE, subject, where, hits, clusters))
            units = part.select("subject", unit_id="unit", cluster_id="cluster", value="is_hallucinated")
            outcomes.append(writer.outcomes(RATE, where, units))
    return made, pl.concat(outcomes)


def score_judged(said: pl.DataFrame, writer: ScoreWriter) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """The share of each subject's replies that each detector or judge calls hallucinated, over all and by task, and
    what it said of each unit: the board as it would stand by that judge alone. `said`: `verdicts_on`.
    """
    made: list[dict[str, Any]] = []
    outcomes = [frame(Outcome)]
    for (judge,), own in said.group_by("detector", maintain_order=True):
        for task, part in slices(own):
            where = {"judge": str(judge), **task}
            for subject, replies_of in by_subject(part):
                hits, clusters = replies_of["verdict"].to_numpy(), replies_of["cluster"].to_list()
                made.append(writer.share(JUDGED, subject, where, hits, clusters))
            units = part.select("subject", unit_id="unit", cluster_id="cluster", value="verdict")
            outcomes.append(writer.outcomes(JUDGED, where, units))
    return made, pl.concat(outcomes)


def score_labels(subjects: pl.DataFrame, writer: ScoreWriter) -> list[dict[str, Any]]:
    """The share of each published label, and of each group of files that verdicts stand in, per subject; and the
    share of verdicts of a judge whose maker is the subject's own.
    """
    made = []
    for metric, column in (("label_rate", "label"), ("files_rate", "files")):
        for value in sorted(subjects[column].drop_nulls().unique()):
            for subject, own in by_subject(subjects.drop_nulls(column)):
                hits = (own[column] == value).to_numpy()
                made.append(writer.share(metric, subject, {column: value}, hits, own["cluster"].to_list()))
    for subject, own in by_subject(subjects.drop_nulls("judge")):
        hits = (own["own_judge"] == "True").fill_null(False).to_numpy()
        made.append(writer.share("own_judge_rate", subject, {}, hits, own["cluster"].to_list()))
    return made
