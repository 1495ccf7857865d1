"""People's labels back in: natural responses as gold samples, every label as a judgement, rejects, agreement.

Screening needs no known answers: an annotator is heard who says of enough responses what most of the others say.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import (
    Judgement,
    Reject,
    Sample,
    Score,
    frame,
    judgement_row,
    pairs,
    reject_row,
    sample_row,
)
from truerate.core.text import clean
from truerate.llm.generation import facts
from truerate.metrics.agreement import KAPPA, agreement_sums, fleiss_kappa, percent_agreement
from truerate.metrics.score_writer import ScoreWriter
from truerate.sources.label_files import Labelled
from truerate.tracks.halludial import label_rows
from truerate.tracks.halludial.agreement_scores import meta_agreement, meta_ratings
from truerate.tracks.halludial.dataset import NATURAL
from truerate.tracks.halludial.label_rows import Label
from truerate.tracks.halludial.settings import Settings

ANNOTATORS = "annotators"
N_SHOWN = 300


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
    """Gold samples, every label as a judgement, rejects and agreement, from the rows of label files
    (`sources.label_files.read_labels`). `inputs` is the digest that its scores name.
    """
    settings: Settings = at.p.track(board)
    read = label_rows.checked_labels(rows, tasks, where=where, on_bad_row=at.p.on_bad_row)
    agreement = label_rows.agreement_with_others(read.labels)
    heard = label_rows.heard(agreement, settings.labelling.screening_agreement)
    kept = [one for one in read.labels if one.annotator in heard]
    samples, unsettled = settled(kept, dataset["generations"], tasks, settings)
    screened = [_screened(name, *agreement[name]) for name in sorted(set(agreement) - heard)]
    groups = {task["task_id"]: task["group_id"] for task in tasks}
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    people = label_rows.meta_ratings(kept)
    raters = meta_agreement(meta_ratings(dataset["generations"]), people, groups, writer)
    scores = [*label_scores(kept, agreement, groups, writer), *raters] if read.labels else []
    return Labelled(
        frame(Sample, samples).sort("sample_id"),
        frame(Judgement, [_judgement(one, one.annotator in heard) for one in read.labels]).sort(
            "judgement_id"
        ),
        frame(Reject, [*read.rejects, *screened, *(unsettled if read.labels else [])]),
        frame(Score, scores),
    )


def settled(
    labels: Sequence[Label], generations: pl.DataFrame, tasks: Sequence[dict], settings: Settings
) -> tuple[list[dict], list[dict]]:
    """Max-voting of each response that was given out: gold Sample rows, and Reject rows of those without a
    verdict.
    """
    of_task = label_rows.by_task(labels)
    asked = [task["task_id"] for task in tasks if task["kind"] == label_rows.NATURAL]
    responses = generations.filter(pl.col("generation_id").is_in(asked)).sort("generation_id")
    samples: list[dict] = []
    rejects: list[dict] = []
    for row in responses.iter_rows(named=True):
        given = of_task.get(row["generation_id"], [])
        verdict, reason = label_rows.voted(given, n=settings.labelling.n_annotators)
        if verdict is None:
            rejects.append(_unlabelled(row, reason or "", len(given)))
        else:
            samples.append(_sample(row, given, verdict))
    return samples, rejects


def _sample(row: dict, given: Sequence[Label], verdict: bool) -> dict:
    """A gold sample. Its id is its own: what detectors and models say of the response, they say of its own id
    (`generation`).
    """
    known = facts(row)
    name = row["generation_id"]
    more = pairs(
        scenario=NATURAL,
        generation=name,
        dialogue=known.get("dialogue"),
        turn=known.get("turn"),
        history=known["history"],
        n_labels=len(given),
        n_yes=sum(one.said for one in given),
    )
    return sample_row(
        sample_id=content_id("gold", name),
        item_id=row["item_id"],
        group_id=known["group_id"],
        task="dialogue",
        lang=known["lang"],
        text=row["text"],
        is_hallucinated=verdict,
        label_source="gold",
        generator=row["model"],
        spans=label_rows.voted_spans(given) if verdict else [],
        split=known["split"],
        attributes=more,
    )


def _screened(name: str, share: float | None, n: int) -> dict:
    said = f"agrees with most others on {share:.3f} of {n} responses" if share is not None else ""
    return reject_row(where="labels", target_id=name, reason="screened_out", detail=said)


def _unlabelled(row: dict, reason: str, n: int) -> dict:
    return reject_row(
        where="labels",
        target_id=row["generation_id"],
        reason=reason,
        detail=f"{n} labels",
        text=clean(row["text"])[:N_SHOWN],
    )


def _judgement(one: Label, is_heard: bool) -> dict:
    """A label as a judgement: of a response whether it is hallucinated; of a judgement (`kind` meta) whether it
    is accurate.
    """
    spans = [{"start": start, "end": end, "type": label_rows.TYPE, "p": None} for start, end in one.spans]
    return judgement_row(
        judgement_id=content_id("label", one.annotator, one.task_id),
        judge=one.annotator,
        judge_version="label",
        target_id=one.task_id,
        verdict=one.said,
        spans=spans,
        attributes=pairs(stage="annotation", kind=one.kind, heard="yes" if is_heard else None),
    )


# ---- scores ------------------------------------------------------------------------------------------------


def label_scores(
    kept: Sequence[Label],
    agreement: Mapping[str, tuple[float | None, int]],
    groups: Mapping[str, str],
    writer: ScoreWriter,
) -> list[dict]:
    """How many annotators are heard, how far each agrees with the others, and how far those who are heard agree
    on responses and on judgements. `kept`: their labels; `groups`: the dialogue of each task, which is
    resampled whole.
    """
    n_heard = len({one.annotator for one in kept})
    scores = [
        writer.count("n_annotators_passed", ANNOTATORS, {}, n_heard, len(agreement)),
        *(writer.row("screening_agreement", name, {}, share, n) for name, (share, n) in agreement.items()),
    ]
    for kind in label_rows.ASKED:
        of_task = label_rows.by_task(one for one in kept if one.kind == kind)
        shared = {name: [one.said for one in given] for name, given in of_task.items() if len(given) > 1}
        counts = [[len(said) - sum(said), sum(said)] for said in shared.values()]
        sums = agreement_sums(np.array(counts, dtype=float).reshape(-1, 2))
        values = (ANNOTATORS, {"kind": kind}, sums, [groups[name] for name in shared])
        scores += [
            writer.statistic("fleiss_kappa", *values, fleiss_kappa, bounds=KAPPA),
            writer.statistic("percent_agreement", *values, percent_agreement),
        ]
    return scores
