"""The whole track over HTTP: a small closed world, its models, its data set, its judgements and scores."""

from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from tests.small_world import tables_of
from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import (
    Count,
    Generation,
    Judgement,
    Outcome,
    Reject,
    Sample,
    Score,
    frame,
    validate,
)
from truerate.llm.ask import estimate
from truerate.llm.generation import facts
from truerate.pipeline.planning.plan import planned
from truerate.tracks.halueval import general, steps
from truerate.tracks.halueval.labels import label
from truerate.tracks.halueval.retrieval import knowledge_of_queries
from truerate.tracks.halueval.scores import score
from truerate.tracks.halueval.scores import topics as topics_of

BOARD = "halueval-closed-world"
ROOT = Path(__file__).parents[3]
SIZES = {"qa": 4, "dialogue": 4, "summarization": 2, "general": 3, "general_pool": 4}


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    """The project's own settings made small, with a store of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        values = load_params("params.yaml").model_dump()
        values["sizes"]["demo"]["halueval"] = SIZES
        values |= {"profile": "demo", "n_shards": 2}
        values["statistics"]["n_bootstrap"] = 100
        values["tracks"]["halueval"] |= {"generators": ("quill", "elm"), "subjects": ("aster",)}
        yield Layout(Params.model_validate(values)).on(BOARD)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return tables_of(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def built(at, tables):
    """The data set, and the subject's replies and judgements."""
    replies = {"sample": pl.concat([run(at, tables, "sample", name) for name in ("quill", "elm")])}
    replies["filter"] = run(at, tables, "filter", "quill", replies)
    replies["select"] = run(at, tables, "select", "", {"respond": run(at, tables, "respond", "quill")})
    parts = [steps.recognise(at, BOARD, "aster", tables, shard, replies) for shard in range(2)]
    judged = pl.concat([beside["judgements"] for _, beside in parts])
    data, tasks = steps.exported(at, BOARD, tables, replies, {"judgements": judged})
    dataset = SimpleNamespace(**data, tasks=tasks)
    replies["recognise"] = pl.concat([rows for rows, _ in parts])
    rejudged = [steps.judge_refined(at, BOARD, "quill", tables, shard, replies) for shard in range(2)]
    judged = pl.concat([judged, *(beside["judgements"] for _, beside in rejudged)])
    return dataset, pl.concat([replies["recognise"], *(rows for rows, _ in rejudged)]), judged


def run(at, tables, step, model, replies=None):
    """The replies of a step of one model, of all shards."""
    return pl.concat(
        [getattr(steps, step)(at, BOARD, model, tables, shard, replies or {}) for shard in range(2)]
    )


def test_tables_hold_their_schemas_and_account_for_every_reply(built):
    dataset, replies, judged = built
    whole = pl.concat([dataset.generations, replies])
    for table, data in (
        (Generation, whole),
        (Sample, dataset.samples),
        (Reject, dataset.rejects),
        (Judgement, judged),
    ):
        validate(table, data, where=table.__name__)
    counted = validate(Count, steps.counts(whole), where="counts")
    assert counted["n_in"].sum() == whole.height
    sampled = dataset.generations.filter(purpose="sample")
    assert sampled.height == 2 * 2 * 10  # two models, two schemes, 4 + 4 + 2 items
    assert {
        facts(row)["understood"]
        for row in sampled.iter_rows(named=True)
        if facts(row)["scheme"] == "conversational"
    } == {"yes"}


def test_samples_come_in_pairs_and_tasks_go_out(built, tables):
    dataset, _, _ = built
    assert dataset.samples.group_by("pair_id").agg(pl.col("is_hallucinated").sum(), n=pl.len()).select(
        "is_hallucinated", "n"
    ).unique().rows() == [(1, 2)]
    chosen = set(general.selected(dataset.generations)["generation_id"])
    assert len(chosen) == 3 and chosen < {task["task_id"] for task in dataset.tasks}


def test_every_text_is_judged_in_every_variant(built):
    dataset, _, judged = built
    variants = [(facts(row).get("stage"), facts(row)["variant"]) for row in judged.iter_rows(named=True)]
    n, n_general = dataset.samples.height, 3
    n_without_summaries = dataset.samples.filter(pl.col("task") != "summarization").height
    assert variants.count((None, "plain")) == n + n_general == variants.count((None, "chain-of-thought"))
    assert variants.count((None, "knowledge")) == n_without_summaries
    assert variants.count((None, "contrast")) == 2 * n
    assert variants.count(("refined", "plain")) > 0


