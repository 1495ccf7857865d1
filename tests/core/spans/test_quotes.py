"""Quotations of a text, and where they stand in another one."""

import pytest

from tests.cases import case_table
from truerate.core.spans.quotes import (
    MAX_QUOTES,
    Located,
    bare,
    bare_answers,
    locate,
    located,
    located_strings,
    quotations,
    united,
)

CASES = case_table(__file__)

RESPONSE = 'It opened in 1931, and it has "four" lanes, don’t you think? Ann Lee built it in Paris and Rome.'


def place(words):
    start = RESPONSE.index(words)
    return start, start + len(words)


PLACES = CASES["places"]


@pytest.mark.parametrize("name", PLACES)
def test_locate(name):
    quote, words = PLACES[name]
    place = locate(quote, RESPONSE)
    assert (None if place is None else RESPONSE[slice(*place)]) == words


def test_a_place_counts_code_points_and_nothing_stands_in_an_empty_text():
    assert locate("Anna lacht laut", "𠮷🦜 Anna lacht laut") == (3, 18)
    assert locate("過橋", "這座過橋免費") == (2, 4)
    assert locate("Anna", "") is None


def test_similarity_from_which_words_are_one():
    """Shared characters twice over those of both: 17 of 23 and 17 are .85, 16 of 22 and 16 are less."""
    text = "aaaaaaaaaa bbbbbbb"
    assert locate("aaaaaaaaaa bbbbbbb cccccc", text) == (0, 18)  # 34 of 40
    assert locate("aaaaaaaaaa bbbbbb cccccc", "aaaaaaaaaa bbbbbb") is None  # 32 of 38 are .842


TOLD = CASES["told"]


@pytest.mark.parametrize("name", TOLD)
def test_quotations(name):
    told, strings = TOLD[name]
    assert quotations(told) == strings


def test_marks_of_the_text_itself_stay_within_its_quotation():
    assert quotations('the "it has "four" lanes" here', RESPONSE) == ['it has "four" lanes']
    assert quotations('the "Paris" and "Rome" here', RESPONSE) == ["Paris", "Rome"]


def test_every_string_that_stands_in_the_text_is_a_segment():
    told = 'Both "built it in Paris" and "It opened" are wrong, so is "it was red".'
    assert located(told, RESPONSE) == Located((place("It opened"), place("built it in Paris")), 3, 1)
    assert located("No word is quoted.", RESPONSE) == Located((), 0, 0)


def test_a_quotation_of_the_knowledge_is_no_segment_and_not_missed():
    told, knowledge = '"It opened in 1913" is known, "it was red" is not.', "It opened in 1913."
    assert located(told, RESPONSE) == Located((), 2, 2)
    assert located(told, RESPONSE, knowledge=knowledge) == Located((), 2, 1)
    # what stands in both is a segment
    assert located('"Ann Lee"', RESPONSE, knowledge="By Ann Lee.").segments == (place("Ann Lee"),)


def test_a_quotation_that_holds_another_one_gives_the_inner():
    assert located("“He says ‘Ann Lee’ there”", RESPONSE) == Located((place("Ann Lee"),), 1, 0)
    assert located_strings(["Ann Lee", "Ann"], RESPONSE).segments == (place("Ann Lee"),)


def test_united():
    assert united([(4, 6), (0, 3), (2, 5), (6, 7)]) == ((0, 6), (6, 7)) and united([]) == ()


def test_a_text_of_marks_alone_is_read_in_time():
    assert len(quotations('"a" ' * 5_000)) == MAX_QUOTES
    for sign in "\"“„`'":
        assert quotations(sign * 20_000) == [] or sign == "'"


def test_golden_answers_are_looked_for_without_case_articles_punctuation_and_blanks():
    assert bare("The  Bridge,\nof a Town!") == "bridge of town"
    assert bare("Oster's “an” 9-11") == "osters “ ” 911", "ASCII punctuation alone goes, and leaves no blank"


def test_golden_answers_stand_between_slashes_also_where_one_holds_a_slash():
    assert bare_answers("The Oster/9/11/a/") == ["oster", "9", "11", "", ""]
