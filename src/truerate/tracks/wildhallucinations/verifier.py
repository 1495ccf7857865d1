"""What judges say of facts: their verdicts joined to the facts; the verifier and the detectors that need no call measured on
labelled facts; the verifier's batches against its single calls; and why verdicts are wrong (Tables 7 and 8).
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import NO_ANSWERS, emptied, pair
from truerate.metrics.agreement import KAPPA, cohen_kappa, weighted_cells
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import Verifier, measured, review_correction, supported_share
from truerate.tracks.wildhallucinations.verifying import SINGLE

HUMAN = "human"  # the judge of verdicts of people that a source brings


# ---- verdicts ------------------------------------------------------------------------------------------------


def said_by(
    judgements: pl.DataFrame, judge: str | None, *, is_single: bool = False, only: pl.Expr | bool = True
) -> pl.DataFrame:
    """Return `fact_id`, `verdict` (true: not supported) of one judge, in batches or one by one, once per fact."""
    is_judge = pl.col("judge") == (judge or "")
    # pruned, or whole
    stage = pl.col("stage") if "stage" in judgements.columns else pair("attributes", "stage")
    rows = judgements.lazy().filter(is_judge, stage == SINGLE if is_single else stage.is_null(), only)
    # no other column of the rows is copied
    verdicts = rows.select(fact_id="target_id", verdict="verdict").collect()
    return verdicts.unique("fact_id", keep="first", maintain_order=True)


def judge_of(judgements: pl.DataFrame, verifier: str | None) -> str | None:
    """Return whose verdicts count: people's where the source brought them, else the verifier's."""
    return HUMAN if (judgements["judge"] == HUMAN).any() else verifier


def verdicts_of(facts: pl.DataFrame, judgements: pl.DataFrame, verifier: str | None) -> pl.DataFrame:
    """Return the facts with `is_supported` by the judge who counts (`judge_of`); null where none was read."""
    verdicts = said_by(judgements, judge_of(judgements, verifier))
    supported = verdicts.select("fact_id", is_supported=~pl.col("verdict"))
    return facts.join(supported, on="fact_id", how="left", maintain_order="left")


def labelled_facts(samples: pl.DataFrame) -> pl.DataFrame:
    """Return the facts that people labelled, with `weight`, the number of facts that each stands for."""
    gold = samples.filter((pl.col("task") == "fact") & (pl.col("label_source") != "silver"))
    return gold.select(
        fact_id=pair("attributes", "fact").fill_null(pl.col("sample_id")),
        weight=pair("attributes", "weight").cast(pl.Float64).fill_null(1.0),
        entity="item_id",
        subject="generator",
        is_unsupported="is_hallucinated",
    ).sort("fact_id")


def calibration(labelled: pl.DataFrame, facts: pl.DataFrame, *, confidence: float) -> Verifier | None:
    """Return the verifier's error as it bears on WildFactScore; `facts`: `is_supported` and `share` (`wildfact.with_share`)."""
    slim = facts.lazy().select("fact_id", "is_supported", "share")
    of_labelled = slim.filter(pl.col("fact_id").is_in(labelled["fact_id"].implode())).collect()
    both = labelled.join(of_labelled, on="fact_id", how="inner", maintain_order="left")
    return measured(facts.select("is_supported", "share"), both, confidence=confidence)


# ---- judges on labelled facts ----------------------------------------------------------------------------------


