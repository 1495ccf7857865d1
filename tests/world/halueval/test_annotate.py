import pytest

from truerate_world.halueval.annotate import ANNOTATORS, annotate
from truerate_world.halueval.models.claim_checker import PATTERNS
from truerate_world.simulated_model import reply


@pytest.fixture(scope="module")
def tasks(world, known):
    made = []
    for entity in world.entities:
        query = f"Give me a few facts about {known.lexicon.name(entity.index)}."
        text = reply(world, "sim-birch", [{"role": "user", "content": query}], temperature=1.0, seed=0).text
        made.append({"task_id": f"t{entity.index:03d}", "query": query, "response": text})
    return made


def test_every_labeller_labels_every_task_in_order(world, tasks):
    rows = annotate(tasks[::-1], world, 7)
    assert [(row["task_id"], row["annotator"]) for row in rows] == [
        (task["task_id"], one.name) for task in tasks for one in ANNOTATORS
    ]
    assert rows == annotate(tasks, world, 7) != annotate(tasks, world, 8)


def test_spans_are_verbatim_and_only_on_a_yes(world, tasks):
    text_of = {task["task_id"]: task["response"] for task in tasks}
    for row in annotate(tasks, world, 7):
        assert bool(row["spans"]) == (row["hallucination"] == "yes")
        for span in row["spans"]:
            assert span["text"] in text_of[row["task_id"]] and span["type"] in PATTERNS["general"]


def test_a_labeller_who_is_careless_is_told_apart_by_probes():
    right = {one.name: 0.5 * (1 - one.missing) + 0.5 * (1 - one.alarm) for one in ANNOTATORS}
    assert sorted(rate >= 0.9 for rate in right.values()) == [False, True, True, True, True]
    assert min(right.values()) < 0.6


def test_no_tasks_give_no_labels(world):
    assert annotate([], world, 7) == []
