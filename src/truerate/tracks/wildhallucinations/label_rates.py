"""WildFactScore and Strict from labels beside the verifier's verdicts of all: every estimator of the registry
that they carry, and which of them stands for the score.

Facts to label are drawn by subject and verdict, so a labelled one counts by how many it stands for. A score
is that of all replies a subject would give about such entities: entities are the clusters.

A false alarm at one fact loses a reply, so labels of facts do not correct Strict: how errors fall together
within a reply is not seen in them. People say of some whole replies whether each of their facts is supported;
these are drawn evenly from those of a subject that respond and can be read. Strict is the share that responds
with a fact times the share of these whose every fact is supported (`wildfact.PRODUCTS`).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from truerate.metrics.estimators import registry, sample
from truerate.metrics.estimators.choice import narrower
from truerate.metrics.estimators.sample import ONE_LANG, Calibration, Cell, Cells
from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.rates import PREDICTION_POWERED, Corrected, Estimate
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import Verifier, squared_and_added

SCORE, N_LABELS = "wildfactscore", "n_labelled_facts"
CHOSEN = "chosen"  # the estimator that stands for the score; `by` in its slice says which that is
OF_FACT = (registry.LABELS_ALONE, registry.PPI, PREDICTION_POWERED)
WHERE = {"set": "all"}
STRICT, N_REPLY_LABELS = "wildfactscore_strict", "n_labelled_replies"
OF_REPLY = (registry.ROGAN_GLADEN_BETWEEN, registry.LABELS_ALONE, registry.PPI, PREDICTION_POWERED)


# ---- WildFactScore by labels of facts ----------------------------------------------------------------------


def with_labels(facts: pl.DataFrame, labelled: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
    """Return the facts that WildFactScore is made of, `subject`, `entity`, `share`, `is_supported`, with
    `is_unsupported` and `weight` of those that people labelled, null for the others.

    `facts`: with `share` (`wildfact.with_share`); `replies`: scored ones, of which those that respond count.
    Subjects and entities are categories.
    """
    ids, names = facts.schema["generation_id"], pl.col("subject", "entity").cast(pl.Categorical)
    counted = replies.lazy().filter("is_responding").select(pl.col("generation_id").cast(ids), names)
    of_facts = facts.lazy().drop_nulls("share").select("fact_id", "generation_id", "share", "is_supported")
    labels = labelled.lazy().select("fact_id", "is_unsupported", "weight")
    labels = labels.unique("fact_id", keep="first", maintain_order=True)
    of_score = of_facts.join(counted, on="generation_id", how="inner", maintain_order="left").drop(
        "generation_id"
    )
    return of_score.join(labels, on="fact_id", how="left", maintain_order="left").collect()


def fact_cells(facts: pl.DataFrame) -> Cells:
    """Return a cell per subject: facts as units of their share of their reply's score, 1 on average,
    `flagged` where the verifier does not find them supported and `gold` where people do not. `facts`: of
    `with_labels`.
    """
    cells = {}
    for subject in facts["subject"].cast(pl.String).unique().sort():
        of_subject = facts.filter(subject=subject).sort("fact_id")
        total = of_subject["share"].to_numpy() / of_subject["share"].mean()
        flagged = total * ~of_subject["is_supported"].to_numpy()
        label = of_subject["is_unsupported"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        weight = of_subject["weight"].fill_null(1.0).to_numpy()
        # each name is in memory once, whatever number of facts have it
        names = of_subject["entity"].cast(pl.String).unique(maintain_order=True)
        entities = names.to_numpy()[of_subject["entity"].cast(pl.Enum(names)).to_physical().to_numpy()]
        cells[subject, ONE_LANG] = Cell(total, flagged, total * label, entities, None, weight)
    return cells


def calibration_of(facts: pl.DataFrame) -> Calibration:
    """Return all labelled facts, each as many as it stands for, times its share of its score."""
    labelled = facts.drop_nulls("is_unsupported")
    weight = (labelled["weight"] * labelled["share"]).to_numpy()
    gold, flagged = labelled["is_unsupported"].to_numpy(), ~labelled["is_supported"].to_numpy()
    sums = np.stack([weight, weight * gold, weight * flagged, weight * (gold & flagged)], axis=1)
    scale = weight.mean() if len(weight) else 1.0
    subjects, entities = (labelled[name].cast(pl.String).to_numpy() for name in ("subject", "entity"))
    return Calibration(sums / scale, np.full(labelled.height, ONE_LANG), subjects, entities)


def estimates_of(
    facts: pl.DataFrame, corrected: Mapping[str, Corrected], verifier: Verifier | None, *, confidence: float
) -> dict[str, list[Estimate]]:
    """Return estimates of the share that is not supported, by subject: of its own labels labels alone, PPI
    and PPI++, and the pooled correction with what models differ by. `corrected`: scores corrected by all
    labels together.
    """
    by_cell = registry.estimate_board(fact_cells(facts), confidence=confidence, target="model", names=OF_FACT)
    estimates = {subject: list(of_cell) for (subject, lang), of_cell in by_cell.items() if lang == ONE_LANG}
    between = sample.between_models(calibration_of(facts))
    for subject, of_subject in estimates.items():
        pooled = corrected.get(subject)
        if verifier is not None and pooled is not None and between.n_models > 1:
            tpr, fpr = verifier.rates
            wide = sample.widened(flipped(pooled), tpr - fpr, between, confidence=confidence)
            of_subject.append(Estimate(registry.ROGAN_GLADEN_BETWEEN, registry.NATURAL, wide))
    return estimates


def flipped(estimate: Interval | Corrected) -> Corrected:
    """Return a share as that of all the rest, each end too; what is not known stays so."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return Corrected(None, None, None, None, False)
    raw = estimate.raw if isinstance(estimate, Corrected) and estimate.raw is not None else estimate.value
    return Corrected(1 - estimate.value, 1 - estimate.high, 1 - estimate.low, 1 - raw, True)


