"""People's labels back in: natural responses as gold samples, every label as a judgement, rejects, agreement.

A row names its task and its annotator. Of a response it says `hallucination` (`yes` or `no`) and may hold `spans`, each
by `start` and `end` (code points, half-open) or by `text`; of a judgement it says `accurate` (`yes` or `no`).
Screening needs no known answers: annotators pass who say of enough responses what most of the others say.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from truerate.annotation import labels as annotation
from truerate.annotation.agreement import ANNOTATORS, agreement_scores, verdict_sums
from truerate.annotation.labels import Label, Labelled, judgement_of, reject, verbatim_spans, yes_or_no
from truerate.annotation.screening import agreement_with_others, passing
from truerate.annotation.voting import by_task, settled, voted_spans
from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import pair, pairs, sample_row
from truerate.llm.generation import facts, standing
from truerate.metrics.agreement import KAPPA, cohen_kappa, weighted_cells
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.spans import span_f1, span_sums
from truerate.tracks.halludial.dataset import META, NATURAL
from truerate.tracks.halludial.judged_texts import ALL, SPONTANEOUS

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


# ---- How far labels can be trusted: the annotator's silver labels against p --------------------------------


ANNOTATOR = "annotator"  # the subject where the settings name none
MODELS, PEOPLE, MIXED = "models", "people", "model-people"
Ratings = Mapping[str, Mapping[str, bool]]  # of each rater what they say of each unit


# ---- silver against gold -----------------------------------------------------------------------------------


def score_silver(samples: pl.DataFrame, annotator: str | None, writer: ScoreWriter) -> list[dict]:
    """The annotator's labels on the responses that people labelled: `annotator_accuracy`, `_tpr`, `_tnr`,
    `_kappa` and `_span_f1` (characters, where both say yes and marked some). No such response, no rows.
    """
    both = silver_and_gold(samples)
    if both.is_empty():
        return []
    name, clusters = annotator or ANNOTATOR, both["group_id"].to_list()
    said, label = (both[column].to_numpy().astype(bool) for column in ("silver", "gold"))
    ones = np.ones(len(label))
    tables = weighted_cells(said, label, ones)
    spans = span_sums(_places(both["gold_spans"]), _places(both["silver_spans"]))
    is_placed = (spans[:, 0] > 0) & (spans[:, 1] > 0)
    placed = [cluster for cluster, is_in in zip(clusters, is_placed, strict=True) if is_in]
    return [
        *writer.shares(
            name,
            [
                ("annotator_accuracy", {}, said == label, ones),
                ("annotator_tpr", {}, said & label, label),
                ("annotator_tnr", {}, ~said & ~label, ~label),
            ],
            clusters,
        ),
        writer.statistic("annotator_kappa", name, {}, tables, clusters, kappa, bounds=KAPPA),
        writer.statistic("annotator_span_f1", name, {}, spans[is_placed], placed, span_f1),
    ]


def silver_and_gold(samples: pl.DataFrame) -> pl.DataFrame:
    """The responses with labels of both: `group_id`, `silver`, `gold`, and the spans of either."""
    columns = ["sample_id", "group_id", "is_hallucinated", "spans", "label_source"]
    keyed = samples.select(*columns, pair("attributes", "generation"), pair("attributes", "scenario"))
    gold = keyed.filter(pl.col("generation").is_not_null(), label_source="gold")
    silver = keyed.filter(scenario=SPONTANEOUS, label_source="silver")
    return (
        gold.select("group_id", "generation", gold="is_hallucinated", gold_spans="spans")
        .join(
            silver.select(generation="sample_id", silver="is_hallucinated", silver_spans="spans"),
            on="generation",
            maintain_order="left",
        )
        .sort("generation")
    )


def kappa(totals: np.ndarray) -> np.ndarray:
    """Cohen's κ of totals (draws, 4) of two columns of no and yes."""
    return cohen_kappa(totals.reshape(-1, 2, 2))


def _places(spans: pl.Series) -> list[list[tuple[int, int]]]:
    return [[(span["start"], span["end"]) for span in of_text] for of_text in spans.to_list()]


