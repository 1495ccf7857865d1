"""What is scored of the making of a data set: candidates and their failures, the length rule, filtering,
responses, label statistics.
"""

import numpy as np
import polars as pl

from truerate.core.schemas import Score, frame, is_cut, pair
from truerate.llm.generation import standing
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halueval import filtering, general, sampling
from truerate.tracks.halueval.candidates import LENGTH_RULED, NAMED

DATASET = "dataset"  # the subject of label statistics


def score_candidates(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Failure of each generator to write a usable candidate, by task, pattern and scheme, and by reason;
    counts as in Table 5.
    """
    keys = ("task", "scheme", "pattern", "rejected", "too_long")
    rows = generations.filter(pl.col("purpose") == sampling.PURPOSE).with_columns(
        *(pair("attributes", key) for key in keys)
    )
    rows = rows.join(
        items.select("item_id", "group_id"), on="item_id", how="left", maintain_order="left"
    ).sort("model", "generation_id")
    is_read = pl.col("status") == "ok"
    rows = rows.with_columns(
        why=pl.when(is_read)
        .then("rejected")
        .when((pl.col("status") != "dead") & pl.col("reason").is_in(NAMED))
        .then("reason")
        .otherwise("status")
    )
    made = []
    for where in (("task",), ("task", "scheme"), ("task", "pattern"), ("task", "scheme", "pattern")):
        for (model, *found), part in rows.filter(pl.col(where[-1]).is_not_null()).group_by(
            "model", *where, maintain_order=True
        ):
            made.extend(_failures(model, dict(zip(where, found, strict=True)), part, writer))
    for (model, task, scheme), part in rows.filter(pl.col("status") == "ok").group_by(
        "model", "task", "scheme", maintain_order=True
    ):
        if task in LENGTH_RULED:
            is_long = (part["too_long"] == "yes").fill_null(False).to_list()
            made.append(
                writer.share(
                    "length_rule_broken_rate",
                    model,
                    {"task": task, "scheme": scheme},
                    is_long,
                    part["group_id"].to_list(),
                )
            )
    return frame(Score, made)


def _failures(model: str, where: dict, part: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """The share without a usable candidate and the share of each reason, and how many are usable."""
    clusters, every = part["group_id"].to_list(), np.ones(part.height)
    entries = [("candidate_failure_rate", where, part["why"].is_not_null().to_numpy(), every)]
    for reason in sorted(part["why"].drop_nulls().unique()):
        entries.append(
            (
                "candidate_failure_rate",
                {**where, "reason": reason},
                (part["why"] == reason).fill_null(False).to_numpy(),
                every,
            )
        )
    n_usable = part["why"].null_count()
    return [
        *writer.shares(model, entries, clusters),
        writer.count("n_candidates", model, where, n_usable, part.height),
    ]


def score_filtering(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """How often a judge's choice changes with the order, and how often it takes the one shown first, per task."""
    rows = standing(generations.filter(pl.col("purpose") == filtering.PURPOSE))
    rows = rows.with_columns(*(pair("attributes", key) for key in ("task", "choice", "position", "origin")))
    rows = rows.join(
        items.select("item_id", "group_id"), on="item_id", how="left", maintain_order="left"
    ).sort("model", "item_id", "generation_id")
    made = []
    for (judge, task), part in rows.group_by("model", "task", maintain_order=True):
        both = part.group_by("item_id", "origin", "group_id", maintain_order=True).agg("choice")
        both = both.filter(pl.col("choice").list.drop_nulls().list.len() == 2)
        differ = [first != second for first, second in both["choice"].to_list()]
        read = part.filter(pl.col("position").is_not_null())
        first = (read["position"] == "1").to_list()
        made.append(
            writer.share(
                "filter_disagreement_rate", judge, {"task": task}, differ, both["group_id"].to_list()
            )
        )
        made.append(
            writer.share(
                "filter_first_position_rate", judge, {"task": task}, first, read["group_id"].to_list()
            )
        )
        unread = part["choice"].is_null().to_list()
        made.append(
            writer.share("filter_unparsed_rate", judge, {"task": task}, unread, part["group_id"].to_list())
        )
    return frame(Score, made)


def score_responses(generations: pl.DataFrame, writer: ScoreWriter, *, similarity: str) -> pl.DataFrame:
    """Mean similarity of a query's responses over the whole pool and over the queries that were selected, by
    the measure's name; and the share of responses that were cut at their length.
    """
    rows = generations.filter(pl.col("purpose") == general.PURPOSE)
    rows = rows.with_columns(
        pair("attributes", "similarity").cast(pl.Float64), pair("attributes", "selected")
    ).sort("generation_id")
    made = []
    for model, part in rows.group_by("model", maintain_order=True):
        cut = part.select(is_cut()).to_series().to_list()
        made.append(writer.share("cut_rate", model[0], {"task": "general"}, cut, part["item_id"].to_list()))
        queries = (
            part.group_by("item_id", maintain_order=True)
            .agg(pl.col("similarity").first(), pl.col("selected").is_not_null().any())
            .sort("item_id")
        )
        queries = queries.drop_nulls("similarity")
        for which, some in (("pool", queries), ("selected", queries.filter("selected"))):
            where = {"task": "general", "measure": similarity, "queries": which}
            values = np.stack([some["similarity"].to_numpy(), np.ones(some.height)], axis=1)
            made.append(
                writer.statistic(
                    "response_similarity", model[0], where, values, some["item_id"].to_list(), _mean
                )
            )
    return frame(Score, made)


def _mean(totals: np.ndarray) -> np.ndarray:
    return totals[:, 0] / totals[:, 1]


def is_paired(samples: pl.DataFrame) -> bool:
    """Whether every text is one side of a pair of a right and a hallucinated one: then half are hallucinated
    by construction.
    """
    sides = samples.group_by("pair_id", maintain_order=True).agg(
        n=pl.len(), n_hallucinated=pl.col("is_hallucinated").sum()
    )
    return bool(((sides["n"] == 2) & (sides["n_hallucinated"] == 1) & sides["pair_id"].is_not_null()).all())


def score_labels(samples: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Label statistics of a data set: how many texts, which share is hallucinated, and how many of each
    pattern (Table 5).
    """
    rows = samples.with_columns(pair("attributes", "scheme"), pair("attributes", "candidate_scheme")).sort(
        "sample_id"
    )
    made = []
    for (task, scheme), part in rows.group_by("task", "scheme", maintain_order=True):
        where = {"task": task, "scheme": scheme}
        made.append(writer.count("n_samples", DATASET, where, part.height, part.height))
        rate = writer.share(
            "hallucinated_rate", DATASET, where, part["is_hallucinated"].to_list(), part["group_id"].to_list()
        )
        made.append(rate | dict.fromkeys(("low", "high")) if is_paired(part) else rate)
        hallucinated = part.filter("is_hallucinated")
        for keys in (("pattern",), ("pattern", "candidate_scheme")):
            known = hallucinated.drop_nulls(keys[-1]).drop_nulls("pattern")
            for found, some in known.group_by(*keys, maintain_order=True):
                slice_ = {**where, "pattern": found[0], **({"scheme": found[1]} if len(keys) == 2 else {})}
                made.append(writer.count("n_by_pattern", DATASET, slice_, some.height, hallucinated.height))
    return frame(Score, made)
