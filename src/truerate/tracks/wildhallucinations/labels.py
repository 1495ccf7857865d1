"""Labels back in: facts labelled by several people, verdicts reviewed, entities checked; what holds of them
becomes samples and scores.

A row names its `task_id`, its `labeller` (or `annotator`) and its `label`: of a fact, or of a whole reply
(each of its facts), supported or unsupported, of a review one of `replies.allowed`, of an entity
`{"unambiguous": true, "relevant": 3, "pages": 4}` (also as JSON text, as CSV holds it).
"""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.annotation import labels as annotation
from truerate.annotation.agreement import ANNOTATORS, agreement_scores
from truerate.annotation.labels import BadLabel, Label, Labelled, judgement_of, reject
from truerate.annotation.voting import by_task
from truerate.config.layout import Layout
from truerate.core.keys import split_of
from truerate.core.schemas import pairs, sample_row
from truerate.metrics import agreement
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import with_share
from truerate.tracks.wildhallucinations.facts import GENERATE, WRITE
from truerate.tracks.wildhallucinations.label_rates import strict_rows
from truerate.tracks.wildhallucinations.replies import (
    OVERTURNING,
    allowed,
    pruned,
    readable_replies,
    review_rows,
    verdicts_of,
)
from truerate.tracks.wildhallucinations.tasks import ENTITY, FACT, REPLY, REVIEW
from truerate.tracks.wildhallucinations.verifying import SINGLE

SUPPORTED, UNSUPPORTED = "supported", "unsupported"
# Why a label row stops a run unless params say `on_bad_row: reject`.
BAD_ROWS = (*annotation.BAD_ROWS, "unknown_label", "bad_counts")
ENTITIES = "entities"
AGREEMENT = (agreement.percent_agreement, agreement.fleiss_kappa, agreement.krippendorff_alpha)


class Checked(NamedTuple):
    """What an annotator says of an entity: whether its name is unambiguous, and its relevant pages."""

    is_unambiguous: bool
    n_relevant: int
    n_pages: int


def label(
    config: Layout,
    board: str,
    tables,
    dataset: Mapping[str, pl.DataFrame],
    tasks: Sequence[dict],
    rows: Sequence[tuple],
    *,
    where: str,
    inputs: str,
) -> Labelled:
    """Return gold facts, every label as a judgement, rejects, agreement and the error analysis, from the rows
    of label files (`read_labels`).

    A fact is hallucinated where most annotators say unsupported; a tie is rejected and counted apart.
    `inputs` is the digest that the scores name. TruerateError where a row does not hold, unless params say
    `on_bad_row: reject`.
    """
    p, verifier = config.p, config.p.track(board).verifier
    writer = ScoreWriter(board, inputs, p.statistics, p.seed)
    task_of = {task["task_id"]: task for task in tasks}
    labels, rejects = annotation.checked_labels(rows, task_of, _answer, where=where, on_bad_row=p.on_bad_row)
    labels_of = by_task(labels)
    checks = {name: labels for name, labels in labels_of.items() if task_of[name]["kind"] == ENTITY}
    votes = {
        name: agreement.max_voting([label.value for label in labels])
        for name, labels in labels_of.items()
        if name not in checks
    }
    settled: dict[str, dict[str, str]] = {FACT: {}, REPLY: {}, REVIEW: {}}
    for name, value in votes.items():
        if value is None:
            rejects.append(reject("tie", f"{len(labels_of[name])} labels", target=name))
        else:
            settled[task_of[name]["kind"]][name] = str(value)
    if labels_of:
        unlabelled = sorted(set(task_of) - set(labels_of))
        rejects += [reject("no_labels", "nobody labelled it", target=name) for name in unlabelled]

    scores = agreement_rows(labels_of, votes, task_of, writer)
    if settled[REVIEW]:
        facts = with_share(verdicts_of(dataset["facts"], dataset["judgements"], verifier))
        reviewed = [{**task_of[name], "label": value} for name, value in settled[REVIEW].items()]
        scores += review_rows(reviewed, facts, writer)
    if settled[REPLY]:
        parts = (dataset[name] for name in ("items", "generations", "facts", "judgements"))
        verdicts = settled[REPLY].items()
        label_of = {task_of[name]["generation_id"]: value == UNSUPPORTED for name, value in verdicts}
        scores += strict_rows(readable_replies(*parts, verifier=verifier), label_of, writer)
    scores += entity_rows([(task_of[name]["item_id"], labels) for name, labels in checks.items()], writer)
    return Labelled.of_rows(
        gold_facts(settled[FACT], labels_of, task_of, dataset),
        [_judgement(label, task_of[label.task_id]) for label in labels],
        rejects,
        scores,
    )


