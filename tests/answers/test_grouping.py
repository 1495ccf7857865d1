"""Which answers are no independent draws, and what a report says of it."""

import json

import polars as pl
import pytest

from truerate.answers.grouping import grouping_of
from truerate.answers.rating import rate
from truerate.answers.telling import lines


def answers(n, labelled=lambda place: False, **values):
    """A table of n answers; `values`: of each field, by its place."""
    columns = {name: [value(place) for place in range(n)] for name, value in values.items()}
    label = [True if labelled(place) else None for place in range(n)]
    blank = [""] * n
    return pl.DataFrame(
        {
            "id": list(map(str, range(n))),
            "group": blank,
            "question": blank,
            "reference": blank,
            "label": label,
        }
        | columns,
        schema_overrides={"label": pl.Boolean},
    )


def fourth(place):
    return f"document {place // 4}"


@pytest.mark.parametrize(
    ("values", "by", "n"),
    [
        ({}, None, 12),
        ({"question": fourth}, "question", 3),
        ({"reference": fourth}, "reference", 3),
        ({"reference": fourth, "question": lambda place: f"q{place // 2}"}, "question", 6),
        ({"reference": fourth, "question": str, "group": lambda place: f"g{place // 6}"}, "group", 2),
        ({"reference": fourth, "question": str}, "reference", 3),
        ({"reference": lambda place: "the handbook"}, None, 12),
        ({"reference": lambda place: "" if place % 2 else fourth(place)}, "reference", 9),
        ({"id": fourth}, "id", 3),
    ],
)
def test_what_answers_have_in_common(values, by, n):
    found = grouping_of(answers(12, **values))
    assert (found.by, found.n) == (by, n)


def test_labels_by_document_make_documents_the_groups_whatever_was_asked_of_each():
    how = {"reference": fourth, "question": lambda place: f"q{place // 2}"}
    assert grouping_of(answers(40, lambda place: place < 12, **how)).by == "reference"
    assert grouping_of(answers(40, lambda place: place % 3 == 0, **how)).by == "question"


def test_a_report_says_how_answers_are_grouped_and_labels_were_given(tmp_path):
    """240 sentences about 30 documents, 12 labelled whole; in every second document all is hallucinated, so labels are
    worth twelve rows and not 96.
    """
    rows = [
        {"id": n, "answer": f"It opened in {n}.", "reference": f"Document {n // 8}.", "system": "ab"[n % 2]}
        for n in range(240)
    ]
    labels = [{"id": n, "is_hallucinated": (n // 8) % 2} for n in range(96)]
    for name, told in (("answers", rows), ("labels", labels)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in told))
    found = rate(tmp_path / "answers.jsonl", labels=tmp_path / "labels.jsonl", detector="word-support")
    said = "\n".join(lines(found))
    assert "answers are grouped by reference: 30 groups" in said
    assert "labels were given group by group: variance between 12 labelled groups" in said
    assert found.rate.value == pytest.approx(0.5) and found.rate.high - found.rate.low > 0.4
    assert found.pairs[0].p == 1.0


def test_abstentions_and_empty_answers_are_no_part_of_the_rate(tmp_path):
    """Three refusals, an empty answer and a sound one: 0 % of the one; a label of a refusal is said and not used."""
    texts = [
        "I don't know.",
        "I'm sorry, I can't answer that.",
        "The text does not mention it.",
        None,
        "It opened in 1412.",
    ]
    rows = [{"id": n, "answer": text, "reference": "It opened in 1412."} for n, text in enumerate(texts)]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = rate(tmp_path / "answers.jsonl", detector="word-support")
    assert found.rate.raw.value == 0 and found.rate.n == 1
    assert "answers: 5 = 1 judged + 3 abstained + 1 empty + 0 not judged" in "\n".join(lines(found))
    labels = [{"id": 0, "is_hallucinated": True}, {"id": 4, "is_hallucinated": False}]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    found = rate(tmp_path / "answers.jsonl", labels=tmp_path / "labels.jsonl", detector="word-support")
    said = "\n".join(lines(found))
    assert "all are labelled: exact for these answers" in said.splitlines()[0]
    assert "labels of answers that abstain or are empty, not used: 1, of which 1 say hallucinated" in said
