"""Labels against the answers that they label: verdicts in several words, spans by what their offsets count."""

import json
from pathlib import Path

import polars as pl
import pytest

from truerate.core.errors import SourceError
from truerate.sources.answers.labels import with_labels
from truerate.sources.answers.table import read_table

EMOJI = "😀😀 Since 1900 and 1955."  # 1900 at 9 in code points, 11 in UTF-16 units, 15 in bytes
GERMAN = "Köln, Gößweinstein: seit 1900."  # at 25 in code points and UTF-16 units, at 28 in bytes


def labelled(folder: Path, answers: list, labels: list) -> list[dict]:
    for name, rows in (("answers", answers), ("labels", labels)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    table = with_labels(read_table(folder / "answers.jsonl"), folder / "labels.jsonl")
    return table.frame.select("id", "label", "spans").rows(named=True)


def of_text(folder, text, *spans):
    row = labelled(folder, [{"answer": text}], [{"id": 1, "spans": list(spans)}])[0]
    return tuple((span["start"], span["end"]) for span in row["spans"])


@pytest.mark.parametrize("start", [9, 11, 15])
def test_spans_are_held_against_their_own_text(tmp_path, start):
    assert of_text(tmp_path, EMOJI, {"start": start, "end": start + 4, "text": "1900"}) == ((9, 13),)


def test_bytes_before_letters_of_two(tmp_path):
    assert of_text(tmp_path, GERMAN, {"start": 28, "end": 32, "text": "1900"}) == ((25, 29),)


def test_a_span_that_holds_another_text_is_one_line(tmp_path):
    with pytest.raises(
        SourceError, match="line 1: span 10–14 of answer '1' does not contain its text '1900'"
    ) as told:
        of_text(tmp_path, EMOJI, {"start": 10, "end": 14, "text": "1900"})
    assert "\n" not in str(told.value)


def test_without_a_text_offsets_count_code_points_or_as_the_others_of_the_file(tmp_path):
    assert of_text(tmp_path, EMOJI, [9, 13]) == ((9, 13),)
    spans = [{"start": 11, "end": 15, "text": "1900"}, {"start": 20, "end": 24}]
    assert of_text(tmp_path, EMOJI, *spans) == ((9, 13), (18, 22))
    assert EMOJI[18:22] == "1955"


def test_two_places_of_one_text_are_told_by_the_rest_of_the_file(tmp_path):
    """ "aa" behind two emoji stands at 2 and 4 in code points; offset 4 means 4, or in UTF-16 units 2."""
    text = "😀😀aaaa 1900"
    by_units = {"start": 9, "end": 13, "text": "1900"}  # 7 in code points
    assert of_text(tmp_path, text, {"start": 4, "end": 6, "text": "aa"}, by_units) == ((2, 4), (7, 11))
    by_points = {"start": 7, "end": 11, "text": "1900"}
    assert of_text(tmp_path, text, {"start": 4, "end": 6, "text": "aa"}, by_points) == ((4, 6), (7, 11))
    with pytest.raises(SourceError, match="may stand in two places"):
        of_text(tmp_path, text, {"start": 4, "end": 6, "text": "aa"}, by_units, by_points)


def test_a_text_alone_is_enough_where_it_stands_once(tmp_path):
    assert of_text(tmp_path, EMOJI, {"text": "1900"}) == ((9, 13),)
    with pytest.raises(SourceError, match="does not stand once"):
        of_text(tmp_path, "1900 or 1900", {"text": "1900"})


def test_places_in_the_answer_as_written_are_moved_with_what_was_cut_off(tmp_path):
    written = "<think>1900?</think>Since 1900."
    assert of_text(tmp_path, written, {"start": 26, "end": 30, "text": "1900"}) == ((6, 10),)
    assert of_text(tmp_path, written, {"start": 7, "end": 11, "text": "1900"}) == ()


@pytest.mark.parametrize(
    ("value", "is_hallucinated"),
    [
        *((value, True) for value in (True, 1, 1.0, "1", "yes", "True", " YES ", "hallucinated")),
        *((value, False) for value in (False, 0, 0.0, "0", "no", "false", "faithful", "not hallucinated")),
    ],
)
def test_verdicts_in_several_words(tmp_path, value, is_hallucinated):
    found = labelled(tmp_path, [{"answer": "a"}], [{"id": 1, "is_hallucinated": value}])
    assert found == [{"id": "1", "label": is_hallucinated, "spans": None}]


@pytest.mark.parametrize("value", ["perhaps", 2, 0.5, [], "hallucinated?"])
def test_other_words_are_no_verdict(tmp_path, value):
    with pytest.raises(SourceError, match="allowed: true, false, 0, 1, yes, no, hallucinated, faithful"):
        labelled(tmp_path, [{"answer": "a"}], [{"id": 1, "is_hallucinated": value}])


def test_the_file_of_answers_may_be_that_of_labels_too(tmp_path):
    rows = [
        {"id": n, "answer": "a", "topic": "x", "is_hallucinated": value}
        for n, value in enumerate([True, None, 0])
    ]
    assert [row["label"] for row in labelled(tmp_path, rows, rows)] == [True, None, False]


def test_several_people_label_one_answer_and_a_run_names_its_repeat(tmp_path):
    rows = [{"id": "a", "answer": "x", "run": run} for run in (1, 2)]
    votes = [("ann", 1, 1), ("bo", 1, 1), ("cy", 1, 0), ("ann", 2, 1), ("bo", 2, 0)]
    labels = [{"id": "a", "run": run, "annotator": who, "is_hallucinated": vote} for who, run, vote in votes]
    assert [row["label"] for row in labelled(tmp_path, rows, labels)] == [True, None]
    with pytest.raises(SourceError, match="2 answers have the id 'a'; name its 'run' or 'system' too"):
        labelled(tmp_path, rows, [{"id": "a", "is_hallucinated": 1}])


def test_a_blind_sheet_tells_answers_of_one_id_apart_by_their_text(tmp_path):
    rows = [{"id": "q", "system": name, "answer": f"A {name}."} for name in ("elm", "oak")]
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"id": "q", "answer": "A oak.", "is_hallucinated": true}')
    table = with_labels(read_table(pl.DataFrame(rows)), str(labels))
    assert table.frame["label"].to_list() == [None, True]


