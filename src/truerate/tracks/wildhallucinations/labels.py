"""Labels back in: facts labelled by several people, verdicts reviewed, entities checked; what holds of them
becomes samples and scores.

A row names its `task_id`, its `labeller` (or `annotator`) and its `label`: of a fact, or of a whole reply (each of
its facts), supported or unsupported, of a review one of `verifier.allowed`, of an entity `{"unambiguous": true, "relevant": 3, "pages":
4}` (also as JSON text, as CSV holds it).
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
from truerate.metrics.agreement import (
    agreement_sums,
    fleiss_kappa,
    krippendorff_alpha,
    max_voting,
    percent_agreement,
    rating_counts,
)
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import with_share
from truerate.tracks.wildhallucinations.facts import GENERATE, WRITE
from truerate.tracks.wildhallucinations.label_rates import strict_rows
from truerate.tracks.wildhallucinations.replies import readable_replies, thinned
from truerate.tracks.wildhallucinations.tasks import ENTITY, FACT, REPLY, REVIEW
from truerate.tracks.wildhallucinations.verifier import OVERTURNING, allowed, review_rows, verdicts_of
from truerate.tracks.wildhallucinations.verifying import SINGLE

SUPPORTED, UNSUPPORTED = "supported", "unsupported"
ALLOWED = {FACT: (SUPPORTED, UNSUPPORTED), REPLY: (SUPPORTED, UNSUPPORTED)}
# Why a label row, or a task, is not used. The first group stops a run unless params say `on_bad_row: reject`.
BAD_ROWS = (*annotation.BAD_ROWS, "unknown_label", "bad_counts")
NOT_KEPT = ("tie", "no_labels")
ENTITIES = "entities"


class Checked(NamedTuple):
    """What somebody says of an entity: whether its name means one thing, and how many of its pages are about it."""

    is_unambiguous: bool
    n_relevant: int
    n_pages: int


def label(
    at: Layout,
    board: str,
    tables,
    dataset: Mapping[str, pl.DataFrame],
    tasks: Sequence[dict],
    rows: Sequence[tuple],
    *,
    where: str,
    inputs: str,
) -> Labelled:
    """Return gold facts, every label as a judgement, rejects, agreement and the error analysis, from the rows of
    label files (`read_labels`).

    A fact is hallucinated where most annotators say unsupported; a tie is rejected and counted apart. `inputs`
    is the digest that the scores name. TruerateError where a row does not hold, unless params say
    `on_bad_row: reject`.
    """
    writer, verifier = ScoreWriter(board, inputs, at.p.statistics, at.p.seed), at.p.track(board).verifier
    task_of = {task["task_id"]: task for task in tasks}
    labels, rejects = annotation.checked_labels(
        rows, task_of, _answer, where=where, on_bad_row=at.p.on_bad_row
    )
    labels_of = by_task(labels)
    voted = {
        name: max_voting([label.value for label in of_task])
        for name, of_task in labels_of.items()
        if task_of[name]["kind"] != ENTITY
    }
    settled = {name: str(value) for name, value in voted.items() if value is not None}
    entities = [
        (task_of[name], of_task) for name, of_task in labels_of.items() if task_of[name]["kind"] == ENTITY
    ]
    scores = agreement_rows(labels_of, voted, task_of, writer)
    scores += _reviewed(settled, task_of, dataset, verifier, writer)
    scores += _corrected_strict(settled, task_of, dataset, verifier, writer)
    scores += entity_rows(entities, writer)
    return Labelled.of_rows(
        _samples(settled, labels_of, task_of, dataset),
        [_judgement(label, task_of[label.task_id]) for label in labels],
        rejects + _not_kept(voted, labels_of, task_of),
        scores,
    )


def labelled(table: str, rows: pl.DataFrame, *, tasks: Sequence[dict]) -> pl.DataFrame:
    """Rows of a table as `label` reads them: as scores do (`thinned`), without calls that verify and verdicts on one fact
    alone, with the evidence of the facts that people were given, and of these alone.
    """
    if table == "generations":
        return thinned(table, rows.filter(pl.col("purpose").is_in([GENERATE, WRITE])))
    if table == "judgements":
        return thinned(table, rows).filter(pl.col("stage").ne_missing(pl.lit(SINGLE)))
    if table != "facts":
        return rows
    is_given = pl.col("fact_id").is_in([task["fact_id"] for task in tasks if task["kind"] == FACT])
    # written anew, else what is left would hold on to the evidence of all
    told = pl.col("evidence").list.eval(pl.format("{}", pl.element()))
    nothing = pl.lit([], dtype=pl.List(pl.String))
    given = rows.filter(is_given).select("fact_id", told)
    rows = rows.drop("evidence").join(given, on="fact_id", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("evidence").fill_null(nothing), pl.col("subject").cast(pl.Categorical))
    return thinned(table, rows)


def _not_kept(
    voted: Mapping, by_task: Mapping[str, Sequence[Label]], task_of: Mapping[str, dict]
) -> list[dict]:
    """Reject rows of the tasks on which annotators are divided, and of those that nobody labelled while
    others were.
    """
    ties = [
        reject("tie", f"{len(by_task[name])} labels", target=name)
        for name, value in voted.items()
        if value is None
    ]
    unlabelled = sorted(set(task_of) - set(by_task)) if by_task else []
    return ties + [reject("no_labels", "nobody labelled it", target=name) for name in unlabelled]


def _samples(
    settled: Mapping[str, str],
    by_task: Mapping[str, Sequence[Label]],
    task_of: Mapping[str, dict],
    dataset: Mapping[str, pl.DataFrame],
) -> list[dict]:
    """Gold facts as Sample rows: those on which most annotators agree."""
    group_of = dict(dataset["items"].select("item_id", "group_id").iter_rows())
    is_given = pl.col("fact_id").is_in([task["fact_id"] for task in task_of.values() if task["kind"] == FACT])
    given = dataset["facts"].select("fact_id", "evidence").filter(is_given)
    passages = {name: " ".join(found) for name, found in given.iter_rows()}
    return [
        _sample(task_of[name], value, by_task[name], group_of, passages.get(task_of[name]["fact_id"], ""))
        for name, value in settled.items()
        if task_of[name]["kind"] == FACT
    ]


def _reviewed(
    settled: Mapping[str, str],
    task_of: Mapping[str, dict],
    dataset: Mapping[str, pl.DataFrame],
    verifier: str,
    writer: ScoreWriter,
) -> list[dict]:
    """Score rows of the verifier's errors by kind, from the reviews on which people agree."""
    facts = with_share(verdicts_of(dataset["facts"], dataset["judgements"], verifier))
    reviewed = [
        {**task_of[name], "label": value}
        for name, value in settled.items()
        if task_of[name]["kind"] == REVIEW
    ]
    return review_rows(reviewed, facts, writer)


