"""One tiny example per reason for which a candidate is rejected, and the length rule."""

import pytest

from truerate.tracks.halueval.sampling import REASONS, candidate_reason, words_over


def test_empty():
    assert candidate_reason(" …!", "Lisbon") == "empty"


@pytest.mark.parametrize("text", ["Lisbon", "lisbon.", "The Lisbon", "“LISBON”"])
def test_same_as_right(text):
    assert candidate_reason(text, "Lisbon") == "same_as_right"


@pytest.mark.parametrize("text", ["That would be Lisbon.", "The capital is Lisbon.", "Lisbon is the capital"])
def test_right_restated(text):
    assert candidate_reason(text, "Lisbon", "What is the capital of Portugal?") == "right-restated"


@pytest.mark.parametrize("text", ["Lisbon, the capital of Spain", "Not Lisbon", "Porto, and not Lisbon"])
def test_a_text_with_another_answer_beside_the_right_one_is_usable(text):
    assert candidate_reason(text, "Lisbon", "What is the capital of Portugal?") is None


def test_an_order_that_is_turned_is_no_restating():
    question = "Which town is older, Porto or Lisbon?"
    assert candidate_reason("Lisbon is older than Porto", "Porto", question) is None
    assert candidate_reason("Porto is older than Lisbon", "Porto", question) == "right-restated"


def test_reasons_are_closed():
    assert set(REASONS) == {
        "dead", "unparsed", "refusal", "no-answer", "empty", "same_as_right", "right-restated", "filtered_out"
    }  # fmt: skip


def test_words_over_the_right_text():
    assert words_over("one two three four five six seven eight", "one") == 7
    assert words_over("1,234 m", "1,234 m high") == -1
