"""General queries: several responses, the least alike are selected, tasks for labellers."""

import polars as pl

from truerate.core.schemas import Item, Sample, frame, pair
from truerate.llm.generation import generations
from truerate.metrics.similarity import chrf
from truerate.tracks.halueval import general

from .builders import context, dead, item, ok, sample, settings


def responses(replies: dict[str, list]) -> pl.DataFrame:
    asked = general.requests(
        [context("general", name, question=f"Query {name}?") for name in replies], "gen", settings()
    )
    return generations(general.collect(asked, [reply for each in replies.values() for reply in each]))


def marked(replies: pl.DataFrame, n: int) -> pl.DataFrame:
    return general.marked(replies, general.similarities(replies, measure=chrf), n=n, seed=7)


THREE = {
    "alike": [ok("Red, green, blue.")] * 3,
    "unlike": [ok("Red."), ok("Ask a painter!"), ok("42 or so")],
    "single": [ok("Only one came."), dead(), dead()],
}


def test_a_request_is_the_query_alone_and_repeats_differ_by_seed():
    asked = general.requests([context("general", question="Why?")], "gen", settings())
    assert all(question.request.messages == ({"role": "user", "content": "Why?"},) for question in asked)
    assert [(question.request.sample_index, question.request.params["seed"]) for question in asked] == [
        (0, 0),
        (1, 1),
        (2, 2),
    ]


def test_the_least_similar_query_is_selected_with_one_of_its_responses():
    rows = marked(responses(THREE), 1)
    chosen = general.selected(rows)
    assert chosen["item_id"].to_list() == ["unlike"]
    assert rows.height == 9 and rows.select(pair("attributes", "similarity")).null_count().item() == 3


def test_tasks_hold_the_selected_responses_and_the_probes():
    chosen = general.selected(marked(responses(THREE), 1))
    items = frame(
        Item, [item("unlike", "general", question="Query?"), item("p", "general", question="Probe?")]
    )
    probes = frame(Sample, [sample("probe", "p", True, task="general")])
    tasks = general.annotation_tasks(chosen, items, probes)
    assert sorted(tasks, key=lambda task: task["query"], reverse=True) == [
        {"task_id": chosen["generation_id"][0], "query": "Query?", "response": chosen["text"][0]},
        {"task_id": "probe", "query": "Probe?", "response": "text probe"},  # nothing tells it from the others
    ]
    assert [task["task_id"] for task in tasks] == sorted(task["task_id"] for task in tasks)
    assert general.annotation_tasks(chosen.clear(), items, probes) == []


def test_an_encoder_is_named_with_its_layer_and_baseline():
    changed_settings = settings(similarity={"model": "roberta-large", "layer": 17, "baseline": 0.25})
    assert changed_settings.measure == "roberta-large, layer 17, rescaled by 0.25"
    assert changed_settings.setting("similarity") == "roberta-large"  # the weights that are looked for
    assert (settings().measure, settings(similarity={"model": "m"}).measure) == ("chrf", "m")
