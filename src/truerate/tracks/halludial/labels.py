"""People's labels back in: natural responses as gold samples, every label as a judgement, rejects, agreement.

A row names its task and its annotator. Of a response it says `hallucination` (`yes` or `no`) and may hold `spans`, each
by `start` and `end` (code points, half-open) or by `text`; of a judgement it says `accurate` (`yes` or `no`).
Screening needs no known answers: annotators pass who say of enough responses what most of the others say.
"""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from truerate.annotation import labels as annotation
from truerate.annotation.agreement import ANNOTATORS, agreement_scores, verdict_sums
from truerate.annotation.labels import Label, Labelled, judgement_of, reject, verbatim_spans, yes_or_no
from truerate.annotation.screening import agreement_with_others, passing
from truerate.annotation.voting import by_task, settled, voted_spans
from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import pairs, sample_row
from truerate.llm.generation import facts
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halludial.agreement_scores import meta_agreement, meta_ratings
from truerate.tracks.halludial.tasks import META, NATURAL

# Why a label row, a span, an annotator or a task is not used. The first group stops a run unless params say
# `on_bad_row: reject`.
BAD_ROWS = (*annotation.BAD_ROWS, "bad_verdict", "bad_spans")
NOT_KEPT = ("span_not_verbatim", "span_of_no", "screened_out", "too_few_labellers", "tie")


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
    """Return gold samples, every label as a judgement, rejects and agreement, from the rows of label files
    (`label_files.read_labels`). `inputs` is the digest that their scores name.

    A response is settled by max-voting where half of those who were asked have labelled it.
    """
    rules = at.p.track(board).labelling
    labels, rejects = checked_labels(rows, tasks, where=where, on_bad_row=at.p.on_bad_row)
    of_responses = [label for label in labels if label.kind == NATURAL]
    agreement = agreement_with_others(of_responses, {label.annotator for label in labels})
    passed = passing({name: share for name, (share, _) in agreement.items()}, rules.screening_agreement)
    kept = [label for label in labels if label.annotator in passed]
    asked = [task["task_id"] for task in tasks if task["kind"] == NATURAL]
    responses = dataset["generations"].filter(pl.col("generation_id").is_in(asked))
    verdicts, unsettled = settled(responses, by_task(kept), needed=rules.n_annotators / 2)
    screened_out = [
        reject("screened_out", f"agrees with most others on {share:.3f} of {n} responses", target=name)
        for name, (share, n) in agreement.items()
        if name not in passed
    ]
    groups = {task["task_id"]: task["group_id"] for task in tasks}
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    raters = meta_agreement(meta_ratings(dataset["generations"]), people_ratings(kept), groups, writer)
    return Labelled.of_rows(
        [_sample(row, of_task, verdict) for row, of_task, verdict in verdicts],
        [
            judgement_of(
                label,
                label.value,
                {"kind": label.kind, "heard": "yes" if label.annotator in passed else None},
            )
            for label in labels
        ],
        [*rejects, *screened_out, *(unsettled if labels else [])],
        [*label_scores(kept, agreement, groups, writer), *raters] if labels else [],
    )


def checked_labels(
    rows: Iterable[tuple], tasks: Iterable[dict], *, where: str, on_bad_row: str
) -> tuple[list[Label], list[dict]]:
    """Return the labels that hold, and Reject rows. A span that is not verbatim in the response, or stands on a `no`,
    is rejected; its label stays.
    """
    return annotation.checked_labels(
        rows, {task["task_id"]: task for task in tasks}, _answer, where=where, on_bad_row=on_bad_row
    )


def _answer(row: dict, task: Mapping) -> tuple[dict, Sequence[annotation.LeftOut]]:
    if task["kind"] == META:
        value = yes_or_no(row, "accurate", {"accurate": True, "inaccurate": False})
    else:
        value = yes_or_no(row, "hallucination")
    is_yes = value and task["kind"] == NATURAL
    spans, left_out = verbatim_spans(row.get("spans") or [], task["response"], is_yes=is_yes)
    return {"value": value, "spans": spans, "kind": task["kind"]}, left_out


def people_ratings(labels: Iterable[Label]) -> dict[str, dict[str, bool]]:
    """Return for each annotator which judgements they call accurate."""
    ratings: dict[str, dict[str, bool]] = {}
    for label in labels:
        if label.kind == META:
            ratings.setdefault(label.annotator, {})[label.task_id] = label.value
    return dict(sorted(ratings.items()))


def _sample(row: dict, labels: Sequence[Label], verdict: bool) -> dict:
    """A gold sample. Its id is its own: what detectors and models say of the response, they say of its own id
    (`generation`). Its spans are those of the annotators who said yes.
    """
    known_facts, name = facts(row), row["generation_id"]
    attributes = pairs(
        scenario=NATURAL,
        generation=name,
        dialogue=known_facts.get("dialogue"),
        turn=known_facts.get("turn"),
        history=known_facts["history"],
        n_labels=len(labels),
        n_yes=sum(label.value for label in labels),
    )
    return sample_row(
        sample_id=content_id("gold", name),
        item_id=row["item_id"],
        group_id=known_facts["group_id"],
        task="dialogue",
        lang=known_facts["lang"],
        text=row["text"],
        is_hallucinated=verdict,
        label_source="gold",
        generator=row["model"],
        spans=voted_spans([label for label in labels if label.value]) if verdict else [],
        split=known_facts["split"],
        attributes=attributes,
    )


def label_scores(
    kept: Sequence[Label],
    agreement: Mapping[str, tuple[float | None, int]],
    groups: Mapping[str, str],
    writer: ScoreWriter,
) -> list[dict]:
    """Return how many annotators pass, how far each agrees with the others, and how far those who pass agree on
    responses and on judgements. `kept`: their labels; `groups`: the dialogue of each task, which is resampled whole.
    """
    n_passed = len({label.annotator for label in kept})
    scores = [
        writer.count("n_annotators_passed", ANNOTATORS, {}, n_passed, len(agreement)),
        *(writer.row("screening_agreement", name, {}, share, n) for name, (share, n) in agreement.items()),
    ]
    for kind in (NATURAL, META):
        of_task = by_task(label for label in kept if label.kind == kind)
        shared = {
            name: [label.value for label in labels] for name, labels in of_task.items() if len(labels) > 1
        }
        clusters = [groups[name] for name in shared]
        scores += agreement_scores(verdict_sums(list(shared.values())), clusters, {"kind": kind}, writer)
    return scores
