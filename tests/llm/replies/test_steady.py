"""Texts read alike or not at all, whatever breaks their lines, emphasises a word or stands unseen in them."""

import pytest

from truerate.llm.replies.blocks import flat
from truerate.llm.replies.texts.candidates import refined, written

from .corpus import load
from .readers import READERS
from .wrapping import FORMS, differing, levelled


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["candidates", "refinements", "responses", "induced"])
def test_a_text_in_another_dress_is_the_same_text_or_none(name, form):
    rows = [{**row, "value": levelled(row["value"])} for row in load(name)]
    changed = differing(rows, form, lambda row: levelled(READERS[name](row).value), n=1)
    assert [(row["text"], row["got"]) for row in changed] == []


@pytest.mark.parametrize("text", ["Here is a\nhallucinated answer:\n\nthe Weser", "Final\nanswer: the Weser"])
def test_a_broken_announcement_is_never_a_part_of_the_text(text):
    assert written(text, "Answer").value in (None, "the Weser")


def test_a_broken_sentence_that_nothing_is_wrong_is_no_refined_text():
    assert refined("No correction is\nneeded.", "Answer", "the Weser").value is None


def test_a_paragraph_is_one_line_and_forms_of_their_own_stay():
    text = "It opened\nin 1931.\n\n# Note\nIt is free.\n#Segment#: x"
    assert flat(text) == "It opened in 1931.\n\n# Note\nIt is free.\n#Segment#: x"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Here is an answer that looks right:\n\nthe Weser\n\n*The detail above is made up.*", "the Weser"),
        ("I would write that it is the Weser.", None),
        ("Sure! Here's what the assistant could say:\n\nthe Weser", None),
        ("the Weser\n\nThe knowledge has another river.", None),
        ("I won't be writing misinformation.", None),
    ],
)
def test_a_text_that_cannot_be_told_from_what_stands_around_it_is_none(text, value):
    assert written(text, "Answer").value in (None, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("the Weser\n\nI fixed the river.", "the Weser"),
        ("After correction:\n\nthe Weser", "the Weser"),
        ("The given answer contains no errors.", None),
    ],
)
def test_a_correction_is_kept_without_what_tells_of_it(text, value):
    assert refined(text, "Answer", "the Elbe").value == value
