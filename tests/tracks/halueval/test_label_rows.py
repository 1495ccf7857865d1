"""Labels back in: every reason for which something is not used, screening, the draw, and max-voting."""

import pytest

from truerate.core.errors import TruerateError
from truerate.tracks.halueval import label_rows
from truerate.tracks.halueval.label_rows import Label, Span

TASKS = [{"task_id": "t1", "query": "Q?", "response": "Red, yellow and blue."}]
ROW = {
    "task_id": "t1",
    "annotator": "ann",
    "hallucination": "yes",
    "spans": [{"text": "yellow", "type": "non-factual"}],
}


def read(*rows, on_bad_row="reject"):
    return label_rows.checked_labels(
        list(enumerate(rows, start=1)), TASKS, where="labels.jsonl", on_bad_row=on_bad_row
    )


def test_a_sound_row():
    found = read(ROW)
    assert found.labels == [Label("t1", "ann", True, (Span(5, 11, "non-factual"),))] and not found.rejects


def test_offsets_in_place_of_the_text():
    assert read(ROW | {"spans": [{"start": 0, "end": 3, "type": "irrelevant"}]}).labels[0].spans == (
        Span(0, 3, "irrelevant"),
    )


BAD = {
    "unreadable": "{not json",
    "missing_field": {key: value for key, value in ROW.items() if key != "annotator"},
    "unknown_task": ROW | {"task_id": "t9"},
    "bad_verdict": ROW | {"hallucination": "maybe"},
    "bad_spans": ROW | {"spans": [{"text": "yellow", "type": "silly"}]},
}


@pytest.mark.parametrize("reason", BAD)
def test_bad_rows(reason):
    found = read(BAD[reason])
    assert not found.labels and [(row["reason"], row["row"]) for row in found.rejects] == [(reason, 1)]
    with pytest.raises(TruerateError, match="row 1: .*on_bad_row: reject"):
        read(BAD[reason], on_bad_row="stop")


def test_duplicate():
    found = read(ROW, ROW | {"hallucination": "no", "spans": []})
    assert len(found.labels) == 1 and [row["reason"] for row in found.rejects] == ["duplicate"]


def test_spans_that_are_not_a_list_of_objects():
    assert read(ROW | {"spans": "yellow"}).rejects[0]["reason"] == "bad_spans"


def test_span_not_verbatim_is_left_out_and_the_label_kept():
    found = read(ROW | {"spans": [{"text": "purple", "type": "non-factual"}]}, on_bad_row="stop")
    assert found.labels[0].spans == () and [row["reason"] for row in found.rejects] == ["span_not_verbatim"]
    assert (
        read(ROW | {"spans": [{"start": 5, "end": 99, "type": "irrelevant"}]}).rejects[0]["reason"]
        == "span_not_verbatim"
    )


def test_span_of_no_is_left_out():
    found = read(ROW | {"hallucination": "no"}, on_bad_row="stop")
    assert found.labels[0].spans == () and [row["reason"] for row in found.rejects] == ["span_of_no"]


def test_reasons_are_closed():
    assert set(BAD) | {"duplicate"} == set(label_rows.BAD_ROWS)
    assert label_rows.NOT_KEPT == (
        "span_not_verbatim",
        "span_of_no",
        "screened_out",
        "too_few_labellers",
        "tie",
    )


def label(annotator, verdict, task="t1", *spans):
    return Label(task, annotator, verdict, spans)


def test_screening_counts_a_probe_left_out_as_wrong():
    truth = {"p1": True, "p2": False}
    found = [
        label("good", True, "p1"),
        label("good", False, "p2"),
        label("lazy", True, "p1"),
        label("bad", False, "p1"),
        label("bad", True, "p2"),
    ]
    rates = label_rows.probe_rates(found, truth)
    assert rates == {"good": 1.0, "lazy": 0.5, "bad": 0.0}
    assert label_rows.passing(rates, pass_rate=0.8) == {"good"}


def test_without_probes_everyone_passes():
    assert label_rows.passing(label_rows.probe_rates([label("a", True)], {}), pass_rate=0.8) == {"a"}


def test_the_draw_is_seeded_and_takes_only_those_who_passed():
    found = [label(name, True) for name in "abcdef"]
    drawn = label_rows.drawn_labels(found, set("abcde"), n=3, seed=7)
    assert drawn == label_rows.drawn_labels(found[::-1], set("abcde"), n=3, seed=7)
    assert len(drawn["t1"]) == 3 and "f" not in {one.annotator for one in drawn["t1"]}


def test_max_voting():
    assert label_rows.voted([label("a", True), label("b", True), label("c", False)], n=3) == (True, None)
    assert label_rows.voted([label("a", True), label("b", False)], n=2) == (None, "tie")
    assert label_rows.voted([label("a", True)], n=3) == (None, "too_few_labellers")


def test_spans_that_most_labellers_marked():
    # characters 2–5 are marked by two of three, 0–1 and 6–9 by one; both types are named once, so the paper's
    # order decides
    a, b = Span(0, 6, "non-factual"), Span(2, 10, "irrelevant")
    found = [label("a", True, "t1", a), label("b", True, "t1", b), label("c", True)]
    assert label_rows.voted_spans(found) == [{"start": 2, "end": 6, "type": "non-factual", "p": 0.666667}]
    assert label_rows.voted_type(found) == "non-factual"
    assert label_rows.voted_type([label("a", True)]) is None
