"""Text operations shared by rooms."""

import pytest

from tests.cases import case_table
from truerate.core.text import (
    clean,
    find_span,
    normalise,
    passage_name,
    passage_of,
    sentences,
    uncited,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    case_table(__file__)["sentences"]
)  # fmt: skip
def test_sentences(text, expected):
    assert sentences(text) == expected


def test_words_join_inner_hyphens_and_apostrophes():
    assert words("Jean-Luc's ship, 12 km!") == ["Jean-Luc's", "ship", "12", "km"]


def test_answers_compare_without_case_articles_and_stops():
    assert normalise("The  Delhi.") == normalise("delhi") != normalise("New Delhi")


def test_clean_removes_what_cannot_be_stored_or_misleads():
    assert clean("a\ud800b\x00c\u202ed\n") == "a?bcd\n"


def test_span_of_a_verbatim_part():
    assert find_span("𠮷 and more", "and") == (2, 5)
    assert find_span("text", "absent") is None and find_span("text", "") is None


def test_a_passage_is_found_by_its_name():
    assert passage_of(passage_name("a1:b", 3, 12)) == ("a1:b", 3, 12)
    assert [passage_of(name) for name in ("", "a", "a:1", "a:1-", "a:-1-2", ":1-2", "a:1-2 ")] == [None] * 7


def test_marks_of_citations_go_and_numbers_in_brackets_that_cite_nothing_stay():
    assert uncited("It is old.[1][3] It is big [2, 4], too [5–7].") == "It is old. It is big, too."
    assert uncited("[1] is a number, a[i] is none.") == "[1] is a number, a[i] is none."