def test_what_was_flagged_is_rewritten_general_answers_too_and_another_model_judges_it(built):
    _, replies, judged = built
    refined = replies.filter(purpose="refine", status="ok")
    assert {"qa", "dialogue", "summarization"} <= {
        facts(row)["task"] for row in refined.iter_rows(named=True)
    }
    of_aster = [row["target_id"] for row in judged.to_dicts() if facts(row).get("refined_by") == "aster"]
    assert sorted(of_aster) == sorted(refined["generation_id"])
    assert {row["judge"] for row in judged.to_dicts() if "refined_by" in facts(row)} == {"quill"}


def test_an_answer_to_a_query_is_refined_with_what_is_found_for_it(at, built, tables):
    dataset, _, _ = built
    kept_contexts, asked_of = {}, []
    for shard in range(2):
        more, targets = steps.recognition_targets(at, dataset.samples, dataset.generations, tables, shard)
        kept_contexts |= more
        asked_of += targets
    flagged = [kept_contexts[target.item_id] for target in asked_of]
    given = knowledge_of_queries(at, BOARD, flagged, tables.documents, {})
    assert given and {kept_contexts[name].task for name in given} == {"general"} and all(given.values())
    assert knowledge_of_queries(at, BOARD, flagged, tables.documents, given) == {}


def test_labels_and_scores(at, built, tables):
    dataset, replies, judged = built
    truth = dict(tables.samples.select("sample_id", "is_hallucinated").iter_rows())
    names = [task["task_id"] for task in dataset.tasks]
    votes = [
        {"task_id": name, "annotator": who, "hallucination": "yes" if truth.get(name, True) else "no"}
        for name in names
        for who in "abc"
    ]
    tables_of = {"generations": dataset.generations, "samples": dataset.samples}
    how = {"where": "labels.jsonl", "inputs": "digest"}
    labelled = label(at, BOARD, tables, tables_of, dataset.tasks, list(enumerate(votes, start=1)), **how)
    assert labelled.samples["is_hallucinated"].to_list() == [True] * 3
    samples = pl.concat([dataset.samples, labelled.samples])
    scored_parts = {"items": dataset.items, "samples": samples, "judgements": judged}
    whole = pl.concat([dataset.generations, replies])
    scores, outcomes = score(at, BOARD, **scored_parts, generations=whole, inputs="digest")
    assert {"flagged_rate_after_judge", "refined_contains_rate", "accuracy_matched"} <= set(scores["metric"])
    (
        validate(Score, pl.concat([scores, labelled.scores]), where="scores"),
        validate(Outcome, outcomes, where="outcomes"),
    )
    assert not scores.select("metric", "subject", pl.col("slice").hash()).is_duplicated().any()
    assert (
        outcomes.filter(subject="aster").height
        == judged.filter(pl.col("attributes").list.len() == 1).height + samples["pair_id"].n_unique() - 1
    )
    topics = topics_of(at, BOARD, **scored_parts, documents=tables.documents)
    assert {row["task"] for row in topics} == {"qa", "dialogue", "summarization", "general"}


def test_again_nothing_is_asked_and_the_plan_knows_it(at, built, tables):
    plan = planned(at, BOARD, tables)
    assert [(planned_step.step, planned_step.model) for planned_step in plan] == [
        ("sample", "quill"),
        ("sample", "elm"),
        ("filter", "quill"),
        ("respond", "quill"),
        ("recognise", "aster"),
        ("judge_refined", "quill"),
    ]
    assert [estimate(planned_step.requests, at).n_calls for planned_step in plan] == [0] * 6


def test_a_plan_of_an_empty_store_is_an_upper_bound(at, built, tables, tmp_path, monkeypatch):
    stored = {planned_step.step: len(planned_step.requests) for planned_step in planned(at, BOARD, tables)}
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "empty.sqlite"))
    fresh = {planned_step.step: planned_step.requests for planned_step in planned(at, BOARD, tables)}
    assert all(len(fresh[step]) >= n for step, n in stored.items())
    assert estimate(fresh["respond"], at).n_calls == 12 and estimate(fresh["respond"], at).n_stored == 0


def test_simulated_models_ask_nothing_on_a_real_board(at, tables):
    values = at.p.model_dump()
    values["sources"]["real"] = {"reader": "halueval", "path": "somewhere"}
    values["boards"]["real"] = {"track": "halueval", "source": "real"}
    real = Layout(Params.model_validate(values)).on("real")
    for step in (steps.sample, steps.filter, steps.respond):
        assert step(real, "real", "quill", tables, 0, {}).is_empty()
    data, tasks = steps.exported(real, "real", tables, {}, {"judgements": frame(Judgement)})
    assert data["samples"].is_empty() and tasks == [] and planned(real, "real", tables) == []
    replies, beside = steps.recognise(real, "real", "aster", tables, 0, {})
    assert replies.is_empty() and beside["judgements"].is_empty()
