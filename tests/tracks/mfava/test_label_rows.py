"""Labels back in: every reason for which a row is not used, where spans stand, and voting over tokens."""

import pytest

from truerate.core.errors import TruerateError
from truerate.metrics.tokens import word_offsets
from truerate.tracks.mfava import label_rows
from truerate.tracks.mfava.label_rows import Label, Span, checked_labels, runs, token_types, voted

TEXTS = {"t1": "Red, yellow and blue 🙂 sky."}
ROW = {"task_id": "t1", "annotator": "ann", "spans": [{"text": "yellow", "type": "entity"}]}


def read(*rows, on_bad_row="reject"):
    return checked_labels(enumerate(rows, start=1), TEXTS, where="labels.jsonl", on_bad_row=on_bad_row)


def marks(*found: tuple[int, int, str]) -> tuple[Span, ...]:
    return tuple(Span(*one) for one in found)


def test_a_sound_row_by_text_or_by_offsets():
    assert read(ROW) == ([Label("t1", "ann", marks((5, 11, "entity")))], [])
    assert read(ROW | {"spans": [{"start": 0, "end": 3, "type": "invented"}]})[0][0].spans == marks(
        (0, 3, "invented")
    )
    assert read(ROW | {"spans": [], "plausibility": "likely"})[0] == [Label("t1", "ann", (), 4)]


BAD = {
    "unreadable": "{not json",
    "missing_field": {key: value for key, value in ROW.items() if key != "spans"},
    "unknown_task": ROW | {"task_id": "t9"},
    "bad_spans": ROW | {"spans": "yellow"},
    "unknown_type": ROW | {"spans": [{"text": "yellow", "type": "silly"}]},
    "outside_text": ROW | {"spans": [{"start": 5, "end": 99, "type": "entity"}]},
    "overlapping_types": ROW
    | {"spans": [{"start": 0, "end": 6, "type": "entity"}, {"start": 5, "end": 11, "type": "invented"}]},
    "bad_plausibility": ROW | {"plausibility": 6},
}


@pytest.mark.parametrize("reason", BAD)
def test_bad_rows(reason):
    found, rejects = read(BAD[reason])
    assert not found and [(row["reason"], row["row"]) for row in rejects] == [(reason, 1)]
    with pytest.raises(TruerateError, match="labels 'labels.jsonl' row 1: .*on_bad_row: reject"):
        read(BAD[reason], on_bad_row="stop")


def test_two_labels_of_one_annotator():
    found, rejects = read(ROW, ROW | {"spans": []})
    assert len(found) == 1 and [row["reason"] for row in rejects] == ["duplicate"]
    assert set(BAD) | {"duplicate"} == set(label_rows.BAD_ROWS)


def test_overlapping_spans_of_one_type_are_one_opinion():
    both = [{"start": 0, "end": 6, "type": "entity"}, {"start": 5, "end": 11, "type": "entity"}]
    assert read(ROW | {"spans": both})[0][0].spans == marks((0, 6, "entity"), (5, 11, "entity"))


def test_offsets_that_count_utf16_units():
    # the emoji at 21 is one character and two units, so "sky" stands at 23 and is given as 24
    given = {"start": 24, "end": 27, "text": "sky", "type": "entity"}
    assert read(ROW | {"spans": [given]})[0][0].spans == marks((23, 26, "entity"))
    assert read(ROW | {"spans": [given | {"text": "sea"}]})[1][0]["reason"] == "outside_text"


def test_votes_over_tokens():
    # red: 2 of 3 (entity, invented: a tie goes to entity); blue: all three (invented twice); green: 1 of 3
    text, offsets = "red blue green", word_offsets("red blue green")
    said = [
        Label("t", "a", marks((0, 3, "entity"), (4, 8, "invented"))),
        Label("t", "b", marks((0, 8, "invented"))),
        Label("t", "c", marks((4, 14, "subjective"))),
    ]
    share, types = voted(offsets, said)
    assert share.tolist() == pytest.approx([2 / 3, 1, 1 / 3])
    hard = runs(offsets, types, share, lambda p: p > 0.5)
    assert [(text[s["start"] : s["end"]], s["type"], s["p"]) for s in hard] == [
        ("red", "entity", 0.666667),
        ("blue", "invented", 1.0),
    ]
    assert len(runs(offsets, types, share, lambda p: p > 0)) == 3


def test_neighbours_of_one_type_and_share_are_one_span():
    offsets = word_offsets("red, blue green")
    both = [Label("t", "a", marks((0, 15, "entity"))), Label("t", "b", marks((0, 9, "entity")))]
    share, types = voted(offsets, both)
    found = runs(offsets, types, share, lambda p: p > 0)
    assert [(one["start"], one["end"], one["p"]) for one in found] == [(0, 9, 1.0), (10, 15, 0.5)]


def test_token_types():
    assert token_types(word_offsets("a b c"), marks((0, 3, "relation"))).tolist() == [2, 2, 0]
