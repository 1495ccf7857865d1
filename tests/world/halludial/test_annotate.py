"""People who label responses and check evaluations: spans that are words of it, and whose they are."""

from collections import Counter

import pytest

from truerate_world.halludial import annotate as people
from truerate_world.halludial.annotate import CAREFUL, CARELESS, annotate
from truerate_world.halludial.sources import spoken

from .asking import WORLD, respond, turns

NAMES = [f"annotator-{number}" for number in range(1, 6)]


def task(number, kind, row, text, **more):
    return {
        "task_id": f"{kind}-{number:04d}",
        "kind": kind,
        "knowledge": row["knowledge"],
        "conversation": spoken(row["history"]),
        "response": text,
        "annotators": NAMES,
        **more,
    }


@pytest.fixture(scope="module")
def told():
    """Turns with a response, of other dialogues than the models' tests have."""
    rows = [(row, respond("sim-elm", row, seed=3).truth["read"]) for row in turns(120, first=200)]
    return [(row, text) for row, text in rows if text]


def test_spans_are_segments_of_the_response(told):
    tasks = [task(number, "natural", *one) for number, one in enumerate(told)]
    text_of = {one["task_id"]: one["response"] for one in tasks}
    found = Counter()
    for row in annotate(tasks, WORLD, 7):
        text = text_of[row["task_id"]]
        for span in row["spans"]:
            assert 0 <= span["start"] < span["end"] <= len(text)
            assert text[span["start"] : span["end"]].strip() == text[span["start"] : span["end"]]
        assert not row["spans"] or row["hallucination"] == "yes"
        found[row["hallucination"], bool(row["spans"])] += 1
    assert found["yes", True] > 10 * found["yes", False]


def test_of_many_the_last_is_careless_and_of_three_nobody():
    assert list(people.people(NAMES).values()) == [*CAREFUL, CARELESS]
    assert CARELESS not in people.people(NAMES[:3]).values()


def test_labels_are_the_same_again_and_hang_on_nobody_else(told):
    tasks = [task(number, "natural", *one) for number, one in enumerate(told[:30])]
    rows = annotate(tasks, WORLD, 7)
    assert annotate(tasks[::-1], WORLD, 7) == rows
    few = annotate([one | {"annotators": NAMES[:2]} for one in tasks], WORLD, 7)
    assert few == [row for row in rows if row["annotator"] in NAMES[:2]]
