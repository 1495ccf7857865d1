"""Label rows: which hold, who is heard, and how a task is settled."""

import pytest

from truerate.core.errors import SourceError
from truerate.tracks.halludial.label_rows import (
    Label,
    agreement_with_others,
    checked_labels,
    heard,
    voted,
    voted_spans,
)

TASKS = [
    {"task_id": "t", "kind": "natural", "response": "It is 😀 Porto."},
    {"task_id": "m", "kind": "meta", "response": "It is Porto."},
]


def read(*rows, on_bad_row: str = "reject"):
    return checked_labels(list(enumerate(rows, 1)), TASKS, where="labels.jsonl", on_bad_row=on_bad_row)


def given(task: str = "t", who: str = "a", **more) -> dict:
    return {"task_id": task, "annotator": who} | more


def label(task: str, who: str, said: bool, *spans: tuple[int, int]) -> Label:
    return Label(task, who, "natural", said, spans)


def test_a_response_and_a_judgement_are_labelled_each_in_its_field():
    found = read(given(hallucination="Yes", spans=[{"text": "Porto"}]), given("m", accurate="Inaccurate"))
    assert [(one.kind, one.said, one.spans) for one in found.labels] == [
        ("natural", True, ((8, 13),)),
        ("meta", False, ()),
    ]


def test_places_in_utf16_units_are_read_where_the_text_tells():
    spans = [{"start": 9, "end": 14, "text": "Porto"}]  # the face counts two units
    assert read(given(hallucination="yes", spans=spans)).labels[0].spans == ((8, 13),)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("no JSON", "unreadable"),
        (given("t"), "missing_field"),
        (given("x", hallucination="yes"), "unknown_task"),
        (given(hallucination="accurate"), "bad_verdict"),
        (given("m", accurate="maybe"), "bad_verdict"),
        (given(hallucination="yes", spans="Porto"), "bad_spans"),
    ],
)
def test_a_bad_row_is_booked_with_its_reason_or_stops(row, reason):
    assert [one["reason"] for one in read(row).rejects] == [reason]
    with pytest.raises(SourceError, match="labels.jsonl"):
        read(row, on_bad_row="stop")


def test_an_annotator_labels_a_task_once():
    twice = read(given(hallucination="yes"), given(hallucination="no"))
    assert len(twice.labels) == 1 and twice.rejects[0]["reason"] == "duplicate"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (given(hallucination="yes", spans=[{"text": "Madrid"}]), "span_not_verbatim"),
        (given(hallucination="no", spans=[{"text": "Porto"}]), "span_of_no"),
    ],
)
def test_a_span_that_does_not_hold_is_left_out_and_its_label_stays(row, reason):
    found = read(row)
    assert found.labels[0].spans == () and [one["reason"] for one in found.rejects] == [reason]


def test_an_annotator_who_rarely_says_what_most_others_say_is_not_heard():
    labels = [label(str(n), who, n % 2 == 0) for n in range(4) for who in "abc"]
    labels += [label(str(n), "d", n % 2 == 1) for n in range(4)]
    shares = agreement_with_others(labels)
    assert shares["a"] == (1.0, 4) and shares["d"] == (0.0, 4)
    assert heard(shares, 0.6) == {"a", "b", "c"}


def test_of_whom_agreement_cannot_be_told_is_heard():
    assert agreement_with_others([label("t", "a", True)]) == {"a": (None, 0)}
    assert heard({"a": (None, 0)}, 1.0) == {"a"}


def test_most_votes_settle_a_task():
    yes, no = label("t", "a", True), label("t", "b", False)
    assert voted([yes, yes, no], n=3) == (True, None)
    assert voted([yes, no], n=3) == (None, "tie")
    assert voted([yes], n=3) == (None, "too_few_labellers")


def test_spans_are_what_most_of_those_who_said_yes_marked():
    # a and b marked 0–4 and 2–6, c said no: 2–4 is marked by both
    labels = [label("t", "a", True, (0, 4)), label("t", "b", True, (2, 6)), label("t", "c", False)]
    assert voted_spans(labels) == [{"start": 2, "end": 4, "type": "unspecified", "p": 1.0}]
    assert voted_spans([label("t", "c", False)]) == []
