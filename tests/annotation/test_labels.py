"""Label rows of the three tracks that mark spans: what holds, and every reason for which a row or a span is
not used.
"""

import pytest

from truerate.annotation import labels as annotation
from truerate.annotation.labels import Label, Span
from truerate.core.errors import SourceError
from truerate.tracks.halludial import labels
from truerate.tracks.halueval import labels as halueval
from truerate.tracks.mfava import labels as mfava

TEXT = "Red, yellow and blue 🙂 sky."


TRACKS = {"halludial": labels, "halueval": halueval, "mfava": mfava}
KIND = {"halludial": "unspecified", "halueval": "irrelevant", "mfava": "entity"}
TASKS = [
    {"task_id": "t", "kind": "natural", "response": TEXT},
    {"task_id": "m", "kind": "meta", "response": TEXT},
]
YES, NO = {"hallucination": "Yes"}, {"hallucination": "no"}


def read(track: str, *rows, on_bad_row: str = "reject"):
    tasks = {task["task_id"]: task for task in TASKS}
    if track == "mfava":
        tasks = {name: mfava.Text(name, "", "", "", "", TEXT, None, (), None) for name in tasks}
    reader, how = TRACKS[track].read_row, {"where": "labels.jsonl", "on_bad_row": on_bad_row}
    return annotation.checked_labels(list(enumerate(rows, 1)), tasks, reader, **how)


def row(track: str, *spans: dict, task: str = "t", **fields) -> dict:
    columns = {"task_id": task, "annotator": "ann", "spans": [{"type": KIND[track]} | span for span in spans]}
    return columns | (YES if track != "mfava" and task == "t" else {}) | fields


@pytest.mark.parametrize("track", TRACKS)
@pytest.mark.parametrize(
    ("span", "bounds"),
    [
        ({"text": "yellow"}, (5, 11)),
        ({"start": 0, "end": 3}, (0, 3)),
        ({"start": 24, "end": 27, "text": "sky"}, (23, 26)),  # UTF-16 units: the face counts two
    ],
)
def test_a_span_stands_where_its_text_or_its_offsets_say(track, span, bounds):
    (label,), rejects = read(track, row(track, span))
    assert label.spans == (Span(*bounds, KIND[track]),) and label.value is True and not rejects


def test_a_judgement_and_a_plausibility_have_fields_of_their_own():
    (label,), _ = read("halludial", row("halludial", task="m", accurate="Inaccurate"))
    assert (label.kind, label.value, label.spans) == ("meta", False, ())
    (label,), _ = read("mfava", row("mfava", plausibility="likely"))
    assert label == Label("t", "ann", False, rating=4)
    (label,), _ = read("mfava", row("mfava", {"text": "yellow"}, {"text": "Red", "plausibility": "5"}))
    assert label.ratings == (5, None) and label.spans == (Span(0, 3, "entity"), Span(5, 11, "entity"))


BAD = [
    *((track, reason, bad) for track in TRACKS for reason, bad in (
        ("unreadable", "{not json"),
        ("missing_field", {"task_id": "t", "spans": []} | YES),
        ("unknown_task", row(track, task="t9") | YES),
        ("bad_spans", row(track) | {"spans": "yellow"}),
    )),
    ("halueval", "bad_verdict", row("halueval", hallucination="maybe")),
    ("halueval", "bad_spans", row("halueval", {"text": "yellow", "type": "silly"})),
    ("halludial", "bad_verdict", row("halludial", hallucination="accurate")),
    ("halludial", "bad_verdict", row("halludial", task="m", accurate="maybe")),
    ("mfava", "missing_field", {"task_id": "t", "annotator": "ann"}),
    ("mfava", "unknown_type", row("mfava", {"text": "yellow", "type": "silly"})),
    ("mfava", "outside_text", row("mfava", {"start": 5, "end": 99})),
    ("mfava", "outside_text", row("mfava", {"start": 24, "end": 27, "text": "sea"})),
    ("mfava", "overlapping_types", row("mfava", {"start": 0, "end": 6}, {"start": 5, "end": 11, "type": "invented"})),
    ("mfava", "bad_plausibility", row("mfava", plausibility=6)),
    ("mfava", "bad_plausibility", row("mfava", {"text": "Red", "plausibility": 0})),
    ("mfava", "bad_plausibility", row("mfava", {"text": "Red", "plausibility": 2}, {"text": "Red", "plausibility": 3})),
]  # fmt: skip


@pytest.mark.parametrize(("track", "reason", "bad"), BAD)
def test_a_bad_row_stops_or_is_rejected_with_its_reason(track, reason, bad):
    labels, rejects = read(track, bad)
    assert not labels and [(reject["reason"], reject["row"]) for reject in rejects] == [(reason, 1)]
    with pytest.raises(SourceError, match="labels 'labels.jsonl' row 1: .*on_bad_row: reject"):
        read(track, bad, on_bad_row="stop")


@pytest.mark.parametrize("track", TRACKS)
def test_an_annotator_labels_a_task_once_and_reasons_are_closed(track):
    labels, rejects = read(track, row(track), row(track))
    assert len(labels) == 1 and [reject["reason"] for reject in rejects] == ["duplicate"]
    assert {reason for name, reason, _ in BAD if name == track} | {"duplicate"} == set(TRACKS[track].BAD_ROWS)


@pytest.mark.parametrize("track", ["halludial", "halueval"])
@pytest.mark.parametrize(
    ("span", "judgements", "reason"),
    [
        ({"text": "purple"}, YES, "span_not_verbatim"),
        ({"start": 5, "end": 99}, YES, "span_not_verbatim"),
        ({"text": "yellow"}, NO, "span_of_no"),
    ],
)
def test_a_span_that_does_not_hold_is_left_out_and_its_label_stays(track, span, judgements, reason):
    (label,), rejects = read(track, row(track, span) | judgements, on_bad_row="stop")
    assert label.spans == () and [reject["reason"] for reject in rejects] == [reason]


def test_overlapping_spans_of_one_type_are_one_opinion():
    (label,), _ = read("mfava", row("mfava", {"start": 0, "end": 6}, {"start": 5, "end": 11}))
    assert label.spans == (Span(0, 6, "entity"), Span(5, 11, "entity"))
