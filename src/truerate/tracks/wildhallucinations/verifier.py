"""What judges say of facts: their verdicts joined to the facts; the verifier and the detectors that need no call measured on
labelled facts; the verifier's batches against its single calls; and why verdicts are wrong (Tables 7 and 8).
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import NO_ANSWERS, emptied, pair
from truerate.metrics.agreement import KAPPA, cohen_kappa, weighted_cells
from truerate.metrics.intervals import Interval
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import Verifier, measured, review_correction, supported_share
from truerate.tracks.wildhallucinations.verifying import SINGLE

HUMAN = "human"  # the judge of verdicts of people that a source brings
AT_ONCE = 250_000  # facts that are joined with their verdicts at a time
EVERY = pl.lit(True)


def said_by(
    judgements: pl.DataFrame, judge: str | None, *, is_single: bool = False, only: pl.Expr = EVERY
) -> pl.DataFrame:
    """`fact_id`, `verdict` (true: not supported) of one judge, in batches or one by one; one row per fact. `only`: of
    the rows for which this holds.
    """
    of_judge = pl.col("judge") == (judge or "")
    stage = (
        pl.col("stage") if "stage" in judgements.columns else pair("attributes", "stage")
    )  # thinned, or whole
    rows = judgements.lazy().filter(of_judge, stage == SINGLE if is_single else stage.is_null(), only)
    found = rows.select("verdict", fact_id="target_id").collect()  # no other column of the rows is copied
    return found.unique("fact_id", keep="first", maintain_order=True).select("fact_id", "verdict")


def judge_of(judgements: pl.DataFrame, verifier: str | None) -> str | None:
    """Whose verdicts count: people's where the source brought them, else the verifier's."""
    return HUMAN if (judgements["judge"] == HUMAN).any() else verifier


def verdicts_of(facts: pl.DataFrame, judgements: pl.DataFrame, verifier: str | None) -> pl.DataFrame:
    """The facts with `is_supported` by the judge who counts (`judge_of`); null where it gave no verdict that
    could be read.
    """
    judge, n_parts = judge_of(judgements, verifier), -(-facts.height // AT_ONCE) or 1
    if n_parts == 1:
        return facts.join(_is_supported(judgements, judge), on="fact_id", how="left", maintain_order="left")
    rows, joined = facts.select("fact_id", row=pl.int_range(pl.len(), dtype=pl.UInt32)), []
    for part in range(n_parts):  # a fact and its verdict are in one part, whatever its hash is
        own = rows.filter(pl.col("fact_id").hash() % n_parts == part)
        said = _is_supported(judgements, judge, only=pl.col("target_id").hash() % n_parts == part)
        joined.append(
            own.join(said, on="fact_id", how="left", maintain_order="left").select("row", "is_supported")
        )
    return facts.with_columns(pl.concat(joined).sort("row")["is_supported"])


def _is_supported(judgements: pl.DataFrame, judge: str | None, *, only: pl.Expr = EVERY) -> pl.DataFrame:
    return said_by(judgements, judge, only=only).select("fact_id", is_supported=~pl.col("verdict"))


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


# retrieval: the passages did not hold what decides the fact. entailment: they did, and were misread.
# generation: the model made it up. contradictory-web: pages contradict one another. outdated: a page, or the
# model, is behind. unverifiable: an opinion or the like.
# model-retrieval: what the model was given by its own search did not hold it, or was wrong; only where that is told.
MODEL_RETRIEVAL = "model-retrieval"
ERROR_KINDS = ("retrieval", "entailment", "generation", "contradictory-web", "outdated", "unverifiable")
CORRECT = "correct"  # the verdict holds, and nothing more is said
KINDS = (*ERROR_KINDS, CORRECT)
OVERTURNING = (
    "retrieval",
    "entailment",
)  # errors of the evaluation (Table 7): the verdict was wrong. All others leave it standing.
VERDICTS = ("unsupported", "supported")
ALL = "all"


def allowed(is_given: bool) -> tuple[str, ...]:
    """The labels of a review: KINDS, and MODEL_RETRIEVAL (Table 8) of a reply that came with what its model was given."""
    return (*KINDS, MODEL_RETRIEVAL) if is_given else KINDS


def review_rows(reviewed: Sequence[dict], facts: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`error_rate` of each kind among unsupported and among supported facts, and `review_correction`, over
    all subjects and of each.

    `reviewed`: tasks with their `label` (one of KINDS). `facts`: with `is_supported` and `share`
    (`wildfact.with_share`); a fact's weight in the correction is how many it stands for times its share of
    its reply's score, so that it corrects the mean over replies.
    """
    made = []
    own = facts.filter(pl.col("fact_id").is_in([task["fact_id"] for task in reviewed]))
    share_of = dict(own.select("fact_id", "share").iter_rows())
    subjects = sorted({task["subject"] for task in reviewed})
    for subject in [ALL, *subjects] if reviewed else []:
        rows = [task for task in reviewed if subject in (ALL, task["subject"])]
        known = facts if subject == ALL else facts.filter(subject=subject)
        for verdict in VERDICTS:
            made += error_rows(
                subject, verdict, [task for task in rows if task["verdict"] == verdict], writer
            )
        made.append(_correction_row(subject, rows, known, share_of, writer))
    return made


def error_rows(subject: str, verdict: str, rows: Sequence[dict], writer: ScoreWriter) -> list[dict]:
    """The weighted share of each kind among the reviewed facts of one verdict, clustered by entity; they sum
    to 1. Null over nothing. The model's own retrieval is a kind where any of the reviews told of it.
    """
    weights, clusters = np.array([row["weight"] for row in rows]), [row["item_id"] for row in rows]
    kinds = allowed(any(row.get("retrieved") for row in rows))
    hits = {kind: np.array([row["label"] == kind for row in rows], dtype=float) for kind in kinds}
    return [
        writer.share("error_rate", subject, {"kind": kind, "verdict": verdict}, hits[kind], clusters, weights)
        for kind in kinds
    ]


def given_rows(generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`retrieved_rate`: the share of a subject's replies that came with what its model was given (citations, results of
    its own search or tools); no row for subjects of which nothing is told.
    """
    is_told = pair("attributes", "retrieved").is_not_null()
    replies = generations.filter(purpose="generate").filter(pl.col("status") != "dead")
    rows = replies.select("model", "item_id", is_told=is_told).sort("model", "item_id", "is_told")
    return [
        writer.share("retrieved_rate", model, {}, part["is_told"].to_list(), part["item_id"].to_list())
        for (model,), part in rows.group_by("model", maintain_order=True)
        if part["is_told"].any()
    ]


def overturned(rows: Sequence[dict], share_of: dict[str, float], writer: ScoreWriter) -> Interval | None:
    """The share of reviewed facts whose verdict was wrong, each weighted as in the score; None over nothing."""
    hits = np.array([row["label"] in OVERTURNING for row in rows], dtype=float)
    weights = np.array([row["weight"] * (share_of.get(row["fact_id"]) or 0.0) for row in rows])
    return writer.share_of(hits, [row["item_id"] for row in rows], weights)


def _correction_row(
    subject: str, rows: Sequence[dict], facts: pl.DataFrame, share_of: dict[str, float], writer: ScoreWriter
) -> dict:
    kinds = [
        overturned([row for row in rows if row["verdict"] == verdict], share_of, writer)
        for verdict in VERDICTS
    ]
    correction = review_correction(supported_share(facts), *kinds)
    return writer.row("review_correction", subject, {}, correction, len(rows))
