"""What is scored on a board: recognition in every variant, failures by pattern, refinement; and the outcomes
that ranks are tested on.

A verdict that could not be read counts as wrong in `accuracy`, `recall`, `f1`, `macro_f1` and their `_right`
twins; `accuracy_parsed`, `tpr`, `tnr` and `failure_rate` are over readable verdicts, with `unparsed_rate`
beside them. Where every reply of a judge to a task is a dead letter nothing was answered: its scores are
empty, and `no_answers` counts the letters.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, Score, emptied, frame, pair, pairs
from truerate.metrics import recognition
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.tracks.halueval.judged import PLAIN, Contrast, by_subject, contrasts, judged, one_side


def score_recognition(
    samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Score and Outcome rows of every judge on every task, variant and scheme."""
    scores, outcomes = [], []
    for subject, where, rows in by_subject(judged(samples, judgements)):
        if where["variant"] == "contrast":
            found = contrasts(rows)
            made = contrast_scores(subject, where, found, writer)
            told = [
                _outcome(writer, subject, where, one.pair_id, one.group_id, one.is_right) for one in found
            ]
        else:
            made = recognition_scores(subject, where, rows, writer)
            told = _outcomes(writer, subject, where, rows)
        if is_unanswered(rows):
            made, told = (
                writer.no_answers(subject, where, made, rows.height),
                [row | {"value": None} for row in told],
            )
        scores.extend(made)
        outcomes.extend(told)
    return frame(Score, scores), frame(Outcome, outcomes)


def is_unanswered(rows: pl.DataFrame) -> bool:
    """Whether every reply of a judge is a dead letter; one that came and could not be read is an answer."""
    return not rows.is_empty() and bool((rows["status"] == "dead").all())


def recognition_scores(subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Every recognition metric of one judge in one task and variant, and its TPR and failures by pattern."""
    clusters, said = rows["group_id"].to_list(), recognition.verdicts(rows)
    shares: list[Ratio] = [(name, where, *of(said)) for name, of in recognition.SHARES.items()]
    halves: list[Ratio] = [(name, where, *of(said)) for name, of in recognition.F1S.items()]
    both = recognition.class_columns(recognition.f1(said), recognition.f1_right(said))

    made = writer.shares(subject, shares + pattern_ratios(rows, where), clusters)
    made += writer.ratios(subject, halves, clusters)
    made.append(writer.statistic("macro_f1", subject, where, both, clusters, recognition.macro_f1))
    return made + _one_side_scores(subject, where, rows, writer)


def pattern_ratios(rows: pl.DataFrame, where: dict) -> list[Ratio]:
    """TPR and failure rate of the hallucinated texts of each pattern (HELMA Table 7)."""
    said, made = recognition.verdicts(rows), list[Ratio]()
    for pattern in sorted(rows.filter("is_hallucinated")["pattern"].drop_nulls().unique()):
        inside = (rows["pattern"] == pattern).fill_null(False).to_numpy().astype(bool)
        slice_ = {**where, "pattern": pattern}
        for name, of in recognition.OF_PATTERN.items():
            tops, bottoms = of(said)
            made.append((name, slice_, tops & inside, bottoms & inside))
    return made


def _one_side_scores(subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Accuracy over one side per pair, as the paper's script asks it; nothing where texts do not come in pairs."""
    side = rows.filter(one_side(rows, seed=writer.seed))
    if side.is_empty():
        return []
    is_right = (side["verdict"] == side["is_hallucinated"]).fill_null(False).to_list()
    return [writer.share("accuracy_one_side", subject, where, is_right, side["group_id"].to_list())]


def contrast_scores(subject: str, where: dict, found: Sequence[Contrast], writer: ScoreWriter) -> list[dict]:
    """Accuracy of naming the hallucinated side in both orders, in one drawn order, and the share of replies
    without a choice.
    """
    if not found:
        return []
    clusters = [one.group_id for one in found]
    unread = [sum(verdict is None for verdict in one.named.values()) for one in found]
    asked = [len(one.named) for one in found]
    return [
        writer.share("accuracy", subject, where, [one.is_right for one in found], clusters),
        writer.share(
            "accuracy_one_side",
            subject,
            where,
            [one.in_one_order(seed=writer.seed) for one in found],
            clusters,
        ),
        *writer.shares(subject, [("unparsed_rate", where, np.array(unread), np.array(asked))], clusters),
    ]


def _outcomes(writer: ScoreWriter, subject: str, where: dict, rows: pl.DataFrame) -> list[dict]:
    is_right = (rows["verdict"] == rows["is_hallucinated"]).fill_null(False).to_list()
    units = zip(rows["sample_id"].to_list(), rows["group_id"].to_list(), is_right, strict=True)
    return [_outcome(writer, subject, where, *unit) for unit in units]


def _outcome(writer: ScoreWriter, subject: str, where: dict, unit: str, cluster: str, is_right: bool) -> dict:
    known = {"board": writer.board, "metric": "accuracy", "subject": subject, "slice": pairs(**where)}
    return {**known, "unit_id": unit, "cluster_id": cluster, "value": float(is_right)}


# ---- refinement --------------------------------------------------------------------------------------------


def score_refinement(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Share of texts flagged before and after refinement (HELMA 3.3), per judge and task.

    After: a flagged text counts by the judgement of its rewritten form; where there is none (no rewriting, no
    verdict) it stays flagged.
    """
    said = judgements.with_columns(*(pair("attributes", key) for key in ("stage", "variant", "sample")))
    refined = said.filter(pl.col("stage") == "refined").select("judge", sample_id="sample", after="verdict")
    if refined.is_empty():
        return frame(Score)
    rows = judged(samples, judgements).filter(
        (pl.col("variant") == PLAIN) & pl.col("judge").is_in(refined["judge"].unique().to_list())
    )
    rows = rows.filter(pl.col("task") != "general").join(
        refined, on=["judge", "sample_id"], how="left", maintain_order="left"
    )
    rows = rows.with_columns(before=pl.col("verdict").fill_null(False)).with_columns(
        after=pl.col("before") & pl.col("after").fill_null(True)
    )
    made = []
    for (judge, task), part in rows.group_by("judge", "task", maintain_order=True):
        clusters, every = part["group_id"].to_list(), np.ones(part.height)
        entries = [
            (f"flagged_rate_{when}", {"task": task}, part[when].to_numpy(), every)
            for when in ("before", "after")
        ]
        found = writer.shares(judge, entries, clusters)
        made.extend(emptied(found) if is_unanswered(part) else found)
    return frame(Score, made)
