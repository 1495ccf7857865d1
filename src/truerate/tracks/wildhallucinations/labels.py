"""Labels back in: facts labelled by several people, verdicts reviewed, entities checked; what holds of them
becomes samples and scores.

A row names its `task_id`, its `labeller` (or `annotator`) and its `label`: of a fact, or of a whole reply (each of
its facts), supported or unsupported, of a review one of `review.allowed`, of an entity `{"unambiguous": true, "relevant": 3, "pages":
4}` (also as JSON text, as CSV holds it).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id, split_of
from truerate.core.schemas import Judgement, Reject, Sample, Score, frame, judgement_row, pairs, sample_row
from truerate.metrics.agreement import (
    KAPPA,
    agreement_sums,
    fleiss_kappa,
    krippendorff_alpha,
    max_voting,
    percent_agreement,
    rating_counts,
)
from truerate.metrics.intervals import UNIT
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import with_share
from truerate.sources.label_files import BadLabel, Labelled, checked_rows, field_text, reject
from truerate.tracks.wildhallucinations import review
from truerate.tracks.wildhallucinations.facts import GENERATE, WRITE
from truerate.tracks.wildhallucinations.replies import readable_replies
from truerate.tracks.wildhallucinations.reply_labels import REPLY, strict_rows
from truerate.tracks.wildhallucinations.tasks import ENTITY, FACT, REVIEW
from truerate.tracks.wildhallucinations.thinned import thinned
from truerate.tracks.wildhallucinations.verdicts import verdicts_of
from truerate.tracks.wildhallucinations.verifying import SINGLE

SUPPORTED, UNSUPPORTED = "supported", "unsupported"
ALLOWED = {FACT: (SUPPORTED, UNSUPPORTED), REPLY: (SUPPORTED, UNSUPPORTED)}
# Why a label row, or a task, is not used. The first group stops a run unless params say `on_bad_row: reject`.
BAD_ROWS = ("unreadable", "missing_field", "unknown_task", "unknown_label", "bad_counts", "duplicate")
NOT_KEPT = ("tie", "no_labels")
LABELLERS, ENTITIES = "annotators", "entities"


@dataclass(frozen=True)
class Checked:
    """What somebody says of an entity: whether its name means one thing, and how many of its pages are about it."""

    is_unambiguous: bool
    n_relevant: int
    n_pages: int


@dataclass(frozen=True)
class Label:
    """What one person says of one task."""

    task_id: str
    labeller: str
    value: str | Checked


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
    """Gold facts, every label as a judgement, rejects, agreement and the error analysis, from the rows of
    label files (`read_labels`).

    A fact is hallucinated where most labellers say unsupported; a tie is rejected and counted apart. `inputs`
    is the digest that the scores name. TruerateError where a row does not hold, unless params say
    `on_bad_row: reject`.
    """
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    task_of = {task["task_id"]: task for task in tasks}
    found, rejects = checked_labels(rows, task_of, where=where, on_bad_row=at.p.on_bad_row)
    by_task: dict[str, list[Label]] = {}
    for one in sorted(found, key=lambda label: (label.task_id, label.labeller)):
        by_task.setdefault(one.task_id, []).append(one)
    voted = {
        name: max_voting([one.value for one in labels])
        for name, labels in by_task.items()
        if task_of[name]["kind"] != ENTITY
    }
    settled = {name: value for name, value in voted.items() if value is not None}
    entities = [
        (task_of[name], labels) for name, labels in by_task.items() if task_of[name]["kind"] == ENTITY
    ]
    scores = agreement_rows(by_task, voted, task_of, writer)
    scores += _reviewed(settled, task_of, dataset, at.p.track(board).verifier, writer)
    scores += _corrected_strict(settled, task_of, dataset, at.p.track(board).verifier, writer)
    scores += entity_rows(entities, writer)
    return Labelled(
        frame(Sample, _samples(settled, by_task, task_of, dataset)).sort("sample_id"),
        frame(Judgement, [_judgement(one, task_of[one.task_id]) for one in found]).sort("judgement_id"),
        frame(Reject, rejects + _not_kept(voted, by_task, task_of)),
        frame(Score, scores),
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
    """Reject rows of the tasks on which labellers are divided, and of those that nobody labelled while
    others were.
    """
    ties = [
        reject("labels", "tie", f"{len(by_task[name])} labels", target=name)
        for name, value in voted.items()
        if value is None
    ]
    unlabelled = sorted(set(task_of) - set(by_task)) if by_task else []
    return ties + [reject("labels", "no_labels", "nobody labelled it", target=name) for name in unlabelled]


def _samples(
    settled: Mapping[str, str],
    by_task: Mapping[str, Sequence[Label]],
    task_of: Mapping[str, dict],
    dataset: Mapping[str, pl.DataFrame],
) -> list[dict]:
    """Gold facts as Sample rows: those on which most labellers agree."""
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
    return review.review_rows(reviewed, facts, writer)


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


# ---- which rows hold ---------------------------------------------------------------------------------------


def checked_labels(
    rows: Iterable[tuple], task_of: Mapping[str, dict], *, where: str, on_bad_row: str
) -> tuple[list[Label], list[dict]]:
    """The labels that hold, and Reject rows of those that do not (see `label_files.checked_rows`)."""
    seen: set[tuple[str, str]] = set()
    return checked_rows(
        rows, lambda row: (_label(row, task_of, seen), []), where=where, on_bad_row=on_bad_row
    )


def _label(row: object, task_of: Mapping[str, dict], seen: set[tuple[str, str]]) -> Label:
    if not isinstance(row, dict):
        raise BadLabel("unreadable", "the row is no JSON object, or has more cells than the header")
    task_id, labeller = (
        field_text(row, "task_id"),
        field_text(row, "labeller" if row.get("labeller") else "annotator"),
    )
    if task_id not in task_of:
        raise BadLabel("unknown_task", f"task_id {task_id!r} is not among the tasks that were given out")
    if (task_id, labeller) in seen:
        raise BadLabel("duplicate", f"labeller {labeller!r} has already labelled task {task_id!r}")
    if row.get("label") in (None, ""):
        raise BadLabel("missing_field", "field 'label' is missing or empty")
    value = _checked(row["label"]) if task_of[task_id]["kind"] == ENTITY else _worded(row, task_of[task_id])
    seen.add((task_id, labeller))
    return Label(task_id, labeller, value)


def _worded(row: dict, task: Mapping) -> str:
    if task["kind"] == REVIEW:
        return _word(row["label"], review.allowed(bool(task.get("retrieved"))))
    return _word(row["label"], ALLOWED[task["kind"]])


def _word(said: object, allowed: Sequence[str]) -> str:
    found = said.strip().lower() if isinstance(said, str) else None
    if found is None or found not in allowed:
        raise BadLabel("unknown_label", f"label is {str(said)[:40]!r}; allowed: {', '.join(allowed)}")
    return found


def _checked(said: object) -> Checked:
    try:
        found = json.loads(said) if isinstance(said, str) else said
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("unambiguous"), bool):
        raise BadLabel(
            "unknown_label",
            f"label is {str(said)[:40]!r}; it must hold unambiguous (true or false), relevant and pages",
        )
    counts = [found.get(name) for name in ("relevant", "pages")]
    if (
        not all(isinstance(n, int) and not isinstance(n, bool) for n in counts)
        or not 0 <= counts[0] <= counts[1]
    ):
        raise BadLabel(
            "bad_counts",
            f"relevant {counts[0]!r} of pages {counts[1]!r}: two whole numbers, the first not above the second",
        )
    return Checked(found["unambiguous"], *counts)


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


def _judgement(one: Label, task: dict) -> dict:
    """A label as a judgement of the fact, reply or entity: true where the labeller holds it to be unsupported; null
    of an entity.
    """
    verdict = one.value == UNSUPPORTED if task["kind"] in (FACT, REPLY) else None
    if task["kind"] == REVIEW:
        verdict = (task["verdict"] == UNSUPPORTED) != (one.value in review.OVERTURNING)
    said = f"{one.value.n_relevant}/{one.value.n_pages}" if isinstance(one.value, Checked) else one.value
    is_one = str(one.value.is_unambiguous).lower() if isinstance(one.value, Checked) else None
    return judgement_row(
        judgement_id=content_id("label", one.labeller, one.task_id),
        judge=one.labeller,
        judge_version="label",
        target_id=task.get("generation_id") or task["fact_id"] or task["item_id"],
        verdict=verdict,
        attributes=pairs(
            stage="annotation", kind=task["kind"], label=said, unambiguous=is_one, task=one.task_id
        ),
    )


# ---- scores ------------------------------------------------------------------------------------------------


def agreement_rows(
    by_task: Mapping[str, Sequence[Label]], voted: Mapping, task_of: Mapping[str, dict], writer: ScoreWriter
) -> list[dict]:
    """`percent_agreement`, `fleiss_kappa`, `krippendorff_alpha` of the labellers and `tie_rate`, for facts,
    whole replies and reviews apart.
    """
    made = []
    for kind in (FACT, REPLY, REVIEW):
        names = [name for name in voted if task_of[name]["kind"] == kind]
        if not names:
            continue
        ratings = [{"unit_id": name, "label": one.value} for name in names for one in by_task[name]]
        sums = agreement_sums(rating_counts(pl.DataFrame(ratings)))
        entities = np.array([task_of[name]["item_id"] for name in sorted(names)])
        is_shared = sums[:, 0] > 0  # with two ratings or more
        for of, bounds in ((percent_agreement, UNIT), (fleiss_kappa, KAPPA), (krippendorff_alpha, KAPPA)):
            found = sums[is_shared], entities[is_shared].tolist(), of
            made.append(writer.statistic(of.__name__, LABELLERS, {"kind": kind}, *found, bounds=bounds))
        ties = np.array([voted[name] is None for name in names], dtype=float)
        clusters = [task_of[name]["item_id"] for name in names]
        made.append(writer.share("tie_rate", LABELLERS, {"kind": kind}, ties, clusters))
    return made


def entity_rows(found: Sequence[tuple[dict, Sequence[Label]]], writer: ScoreWriter) -> list[dict]:
    """`entity_unambiguous_rate` (of entities, by majority; a tie counts half), `page_relevant_rate` (of
    pages, mean of the labellers).
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
