"""People who label responses and check evaluations: errors as planted, spans that are words of it."""

from collections import Counter

import pytest

from truerate_world.halludial import annotate as people
from truerate_world.halludial.annotate import CAREFUL, CARELESS, annotate
from truerate_world.halludial.sources import spoken

from .asking import WORLD, finding, locate, respond, turns
from .test_simulated_model import is_near

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


def test_people_call_responses_hallucinated_as_planted(told):
    tasks = [task(number, "natural", *one) for number, one in enumerate(told)]
    findings = {one["task_id"]: finding(row, text) for one, (row, text) in zip(tasks, told, strict=True)}
    rows = annotate(tasks, WORLD, 7)
    assert [(row["task_id"], row["annotator"]) for row in rows] == [
        (one["task_id"], name) for one in tasks for name in NAMES
    ]
    for name, person in people.people(NAMES).items():
        mine = [row for row in rows if row["annotator"] == name]
        rates = [person.p_yes(findings[row["task_id"]]) for row in mine]
        assert is_near([row["hallucination"] == "yes" for row in mine], rates), name


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


def test_evaluations_are_checked_with_the_planted_confusion(told):
    tasks, right = [], []
    for number, (row, text) in enumerate(told):
        answer = locate("sim-birch", row, text)
        if answer.truth["manner"] == "plain" and answer.truth["read"]:
            tasks.append(task(number, "meta", row, text, evaluation=answer.text))
            is_yes = answer.truth["read"] == "Yes"
            is_right = (
                is_yes == finding(row, text).is_hallucinated and answer.truth["is_located"] is not False
            )
            right.append(is_right)
    truth = dict(zip((one["task_id"] for one in tasks), right, strict=True))
    rows = annotate(tasks, WORLD, 7)
    assert 0.2 < sum(right) / len(right) < 0.95
    for name, person in people.people(NAMES).items():
        wrong = [
            (row["accurate"] == "yes") != truth[row["task_id"]] for row in rows if row["annotator"] == name
        ]
        assert is_near(wrong, [person.confusing] * len(wrong)), name


def test_of_many_the_last_is_careless_and_of_three_nobody():
    assert list(people.people(NAMES).values()) == [*CAREFUL, CARELESS]
    assert CARELESS not in people.people(NAMES[:3]).values()


def test_labels_are_the_same_again_and_hang_on_nobody_else(told):
    tasks = [task(number, "natural", *one) for number, one in enumerate(told[:30])]
    rows = annotate(tasks, WORLD, 7)
    assert annotate(tasks[::-1], WORLD, 7) == rows
    few = annotate([one | {"annotators": NAMES[:2]} for one in tasks], WORLD, 7)
    assert few == [row for row in rows if row["annotator"] in NAMES[:2]]
