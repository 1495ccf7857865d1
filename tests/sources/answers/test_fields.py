"""Files as other tools write them: which field is taken for what, and what is said of it."""

import json
from datetime import date

import polars as pl
import pytest

from truerate.answers.rating import rate
from truerate.core.errors import SettingsError, SourceError
from truerate.sources.answers.fields import given_fields
from truerate.sources.answers.table import read_table

SOUND = "The harbour of Karlomi was built in 1412."


def read(tmp_path, *records, **given):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return read_table(path, fields=given)


@pytest.mark.parametrize("name", ["response", "output", "actual_output", "completion"])
def test_an_answer_by_another_name_is_taken_and_said(tmp_path, name):
    file = read(tmp_path, {name: SOUND, "user_input": "When?", "model": "larch", "language": "en"})
    row = file.frame.row(0, named=True)
    assert [row[name] for name in ("answer", "question", "system", "lang")] == [SOUND, "When?", "larch", "en"]
    named = f"answer is {name!r}, question is 'user_input', system is 'model', lang is 'language'"
    assert named in file.notes[0]


@pytest.mark.parametrize(
    ("record", "reference"),
    [
        ({"contexts": [SOUND, "Lake Ovra."]}, f"{SOUND}\n\nLake Ovra."),
        ({"context": SOUND}, SOUND),
        ({"retrieved_contexts": [SOUND], "reference": "1412"}, SOUND),
        ({"context": SOUND, "reference": "1412", "ground_truth": "1412"}, SOUND),
        ({"reference": [{"title": "Harbour", "text": SOUND}]}, SOUND),
        ({"documents": [{"page_content": SOUND, "metadata": {}}]}, SOUND),
        ({"user_input": "When?", "reference": "1412"}, ""),  # RAGAS' golden answer
        ({"ground_truth": "1412"}, ""),
        (
            {"answer": "1412", "response": "In 1412.", "reference": SOUND},
            SOUND,
        ),  # the response is the model's
        ({"context": "phone"}, ""),  # a slice
        ({"reference": SOUND, "context": "phone"}, SOUND),
        # shorter than a golden answer would be
        ({"reference": SOUND, "context": "a customer on the phone"}, SOUND),
    ],
)
def test_the_evidence_is_no_golden_answer(tmp_path, record, reference):
    file = read(tmp_path, {"answer": "In 1412."} | record)
    assert file.frame["reference"][0] == reference
    if "1412" in record.values():
        assert any("golden answer" in note for note in file.notes)


def test_who_says_so_takes_the_golden_answer(tmp_path):
    record = {"answer": "In 1412.", "contexts": [SOUND], "reference": "1412"}
    file = read(tmp_path, record, reference="reference")
    assert file.frame["reference"][0] == "1412"


def test_names_as_people_write_them(tmp_path):
    record = {"ID": 7.0, "User Input": "When?", "modelResponse": SOUND, "Retrieved Contexts": [SOUND]}
    file = read(tmp_path, record | {"Model-Name": "larch", "Topic": "ports"})
    row = file.frame.row(0, named=True)
    names = ("id", "question", "answer", "reference", "system", "slice:Topic")
    assert [row[name] for name in names] == ["7", "When?", SOUND, SOUND, "larch", "ports"]
    assert "answer is 'modelResponse'" in file.notes[0] and "system is 'Model-Name'" in file.notes[0]
    judged = read_table(
        tmp_path / "answers.jsonl", fields={"answer": "modelResponse"}, verdicts=["ID"], threshold=7
    )
    assert judged.verdicts == ["ID"]


def test_numbers_among_answers_are_texts_and_a_judge_of_another_scale_is_said(tmp_path):
    file = read(tmp_path, *({"answer": answer, "score": 60} for answer in (SOUND, 1412, True, 2.5)))
    assert file.frame["answer"].to_list() == [SOUND, "1412", "true", "2.5"]
    assert "answers that are numbers, read as texts: 3" in file.notes
    judged = read_table(tmp_path / "answers.jsonl", verdicts=["score"], threshold=70)
    assert "score lies in 60 … 60 and flags from 70 on (--threshold)" in judged.notes
    with pytest.raises(
        SourceError, match="score lies in 60 … 60; say from which score on it flags, --threshold"
    ):
        read_table(tmp_path / "answers.jsonl", verdicts=["score"])


