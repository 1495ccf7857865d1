"""WildFactScore and Strict from labels beside the verifier's verdicts of all: every estimator of the registry that they carry, and
which of them stands for the score.

Facts to label are drawn by subject and verdict, so a labelled one counts by how many it stands for. A score is that of all
replies a subject would give about such entities: entities are the clusters.

A false alarm at one fact loses a reply, so labels of facts do not correct Strict: how errors fall together within a reply is
not seen in them. People say of some whole replies whether each of their facts is supported; these are drawn evenly from those
of a subject that respond and can be read. Strict is the share that responds with a fact times the share of these whose every
fact is supported (`wildfact.PRODUCTS`).
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from truerate.metrics.estimators.choice import narrower
from truerate.metrics.estimators.registry import (
    LABELS_ALONE,
    NATURAL,
    PPI,
    ROGAN_GLADEN_BETWEEN,
    estimate_board,
)
from truerate.metrics.estimators.sample import Calibration, Cell, Cells, between_models, verdicts, widened
from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.rates import PREDICTION_POWERED, Corrected, Estimate
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import Verifier, squared_and_added

SCORE, N_LABELS = "wildfactscore", "n_labelled_facts"
CHOSEN = "chosen"  # the estimator that stands for the score; `by` in its slice says which that is
OWN = (LABELS_ALONE, PPI, PREDICTION_POWERED)
ONE_LANG = "all-langs"  # the registry's cells are named by a language
WHERE = {"set": "all"}
STRICT, N_REPLY_LABELS = "wildfactscore_strict", "n_labelled_replies"
OF_REPLY = (ROGAN_GLADEN_BETWEEN, LABELS_ALONE, PPI, PREDICTION_POWERED)


# ---- WildFactScore by labels of facts ------------------------------------------------------------------------------


def with_labels(facts: pl.DataFrame, labelled: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
    """The facts that WildFactScore is made of, `subject`, `entity`, `share`, `is_supported`, with `is_unsupported`
    and `weight` of those that people labelled, null for the others.

    `facts`: with `share` (`wildfact.with_share`); `replies`: scored ones, of which those that respond count.
    Subjects and entities are categories.
    """
    ids, names = facts.schema["generation_id"], pl.col("subject", "entity").cast(pl.Categorical)
    counted = replies.filter("is_responding").select(pl.col("generation_id").cast(ids), names)
    own = facts.lazy().drop_nulls("share").select("fact_id", "generation_id", "share", "is_supported")
    known = labelled.select("fact_id", "is_unsupported", "weight").unique(
        "fact_id", keep="first", maintain_order=True
    )
    told = own.join(counted.lazy(), on="generation_id", how="inner", maintain_order="left").drop(
        "generation_id"
    )
    return told.join(known.lazy(), on="fact_id", how="left", maintain_order="left").collect()


def fact_cells(facts: pl.DataFrame) -> Cells:
    """A cell per subject: facts as units of their share of their reply's score, 1 on average, `flagged` where the
    verifier does not find them supported and `gold` where people do not. `facts`: of `with_labels`.
    """
    cells = {}
    for subject in facts["subject"].cast(pl.String).unique().sort():
        own = facts.filter(subject=subject).sort("fact_id")
        total = own["share"].to_numpy() / own["share"].mean()
        flagged = total * ~own["is_supported"].to_numpy()
        label = own["is_unsupported"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        weight = own["weight"].fill_null(1.0).to_numpy()
        cells[subject, ONE_LANG] = Cell(total, flagged, total * label, _once(own["entity"]), None, weight)
    return cells


def _once(names: pl.Series) -> np.ndarray:
    """Names as objects of which each is in memory once, whatever number of rows have it."""
    known = names.cast(pl.String).unique(maintain_order=True)
    return known.to_numpy()[names.cast(pl.Enum(known)).to_physical().to_numpy()]


def calibration_of(facts: pl.DataFrame) -> Calibration:
    """The labelled facts of all subjects, each as many as it stands for, times its share of its score."""
    known = facts.drop_nulls("is_unsupported")
    weight = (known["weight"] * known["share"]).to_numpy()
    gold, flagged = known["is_unsupported"].to_numpy(), ~known["is_supported"].to_numpy()
    sums = np.stack([weight, weight * gold, weight * flagged, weight * (gold & flagged)], axis=1)
    scale = weight.mean() if len(weight) else 1.0
    langs = np.full(known.height, ONE_LANG)
    subjects, entities = (known[name].cast(pl.String).to_numpy() for name in ("subject", "entity"))
    return Calibration(sums / scale, langs, subjects, entities)


def estimates_of(
    facts: pl.DataFrame,
    corrected: Mapping[str, Corrected],
    verifier: Verifier | None,
    *,
    confidence: float,
) -> dict[str, list[Estimate]]:
    """Estimates of the share that is not supported, by subject: of its own labels labels alone, PPI and PPI++, and
    the pooled correction with what models differ by. `corrected`: scores corrected by all labels together.
    """
    cells = fact_cells(facts)
    found = estimate_board(cells, confidence=confidence, target="model", names=OWN)
    between = between_models(calibration_of(facts))
    made = {}
    for key in cells:
        subject, pooled = key[0], corrected.get(key[0])
        made[subject] = list(found[key])
        if verifier is not None and pooled is not None and between.n_models > 1:
            tpr, fpr = verifier.rates
            wide = widened(flipped(pooled), tpr - fpr, between, confidence=confidence)
            made[subject].append(Estimate(ROGAN_GLADEN_BETWEEN, NATURAL, wide))
    return made


def flipped(found: Interval | Corrected) -> Corrected:
    """A share as that of all the rest, each end too; what is not told stays so."""
    if found.value is None or found.low is None or found.high is None:
        return Corrected(None, None, None, None, False)
    raw = found.raw if isinstance(found, Corrected) and found.raw is not None else found.value
    return Corrected(1 - found.value, 1 - found.high, 1 - found.low, 1 - raw, True)


def own_rows(
    facts: pl.DataFrame,
    corrected: Mapping[str, Corrected],
    verifier: Verifier | None,
    n_replies: Mapping[str, int],
    writer: ScoreWriter,
) -> list[dict]:
    """Score rows of every estimate of every subject (`estimates_of`), of the one that stands for its score, and of
    how many of its facts were labelled. `facts`: of `with_labels`. Nobody labelled, no rows.
    """
    known = facts.drop_nulls("is_unsupported")
    if known.is_empty():
        return []
    made = []
    labels = dict(known.group_by("subject").len().iter_rows())
    each = estimates_of(facts, corrected, verifier, confidence=writer.statistics.confidence)
    for subject, estimates in each.items():
        n, n_labels = n_replies.get(subject, 0), labels.get(subject, 0)
        made += [
            _row(subject, {"estimator": estimate.estimator}, estimate, n, writer) for estimate in estimates
        ]
        chosen = narrower(estimates, n_labels=known.height).estimate
        if chosen is not None:
            made.append(_row(subject, {"estimator": CHOSEN, "by": chosen.estimator}, chosen, n, writer))
        made.append(writer.count(N_LABELS, subject, {}, n_labels, n_labels))
    return made


def _row(subject: str, how: Mapping[str, str], one: Estimate, n: int, writer: ScoreWriter) -> dict:
    score = None if one.interval is None or one.interval.value is None else flipped(one.interval)[:3]
    return writer.row(SCORE, subject, {**WHERE, **how}, score, n)


# ---- Strict by labels of whole replies -------------------------------------------------------------------------------


def reply_cells(replies: pl.DataFrame, label: Mapping[str, bool]) -> Cells:
    """A cell per subject: readable replies that respond as single verdicts, flagged where the verifier leaves a fact
    unsupported. `label`: whether people do, by the reply's id.
    """
    own = replies.filter("is_responding").drop_nulls("strict").sort("subject", "generation_id")
    cells = {}
    for (subject,), part in own.group_by("subject", maintain_order=True):
        said = np.array([float(label.get(name, np.nan)) for name in part["generation_id"]])
        cells[str(subject), ONE_LANG] = verdicts(
            1 - part["strict"].to_numpy(), said, part["entity"].to_numpy()
        )
    return cells


def calibration_of_replies(cells: Cells) -> Calibration:
    """The labelled replies of all subjects."""
    parts = [(name, cell.only(cell.is_labelled)) for (name, _), cell in cells.items() if cell.k]
    sums = [np.stack([c.total, c.gold, c.flagged, c.gold * c.flagged], axis=1) for _, c in parts]
    models = np.concatenate([np.full(cell.n, name, dtype=object) for name, cell in parts])
    clusters = np.concatenate([cell.clusters for _, cell in parts])
    return Calibration(np.concatenate(sums), np.full(len(models), ONE_LANG), models, clusters)


def estimates_of_replies(
    replies: pl.DataFrame, label: Mapping[str, bool], *, confidence: float
) -> dict[str, list[Estimate]]:
    """Estimates of the share of readable replies of which some fact is not supported, by subject; nobody labelled,
    nothing.
    """
    cells = reply_cells(replies, label)
    if not any(cell.k for cell in cells.values()):
        return {}
    calibrated = {NATURAL: calibration_of_replies(cells)}
    asked = {"confidence": confidence, "target": "model", "calibrated": calibrated, "names": OF_REPLY}
    found = estimate_board(cells, **asked)
    return {key[0]: found[key] for key in cells}


def strict_rows(replies: pl.DataFrame, label: Mapping[str, bool], writer: ScoreWriter) -> list[dict]:
    """Score rows of Strict by every estimator (`estimates_of`), of the one that stands for it, and of how many replies
    of each subject were labelled. No labels, no rows.
    """
    made = []
    known = replies.filter(pl.col("generation_id").is_in(list(label)))
    n_labels = dict(known.group_by("subject").len().iter_rows())
    came = replies.drop_nulls("is_abstained")
    for subject, estimates in estimates_of_replies(
        replies, label, confidence=writer.statistics.confidence
    ).items():
        own = came.filter(subject=subject)
        sums = cluster_sums(own["entity"].to_list(), np.stack([own["is_stating"], np.ones(own.height)], 1))
        stating = writer.share_interval(*sums.T)
        chosen = narrower(estimates, n_labels=known.height).estimate
        ways = [({"estimator": estimate.estimator}, estimate) for estimate in estimates]
        if chosen is not None:
            ways.append(({"estimator": CHOSEN, "by": chosen.estimator}, chosen))
        for how, one in ways:
            made.append(writer.row(STRICT, subject, {**WHERE, **how}, _strict(stating, one), own.height))
        n = n_labels.get(subject, 0)
        made.append(writer.count(N_REPLY_LABELS, subject, {}, n, n))
    return made


def _strict(stating: Interval | None, one: Estimate) -> Interval | None:
    """The share that responds with a fact times that of the others than `one` is of, cut to [0, 1]; the two are estimated apart."""
    told = None if one.interval is None else flipped(one.interval)
    if stating is None or told is None or told.value is None or told.low is None or told.high is None:
        return None
    supported = Interval(told.value, told.low, told.high)
    found = squared_and_added(lambda first, second: first * second, [stating, supported])
    return None if found is None else Interval(*(min(1.0, max(0.0, end)) for end in found))
