"""EVOUNA's questions in rows of our own: labels that are none, improper questions, empty answers."""

import pytest

from tests.sources.label_tables import cells, labels_made, tiny_item, tiny_sample
from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.sources.public.evouna import holds_any

QUESTION = {"question": "Where is Varn?", "golden_answer": "Oster/the Oster valley", "improper": False}
QUESTION |= {
    "answer_fid": "In Oster.",
    "judge_fid": True,
    "answer_newbing": "In Lund.",
    "judge_newbing": False,
}


@pytest.fixture
def read_questions(put, read):
    """The tables of these questions, as those of Natural Questions."""

    def run(*questions, on_bad_row="stop"):
        put("EVOUNA/NQ.json", list(questions))
        return read("evouna", on_bad_row)

    return run


def test_a_wrong_answer_is_hallucinated(read_questions):
    got = read_questions(QUESTION)
    keys = [pair("attributes", key).alias(key) for key in ("part", "unit")]
    rows = got.samples.select("generator", "text", "is_hallucinated", *keys).sort("generator").rows()
    assert rows == [("FiD", "In Oster.", False, "nq", "nq-1"), ("New Bing", "In Lund.", True, "nq", "nq-1")]
    assert got.items["right_answer"].to_list() == ["Oster/the Oster valley"]


@pytest.mark.parametrize("absent", [None, "nan"])
def test_an_answer_without_a_label_costs_its_question_no_other(absent, read_questions, reasons):
    got = read_questions(QUESTION | {"judge_fid": absent, "answer_fid": None})
    assert got.samples["generator"].to_list() == ["New Bing"] and reasons(got) == [(1, "unlabelled")]


def test_an_improper_question_is_left_out_and_booked(read_questions, reasons):
    got = read_questions(QUESTION, QUESTION | {"question": "Where?", "improper": True})
    assert reasons(got) == [(2, "improper")] and got.items.height == 1


@pytest.mark.parametrize("empty", ["", "   ", None])
def test_an_empty_answer_with_a_label_stays(empty, read_questions):
    got = read_questions(QUESTION | {"answer_fid": empty})
    assert got.samples.height == 2 and got.card["counts"]["n_empty_answers"] == 1


def test_the_same_question_twice_is_one_group(read_questions):
    got = read_questions(QUESTION, QUESTION | {"question": "where is  Varn?", "golden_answer": "Lund"})
    assert got.items["group_id"].n_unique() == 1 and got.samples.height == 4


def test_a_row_that_stands_there_twice_counts_once(read_questions, reasons):
    """It counted twice, without a word."""
    got = read_questions(QUESTION, dict(reversed(QUESTION.items())), on_bad_row="reject")
    assert got.samples.height == 2 and reasons(got) == [(2, "duplicate")]


def test_a_question_without_a_golden_answer_stays(read_questions):
    assert read_questions(QUESTION | {"golden_answer": None}).items["right_answer"].to_list() == [None]


def test_a_folder_without_either_file_is_one_line(put, read, tmp_path):
    put("EVOUNA/README.md", "x")
    with pytest.raises(TruerateError) as error:
        read("evouna")
    missing = f"source 'x': no file of EVOUNA in {str(tmp_path)!r}"
    assert str(error.value) == f"{missing}; looked for: EVOUNA/NQ.json, EVOUNA/TQ.json"


def test_answers_of_evouna_have_peoples_label_and_the_sets_own_lexical_match():
    answers = [
        tiny_sample("a1", "qa", text="It is Rome.", generator="GPT-4", unit="nq-1", part="nq"),
        tiny_sample("a2", "qa", text="Paris", generator="FiD", unit="nq-1", part="nq", is_hallucinated=True),
    ]
    labels = labels_made("evouna", answers, [tiny_item(right_answer="rome/Roma")])
    assert cells(labels, "question", "subject", "unit_id", "label", "gives") == [
        ("holds golden", "FiD", "nq-1", "no", None),
        ("holds golden", "GPT-4", "nq-1", "yes", None),
        ("right", "FiD", "nq-1", "no", 1.0),
        ("right", "GPT-4", "nq-1", "yes", 0.0),
    ]


@pytest.mark.parametrize(
    ("answer", "golden", "holds"),
    [
        ("The Beatles sang it", "beatles", True),
        ("nobody", "beatles/the", True),  # nothing is left of `the`, which therefore stands in every answer
        ("", "the", False),
        ("9-11", "9/11", True),  # it is split where it should not be, and "9" stands in "911"
        ("yes", None, True),
    ],
)
def test_a_golden_answer_stands_in_an_answer_as_the_sets_own_rule_has_it(answer, golden, holds):
    assert holds_any(answer, golden) is holds