def test_the_last_message_of_a_chat_is_the_answer(tmp_path):
    chat = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": SOUND}]
    row = read(tmp_path, {"messages": [{"role": "system", "content": "x"}, *chat]}).frame.row(0, named=True)
    assert (row["answer"], row["question"]) == (SOUND, "When?")
    said = [{"from": "human", "value": "When?"}, {"from": "gpt", "value": SOUND}]
    row = read(tmp_path, {"conversations": said}).frame.row(0, named=True)
    assert (row["answer"], row["question"]) == (SOUND, "When?")
    with pytest.raises(SourceError, match="it has no 'answer'; its fields are 'messages'"):
        read(tmp_path, {"messages": chat[::-1]})


def test_a_column_of_verdicts_is_no_slice(tmp_path):
    file = read(tmp_path, *({"answer": SOUND, "grade": grade} for grade in ("CORRECT", "INCORRECT")))
    assert not file.slices and "--verdicts grade" in file.notes[0]
    judged = read_table(tmp_path / "answers.jsonl", verdicts=["grade"])
    assert judged.frame["verdict:grade"].to_list() == [0, 1]


def test_times_are_no_slice_and_a_gap_in_numbers_is_no_value():
    frame = pl.DataFrame({"answer": [SOUND, SOUND], "at": [date(2026, 1, 1)] * 2, "k": [1.0, float("nan")]})
    table = read_table(frame)
    assert table.slices == ["k"] and table.frame["slice:k"].to_list() == ["1.0", ""]
    assert table.notes == ["left out, no slice: at (values of date)"]


def test_a_reference_much_shorter_than_answers_is_a_golden_answer(tmp_path):
    file = read(tmp_path, {"answer": SOUND, "reference": "in 1412"})
    assert file.frame["reference"][0] == ""
    assert any("golden answer, no evidence: median 2 words, of answers 8" in note for note in file.notes)


def test_what_is_no_slice_is_left_out_with_a_line(tmp_path):
    first = {
        "metadata": {"model": "x"},
        "tags": ["a"],
        "verdict": True,
        "topic": "lakes",
        "note": "word " * 20,
    }
    second = {"metadata": None, "label": 1, "topic": None}
    file = read(tmp_path, {"answer": SOUND} | first, {"answer": SOUND} | second)
    assert file.slices == ["topic"] and file.frame["slice:topic"].to_list() == ["lakes", ""]
    (note,) = file.notes
    assert "metadata (objects), tags (lists), verdict (verdicts or labels: --verdicts verdict" in note
    assert "note (long texts)" in note and "--map label=not:label" in note  # 1 may mean either


@pytest.mark.parametrize(
    ("records", "labels"),
    [
        (
            [{"is_hallucinated": value} for value in (True, "no", 0, None, "1.0")],
            [True, False, False, None, True],
        ),
        ([{"label": value} for value in ("Hallucinated", "faithful", "")], [True, False, None]),
        ([{"human_faithful": value} for value in (1, 0)], [False, True]),
        ([{"Human Label": value} for value in ("PASS", "Fail", "not_supported")], [False, True, True]),
        ([{"isHallucinated": value} for value in ("Y", "n", "fail")], [True, False, True]),
        (
            [
                {
                    "annotations": [
                        {"by": "a", "label": "pass"},
                        {"by": "b", "label": "FAIL"},
                        {"label": "fail"},
                    ]
                }
            ],
            [True],
        ),
        # a word says by itself what it means, whatever the field is called; a number does not
        ([{"human_faithful": value} for value in ("faithful", "hallucinated", 0)], [False, True, True]),
        ([{"labels": [{"start": 0, "end": 3, "label_type": "x"}]}, {"labels": []}], [True, False]),
        # two of three; a tie, which is said
        ([{"is_hallucinated": [1, 1, 0]}, {"is_hallucinated": {"ann": True, "bo": False}}], [True, None]),
        (
            [
                {"human_hallucinated": 1, "is_hallucinated": 1},
                {"human_hallucinated": 0, "is_hallucinated": None},
            ],
            [True, False],
        ),
    ],
)
def test_labels_beside_the_answers_vote(tmp_path, records, labels):
    table = read(tmp_path, *({"answer": SOUND} | record for record in records))
    assert table.frame["label"].to_list() == labels and not table.slices
    assert any("people's labels" in note for note in table.notes)