def labelled(table: str, rows: pl.DataFrame, *, tasks: Sequence[dict]) -> pl.DataFrame:
    """Rows of a table as `label` reads them: as scores do (`pruned`), without calls that verify and verdicts
    on one fact alone, with the evidence of the facts that people were given, and of these alone.
    """
    if table == "generations":
        return pruned(table, rows.filter(pl.col("purpose").is_in([GENERATE, WRITE])))
    if table == "judgements":
        return pruned(table, rows).filter(pl.col("stage").ne_missing(pl.lit(SINGLE)))
    if table != "facts":
        return rows
    is_given = pl.col("fact_id").is_in([task["fact_id"] for task in tasks if task["kind"] == FACT])
    # written anew, else what is left would hold on to the evidence of all
    anew = pl.col("evidence").list.eval(pl.format("{}", pl.element()))
    given = rows.filter(is_given).select("fact_id", anew)
    rows = rows.drop("evidence").join(given, on="fact_id", how="left", maintain_order="left")
    nothing = pl.lit([], dtype=pl.List(pl.String))
    rows = rows.with_columns(pl.col("evidence").fill_null(nothing), pl.col("subject").cast(pl.Categorical))
    return pruned(table, rows)


# ---- what a row says ---------------------------------------------------------------------------------------


def _answer(row: dict, task: Mapping) -> tuple[dict, Sequence[annotation.LeftOut]]:
    label = row.get("label")
    if label in (None, ""):
        raise BadLabel("missing_field", "field 'label' is missing or empty")
    if task["kind"] == ENTITY:
        return {"value": _checked(label)}, ()
    words = allowed(bool(task.get("retrieved"))) if task["kind"] == REVIEW else (SUPPORTED, UNSUPPORTED)
    word = label.strip().lower() if isinstance(label, str) else None
    if word not in words:
        raise BadLabel("unknown_label", f"label is {str(label)[:40]!r}; allowed: {', '.join(words)}")
    return {"value": word}, ()


def _checked(label: object) -> Checked:
    try:
        counts = json.loads(label) if isinstance(label, str) else label
    except (ValueError, RecursionError):
        counts = None
    if not isinstance(counts, dict) or not isinstance(counts.get("unambiguous"), bool):
        hint = "it must hold unambiguous (true or false), relevant and pages"
        raise BadLabel("unknown_label", f"label is {str(label)[:40]!r}; {hint}")
    relevant, pages = counts.get("relevant"), counts.get("pages")
    if type(relevant) is not int or type(pages) is not int or not 0 <= relevant <= pages:
        hint = "two whole numbers, the first not above the second"
        raise BadLabel("bad_counts", f"relevant {relevant!r} of pages {pages!r}: {hint}")
    return Checked(counts["unambiguous"], relevant, pages)


# ---- what they become --------------------------------------------------------------------------------------


