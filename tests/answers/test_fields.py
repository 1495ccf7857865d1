"""Files as other tools write them: which field is taken for what, and what is said of it."""

import json

import pytest

from truerate.answers.fields import given_fields
from truerate.answers.rating import rate
from truerate.answers.reading import read_answers
from truerate.core.errors import SettingsError, SourceError

SOUND = "The harbour of Karlomi was built in 1412."


def read(tmp_path, *records, **given):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return read_answers(path, given)


@pytest.mark.parametrize("name", ["response", "output", "actual_output", "completion"])
def test_an_answer_by_another_name_is_taken_and_said(tmp_path, name):
    file = read(tmp_path, {name: SOUND, "user_input": "When?", "model": "larch", "language": "en"})
    (answer,) = file.answers
    assert (answer.text, answer.question, answer.system, answer.lang) == (SOUND, "When?", "larch", "en")
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
        ({"context": "phone"}, ""),  # a slice
        ({"reference": SOUND, "context": "phone"}, SOUND),
        # shorter than a golden answer would be
        ({"reference": SOUND, "context": "a customer on the phone"}, SOUND),
    ],
)
def test_the_evidence_is_no_golden_answer(tmp_path, record, reference):
    file = read(tmp_path, {"answer": "In 1412."} | record)
    assert file.answers[0].reference == reference
    if "1412" in record.values():
        assert any("golden answer" in note for note in file.notes)


def test_who_says_so_takes_the_golden_answer(tmp_path):
    record = {"answer": "In 1412.", "contexts": [SOUND], "reference": "1412"}
    file = read(tmp_path, record, reference="reference")
    assert file.answers[0].reference == "1412"


def test_short_references_are_said(tmp_path):
    file = read(tmp_path, {"answer": SOUND, "reference": "in 1412"})
    assert any("references are short (median 2 words, of answers 8)" in note for note in file.notes)


def test_what_is_no_slice_is_left_out_with_a_line(tmp_path):
    first = {"metadata": {"model": "x"}, "tags": ["a"], "is_hallucinated": True, "topic": "lakes"}
    second = {"metadata": None, "human_label": 1, "topic": None}
    file = read(tmp_path, {"answer": SOUND} | first, {"answer": SOUND} | second)
    assert [dict(one.slices) for one in file.answers] == [{"topic": "lakes"}, {"topic": ""}]
    (note,) = file.notes
    assert "metadata (objects), tags (lists), is_hallucinated (labels or verdicts" in note
    assert "human_label" in note


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({"answer": "1412", "response": SOUND}, "'answer', 'response' stand beside one another"),
        ({"response": SOUND, "output": "1412"}, "'response', 'output' stand beside one another"),
        ({"text": SOUND}, "it has no 'answer'; its fields are 'text'"),
        ({"output": {"content": SOUND}}, "it has no 'answer'; 'output' is no text"),
    ],
)
def test_a_file_that_does_not_say_which_is_the_answer(tmp_path, record, says):
    with pytest.raises(SourceError, match=says) as told:
        read(tmp_path, record)
    assert "--field answer=" in str(told.value) and "\n" not in str(told.value)
    name = list(record)[-1]
    if isinstance(record[name], str):
        assert read(tmp_path, record, answer=name).answers[0].text == record[name]


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
    assert list(found.slices) == ["half", "topic"] and set(found.not_sliced) == {"note", "user"}
