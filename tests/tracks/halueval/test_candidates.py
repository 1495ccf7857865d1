"""One tiny example per reason for which a candidate is rejected, and the length rule."""

import pytest

from truerate.tracks.halueval.sampling import REASONS, candidate_reason, words_over

CAPITAL, OLDER = "What is the capital of Portugal?", "Which town is older, Porto or Lisbon?"


@pytest.mark.parametrize(
    ("texts", "right", "question", "reason"),
    [
        ([" …!"], "Lisbon", CAPITAL, "empty"),
        (["Lisbon", "lisbon.", "The Lisbon", "“LISBON”"], "Lisbon", CAPITAL, "same_as_right"),
        (["That would be Lisbon.", "The capital is Lisbon."], "Lisbon", CAPITAL, "right-restated"),
        (["Lisbon, the capital of Spain", "Not Lisbon", "Porto, and not Lisbon"], "Lisbon", CAPITAL, None),
        (["Lisbon is older than Porto"], "Porto", OLDER, None),
        (["Porto is older than Lisbon"], "Porto", OLDER, "right-restated"),
    ],
)
def test_why_a_candidate_is_rejected(texts, right, question, reason):
    assert {candidate_reason(text, right, question) for text in texts} == {reason} <= {*REASONS, None}


def test_words_over_the_right_text():
    assert words_over("one two three four five six seven eight", "one") == 7
    assert words_over("1,234 m", "1,234 m high") == -1