def _corrected_strict(
    settled: Mapping[str, str],
    task_of: Mapping[str, dict],
    dataset: Mapping[str, pl.DataFrame],
    verifier: str | None,
    writer: ScoreWriter,
) -> list[dict]:
    """Score rows of Strict by the labels of whole replies on which people agree."""
    label = {
        task_of[name]["generation_id"]: value == UNSUPPORTED
        for name, value in settled.items()
        if task_of[name]["kind"] == REPLY
    }
    if not label:
        return []
    known = (dataset[name] for name in ("items", "generations", "facts", "judgements"))
    return strict_rows(readable_replies(*known, verifier=verifier), label, writer)


# ---- what a row says ---------------------------------------------------------------------------------------


def _answer(row: dict, task: Mapping) -> tuple[dict, Sequence[annotation.LeftOut]]:
    if row.get("label") in (None, ""):
        raise BadLabel("missing_field", "field 'label' is missing or empty")
    if task["kind"] == ENTITY:
        return {"value": _checked(row["label"])}, ()
    if task["kind"] == REVIEW:
        return {"value": _word(row["label"], allowed(bool(task.get("retrieved"))))}, ()
    return {"value": _word(row["label"], ALLOWED[task["kind"]])}, ()


def _word(label: object, allowed: Sequence[str]) -> str:
    word = label.strip().lower() if isinstance(label, str) else None
    if word is None or word not in allowed:
        raise BadLabel("unknown_label", f"label is {str(label)[:40]!r}; allowed: {', '.join(allowed)}")
    return word


