"""Label files: three formats give the same rows."""

import json

import pytest

from truerate.annotation.label_files import read_labels
from truerate.core.errors import TruerateError

SPAN = {"start": 4, "end": 7, "text": "big", "type": "entity"}
ROW = {"task_id": "t1", "annotator": "7", "spans": [SPAN], "plausibility": 4}


def write(folder, name: str, text: str):
    (folder / name).write_text(text, "utf-8")
    return folder / name


def exported(**changes) -> list[dict]:
    mark = {
        "from_name": "label",
        "type": "labels",
        "value": {"start": 4, "end": 7, "text": "big", "labels": ["entity"]},
    }
    rating = {"from_name": "plausibility", "type": "rating", "value": {"rating": 4}}
    return [
        {
            "id": 1,
            "data": {"task_id": "t1"},
            "annotations": [{"completed_by": 7, "result": [mark, rating]} | changes],
        }
    ]


def test_jsonl_csv_and_label_studio_say_the_same(tmp_path):
    cell = json.dumps([SPAN]).replace('"', '""')
    jsonl = read_labels(write(tmp_path, "l.jsonl", json.dumps(ROW) + "\n\n"))
    csv = read_labels(
        write(tmp_path, "l.csv", f'task_id,annotator,spans,plausibility\nt1,7,"{cell}",4\nt1,8,,\n')
    )
    assert jsonl == [(1, ROW)] == read_labels(write(tmp_path, "l.json", json.dumps(exported())))
    assert csv[0] == (1, ROW | {"plausibility": "4"}) and csv[1][1]["spans"] == []


def test_label_studio_names_people_by_address_and_leaves_cancelled_ones_out(tmp_path):
    rows = read_labels(
        write(tmp_path, "a.json", json.dumps(exported(completed_by={"id": 3, "email": "ann@example.org"})))
    )
    assert rows[0][1]["annotator"] == "ann@example.org"
    assert read_labels(write(tmp_path, "b.json", json.dumps(exported(was_cancelled=True)))) == []


def test_label_studio_choices_become_fields(tmp_path):
    part = {"from_name": "hallucination", "type": "choices", "value": {"choices": ["yes"]}}
    rows = read_labels(write(tmp_path, "a.json", json.dumps(exported(result=[part]))))
    assert rows == [(1, {"task_id": "t1", "annotator": "7", "spans": [], "hallucination": "yes"})]


def test_what_is_no_annotation_comes_back_as_text(tmp_path):
    bare = [entry | {"data": "t1"} for entry in exported()]
    actual = [{"data": {"task_id": "t1"}}, *exported(result="none"), *bare]
    assert [type(row) for _, row in read_labels(write(tmp_path, "a.json", json.dumps(actual)))] == [str] * 3


def test_files_that_cannot_be_read_are_one_line(tmp_path):
    with pytest.raises(TruerateError, match="reading labels .*No such file"):
        read_labels(tmp_path / "none.jsonl")
    with pytest.raises(TruerateError, match="not a list of tasks"):
        read_labels(write(tmp_path, "a.json", "{}"))
    (tmp_path / "b.jsonl").write_bytes(b"\xff")
    with pytest.raises(TruerateError, match="not UTF-8 at byte 0"):
        read_labels(tmp_path / "b.jsonl")
