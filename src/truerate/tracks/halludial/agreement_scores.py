"""How far labels can be trusted: the annotator's silver labels against people's, and what the meta-judge and people
say of located judgements (HalluDial Table 18, appendix D).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from truerate.core.schemas import pair
from truerate.llm.generation import standing
from truerate.metrics.agreement import KAPPA, cohen_kappa, weighted_cells
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.spans import span_f1, span_sums
from truerate.tracks.halludial import meta_judging
from truerate.tracks.halludial.judged_texts import ALL, SPONTANEOUS

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
    rows = standing(generations.select(columns).filter(purpose=meta_judging.PURPOSE)).select(
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
    rows = standing(generations.select(columns).filter(purpose=meta_judging.PURPOSE))
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
