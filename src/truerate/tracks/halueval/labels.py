"""Labelled general responses (HELMA 2.2) from what annotators returned: screening on the probe set, a seeded
draw of annotators, max-voting, agreement.

A label row names its task, its annotator, `yes` or `no` (does the response contain hallucination), and the
spans with their type. Annotators who get too few of the probe set right are screened out; of those who pass,
`n_annotators` per task are drawn by seed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from truerate.annotation import labels as annotation
from truerate.annotation.agreement import (
    ANNOTATORS,
    agreement_scores,
    published_agreement,
    span_agreement,
    verdict_sums,
)
from truerate.annotation.labels import Label, Labelled, judgement_of, reject, verbatim_spans, yes_or_no
from truerate.annotation.voting import by_task, most_named, passing, probe_rates, settled, voted_spans
from truerate.config.layout import Layout
from truerate.core.keys import draw, split_of
from truerate.core.schemas import Score, frame, pairs, sample_row
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halueval import general
from truerate.tracks.halueval.context import is_probe
from truerate.tracks.halueval.dataset import following
from truerate.tracks.halueval.patterns import LABELS
from truerate.tracks.halueval.settings import Settings

WHERE = {"task": "general"}
# Why a label row stops a run unless params say `on_bad_row: reject`.
BAD_ROWS = (*annotation.BAD_ROWS, "bad_verdict", "bad_spans")


def label(
    config: Layout,
    board: str,
    tables,
    dataset: dict[str, pl.DataFrame],
    tasks: list[dict],
    rows: Sequence[tuple[int, object]],
    *,
    where: str,
    inputs: str,
) -> Labelled:
    """Return the labelled general samples from the rows of label files; `inputs`: digest that scores name."""
    given, on_bad_row = {task["task_id"]: task for task in tasks}, config.p.on_bad_row
    labels, rejects = annotation.checked_labels(rows, given, read_row, where=where, on_bad_row=on_bad_row)
    probes = tables.samples.filter(is_probe()).select("sample_id", "is_hallucinated").iter_rows()
    truth = {name: verdict for name, verdict in probes if name in given}
    writer = ScoreWriter(board, inputs, config.p.statistics, config.p.seed)
    responses = general.selected(dataset["generations"])
    labelled = label_responses(labels, rejects, responses, tables.items, truth, config.p.track(board), writer)
    published = frame(Score, published_agreement(tables.judgements, dataset["samples"], writer))
    samples = following(labelled.samples, tables.samples)
    return replace(labelled, samples=samples, scores=pl.concat([labelled.scores, published]))


def read_row(row: dict, task: Mapping) -> tuple[dict, Sequence[annotation.LeftOut]]:
    """Return the fields of a Label that a row holds of its task, and the spans that do not hold; raises BadLabel
    where the row does not.
    """
    is_yes = yes_or_no(row, "hallucination")
    spans, left_out = verbatim_spans(row.get("spans") or [], task["response"], LABELS, is_yes=is_yes)
    return {"value": is_yes, "spans": spans}, left_out


def label_responses(
    labels: Sequence[Label],
    rejects: Sequence[dict],
    responses: pl.DataFrame,
    items: pl.DataFrame,
    truth: dict[str, bool],
    settings: Settings,
    writer: ScoreWriter,
) -> Labelled:
    """Screen on the probe set (`truth`: its labels), draw annotators per task, vote, measure agreement."""
    rates, n = probe_rates(labels, truth), settings.n_annotators
    passed = passing(rates, settings.probe_pass_rate)
    asked = set(responses["generation_id"])
    drawn = drawn_labels([label for label in labels if label.task_id in asked], passed, n=n, seed=writer.seed)
    verdicts, unsettled = settled(responses, drawn, needed=n)
    item_of = {row["item_id"]: row for row in items.iter_rows(named=True)}
    is_drawn = {(label.task_id, label.annotator) for of_task in drawn.values() for label in of_task}
    judgements = []
    for label in labels:
        of_draw = "yes" if (label.task_id, label.annotator) in is_drawn else None
        marks = {"drawn": of_draw, "is_probe": True if label.task_id in truth else None}
        judgements.append(judgement_of(label, label.value, marks))
    screened_out = [
        reject("screened_out", f"{rates[name]:.3f} of the probe set right", target=name)
        for name in sorted(set(rates) - passed)
    ]
    # agreement on whole responses that as many annotators labelled as are drawn, and on their spans
    length_of = dict(responses.select("generation_id", pl.col("text").str.len_chars()).iter_rows())
    shared = [(length_of[task], of_task) for task, of_task in sorted(drawn.items()) if len(of_task) >= n]
    clusters = [str(number) for number in range(len(shared))]
    sums = verdict_sums([[label.value for label in of_task] for _, of_task in shared])
    scores = agreement_scores(sums, clusters, WHERE, writer)
    scores += span_agreement([(str(number), *text) for number, text in enumerate(shared)], WHERE, writer)
    scores += _screening_scores(rates, passed, len(truth), writer)
    return Labelled.of_rows(
        [_sample(row, item_of[row["item_id"]], verdict, of_task) for row, of_task, verdict in verdicts],
        judgements,
        [*rejects, *screened_out, *unsettled],
        scores if labels else [],
    )


def drawn_labels(labels: Iterable[Label], allowed: set[str], *, n: int, seed: int) -> dict[str, list[Label]]:
    """Return `n` labels per task from allowed annotators, drawn by seed, or all where there are fewer."""
    allowed_labels = by_task(label for label in labels if label.annotator in allowed)
    return {
        task: sorted(of_task, key=lambda label: draw(seed, "annotator", task, label.annotator))[:n]
        for task, of_task in allowed_labels.items()
    }


def voted_type(labels: Sequence[Label]) -> str | None:
    """Return the label that most who said yes marked; ties by the paper's order; None without a span."""
    named = Counter(kind for label in labels if label.value for kind in {span.type for span in label.spans})
    return most_named(named, LABELS) if named else None


def _sample(row: dict, item: dict, verdict: bool, labels: Sequence[Label]) -> dict:
    """A gold sample; its id is the response's, so that earlier judgements still belong to it."""
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
        pattern=voted_type(labels) if verdict else None,
        spans=voted_spans(labels, LABELS) if verdict else [],
        split=split_of(item["group_id"]),
        attributes=pairs(n_labels=len(labels), n_yes=sum(label.value for label in labels)),
    )


def _screening_scores(
    rates: dict[str, float | None], passed: set[str], n_probes: int, writer: ScoreWriter
) -> list[dict]:
    scores = [writer.count("n_annotators_passed", ANNOTATORS, WHERE, len(passed), len(rates))]
    for name, rate in sorted(rates.items()):
        if rate is not None:
            hits = (np.arange(n_probes) < round(rate * n_probes)).tolist()
            scores.append(writer.share("probe_rate", name, WHERE, hits, [str(n) for n in range(n_probes)]))
    return scores