def gold_facts(
    settled: Mapping[str, str],
    labels_of: Mapping[str, Sequence[Label]],
    task_of: Mapping[str, dict],
    dataset: Mapping[str, pl.DataFrame],
) -> list[dict]:
    """Return the facts on which most annotators agree (`settled`, by task) as Sample rows. The id of one is
    the fact's, so that the verifier's verdict and what detectors say of it lie on one name.

    Attribute `evidence`: the passages that it was checked against, which detectors read in place of whole
    pages.
    """
    group_of = dict(dataset["items"].select("item_id", "group_id").iter_rows())
    is_given = pl.col("fact_id").is_in([task_of[name]["fact_id"] for name in settled])
    evidence_of = dict(dataset["facts"].filter(is_given).select("fact_id", "evidence").iter_rows())
    samples = []
    for name, value in settled.items():
        task, labels = task_of[name], labels_of[name]
        group = group_of.get(task["item_id"], task["item_id"])
        attributes = {"fact": task["fact_id"], "weight": task["weight"], "n_labels": len(labels)}
        attributes["n_unsupported"] = sum(label.value == UNSUPPORTED for label in labels)
        attributes["evidence"] = " ".join(evidence_of.get(task["fact_id"], ()))
        sample = sample_row(
            sample_id=task["fact_id"],
            item_id=task["item_id"],
            group_id=group,
            task="fact",
            lang="en",
            text=task["text"],
            is_hallucinated=value == UNSUPPORTED,
            label_source="gold",
            generator=task["subject"],
            split=split_of(group),
            attributes=pairs(**attributes),
        )
        samples.append(sample)
    return samples


def _judgement(label: Label, task: dict) -> dict:
    """A label as a judgement: true where the annotator calls it unsupported; null of an entity."""
    verdict, value, is_unambiguous = None, label.value, None
    if task["kind"] in (FACT, REPLY):
        verdict = value == UNSUPPORTED
    elif task["kind"] == REVIEW:
        verdict = (task["verdict"] == UNSUPPORTED) != (value in OVERTURNING)
    else:
        is_unambiguous = str(value.is_unambiguous).lower()
        value = f"{value.n_relevant}/{value.n_pages}"
    target = task.get("generation_id") or task["fact_id"] or task["item_id"]
    attributes = {"kind": task["kind"], "label": value, "unambiguous": is_unambiguous, "task": label.task_id}
    return judgement_of(label, verdict, attributes, target=target)


# ---- scores ------------------------------------------------------------------------------------------------


def agreement_rows(
    labels_of: Mapping[str, Sequence[Label]], votes: Mapping, task_of: Mapping[str, dict], writer: ScoreWriter
) -> list[dict]:
    """Return `percent_agreement`, `fleiss_kappa`, `krippendorff_alpha` of the annotators and `tie_rate`, for
    facts, whole replies and reviews apart. `votes`: what most say of each task, by its name in order, None
    for a tie.
    """
    scores = []
    for kind in (FACT, REPLY, REVIEW):
        names = [name for name in votes if task_of[name]["kind"] == kind]
        if not names:
            continue
        ratings = [{"unit_id": name, "label": label.value} for name in names for label in labels_of[name]]
        sums = agreement.agreement_sums(agreement.rating_counts(pl.DataFrame(ratings)))
        entities = [task_of[name]["item_id"] for name in names]
        is_shared = sums[:, 0] > 0  # with two ratings or more
        shared = sums[is_shared], np.array(entities)[is_shared].tolist(), {"kind": kind}, writer
        scores += agreement_scores(*shared, AGREEMENT)
        is_tie = np.array([votes[name] is None for name in names], dtype=float)
        scores.append(writer.share("tie_rate", ANNOTATORS, {"kind": kind}, is_tie, entities))
    return scores


def entity_rows(checks: Sequence[tuple[str, Sequence[Label]]], writer: ScoreWriter) -> list[dict]:
    """Return `entity_unambiguous_rate` (of entities, by majority; a tie counts half) and `page_relevant_rate`
    (of pages, mean of the annotators) from the labels of each entity.
    """
    if not checks:
        return []
    clusters = [item_id for item_id, _ in checks]
    # per entity the means over its annotators: is it unambiguous, how many relevant pages, how many pages
    means = np.array([np.mean([label.value for label in labels], axis=0) for _, labels in checks])
    share, relevant, pages = means.T
    is_one = np.where(share == 0.5, 0.5, share > 0.5)
    shares = np.divide(relevant, pages, out=np.zeros_like(pages), where=pages > 0)
    of_pages = writer.share("page_relevant_rate", ENTITIES, {}, shares, clusters, pages)
    return [
        writer.share("entity_unambiguous_rate", ENTITIES, {}, is_one, clusters),
        of_pages | {"n": int(round(pages.sum()))},
    ]
