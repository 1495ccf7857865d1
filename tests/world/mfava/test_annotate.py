"""Labels as people return them: one row of each annotator, spans within the text."""

import pytest

from truerate_world.mfava.annotate import annotate, text_of
from truerate_world.mfava.lang import LANGUAGES
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.planted import TYPES

from .asking import wild

NAMES = ["ana", "bo", "cy", "di", "ed"]


@pytest.fixture(scope="module")
def tasks(table):
    made = []
    for code in LANGUAGES:
        for place, subject in enumerate(table.of("articles")[:60]):
            query = realiser.question(
                table, code, subject, list(table.entities[subject].facts)[place % 5], place
            )
            names = NAMES if place % 2 else [NAMES[place // 2 % 5]]
            task = {"task_id": f"{code}{place:03d}", "lang": code, "kind": "natural"}
            task |= {"text": wild("sim-elm", query).text}
            made.append(
                task
                | {
                    "reference": "",
                    "question": query,
                    "annotators": names,
                    "spans": [],
                    "rate_plausibility": place < 10,
                }
            )
    return made


def test_every_annotator_of_a_task_returns_one_row(tasks):
    rows = annotate(tasks, 7)
    asked = sorted((task["task_id"], name) for task in tasks for name in task["annotators"])
    assert [(row["task_id"], row["annotator"]) for row in rows] == asked
    assert rows == annotate(tasks[::-1], 7) != annotate(tasks, 8)
    rated = {task["task_id"] for task in tasks if task["rate_plausibility"]}
    ratings = [(row["task_id"], span.get("plausibility")) for row in rows for span in row["spans"]]
    assert all((rating in range(1, 6)) == (task in rated) for task, rating in ratings)
    assert len({rating for _, rating in ratings}) > 3


def test_spans_lie_in_their_text_apart_and_typed(tasks):
    texts = {task["task_id"]: task["text"] for task in tasks}
    for row in annotate(tasks, 7):
        ends = [0]
        for span in row["spans"]:
            assert ends[-1] <= span["start"] < span["end"] <= len(texts[row["task_id"]])
            assert span["type"] in TYPES
            ends.append(span["end"])


def test_silver_is_the_truth_where_a_text_cannot_be_read(known, table):
    silver = [
        {"start": 0, "end": 10, "type": "invented", "p": None},
        {"start": 12, "end": 15, "type": "entity", "p": None},
    ]
    first = {"start": 0, "end": 10, "type": "invented"}
    unread = {"lang": "en", "text": "Odd words. Nothing at all.", "spans": silver[:1]}
    assert text_of(known, unread).spans == [first]
    right = realiser.line(table, "en", realiser.fact(table, 3, "t_founded", "key")).text
    assert text_of(known, unread | {"text": f"Odd words. {right}", "spans": silver}).spans == [first]
