"""Labelled general samples from what annotators returned: samples, every label as a judgement, rejects, and
how well they agree.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id, split_of
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
from truerate.metrics.score_writer import ScoreWriter
from truerate.sources.label_files import Labelled
from truerate.tracks.halueval import general, label_rows
from truerate.tracks.halueval.agreeing import ANNOTATORS, agreement_scores, published_agreement, verdict_sums
from truerate.tracks.halueval.context import is_probe
from truerate.tracks.halueval.dataset import following
from truerate.tracks.halueval.label_rows import Label
from truerate.tracks.halueval.settings import Settings

WHERE = {"task": "general"}


def label_responses(
    read: label_rows.Read,
    responses: pl.DataFrame,
    items: pl.DataFrame,
    truth: dict[str, bool],
    settings: Settings,
    writer: ScoreWriter,
) -> Labelled:
    """Screening on the probe set (`truth`: its labels by task), a seeded draw of annotators per task,
    max-voting, agreement.
    """
    rates = label_rows.probe_rates(read.labels, truth)
    passed = label_rows.passing(rates, pass_rate=settings.probe_pass_rate)
    asked = set(responses["generation_id"])
    drawn = label_rows.drawn_labels(
        [label for label in read.labels if label.task_id in asked],
        passed,
        n=settings.n_annotators,
        seed=writer.seed,
    )
    samples, unlabelled, voted = _settled(responses, items, drawn, n=settings.n_annotators)
    screened = [_screened(name, rates[name]) for name in sorted(set(rates) - passed)]
    is_drawn = {(label.task_id, label.annotator) for labels in drawn.values() for label in labels}
    judgements = [
        _judgement(label, (label.task_id, label.annotator) in is_drawn, label.task_id in truth)
        for label in read.labels
    ]
    scores: list[dict] = []
    if read.labels:
        scores = _agreement(voted, writer) + _screening_scores(rates, passed, len(truth), writer)
    return Labelled(
        frame(Sample, samples).sort("sample_id"),
        frame(Judgement, judgements).sort("judgement_id"),
        frame(Reject, [*read.rejects, *screened, *unlabelled]),
        frame(Score, scores),
    )


def _settled(
    responses: pl.DataFrame, items: pl.DataFrame, drawn: dict[str, list[Label]], *, n: int
) -> tuple[list[dict], list[dict], dict[str, list[Label]]]:
    """Max-voting of each response: samples, Reject rows of those without a verdict, and the labels of those
    that `n` annotators labelled.
    """
    samples: list[dict] = []
    rejects: list[dict] = []
    voted: dict[str, list[Label]] = {}
    item_of = {row["item_id"]: row for row in items.iter_rows(named=True)}
    for row in responses.sort("generation_id").iter_rows(named=True):
        labels = drawn.get(row["generation_id"], [])
        verdict, reason = label_rows.voted(labels, n=n)
        if reason is not None:
            rejects.append(_unlabelled(row, reason, len(labels)))
        if reason != "too_few_labellers":
            voted[row["generation_id"]] = labels
        if verdict is not None:
            samples.append(_sample(row, item_of[row["item_id"]], verdict, labels))
    return samples, rejects, voted


def _screened(name: str, rate: float) -> dict:
    said = f"{rate:.3f} of the probe set right"
    return reject_row(where="labels", target_id=name, reason="screened_out", detail=said)


def _unlabelled(row: dict, reason: str, n: int) -> dict:
    return reject_row(
        where="labels",
        target_id=row["generation_id"],
        reason=reason,
        detail=f"{n} labels",
        text=clean(row["text"])[:300],
    )


def _sample(row: dict, item: dict, verdict: bool, labels: list[Label]) -> dict:
    """A gold sample; its id is that of the response, so that judgements made before the labels came still
    belong to it.
    """
    n_yes = sum(one.is_hallucinated for one in labels)
    return sample_row(
        sample_id=row["generation_id"],
        item_id=row["item_id"],
        group_id=item["group_id"],
        task=item["task"],
        lang=item["lang"],
        text=row["text"],
        is_hallucinated=verdict,
        label_source="gold",
        generator=row["model"],
        pattern=label_rows.voted_type(labels) if verdict else None,
        spans=label_rows.voted_spans(labels) if verdict else [],
        split=split_of(item["group_id"]),
        attributes=pairs(n_labels=len(labels), n_yes=n_yes),
    )


def _judgement(label: Label, is_drawn: bool, is_probe: bool) -> dict:
    return judgement_row(
        judgement_id=content_id("label", label.annotator, label.task_id),
        judge=label.annotator,
        judge_version="label",
        target_id=label.task_id,
        verdict=label.is_hallucinated,
        spans=[{"start": span.start, "end": span.end, "type": span.type, "p": None} for span in label.spans],
        attributes=pairs(
            stage="annotation", drawn="yes" if is_drawn else None, is_probe=True if is_probe else None
        ),
    )


def _screening_scores(
    rates: dict[str, float | None], passed: set[str], n_probes: int, writer: ScoreWriter
) -> list[dict]:
    score_rows = [writer.count("n_annotators_passed", ANNOTATORS, WHERE, len(passed), len(rates))]
    for name, rate in sorted(rates.items()):
        if rate is not None:
            hits = np.arange(n_probes) < round(rate * n_probes)
            score_rows.append(
                writer.share(
                    "probe_rate", name, WHERE, hits.tolist(), [str(place) for place in range(n_probes)]
                )
            )
    return score_rows


def _agreement(voted: dict[str, list[Label]], writer: ScoreWriter) -> list[dict]:
    """Agreement of the drawn labels on whole responses."""
    drawn = [[one.is_hallucinated for one in found] for _, found in sorted(voted.items()) if len(found) > 1]
    return agreement_scores(verdict_sums(drawn), [str(place) for place in range(len(drawn))], WHERE, writer)


def label(
    at: Layout,
    board: str,
    tables,
    dataset: dict[str, pl.DataFrame],
    tasks: list[dict],
    rows: Sequence[tuple[int, object]],
    *,
    where: str,
    inputs: str,
) -> Labelled:
    """The labelled general samples from the rows of a label file (`label_rows.read_labels`). `inputs` is the
    digest its scores name.
    """
    settings = at.p.track(board)
    read = label_rows.checked_labels(rows, tasks, where=where, on_bad_row=at.p.on_bad_row)
    truth = dict(tables.samples.filter(is_probe()).select("sample_id", "is_hallucinated").iter_rows())
    given = {task["task_id"] for task in tasks}
    responses = general.selected(dataset["generations"])
    truth = {name: verdict for name, verdict in truth.items() if name in given}
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    labelled = label_responses(read, responses, tables.items, truth, settings, writer)
    published = frame(Score, published_agreement(tables.judgements, dataset["samples"], writer))
    samples = following(labelled.samples, tables.samples)
    return replace(labelled, samples=samples, scores=pl.concat([labelled.scores, published]))
