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
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halueval.judged import PLAIN, Contrast, by_subject, contrasts, judged, one_side

Entry = tuple[str, dict, np.ndarray, np.ndarray]


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
    clusters = rows["group_id"].to_list()
    shares, f1s, cells = metric_entries(rows, where)
    made = writer.ratios(subject, shares + pattern_entries(rows, where), clusters)
    made += writer.ratios(subject, f1s, clusters, is_share=False)
    made.append(writer.statistic("macro_f1", subject, where, cells, clusters, _macro_f1))
    return made + _one_side_scores(subject, where, rows, writer)


def metric_entries(rows: pl.DataFrame, where: dict) -> tuple[list[Entry], list[Entry], np.ndarray]:
    """Numerators and denominators of the metrics, one entry per row; F1s apart; and the columns that
    `macro_f1` is made of.
    """
    label = rows["is_hallucinated"].to_numpy().astype(bool)
    yes, no = (
        (rows["verdict"] == verdict).fill_null(False).to_numpy().astype(bool) for verdict in (True, False)
    )
    tp, fp, tn, fn = label & yes, ~label & yes, ~label & no, label & no
    is_unparsed = ~(yes | no)  # a verdict that cannot be read, and one that never came, are both missing
    every = np.ones(len(label))
    shares = [
        ("accuracy", where, tp | tn, every),
        ("accuracy_parsed", where, tp | tn, yes | no),
        ("precision", where, tp, yes),
        ("recall", where, tp, label),
        ("precision_right", where, tn, no),
        ("recall_right", where, tn, ~label),
        ("tpr", where, tp, tp | fn),
        ("tnr", where, tn, tn | fp),
        ("unparsed_rate", where, is_unparsed, every),
    ]
    halves = [("f1", 2.0 * tp, 1.0 * label + yes), ("f1_right", 2.0 * tn, 1.0 * ~label + no)]
    f1s = [(name, where, top, bottom) for name, top, bottom in halves]
    return shares, f1s, np.stack([column for _, *both in halves for column in both], axis=1)


def _macro_f1(totals: np.ndarray) -> np.ndarray:
    """The mean of both classes' F1 from their numerators and denominators; undefined where one of them is."""
    return (totals[:, 0] / totals[:, 1] + totals[:, 2] / totals[:, 3]) / 2


def pattern_entries(rows: pl.DataFrame, where: dict) -> list[Entry]:
    """TPR of hallucinated texts by pattern, and its complement, the failure rate (Table 7's failures, as a
    share).
    """
    hallucinated = rows["is_hallucinated"].to_numpy().astype(bool)
    yes, no = (
        (rows["verdict"] == verdict).fill_null(False).to_numpy().astype(bool) for verdict in (True, False)
    )
    made = []
    for pattern in sorted(rows.filter("is_hallucinated")["pattern"].drop_nulls().unique()):
        inside = hallucinated & (rows["pattern"] == pattern).fill_null(False).to_numpy().astype(bool)
        slice_ = {**where, "pattern": pattern}
        made.append(("tpr", slice_, inside & yes, inside & (yes | no)))
        made.append(("failure_rate", slice_, inside & no, inside & (yes | no)))
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
        *writer.ratios(
            subject, [("unparsed_rate", where, np.array(unread), np.array(asked))], clusters, is_share=False
        ),
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
        found = writer.ratios(judge, entries, clusters)
        made.extend(emptied(found) if is_unanswered(part) else found)
    return frame(Score, made)
