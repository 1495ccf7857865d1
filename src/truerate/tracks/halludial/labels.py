"""People's labels back in: natural responses as gold samples, every label as a judgement, rejects; and how
far labels can be trusted: agreement of people, silver labels against people's, and the meta-judge.

A row names its task and its annotator. Of a response it says `hallucination` (`yes` or `no`) and may hold
`spans`, each by `start` and `end` (code points, half-open) or by `text`; of a judgement it says `accurate`
(`yes` or `no`). Annotators pass the screening who say of enough responses what most of the others say.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from truerate.annotation import labels as annotation
from truerate.annotation.agreement import ANNOTATORS, agreement_scores, span_agreement, verdict_sums
from truerate.annotation.labels import Label, Labelled, judgement_of, reject, verbatim_spans, yes_or_no
from truerate.annotation.voting import agreement_with_others, by_task, passing, settled, voted_spans
from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import pair, pairs, sample_row
from truerate.llm.generation import facts, standing
from truerate.metrics.score_writer import ALL, Ratio, ScoreWriter
from truerate.metrics.spans import span_f1, span_sums
from truerate.tracks.halludial.dataset import NATURAL
from truerate.tracks.halludial.judging import SPONTANEOUS
from truerate.tracks.halludial.prompting import META

# Why a label row stops a run unless params say `on_bad_row: reject`.
BAD_ROWS = (*annotation.BAD_ROWS, "bad_verdict", "bad_spans")
ANNOTATOR = "annotator"  # the subject where the settings name none
MODELS, PEOPLE, MIXED = "models", "people", "model-people"
Ratings = Mapping[str, Mapping[str, bool]]  # of each rater which judgements they call accurate


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
    """Return gold samples, every label as a judgement, rejects and agreement, from the rows of label files
    (`label_files.read_labels`); a response is settled by max-voting where half of those asked labelled it.
    """
    rules = config.p.track(board).labelling
    task_of, on_bad_row = {task["task_id"]: task for task in tasks}, config.p.on_bad_row
    labels, rejects = annotation.checked_labels(rows, task_of, read_row, where=where, on_bad_row=on_bad_row)
    of_responses = [label for label in labels if label.kind == NATURAL]
    agreement = agreement_with_others(of_responses, {label.annotator for label in labels})
    passed = passing({name: share for name, (share, _) in agreement.items()}, rules.screening_agreement)
    kept = [label for label in labels if label.annotator in passed]
    asked = [task["task_id"] for task in tasks if task["kind"] == NATURAL]
    responses = dataset["generations"].filter(pl.col("generation_id").is_in(asked))
    verdicts, unsettled = settled(responses, by_task(kept), needed=rules.n_annotators / 2)
    for name, (share, n) in agreement.items():
        if name not in passed:
            detail = f"agrees with most others on {share:.3f} of {n} responses"
            rejects.append(reject("screened_out", detail, target=name))
    judgements = []
    for label in labels:
        attributes = {"kind": label.kind, "heard": "yes" if label.annotator in passed else None}
        judgements.append(judgement_of(label, label.value, attributes))
    scores: list[dict] = []
    if labels:
        rejects += unsettled
        groups = {task["task_id"]: task["group_id"] for task in tasks}
        lengths = dict(responses.select("generation_id", pl.col("text").str.len_chars()).iter_rows())
        people: dict[str, dict[str, bool]] = {}
        for label in sorted(kept, key=lambda label: label.annotator):
            if label.kind == META:
                people.setdefault(label.annotator, {})[label.task_id] = label.value
        writer = ScoreWriter(board, inputs, config.p.statistics, config.p.seed)
        scores = label_scores(kept, agreement, groups, writer, lengths=lengths)
        models = meta_ratings(dataset["generations"])
        scores += meta_agreement(models, people, groups, writer)
        scores += score_human(dataset["judgements"], people, models, groups, writer)
    return Labelled.of_rows([_sample(*verdict) for verdict in verdicts], judgements, rejects, scores)


def read_row(row: dict, task: Mapping) -> tuple[dict, Sequence[annotation.LeftOut]]:
    """Return the fields of a Label that a row holds of its task; a span that is not verbatim in the response, or
    stands on a `no`, is left out. Raises BadLabel where the row does not hold.
    """
    is_response = task["kind"] == NATURAL
    words = {"accurate": True, "inaccurate": False}
    value = yes_or_no(row, "hallucination") if is_response else yes_or_no(row, "accurate", words)
    marked, is_yes = row.get("spans") or [], value and is_response
    spans, left_out = verbatim_spans(marked, task["response"], is_yes=is_yes)
    return {"value": value, "spans": spans, "kind": task["kind"]}, left_out


def _sample(row: dict, labels: Sequence[Label], verdict: bool) -> dict:
    """A gold sample; its id is its own: judgements of the response name that (`generation`)."""
    row_facts, name = facts(row), row["generation_id"]
    attributes = pairs(
        **{"scenario": NATURAL, "generation": name, "history": row_facts["history"]},
        **{key: row_facts.get(key) for key in ("dialogue", "turn")},
        n_labels=len(labels),
        n_yes=sum(label.value for label in labels),
    )
    return sample_row(
        sample_id=content_id("gold", name),
        item_id=row["item_id"],
        group_id=row_facts["group_id"],
        task="dialogue",
        lang=row_facts["lang"],
        text=row["text"],
        is_hallucinated=verdict,
        label_source="gold",
        generator=row["model"],
        spans=voted_spans([label for label in labels if label.value]) if verdict else [],
        split=row_facts["split"],
        attributes=attributes,
    )


def label_scores(
    kept: Sequence[Label],
    agreement: Mapping[str, tuple[float | None, int]],
    groups: Mapping[str, str],
    writer: ScoreWriter,
    *,
    lengths: Mapping[str, int],
) -> list[dict]:
    """Return how many annotators pass, how far each agrees with the others, and how far those who pass agree.
    `kept`: their labels; `groups`: the dialogue of each task, which is resampled whole; `lengths`: characters of
    each response.
    """
    n_passed = len({label.annotator for label in kept})
    scores = [writer.count("n_annotators_passed", ANNOTATORS, {}, n_passed, len(agreement))]
    for name, (share, n) in agreement.items():
        scores.append(writer.row("screening_agreement", name, {}, share, n))
    for kind in (NATURAL, META):
        of_task = by_task(label for label in kept if label.kind == kind)
        shared = {name: labels for name, labels in of_task.items() if len(labels) > 1}
        sums = verdict_sums([[label.value for label in labels] for labels in shared.values()])
        clusters = [groups[name] for name in shared]
        scores += agreement_scores(sums, clusters, {"kind": kind}, writer)
        if kind == NATURAL:
            texts = [(groups[name], lengths[name], labels) for name, labels in shared.items()]
            scores += span_agreement(texts, {"kind": kind}, writer)
    return scores


# ---- silver against gold -----------------------------------------------------------------------------------


def score_silver(samples: pl.DataFrame, annotator: str | None, writer: ScoreWriter) -> list[dict]:
    """Return the annotator's labels on the responses that people labelled: `annotator_accuracy`, `_tpr`,
    `_tnr`, `_kappa` and `_span_f1` (characters, where both say yes and marked some). No such response, no
    rows.
    """
    keyed = samples.with_columns(pair("attributes", "generation"), pair("attributes", "scenario"))
    gold = keyed.filter(pl.col("generation").is_not_null(), label_source="gold")
    silver = keyed.filter(scenario=SPONTANEOUS, label_source="silver")
    silver = silver.select("is_hallucinated", "spans", generation="sample_id")
    both = gold.join(silver, on="generation", suffix="_silver", maintain_order="left").sort("generation")
    if both.is_empty():
        return []
    name, clusters = annotator or ANNOTATOR, both["group_id"].to_list()
    label, annotated = (both[f"is_hallucinated{of}"].to_numpy().astype(bool) for of in ("", "_silver"))
    ones = np.ones(len(label))
    spans = span_sums(places(both["spans"]), places(both["spans_silver"]))
    is_marked = (spans[:, 0] > 0) & (spans[:, 1] > 0)
    marked = [cluster for cluster, is_in in zip(clusters, is_marked, strict=True) if is_in]
    asked: list[Ratio] = [
        ("annotator_accuracy", {}, annotated == label, ones),
        ("annotator_tpr", {}, annotated & label, label),
        ("annotator_tnr", {}, ~annotated & ~label, ~label),
    ]
    return [
        *writer.shares(name, asked, clusters),
        writer.kappa("annotator_kappa", name, {}, (annotated, label), clusters),
        writer.statistic("annotator_span_f1", name, {}, spans[is_marked], marked, span_f1),
    ]


def places(spans: pl.Series) -> list[list[tuple[int, int]]]:
    """Return the bounds of the spans of each text."""
    return [[(span["start"], span["end"]) for span in of_text] for of_text in spans.to_list()]


# ---- the meta-judge ----------------------------------------------------------------------------------------


def score_meta(
    generations: pl.DataFrame, judgements: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """Return `meta_accuracy` and `meta_unparsed_rate` of every judge whose located judgements were judged:
    over all of them, over those that say Yes (`positives`) and those that say No (`negatives`).
    """
    groups = items.select("item_id", "group_id")
    rows = meta_rows(generations).join(groups, on="item_id", maintain_order="left")
    named = judgements.filter(pl.col("judgement_id").is_in(rows["target"].unique().to_list()))
    verdicts = named.select(target="judgement_id", is_positive="verdict")
    rows = rows.join(verdicts, on="target", how="left", maintain_order="left")
    rows = rows.sort("judge", "model", "target")
    scores = []
    for (judge,), part in rows.group_by("judge", maintain_order=True):
        read = part["accurate"].is_not_null().to_numpy()
        hits = (part["accurate"] == "yes").fill_null(False).to_numpy()
        asked: list[Ratio] = []
        for over, inside in _by_verdict(part["is_positive"]).items():
            asked.append(("meta_accuracy", {"over": over}, hits & inside, read & inside))
            asked.append(("meta_unparsed_rate", {"over": over}, ~read & inside, inside))
        scores += writer.shares(str(judge), asked, part["group_id"].to_list())
    return scores


def _by_verdict(is_positive: pl.Series) -> dict[str, np.ndarray]:
    """Which judgements count over all of them, over those that say Yes and over those that say No."""
    both = {name: is_positive == verdict for name, verdict in (("positives", True), ("negatives", False))}
    parts = {name: inside.fill_null(False).to_numpy() for name, inside in both.items()}
    return {ALL: np.ones(len(is_positive), dtype=bool), **parts}


def score_human(
    judgements: pl.DataFrame,
    people: Ratings,
    models: Ratings,
    groups: Mapping[str, str],
    writer: ScoreWriter,
) -> list[dict]:
    """Return `human_accuracy` of every judge: the share of its located judgements that most raters call
    accurate, over all, those that say Yes (HalluDial's Table 3) and those that say No. `raters`: people
    alone, or people and the meta-judge, as one of the paper's three annotators was a model (Appendix D). A
    tie, or a judgement that no rater rated, counts nowhere.
    """
    rated = {name for of_rater in people.values() for name in of_rater}
    named = judgements.filter(pl.col("judgement_id").is_in(sorted(rated))).sort("judge", "judgement_id")
    kinds = {PEOPLE: [*people.values()], **({MIXED: [*people.values(), *models.values()]} if models else {})}
    scores = []
    for (judge,), part in named.group_by("judge", maintain_order=True):
        names, asked = part["judgement_id"].to_list(), list[Ratio]()
        for kind, raters in kinds.items():
            votes = [[ratings[name] for ratings in raters if name in ratings] for name in names]
            margin = np.array([2 * sum(of_judgement) - len(of_judgement) for of_judgement in votes])
            for over, inside in _by_verdict(part["verdict"]).items():
                where = {"over": over, "raters": kind}
                asked.append(("human_accuracy", where, (margin > 0) & inside, (margin != 0) & inside))
        scores += writer.shares(str(judge), asked, [groups[name] for name in names])
    return scores


def meta_rows(generations: pl.DataFrame) -> pl.DataFrame:
    """Return what each meta-judge (`model`) calls each judgement: `target`, `judge`, `accurate`."""
    rows = standing(generations.select("item_id", "model", "purpose", "attributes").filter(purpose=META))
    keys = ("target", "judge", "accurate")
    return rows.select("item_id", "model", *(pair("attributes", key) for key in keys))


def meta_ratings(generations: pl.DataFrame) -> dict[str, dict[str, bool]]:
    """Return what each meta-judge says of judgements; a reply that was not read says nothing."""
    rows = meta_rows(generations).drop_nulls("accurate").sort("model", "target")
    ratings: dict[str, dict[str, bool]] = {}
    for model, target, accurate in rows.select("model", "target", "accurate").iter_rows():
        ratings.setdefault(model, {})[target] = accurate == "yes"
    return ratings


def meta_agreement(
    models: Ratings, people: Ratings, groups: Mapping[str, str], writer: ScoreWriter
) -> list[dict]:
    """Return `meta_kappa`: Cohen's κ of each pair of raters on the judgements that both rated, people apart
    from models; `groups`: the dialogue of each. A pair that shares none has no row.
    """
    raters = [(kind, name, of[name]) for kind, of in ((MODELS, models), (PEOPLE, people)) for name in of]
    scores = []
    for (kind, name, ratings), (other_kind, other, other_ratings) in combinations(raters, 2):
        if shared := sorted(ratings.keys() & other_ratings.keys()):
            first, second = (np.array([of[unit] for unit in shared]) for of in (ratings, other_ratings))
            clusters = [groups[unit] for unit in shared]
            where = {"raters": kind if kind == other_kind else MIXED, "with": other}
            scores.append(writer.kappa("meta_kappa", name, where, (first, second), clusters))
    return scores