def test_an_equal_text_of_two_systems_in_a_blind_sheet_is_labelled_once_each_and_evenly(tmp_path):
    rows = [
        {"id": f"q{i}", "system": name, "answer": "It was built in 1412."}
        for i in range(200)
        for name in ("elm", "oak")
    ]
    table = read_table(pl.DataFrame(rows))
    line = {"answer": "It was built in 1412.", "is_hallucinated": True}

    def n_labelled(n_lines):
        labels = pl.DataFrame([{"id": f"q{i}", **line} for i in range(200) for _ in range(n_lines)])
        frame = with_labels(table, labels).frame.filter(pl.col("label"))
        return [frame.filter(system=name).height for name in ("elm", "oak")]

    assert n_labelled(2) == [200, 200]
    one, other = n_labelled(1)
    assert one + other == 200 and 70 <= one <= 130  # four standard errors of a fair coin
    with pytest.raises(SourceError, match="2 answers have the id 'q0'; name its 'run' or 'system' too"):
        n_labelled(3)


@pytest.mark.parametrize(
    "sheet",
    [
        "id;is_hallucinated\n1;no\n2;yes\n",  # as spreadsheets save it where a comma stands in numbers
        "\ufeffsep=;\r\nid;is_hallucinated\r\n1;no\r\n2;yes\r\n",
        "id\thallucinated\n1\tno\n2\tyes\n3\t\n",
        'id,spans\n1,[]\n2,"[{""start"": 6, ""end"": 11, ""text"": ""three""}]"\n',
    ],
)
def test_a_sheet_is_read_whatever_divides_its_cells(tmp_path, sheet):
    (tmp_path / "answers.csv").write_text("id,answer\n1,It is two.\n2,It is three.\n3,It is four.\n", "utf-8")
    (tmp_path / "labels.csv").write_text(sheet, "utf-8", newline="")
    table = with_labels(read_table(tmp_path / "answers.csv"), tmp_path / "labels.csv")
    marked = [None if spans is None else bool(spans) for spans in table.frame["spans"].to_list()]
    assert [False, True, None] in (table.frame["label"].to_list(), marked)
    (tmp_path / "labels.csv").write_text(sheet.replace("2", "9"), "utf-8", newline="")
    number = next(n for n, row in enumerate(sheet.split("\n"), start=1) if row[0] == "2")
    with pytest.raises(SourceError, match=f"line {number}: no answer has the id '9'"):
        with_labels(read_table(tmp_path / "answers.csv"), tmp_path / "labels.csv")
