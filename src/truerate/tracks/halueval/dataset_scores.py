"""What is scored of the making of a data set: candidates and their failures, the length rule, what was cut from replies,
filtering, responses, label statistics.
"""

import numpy as np
import polars as pl

from truerate.core.schemas import Score, frame, is_cut, pair
from truerate.llm.generation import standing
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.tracks.halueval import filtering, general, refinement, sampling

DATASET = "dataset"  # the subject of label statistics


def _replies(
    generations: pl.DataFrame, items: pl.DataFrame, purposes: tuple[str, ...], *keys: str
) -> pl.DataFrame:
    """The replies of these purposes with these attributes and the group of their item, by model and id."""
    rows = generations.filter(pl.col("purpose").is_in(purposes))
    rows = rows.with_columns(*(pair("attributes", key) for key in keys))
    grouped = items.select("item_id", "group_id")
    return rows.join(grouped, on="item_id", how="left", maintain_order="left").sort("model", "generation_id")


def score_candidates(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return the failure of each generator to write a usable candidate, by task, pattern and scheme, and by reason; counts
    as in Table 5.
    """
    keys = ("task", "scheme", "pattern", "rejected", "too_long")
    rows = _replies(generations, items, (sampling.PURPOSE,), *keys)
    is_named = (pl.col("status") != "dead") & pl.col("reason").is_in(sampling.NAMED)
    why = pl.when(pl.col("status") == "ok").then("rejected").when(is_named).then("reason").otherwise("status")
    rows = rows.with_columns(why=why)
    made = []
    for by in (("task",), ("task", "scheme"), ("task", "pattern"), ("task", "scheme", "pattern")):
        known = rows.filter(pl.col(by[-1]).is_not_null())
        for (model, *values), part in known.group_by("model", *by, maintain_order=True):
            made += _failures(model, dict(zip(by, values, strict=True)), part, writer)
    read = rows.filter(pl.col("status") == "ok", pl.col("task").is_in(sampling.LENGTH_RULED))
    for (model, task, scheme), part in read.group_by("model", "task", "scheme", maintain_order=True):
        is_long, where = (
            (part["too_long"] == "yes").fill_null(False).to_list(),
            {"task": task, "scheme": scheme},
        )
        made.append(
            writer.share("length_rule_broken_rate", model, where, is_long, part["group_id"].to_list())
        )
    return frame(Score, made)


def _failures(model: str, where: dict, part: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """The share without a usable candidate and the share of each reason, and how many are usable."""
    name, every = "candidate_failure_rate", np.ones(part.height)
    entries: list[Ratio] = [(name, where, part["why"].is_not_null().to_numpy(), every)]
    for reason in sorted(part["why"].drop_nulls().unique()):
        is_so = (part["why"] == reason).fill_null(False).to_numpy()
        entries.append((name, {**where, "reason": reason}, is_so, every))
    shares = writer.shares(model, entries, part["group_id"].to_list())
    return [*shares, writer.count("n_candidates", model, where, part["why"].null_count(), part.height)]


def score_cleaned(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return what replies brought beside the text that was asked for: counted, not judged.

    `cleaned_rate`: of the readable candidates of a model, task and scheme the share from which something was cut, and by
    kind (`cut`: `llm.replies.reading.CUTS`; a thought counts as one). `unchanged_rate`: of the texts that a model was to
    rewrite the share that came back as they were.
    """
    purposes, keys = (sampling.PURPOSE, refinement.PURPOSE), ("task", "scheme", "cut", "thought", "outcome")
    rows = _replies(generations, items, purposes, *keys)
    made = []
    read = rows.filter((pl.col("purpose") == sampling.PURPOSE) & (pl.col("status") == "ok"))
    for (model, task, scheme), part in read.group_by("model", "task", "scheme", maintain_order=True):
        kinds = [
            {*(cut.split("+") if cut else ()), *(("thought",) if thought else ())}
            for cut, thought in part.select("cut", "thought").rows()
        ]
        where, every = {"task": task, "scheme": scheme}, np.ones(part.height)
        entries: list[Ratio] = [("cleaned_rate", where, np.array([bool(some) for some in kinds]), every)]
        for kind in sorted(set().union(*kinds)):
            has_it = np.array([kind in some for some in kinds])
            entries.append(("cleaned_rate", {**where, "cut": kind}, has_it, every))
        made += writer.shares(model, entries, part["group_id"].to_list())
    asked = rows.filter(purpose=refinement.PURPOSE)
    for (model, task), part in asked.group_by("model", "task", maintain_order=True):
        is_same = (part["outcome"] == "unchanged").fill_null(False).to_list()
        made.append(
            writer.share("unchanged_rate", model, {"task": task}, is_same, part["group_id"].to_list())
        )
    return frame(Score, made)


def score_filtering(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return how often a judge's choice changes with the order, and how often it takes the one shown first, per task."""
    keys = ("task", "choice", "position", "origin")
    rows = _replies(standing(generations), items, (filtering.PURPOSE,), *keys)
    rows = rows.sort("model", "item_id", "generation_id")
    made = []
    for (judge, task), part in rows.group_by("model", "task", maintain_order=True):
        both = part.group_by("item_id", "origin", "group_id", maintain_order=True).agg("choice")
        both = both.filter(pl.col("choice").list.drop_nulls().list.len() == 2)
        read = part.filter(pl.col("position").is_not_null())
        entries = (
            (
                "filter_disagreement_rate",
                [first != second for first, second in both["choice"].to_list()],
                both,
            ),
            ("filter_first_position_rate", (read["position"] == "1").to_list(), read),
            ("filter_unparsed_rate", part["choice"].is_null().to_list(), part),
        )
        made += [
            writer.share(metric, judge, {"task": task}, hits, of["group_id"].to_list())
            for metric, hits, of in entries
        ]
    return frame(Score, made)


def score_responses(generations: pl.DataFrame, writer: ScoreWriter, *, similarity: str) -> pl.DataFrame:
    """Return the mean similarity of a query's responses over the whole pool and over the queries that were selected, by
    the measure's name; and the share of responses that were cut at their length.
    """
    rows = generations.filter(pl.col("purpose") == general.PURPOSE)
    known = (pair("attributes", "similarity").cast(pl.Float64), pair("attributes", "selected"))
    rows = rows.with_columns(*known).sort("generation_id")
    made = []
    for (model,), part in rows.group_by("model", maintain_order=True):
        cut = part.select(is_cut()).to_series().to_list()
        made.append(writer.share("cut_rate", model, {"task": "general"}, cut, part["item_id"].to_list()))
        of_query = (pl.col("similarity").first(), pl.col("selected").is_not_null().any())
        queries = part.group_by("item_id", maintain_order=True).agg(*of_query).sort("item_id")
        queries = queries.drop_nulls("similarity")
        for which, some in (("pool", queries), ("selected", queries.filter("selected"))):
            where = {"task": "general", "measure": similarity, "queries": which}
            sums = np.stack([some["similarity"].to_numpy(), np.ones(some.height)], axis=1)
            made.append(
                writer.statistic(
                    "response_similarity",
                    model,
                    where,
                    sums,
                    some["item_id"].to_list(),
                    lambda of: of[:, 0] / of[:, 1],
                )
            )
    return frame(Score, made)


def is_paired(samples: pl.DataFrame) -> bool:
    """Whether every text is one side of a pair of a right and a hallucinated one: then half are hallucinated by
    construction.
    """
    numbers = {"n": pl.len(), "n_hallucinated": pl.col("is_hallucinated").sum()}
    sides = samples.group_by("pair_id", maintain_order=True).agg(**numbers)
    return bool(((sides["n"] == 2) & (sides["n_hallucinated"] == 1) & sides["pair_id"].is_not_null()).all())


def score_labels(samples: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return label statistics of a data set: how many texts, which share is hallucinated, and how many of each pattern
    (Table 5).
    """
    known = (pair("attributes", "scheme"), pair("attributes", "candidate_scheme"))
    rows = samples.with_columns(*known).sort("sample_id")
    made = []
    for (task, scheme), part in rows.group_by("task", "scheme", maintain_order=True):
        where = {"task": task, "scheme": scheme}
        made.append(writer.count("n_samples", DATASET, where, part.height, part.height))
        labels, groups = part["is_hallucinated"].to_list(), part["group_id"].to_list()
        rate = writer.share("hallucinated_rate", DATASET, where, labels, groups)
        made.append(rate | dict.fromkeys(("low", "high")) if is_paired(part) else rate)
        hallucinated = part.filter("is_hallucinated")
        for keys in (("pattern",), ("pattern", "candidate_scheme")):
            named = hallucinated.drop_nulls(keys)
            for values, some in named.group_by(*keys, maintain_order=True):
                slice_ = {**where, "pattern": values[0], **({"scheme": values[1]} if len(keys) == 2 else {})}
                made.append(writer.count("n_by_pattern", DATASET, slice_, some.height, hallucinated.height))
    return frame(Score, made)
