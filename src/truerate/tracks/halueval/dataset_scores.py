"""What is scored of the making of a data set: candidates and their failures, the length rule, what was cut
from replies, filtering, responses, label statistics; and what refinement is worth (HELMA 3.3).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import Score, emptied, frame, is_cut, pair
from truerate.core.text import normalise
from truerate.llm.generation import standing
from truerate.metrics.judged import is_unanswered
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.tracks.halueval import filtering, general, refinement, sampling
from truerate.tracks.halueval.recognition import PLAIN, judged

DATASET = "dataset"  # the subject of label statistics
ANSWERED = ("qa",)  # tasks whose right answer is a value, so that a text can be held against it
LABELS = {True: "hallucinated", False: "right"}


def _replies(generations: pl.DataFrame, items: pl.DataFrame, purpose: str, *keys: str) -> pl.DataFrame:
    """The replies of a purpose with these attributes and the group of their item, by model and id."""
    rows = generations.filter(purpose=purpose).with_columns(*(pair("attributes", key) for key in keys))
    grouped = items.select("item_id", "group_id")
    return rows.join(grouped, on="item_id", how="left", maintain_order="left").sort("model", "generation_id")


def _shares(
    metric: str,
    subject: str,
    where: Mapping[str, str],
    kinds: tuple[str, Sequence[set[str]]],
    part: pl.DataFrame,
    writer: ScoreWriter,
) -> list[dict]:
    """Return the share of rows with any kind, and with each: a slice's name and each row's `kinds`."""
    name, of_rows = kinds
    every = np.ones(part.height)
    entries: list[Ratio] = [(metric, where, np.array([bool(of_row) for of_row in of_rows]), every)]
    for kind in sorted(set().union(*of_rows)):
        hits = np.array([kind in of_row for of_row in of_rows])
        entries.append((metric, {**where, name: kind}, hits, every))
    return writer.shares(subject, entries, part["group_id"].to_list())


def score_candidates(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return each generator's failures by task, pattern, scheme and reason; counts as in Table 5."""
    keys = ("task", "scheme", "pattern", "rejected", "too_long")
    rows = _replies(generations, items, sampling.PURPOSE, *keys)
    is_named = (pl.col("status") != "dead") & pl.col("reason").is_in(sampling.NAMED)
    why = pl.when(pl.col("status") == "ok").then("rejected").when(is_named).then("reason").otherwise("status")
    rows, score_rows = rows.with_columns(why=why), []
    for by in (("task",), ("task", "scheme"), ("task", "pattern"), ("task", "scheme", "pattern")):
        for (model, *values), part in rows.drop_nulls(by[-1]).group_by("model", *by, maintain_order=True):
            where, reasons = dict(zip(by, values, strict=True)), [{why} - {None} for why in part["why"]]
            score_rows += _shares("candidate_failure_rate", model, where, ("reason", reasons), part, writer)
            n = part["why"].null_count()
            score_rows.append(writer.count("n_candidates", model, where, n, part.height))
    read = rows.filter(pl.col("status") == "ok", pl.col("task").is_in(sampling.LENGTH_RULED))
    is_long = {"length_rule_broken_rate": (pl.col("too_long") == "yes").fill_null(False)}
    return frame(Score, score_rows + writer.shares_by(read, is_long, subject="model", by=("task", "scheme")))