# ---- the meta-judge ----------------------------------------------------------------------------------------


def score_meta(
    generations: pl.DataFrame, judgements: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """`meta_accuracy` of every judge whose located judgements were judged themselves: over all of them, over
    those that say Yes (`positives`) and those that say No (`negatives`); `meta_unparsed_rate` beside it.
    """
    rows = meta_rows(generations, judgements, items)
    made = []
    for (judge,), part in rows.group_by("judge", maintain_order=True):
        clusters, said = part["group_id"].to_list(), part["accurate"]
        is_yes = part["is_positive"].fill_null(False).to_numpy()
        is_no = (~part["is_positive"]).fill_null(False).to_numpy()
        read, hits = said.is_not_null().to_numpy(), said.fill_null(False).to_numpy()
        asked = []
        for over, inside in (
            (ALL, np.ones(len(read), dtype=bool)),
            ("positives", is_yes),
            ("negatives", is_no),
        ):
            where = {"over": over}
            asked.append(("meta_accuracy", where, hits & inside, read & inside))
            asked.append(("meta_unparsed_rate", where, ~read & inside, inside))
        made += writer.shares(judge, asked, clusters)
    return made


def meta_rows(generations: pl.DataFrame, judgements: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """What the meta-judge says of each judgement: `target`, `judge`, `rater`, `accurate` (null: not read),
    `is_positive` (whether the judgement says Yes), `group_id`.
    """
    keys = ("target", "judge", "accurate")
    columns = ["item_id", "model", "purpose", "attributes"]
    rows = standing(generations.select(columns).filter(purpose=META)).select(
        "item_id", pl.col("model").alias("rater"), *(pair("attributes", key) for key in keys)
    )
    named = pl.col("judgement_id").is_in(rows["target"].unique().to_list())
    verdicts = judgements.select("judgement_id", "verdict").filter(named)
    verdicts = verdicts.rename({"judgement_id": "target", "verdict": "is_positive"})
    known = rows.join(items.select("item_id", "group_id"), on="item_id", how="inner", maintain_order="left")
    known = known.join(verdicts, on="target", how="left", maintain_order="left").with_columns(
        accurate=pl.col("accurate") == "yes"
    )
    return known.drop("item_id").sort("judge", "rater", "target")


def meta_ratings(generations: pl.DataFrame) -> dict[str, dict[str, bool]]:
    """What each meta-judge says of judgements, by their ids; a reply that was not read says nothing."""
    columns = ["model", "purpose", "attributes"]
    rows = standing(generations.select(columns).filter(purpose=META))
    rows = rows.select("model", pair("attributes", "target"), pair("attributes", "accurate"))
    ratings: dict[str, dict[str, bool]] = {}
    for model, target, accurate in rows.drop_nulls("accurate").sort("model", "target").iter_rows():
        ratings.setdefault(model, {})[target] = accurate == "yes"
    return ratings


def meta_agreement(
    models: Ratings, people: Ratings, groups: Mapping[str, str], writer: ScoreWriter
) -> list[dict]:
    """`meta_kappa`: Cohen's κ of each pair of raters on the judgements that both rated, people apart from models;
    `groups`: the dialogue of each. A pair that shares none has no row.
    """
    raters = [(MODELS, name, said) for name, said in models.items()]
    raters += [(PEOPLE, name, said) for name, said in people.items()]
    made = []
    for (kind, name, said), (other_kind, other, other_said) in combinations(raters, 2):
        shared = sorted(said.keys() & other_said.keys())
        if shared:
            first, second = (np.array([one[unit] for unit in shared]) for one in (said, other_said))
            tables = weighted_cells(first, second, np.ones(len(shared)))
            where = {"raters": kind if kind == other_kind else MIXED, "with": other}
            clusters: Sequence[str] = [groups[unit] for unit in shared]
            made.append(writer.statistic("meta_kappa", name, where, tables, clusters, kappa, bounds=KAPPA))
    return made
