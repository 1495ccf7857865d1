"""The verifier and the detectors that need no call, measured on labelled facts; and the verifier's batches
against its single calls.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import NO_ANSWERS, emptied, pair
from truerate.metrics.agreement import KAPPA, cohen_kappa, weighted_cells
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import Verifier, measured
from truerate.tracks.wildhallucinations.ready import HUMAN
from truerate.tracks.wildhallucinations.verdicts import said_by


def labelled_facts(samples: pl.DataFrame) -> pl.DataFrame:
    """The facts that people labelled: `fact_id`, `entity`, `subject`, `is_unsupported`, `weight` (facts that
    each stands for).
    """
    gold = samples.filter((pl.col("task") == "fact") & (pl.col("label_source") != "silver"))
    weight = pair("attributes", "weight").cast(pl.Float64).fill_null(1.0).alias("weight")
    own = pair("attributes", "fact").fill_null(pl.col("sample_id")).alias("fact_id")
    return gold.select(
        own, weight, entity="item_id", subject="generator", is_unsupported="is_hallucinated"
    ).sort("fact_id")


def calibration(labelled: pl.DataFrame, facts: pl.DataFrame, *, confidence: float) -> Verifier | None:
    """The verifier's error as it bears on WildFactScore; `facts`: `is_supported` and `share`
    (`wildfact.with_share`).
    """
    slim = facts.lazy().select("fact_id", "is_supported", "share")
    own = slim.filter(pl.col("fact_id").is_in(labelled["fact_id"].implode())).collect()
    known = labelled.join(own, on="fact_id", how="inner", maintain_order="left")
    return measured(facts.select("is_supported", "share"), known, confidence=confidence)


def judge_rows(labelled: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`verifier_tpr`, `_fpr`, `_accuracy`, `_kappa` of every judge that judged a labelled fact, all facts
    weighted by what they stand for.

    People's verdicts that a source brought are the labels themselves and no judge. TPR and FPR are of `not
    supported` and leave facts without verdict out; in accuracy these count as wrong. Of a judge whose every
    reply is a dead letter they are empty, and `verifier_no_answers` counts the facts.
    """
    is_judge = pl.col("target_id").is_in(labelled["fact_id"].implode()) & (pl.col("judge") != HUMAN)
    of_labelled = judgements.filter(is_judge)
    judges = of_labelled["judge"].cast(pl.String).unique().sort().to_list()
    return [row for judge in judges for row in _judge_rows(judge, labelled, of_labelled, writer)]


def _judge_rows(
    judge: str, labelled: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """`judge_rows` of one judge; `judgements`: those of labelled facts."""
    known = labelled.join(said_by(judgements, judge), on="fact_id", how="inner", maintain_order="left")
    if known.is_empty():
        return []
    weight, entity = known["weight"].to_numpy(), known["entity"].to_list()
    label, is_read = known["is_unsupported"].to_numpy(), known["verdict"].is_not_null().to_numpy()
    verdict = known["verdict"].fill_null(False).to_numpy()
    made = [
        writer.share(name, judge, {}, verdict, entity, weight * is_read * kind)
        for name, kind in (("verifier_tpr", label), ("verifier_fpr", ~label))
    ]
    made.append(writer.share("verifier_accuracy", judge, {}, is_read & (verdict == label), entity, weight))
    made.append(_kappa_row("verifier_kappa", judge, label, verdict, weight * is_read, entity, writer))
    asked = judgements.filter(judge=judge)
    if (asked["status"] == "dead").all():  # nothing was answered, so nothing is measured
        made = emptied(made)
        made.append(writer.row(f"verifier_{NO_ANSWERS}", judge, {}, float(known.height), known.height))
    return made


def batch_rows(
    judgements: pl.DataFrame, entity_of: pl.DataFrame, verifier: str | None, writer: ScoreWriter
) -> list[dict]:
    """`batch_agreement` and `batch_kappa`: the verdicts in batches against those one by one, on the facts
    with both.

    `entity_of`: `fact_id`, `entity`. No row where nothing was asked twice.
    """
    alone = said_by(judgements, verifier, is_single=True).rename({"verdict": "alone"})
    again = pl.col("target_id").is_in(alone["fact_id"].implode())
    both = (
        said_by(judgements, verifier, only=again)
        .join(alone, on="fact_id", maintain_order="left")
        .drop_nulls()
        .join(entity_of, on="fact_id", maintain_order="left")
        .sort("fact_id")
    )
    if both.is_empty():
        return []
    first, second, entity = both["verdict"].to_numpy(), both["alone"].to_numpy(), both["entity"].to_list()
    ones = np.ones(len(first))
    agreed = writer.share("batch_agreement", verifier, {}, first == second, entity)
    return [agreed, _kappa_row("batch_kappa", verifier, first, second, ones, entity, writer)]


def _kappa_row(
    metric: str,
    judge: str,
    first: np.ndarray,
    second: np.ndarray,
    weight: np.ndarray,
    entity: Sequence[str],
    writer,
) -> dict:
    """Cohen's κ of two columns of yes and no from weighted counts, entities resampled whole."""
    return writer.statistic(
        metric,
        judge,
        {},
        weighted_cells(first, second, weight),
        entity,
        lambda totals: cohen_kappa(totals.reshape(-1, 2, 2)),
        bounds=KAPPA,
    )