def _checked(label: object) -> Checked:
    try:
        counts = json.loads(label) if isinstance(label, str) else label
    except (ValueError, RecursionError):
        counts = None
    if not isinstance(counts, dict) or not isinstance(counts.get("unambiguous"), bool):
        raise BadLabel(
            "unknown_label",
            f"label is {str(label)[:40]!r}; it must hold unambiguous (true or false), relevant and pages",
        )
    relevant, pages = counts.get("relevant"), counts.get("pages")
    if type(relevant) is not int or type(pages) is not int or not 0 <= relevant <= pages:
        raise BadLabel(
            "bad_counts",
            f"relevant {relevant!r} of pages {pages!r}: two whole numbers, the first not above the second",
        )
    return Checked(counts["unambiguous"], relevant, pages)


# ---- what they become --------------------------------------------------------------------------------------


def _sample(
    task: dict, value: str, found: Sequence[Label], group_of: Mapping[str, str], evidence: str
) -> dict:
    """A gold fact; its id is the fact's, so that the verifier's verdict and what detectors say of it lie on
    one name.

    `evidence`: the passages that it was checked against, which detectors read in place of whole pages.
    """
    group = group_of.get(task["item_id"], task["item_id"])
    n_unsupported = sum(one.value == UNSUPPORTED for one in found)
    return sample_row(
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
        attributes=pairs(
            fact=task["fact_id"],
            weight=task["weight"],
            n_labels=len(found),
            n_unsupported=n_unsupported,
            evidence=evidence,
        ),
    )


def _judgement(label: Label, task: dict) -> dict:
    """A label as a judgement of the fact, reply or entity: true where the annotator holds it to be unsupported; null
    of an entity.
    """
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
    labels_of: Mapping[str, Sequence[Label]], voted: Mapping, task_of: Mapping[str, dict], writer: ScoreWriter
) -> list[dict]:
    """Return `percent_agreement`, `fleiss_kappa`, `krippendorff_alpha` of the annotators and `tie_rate`, for facts,
    whole replies and reviews apart.
    """
    scores = []
    for kind in (FACT, REPLY, REVIEW):
        names = [name for name in voted if task_of[name]["kind"] == kind]
        if not names:
            continue
        ratings = [{"unit_id": name, "label": label.value} for name in names for label in labels_of[name]]
        sums = agreement_sums(rating_counts(pl.DataFrame(ratings)))
        entities = np.array([task_of[name]["item_id"] for name in sorted(names)])
        is_shared = sums[:, 0] > 0  # with two ratings or more
        shared = sums[is_shared], entities[is_shared].tolist(), {"kind": kind}, writer
        scores += agreement_scores(*shared, (percent_agreement, fleiss_kappa, krippendorff_alpha))
        ties = np.array([voted[name] is None for name in names], dtype=float)
        clusters = [task_of[name]["item_id"] for name in names]
        scores.append(writer.share("tie_rate", ANNOTATORS, {"kind": kind}, ties, clusters))
    return scores


def entity_rows(found: Sequence[tuple[dict, Sequence[Label]]], writer: ScoreWriter) -> list[dict]:
    """`entity_unambiguous_rate` (of entities, by majority; a tie counts half), `page_relevant_rate` (of
    pages, mean of the annotators).
    """
    if not found:
        return []
    clusters = [task["item_id"] for task, _ in found]
    votes = [np.mean([one.value.is_unambiguous for one in labels]) for _, labels in found]
    is_one = np.array([0.5 if share == 0.5 else float(share > 0.5) for share in votes])
    relevant = np.array([np.mean([one.value.n_relevant for one in labels]) for _, labels in found])
    pages = np.array([np.mean([one.value.n_pages for one in labels]) for _, labels in found])
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.nan_to_num(relevant / pages)
    return [
        writer.share("entity_unambiguous_rate", ENTITIES, {}, is_one, clusters),
        writer.share("page_relevant_rate", ENTITIES, {}, shares, clusters, pages)
        | {"n": int(round(pages.sum()))},
    ]
