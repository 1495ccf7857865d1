"""The match of words, by the rule of the set that it stands for."""

import pytest

from tests.tracks.labelled_replies.made import item, items, reply, samples
from truerate.tracks.labelled_replies.word_match import holds_golden, judged


@pytest.mark.parametrize(
    ("answer", "golden", "is_right"),
    [
        ("It is the Oster Valley, I think.", "oster valley", True),
        ("It is in Lund.", "Oster/Lund", True),
        ("Oster's", "oster s", False),  # punctuation goes, and leaves no blank
        ("On nine.", "9/11", False),  # the set's own rule splits here, too
        ("Page 11", "9/11", True),
        ("anything", "the/ / !", False),  # nothing is left of the golden answers
        ("", "Oster", False),
    ],
)
def test_a_golden_answer_stands_in_the_answer(answer, golden, is_right):
    assert holds_golden(answer, golden) == is_right


def test_only_answers_to_questions_with_a_right_one_are_judged():
    rows = samples(
        reply("a", "1", True, text="In Oster."), reply("a", "2", True), reply("b", "1", False, text="No.")
    )
    got = judged(rows, items(item("item-1", "Oster"), item("item-2", None)))
    assert got.select("target_id", "verdict").sort("target_id").rows() == [("a/1", False), ("b/1", True)]
