"""RAGTruth's two files, in rows that we wrote after its README."""

import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import pair

QUESTION = {
    "source_id": "1",
    "task_type": "QA",
    "source": "MARCO",
    "source_info": {"question": "What is Varn?", "passages": "passage 1:Varn is a town."},
} | {"prompt": "Answer."}
DOCUMENT = {
    "source_id": "2",
    "task_type": "Summary",
    "source": "CNN/DM",
    "source_info": "Varn opened a bridge.",
    "prompt": "Summarise.",
}
DATA = {
    "source_id": "3",
    "task_type": "Data2txt",
    "source": "Yelp",
    "source_info": {"name": "Bar", "hours": None},
    "prompt": "Write.",
}
LABEL = {
    "start": 2, "end": 7, "text": "river", "meta": "It is a town.", "label_type": "Evident Conflict",
    "due_to_null": False, "implicit_true": False,
}  # fmt: skip
RESPONSE = {
    "id": "9",
    "source_id": "1",
    "model": "gpt-4-0613",
    "temperature": 0.7,
    "labels": [LABEL],
    "split": "train",
    "quality": "good",
} | {"response": "A river."}


@pytest.fixture
def read_responses(put, read):
    """The tables of these responses."""

    def run(*responses, on_bad_row="stop"):
        put("source_info.jsonl", [QUESTION, DOCUMENT, DATA])
        put("response.jsonl", list(responses))
        return read("ragtruth", on_bad_row)

    return run


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_published_split_wins_over_the_hash_of_the_group(read_responses, split):
    assert read_responses(RESPONSE | {"split": split}).samples["split"].to_list() == [split]


def test_each_task_has_its_kind_of_item(read_responses):
    got = read_responses(
        RESPONSE, *(RESPONSE | {"id": name, "source_id": name, "labels": []} for name in "23")
    )
    assert sorted(got.items.select("task", "question").rows()) == [
        ("general", "Write an objective overview of the local business Bar."),
        ("qa", "What is Varn?"),
        ("summarization", ""),
    ]
    assert (
        "passage 1:Varn is a town." in got.documents["text"].to_list()
        and '{\n "name": "Bar",\n "hours": null\n}' in got.documents["text"].to_list()
    )
    assert got.samples.sort("task").select("task", "is_hallucinated").rows() == [
        ("general", False),
        ("qa", True),
        ("summarization", False),
    ]
    assert "not tried on the original" in got.card["citation"] and got.card["redistribution"] == "ids-only"


def test_marks_remarks_and_the_published_split(read_responses):
    got = read_responses(RESPONSE)
    sample = got.samples.row(0, named=True)
    assert sample["spans"] == [{"start": 2, "end": 7, "type": "Evident Conflict", "p": None}]
    assert (sample["generator"], sample["label_source"], sample["rationale"]) == (
        "gpt-4-0613",
        "gold",
        "It is a town.",
    )
    assert got.samples.select(
        pair("attributes", "published_split"), pair("attributes", "quality").alias("q")
    ).rows() == [("train", "good")]


def test_what_is_right_but_not_in_the_text_counts_and_is_told_apart(read_responses):
    got = read_responses(
        RESPONSE | {"labels": [LABEL | {"implicit_true": True}]}, RESPONSE | {"id": "10", "labels": []}
    )
    rows = got.samples.select(
        "is_hallucinated", pair("attributes", "n_labels"), pair("attributes", "n_implicit_true").alias("i")
    ).rows()
    assert (
        sorted(rows) == [(False, "0", "0"), (True, "1", "1")] and got.card["counts"]["n_implicit_true"] == 1
    )


def test_labels_that_overlap_are_one_span_of_both_types(read_responses):
    other = LABEL | {"start": 0, "end": 4, "text": "A ri", "label_type": "Subtle Baseless Info"}
    (spans,) = read_responses(RESPONSE | {"labels": [LABEL, other]}).samples["spans"].to_list()
    assert spans == [{"start": 0, "end": 7, "type": "Subtle Baseless Info; Evident Conflict", "p": None}]


def test_places_follow_the_cleaned_text(read_responses):
    moved = LABEL | {"start": 3, "end": 8}
    (spans,) = (
        read_responses(RESPONSE | {"response": "\u202eA river.", "labels": [moved]})
        .samples["spans"]
        .to_list()
    )
    assert (spans[0]["start"], spans[0]["end"]) == (2, 7)


def test_the_first_release_has_fewer_fields(read_responses):
    short = {key: LABEL[key] for key in ("start", "end", "text", "label_type")}
    assert read_responses(RESPONSE | {"labels": [short]}).samples["is_hallucinated"].item()


def test_both_files_are_needed(put, read):
    put("source_info.jsonl", [QUESTION])
    with pytest.raises(TruerateError, match="no response.jsonl in .*RAGTruth is both files"):
        read("ragtruth")


def test_its_own_folder_may_be_that_of_the_repository(put, read):
    put("dataset/source_info.jsonl", [QUESTION])
    put("dataset/response.jsonl", [RESPONSE])
    assert read("ragtruth").samples.height == 1


ANSWER = {"response": "A river.", "model": "gpt-4-0613", "labels": [LABEL]}
SLICED = {
    "qa": (7, QUESTION["source_info"]),
    "summary": (8, DOCUMENT["source_info"]),
    "data2txt": (9, DATA["source_info"]),
}


def sliced(part, *answers):
    number, source = SLICED[part]
    return [{"source_id": number, "source": source, "responses": list(answers)}]


def test_the_slice_in_another_layout_is_read_where_its_own_files_are_not(put, read):
    for part in SLICED:
        put(f"eval_data/ragtruth_{part}.jsonl", sliced(part, ANSWER, ANSWER | {"model": "b", "labels": []}))
    got = read("ragtruth")
    assert sorted(got.items["task"]) == ["general", "qa", "summarization"]
    keys = [pair("attributes", key).alias(key) for key in ("unit", "rule_evident")]
    assert got.samples.filter(task="qa").select("generator", "is_hallucinated", *keys).sort(
        "generator"
    ).rows() == [("b", False, "7", "False"), ("gpt-4-0613", True, "7", "True")]
    assert "FaithJudge" in got.card["citation"] and "not tried" not in got.card["citation"]


def test_spans_that_are_right_in_the_world_or_of_a_null_are_not_evident(put, read):
    for flag in ("implicit_true", "due_to_null"):
        put("eval_data/ragtruth_qa.jsonl", sliced("qa", ANSWER | {"labels": [LABEL | {flag: True}]}))
        got = read("ragtruth").samples.select("is_hallucinated", pair("attributes", "rule_evident"))
        assert got.rows() == [(True, "False")]


def test_an_answer_of_the_slice_that_cannot_be_kept_costs_its_source_no_other(put, read, reasons):
    wrong = ANSWER | {"model": "b", "labels": [LABEL | {"text": "town"}]}
    put("eval_data/ragtruth_qa.jsonl", sliced("qa", wrong, ANSWER, ANSWER, "text"))
    got = read("ragtruth", "reject")
    assert (
        reasons(got) == [(1, "contradiction"), (1, "duplicate"), (1, "wrong-type")]
        and got.samples.height == 1
    )