def own_rows(
    facts: pl.DataFrame,
    corrected: Mapping[str, Corrected],
    verifier: Verifier | None,
    n_replies: Mapping[str, int],
    writer: ScoreWriter,
) -> list[dict]:
    """Return Score rows of every estimate of every subject (`estimates_of`), of the one that stands for its
    score, and of how many of its facts were labelled. `facts`: of `with_labels`. Nobody labelled, no rows.
    """
    labelled = facts.drop_nulls("is_unsupported")
    if labelled.is_empty():
        return []
    score_rows = []
    n_of = dict(labelled.group_by("subject").len().iter_rows())
    by_subject = estimates_of(facts, corrected, verifier, confidence=writer.statistics.confidence)
    for subject, estimates in by_subject.items():
        for how, estimate in _with_chosen(estimates, labelled.height):
            is_known = estimate.interval is not None and estimate.interval.value is not None
            score = flipped(estimate.interval)[:3] if is_known else None
            score_rows.append(writer.row(SCORE, subject, {**WHERE, **how}, score, n_replies.get(subject, 0)))
        n = n_of.get(subject, 0)
        score_rows.append(writer.count(N_LABELS, subject, {}, n, n))
    return score_rows


def _with_chosen(estimates: Sequence[Estimate], n_labels: int) -> list[tuple[dict[str, str], Estimate]]:
    """Every estimate with its part of a slice, and last the one that stands for the score."""
    rows = [({"estimator": estimate.estimator}, estimate) for estimate in estimates]
    chosen = narrower(estimates, n_labels=n_labels).estimate
    return rows if chosen is None else [*rows, ({"estimator": CHOSEN, "by": chosen.estimator}, chosen)]


# ---- Strict by labels of whole replies ---------------------------------------------------------------------


def reply_cells(replies: pl.DataFrame, label: Mapping[str, bool]) -> Cells:
    """Return a cell per subject: readable replies that respond as single verdicts, flagged where the verifier
    leaves a fact unsupported. `label`: whether people do, by the reply's id.
    """
    readable = replies.filter("is_responding").drop_nulls("strict").sort("subject", "generation_id")
    cells = {}
    for (subject,), part in readable.group_by("subject", maintain_order=True):
        labels = np.array([float(label.get(name, np.nan)) for name in part["generation_id"]])
        flagged = 1 - part["strict"].to_numpy()
        cells[str(subject), ONE_LANG] = sample.verdicts(flagged, labels, part["entity"].to_numpy())
    return cells


def estimates_of_replies(
    replies: pl.DataFrame, label: Mapping[str, bool], *, confidence: float
) -> dict[str, list[Estimate]]:
    """Return estimates of the share of readable replies with an unsupported fact, by subject."""
    cells = reply_cells(replies, label)
    labelled = [(name, cell.only(cell.is_labelled)) for (name, _), cell in cells.items() if cell.k]
    if not labelled:
        return {}
    models = np.concatenate([np.full(cell.n, name, dtype=object) for name, cell in labelled])
    columns = zip(*((cell.gold, cell.flagged, cell.clusters) for _, cell in labelled), strict=True)
    calibrated = {registry.NATURAL: Calibration.of_verdicts(*map(np.concatenate, columns), models=models)}
    how = {"confidence": confidence, "target": "model", "calibrated": calibrated, "names": OF_REPLY}
    by_cell = registry.estimate_board(cells, **how)
    return {subject: by_cell[subject, lang] for subject, lang in cells}


def strict_rows(replies: pl.DataFrame, label: Mapping[str, bool], writer: ScoreWriter) -> list[dict]:
    """Return Score rows of Strict by every estimator (`estimates_of`), of the one that stands for it, and of
    how many replies of each subject were labelled. No labels, no rows.
    """
    score_rows = []
    labelled = replies.filter(pl.col("generation_id").is_in(list(label)))
    n_of = dict(labelled.group_by("subject").len().iter_rows())
    by_subject = estimates_of_replies(replies, label, confidence=writer.statistics.confidence)
    for subject, estimates in by_subject.items():
        came = replies.drop_nulls("is_abstained").filter(subject=subject)
        sums = cluster_sums(came["entity"].to_list(), np.stack([came["is_stating"], np.ones(came.height)], 1))
        stating = writer.share_interval(*sums.T)
        for how, estimate in _with_chosen(estimates, labelled.height):
            strict = _strict(stating, estimate)
            score_rows.append(writer.row(STRICT, subject, {**WHERE, **how}, strict, came.height))
        n = n_of.get(subject, 0)
        score_rows.append(writer.count(N_REPLY_LABELS, subject, {}, n, n))
    return score_rows


def _strict(stating: Interval | None, estimate: Estimate) -> Interval | None:
    """The share that responds with a fact times the share of these without an unsupported one, in [0, 1]."""
    rest = None if estimate.interval is None else flipped(estimate.interval)
    if stating is None or rest is None or rest.value is None or rest.low is None or rest.high is None:
        return None
    supported = Interval(rest.value, rest.low, rest.high)
    product = squared_and_added(lambda first, second: first * second, [stating, supported])
    return None if product is None else Interval(*(min(1.0, max(0.0, end)) for end in product))
