"""One tiny example per reason for which a candidate is rejected, and the length rule."""

import pytest

from truerate.tracks.halueval.candidates import (
    REASONS,
    breaks_length_rule,
    candidate_reason,
    is_refusal,
    words_over,
)


def test_empty():
    assert candidate_reason(" …!", "Lisbon") == "empty"


@pytest.mark.parametrize("text", ["Lisbon", "lisbon.", "The Lisbon", "“LISBON”"])
def test_same_as_right(text):
    assert candidate_reason(text, "Lisbon") == "same_as_right"


def test_a_longer_text_with_the_right_one_inside_is_usable():
    assert candidate_reason("Lisbon, the capital of Spain", "Lisbon") is None


@pytest.mark.parametrize(
    "text",
    ["I cannot help with that.", "I'm sorry, but I can’t write that.", "As an AI, I am not able to lie."],
)
def test_refusal(text):
    assert is_refusal(text)


@pytest.mark.parametrize("text", ["Sorry is a song by Justin Bieber.", "It cannot be seen from Porto."])
def test_not_a_refusal_when_the_apology_is_the_subject(text):
    assert not is_refusal(text)


def test_reasons_are_closed():
    assert set(REASONS) == {"dead", "unparsed", "refusal", "empty", "same_as_right", "filtered_out"}


def test_length_rule():
    # 8 words against 1: seven over, more than the five that are allowed; 6 against 1 is just within
    assert words_over("one two three four five six seven eight", "one") == 7
    assert breaks_length_rule(7, 5) and not breaks_length_rule(5, 5)
    assert words_over("1,234 m", "1,234 m high") == -1