def score_cleaned(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return what replies brought beside the text that was asked for: counted, not judged.

    `cleaned_rate`: of the readable candidates of a model, task and scheme the share from which something was
    cut, and by kind (`cut`: `llm.replies.reading.CUTS`; a thought counts as one). `unchanged_rate`: of the
    texts that a model was to rewrite the share that came back as they were.
    """
    score_rows = []
    read = _replies(generations, items, sampling.PURPOSE, "task", "scheme", "cut", "thought")
    read = read.filter(status="ok")
    for (model, task, scheme), part in read.group_by("model", "task", "scheme", maintain_order=True):
        kinds = [
            {*(cut.split("+") if cut else ()), *(("thought",) if thought else ())}
            for cut, thought in part.select("cut", "thought").rows()
        ]
        where = {"task": task, "scheme": scheme}
        score_rows += _shares("cleaned_rate", model, where, ("cut", kinds), part, writer)
    asked = _replies(generations, items, refinement.PURPOSE, "task", "outcome")
    is_same = {"unchanged_rate": (pl.col("outcome") == "unchanged").fill_null(False)}
    return frame(Score, score_rows + writer.shares_by(asked, is_same, subject="model", by=("task",)))


def score_filtering(generations: pl.DataFrame, items: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return how often a judge's choice changes with the order, and how often it is the first."""
    keys = ("task", "choice", "position", "origin")
    rows = _replies(standing(generations), items, filtering.PURPOSE, *keys)
    rows, choice = rows.sort("model", "item_id", "generation_id"), pl.col("choice")
    pairs = ("model", "task", "item_id", "origin", "group_id")
    both = rows.group_by(pairs, maintain_order=True).agg(choice.drop_nulls())
    is_other = pl.when(choice.list.len() == 2).then(choice.list.first() != choice.list.last())
    single = {
        "filter_first_position_rate": pl.col("position") == "1",
        "filter_unparsed_rate": choice.is_null(),
    }
    score_rows: list[dict] = []
    for of, hits in ((both, {"filter_disagreement_rate": is_other}), (rows, single)):
        score_rows += writer.shares_by(of, hits, subject="model", by=("task",))
    return frame(Score, score_rows)


def score_responses(generations: pl.DataFrame, writer: ScoreWriter, *, similarity: str) -> pl.DataFrame:
    """Return the mean similarity of responses, of the pool and of selected queries, and the cut share."""
    value, is_selected = pair("attributes", "similarity").cast(pl.Float64), pair("attributes", "selected")
    rows = generations.filter(pl.col("purpose") == general.PURPOSE).with_columns(value, is_selected)
    rows = rows.sort("generation_id")
    how = {"subject": "model", "cluster": "item_id", "task": "general"}
    score_rows = writer.shares_by(rows, {"cut_rate": is_cut()}, **how)
    for (model,), part in rows.group_by("model", maintain_order=True):
        of_query = (pl.col("similarity").first(), pl.col("selected").is_not_null().any())
        queries = part.group_by("item_id", maintain_order=True).agg(*of_query).sort("item_id")
        queries = queries.drop_nulls("similarity")
        for which, some in (("pool", queries), ("selected", queries.filter("selected"))):
            where = {"task": "general", "measure": similarity, "queries": which}
            values, ids = some["similarity"].to_numpy(), some["item_id"].to_list()
            score_rows.append(writer.mean("response_similarity", model, where, values, ids))
    return frame(Score, score_rows)


def is_paired(samples: pl.DataFrame) -> bool:
    """Return whether every text is one side of a pair: then half are hallucinated by construction."""
    numbers = {"n": pl.len(), "n_hallucinated": pl.col("is_hallucinated").sum()}
    sides = samples.group_by("pair_id", maintain_order=True).agg(**numbers)
    return bool(((sides["n"] == 2) & (sides["n_hallucinated"] == 1) & sides["pair_id"].is_not_null()).all())


def score_labels(samples: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return label statistics: texts, hallucinated share, and how many of each pattern (Table 5)."""
    schemes = (pair("attributes", "scheme"), pair("attributes", "candidate_scheme"))
    rows, score_rows = samples.with_columns(*schemes).sort("sample_id"), []
    for (task, scheme), part in rows.group_by("task", "scheme", maintain_order=True):
        where = {"task": task, "scheme": scheme}
        score_rows.append(writer.count("n_samples", DATASET, where, part.height, part.height))
        labels, groups = part["is_hallucinated"].to_list(), part["group_id"].to_list()
        rate = writer.share("hallucinated_rate", DATASET, where, labels, groups)
        score_rows.append(rate | dict.fromkeys(("low", "high")) if is_paired(part) else rate)
        wrong = part.filter("is_hallucinated")
        for keys in (("pattern",), ("pattern", "candidate_scheme")):
            for values, some in wrong.drop_nulls(keys).group_by(*keys, maintain_order=True):
                slice_ = where | dict(zip(("pattern", "scheme"), values, strict=False))
                score_rows.append(writer.count("n_by_pattern", DATASET, slice_, some.height, wrong.height))
    return frame(Score, score_rows)


# ---- refinement --------------------------------------------------------------------------------------------


def score_refinement(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return the share of labelled texts flagged before and after refinement, per judge and task; after, also
    by the verdicts of another judge where there are any.

    After: a flagged text counts by the judgement of its rewritten form; where there is none (no rewriting, no
    verdict) it stays flagged.
    """
    keys = ("stage", "variant", "sample", "refined_by")
    refined = judgements.with_columns(*(pair("attributes", key) for key in keys)).filter(stage="refined")
    by_itself = refined.filter(pl.col("refined_by").is_null())
    by_itself = by_itself.select("judge", sample_id="sample", after="verdict")
    by_other = refined.drop_nulls("refined_by")
    by_other = by_other.select(judge="refined_by", sample_id="sample", after_judge="verdict")
    if by_itself.is_empty():
        return frame(Score)
    refining = pl.col("judge").is_in(by_itself["judge"].unique().to_list())  # models, none of which has seeds
    rows = judged(samples, judgements.filter(refining)).filter(pl.col("variant") == PLAIN)
    for after in (by_itself, by_other):
        rows = rows.join(after, on=["judge", "sample_id"], how="left", maintain_order="left")
    rows = rows.with_columns(before=pl.col("verdict").fill_null(False)).with_columns(
        (pl.col("before") & pl.col(after).fill_null(True)).alias(after) for after in ("after", "after_judge")
    )
    has_other, score_rows = set(by_other["judge"]), []
    for (judge, task), part in rows.group_by("judge", "task", maintain_order=True):
        names = ("before", "after", "after_judge") if judge in has_other else ("before", "after")
        every = np.ones(part.height)
        entries = [(f"flagged_rate_{when}", {"task": task}, part[when].to_numpy(), every) for when in names]
        shares = writer.shares(judge, entries, part["group_id"].to_list())
        score_rows += emptied(shares) if is_unanswered(part) else shares
    return frame(Score, score_rows)


def score_rewritings(
    generations: pl.DataFrame, items: pl.DataFrame, samples: pl.DataFrame, writer: ScoreWriter
) -> pl.DataFrame:
    """Return whether flagged answers, rewritten, say the right answer: per model and task of `ANSWERED`, over
    all texts that were to be rewritten and over those of each label.

    Texts are compared as `normalise` leaves them (without case, articles and punctuation):
    `refined_same_rate` where the rewriting equals the right answer, `refined_contains_rate` where the right
    answer's words stand in it in a row. A rewriting that did not come or could not be read is neither.
    """
    keys = (pair("attributes", "sample"), pair("attributes", "task"))
    rows = generations.filter(pl.col("purpose") == refinement.PURPOSE).with_columns(*keys)
    rows = (
        rows.filter(pl.col("task").is_in(ANSWERED))
        .join(items.select("item_id", "group_id", "right_answer"), on="item_id", maintain_order="left")
        .join(samples.select("is_hallucinated", sample="sample_id"), on="sample", maintain_order="left")
        .drop_nulls("right_answer")
        .sort("model", "task", "generation_id")
    )
    score_rows = []
    for (model, task), part in rows.group_by("model", "task", maintain_order=True):
        is_same, contains = [], []
        for text, right, status in part.select("text", "right_answer", "status").iter_rows():
            rewritten, answer = normalise(text), normalise(right)
            is_same.append(status == "ok" and rewritten == answer)
            contains.append(status == "ok" and bool(answer) and f" {answer} " in f" {rewritten} ")
        hits = {"refined_same_rate": np.array(is_same), "refined_contains_rate": np.array(contains)}
        label, entries = part["is_hallucinated"].to_numpy().astype(bool), list[Ratio]()
        slices = [({"task": task}, np.ones(part.height, dtype=bool))]
        slices += [({"task": task, "label": name}, label == value) for value, name in LABELS.items()]
        for where, inside in slices:
            entries += [(metric, where, of_metric & inside, inside) for metric, of_metric in hits.items()]
        score_rows += writer.shares(model, entries, part["group_id"].to_list())
    return frame(Score, score_rows)