def test_paths_into_objects_and_columns_that_are_turned(tmp_path):
    record = {"output": [{"text": SOUND}], "meta": {"ok": True}, "score": 0.75}
    table = read(tmp_path, record, answer="output.0.text", label="not:meta.ok")
    row = table.frame.row(0, named=True)
    assert (row["answer"], row["label"]) == (SOUND, False) and table.slices == []
    path = tmp_path / "answers.jsonl"
    judged = read_table(path, fields={"answer": "output.0.text"}, verdicts=["not:score"], threshold=0.7)
    assert judged.frame["verdict:score"].to_list() == [0.25] and judged.flags("score").tolist() == [0]


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({"response": SOUND, "output": "1412"}, "'response', 'output' stand beside one another"),
        ({"text": SOUND}, "it has no 'answer'; its fields are 'text'"),
        ({"output": {"content": SOUND}}, "it has no 'answer'; 'output' is no text"),
    ],
)
def test_a_file_that_does_not_say_which_is_the_answer(tmp_path, record, says):
    with pytest.raises(SourceError, match=says) as told:
        read(tmp_path, record)
    assert "--map answer=" in str(told.value) and "\n" not in str(told.value)
    name = list(record)[-1]
    if isinstance(record[name], str):
        assert read(tmp_path, record, answer=name).frame["answer"][0] == record[name]


def test_options_that_name_no_field():
    assert given_fields(["answer=output", "reference=a=b"]) == {"answer": "output", "reference": "a=b"}
    with pytest.raises(SettingsError, match="'answr=x': allowed: ROLE=FIELD"):
        given_fields(["answr=x"])


def test_a_field_that_is_nowhere(tmp_path):
    with pytest.raises(SourceError, match="no line has 'reply'; the fields are 'answer'"):
        read(tmp_path, {"answer": SOUND}, answer="reply")


def test_long_texts_and_mostly_unlike_values_are_no_slices(tmp_path):
    same = {"answer": SOUND, "reference": SOUND, "note": "a word " * 20}
    records = [same | {"user": f"u{n}", "half": f"h{n // 2}", "topic": n % 2} for n in range(12)]
    read(tmp_path, *records)
    found = rate(tmp_path / "answers.jsonl", detector="word-support")
    assert list(found.slices) == ["half", "topic"] and found.not_sliced == ["user"]
    assert any("note (long texts)" in note for note in found.notes)


def test_the_words_that_mean_hallucinated_are_named():
    rows = [
        {"answer": "A", "is_factual": "invented", "v": "x"},
        {"answer": "B", "is_factual": "sound", "v": "y"},
        {"answer": "C", "is_factual": "doubtful", "v": "x"},
        {"answer": "D", "is_factual": None, "v": "y"},
    ]
    table = read_table(rows, fields=given_fields(["label=is_factual=invented|doubtful"]))
    assert table.frame["label"].to_list() == [True, False, True, None]
    assert table.slices == ["v"], "the field itself is no slice"
    with pytest.raises(
        SourceError, match="no line has such a value; it has 'invented', 'sound', 'doubtful'$"
    ):
        read_table(rows, fields={"label": "is_factual=false"})
    with pytest.raises(SourceError, match="is 'invented'; .* --map label=is_factual=WORD$"):
        read_table(rows, fields={"label": "is_factual"})