def judge_rows(labelled: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `verifier_tpr`, `_fpr`, `_accuracy`, `_kappa` of every judge that judged a labelled fact, all facts
    weighted by what they stand for.

    People's verdicts that a source brought are the labels themselves and no judge. TPR and FPR are of `not
    supported` and leave facts without verdict out; in accuracy these count as wrong. Of a judge whose every
    reply is a dead letter they are empty, and `verifier_no_answers` counts the facts.
    """
    is_judge = pl.col("target_id").is_in(labelled["fact_id"].implode()) & (pl.col("judge") != HUMAN)
    of_labelled, score_rows = judgements.filter(is_judge), []
    for judge in of_labelled["judge"].cast(pl.String).unique().sort():
        both = labelled.join(said_by(of_labelled, judge), on="fact_id", how="inner", maintain_order="left")
        if both.is_empty():
            continue
        weight, entity = both["weight"].to_numpy(), both["entity"].to_list()
        label, is_read = both["is_unsupported"].to_numpy(), both["verdict"].is_not_null().to_numpy()
        verdict = both["verdict"].fill_null(False).to_numpy()
        rows = [
            writer.share("verifier_tpr", judge, {}, verdict, entity, weight * is_read * label),
            writer.share("verifier_fpr", judge, {}, verdict, entity, weight * is_read * ~label),
            writer.share("verifier_accuracy", judge, {}, is_read & (verdict == label), entity, weight),
            _kappa_row(
                "verifier_kappa", judge, weighted_cells(label, verdict, weight * is_read), entity, writer
            ),
        ]
        if (
            of_labelled.filter(judge=judge)["status"] == "dead"
        ).all():  # nothing was answered: nothing is measured
            rows = [
                *emptied(rows),
                writer.count(f"verifier_{NO_ANSWERS}", judge, {}, both.height, both.height),
            ]
        score_rows += rows
    return score_rows


def batch_rows(
    judgements: pl.DataFrame, entity_of: pl.DataFrame, verifier: str | None, writer: ScoreWriter
) -> list[dict]:
    """Return `batch_agreement` and `batch_kappa`: the verdicts in batches against those one by one, on the facts with both.

    `entity_of`: `fact_id`, `entity`. No row where nothing was asked twice.
    """
    alone = said_by(judgements, verifier, is_single=True).rename({"verdict": "alone"})
    batched = said_by(judgements, verifier, only=pl.col("target_id").is_in(alone["fact_id"].implode()))
    both = batched.join(alone, on="fact_id", maintain_order="left").drop_nulls()
    both = both.join(entity_of, on="fact_id", maintain_order="left").sort("fact_id")
    if both.is_empty():
        return []
    first, second, entity = both["verdict"].to_numpy(), both["alone"].to_numpy(), both["entity"].to_list()
    cells = weighted_cells(first, second, np.ones(both.height))
    agreed = writer.share("batch_agreement", verifier, {}, first == second, entity)
    return [agreed, _kappa_row("batch_kappa", verifier, cells, entity, writer)]


def _kappa_row(
    metric: str, judge: str | None, cells: np.ndarray, entity: Sequence[str], writer: ScoreWriter
) -> dict:
    """Cohen's κ of two columns of yes and no from weighted counts (facts, 4), entities resampled whole."""
    kappa = lambda totals: cohen_kappa(totals.reshape(-1, 2, 2))  # noqa: E731
    return writer.statistic(metric, judge or "", {}, cells, entity, kappa, bounds=KAPPA)


# ---- reviews ---------------------------------------------------------------------------------------------------

# retrieval: the passages did not hold what decides the fact. entailment: they did, and were misread.
# generation: the model made it up. contradictory-web: pages contradict one another. outdated: a page, or the
# model, is behind. unverifiable: an opinion or the like.
# model-retrieval: what the model was given by its own search did not hold it, or was wrong; only where that is told.
MODEL_RETRIEVAL = "model-retrieval"
ERROR_KINDS = ("retrieval", "entailment", "generation", "contradictory-web", "outdated", "unverifiable")
CORRECT = "correct"  # the verdict holds, and nothing more is said
KINDS = (*ERROR_KINDS, CORRECT)
# errors of the evaluation (Table 7): the verdict was wrong. All others leave it standing.
OVERTURNING = ("retrieval", "entailment")
VERDICTS = ("unsupported", "supported")
ALL = "all"


def allowed(is_given: bool) -> tuple[str, ...]:
    """Return the labels of a review; MODEL_RETRIEVAL (Table 8) where the model was given something."""
    return (*KINDS, MODEL_RETRIEVAL) if is_given else KINDS


def review_rows(reviewed: Sequence[dict], facts: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `error_rate` of each kind among unsupported and among supported facts, and `review_correction`, over
    all subjects and of each.

    `reviewed`: tasks with their `label` (one of KINDS). `facts`: with `is_supported` and `share`
    (`wildfact.with_share`); a fact's weight in the correction is how many it stands for times its share of
    its reply's score, so that it corrects the mean over replies.
    """
    score_rows: list[dict] = []
    of_reviewed = facts.filter(pl.col("fact_id").is_in([task["fact_id"] for task in reviewed]))
    share_of = dict(of_reviewed.select("fact_id", "share").iter_rows())
    for subject in [ALL, *sorted({task["subject"] for task in reviewed})] if reviewed else []:
        rows, wrong = [task for task in reviewed if subject in (ALL, task["subject"])], []
        for verdict in VERDICTS:
            tasks = [task for task in rows if task["verdict"] == verdict]
            score_rows += error_rows(subject, verdict, tasks, writer)
            is_wrong = np.array([task["label"] in OVERTURNING for task in tasks], dtype=float)
            weights = np.array([task["weight"] * (share_of.get(task["fact_id"]) or 0.0) for task in tasks])
            wrong.append(writer.share_of(is_wrong, [task["item_id"] for task in tasks], weights))
        of_subject = facts if subject == ALL else facts.filter(subject=subject)
        correction = review_correction(supported_share(of_subject), *wrong)
        score_rows.append(writer.row("review_correction", subject, {}, correction, len(rows)))
    return score_rows


def error_rows(subject: str, verdict: str, rows: Sequence[dict], writer: ScoreWriter) -> list[dict]:
    """Return the weighted share of each kind among the reviewed facts of one verdict, clustered by entity; they sum
    to 1. Null over nothing. The model's own retrieval is a kind where any of the reviews told of it.
    """
    weights, clusters = np.array([row["weight"] for row in rows]), [row["item_id"] for row in rows]
    return [
        writer.share(
            "error_rate",
            subject,
            {"kind": kind, "verdict": verdict},
            np.array([row["label"] == kind for row in rows], dtype=float),
            clusters,
            weights,
        )
        for kind in allowed(any(row.get("retrieved") for row in rows))
    ]
