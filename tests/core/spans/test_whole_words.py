"""Pieces of words become whole words, in any script."""

import pytest

from tests.cases import case_table
from truerate.core.spans.whole_words import n_words, units, whole_words


def cut(text: str, *marks: tuple[str, float, str]) -> list[dict]:
    """Pieces of a text by what stands in them, each looked for behind the one before."""
    pieces, place = [], 0
    for part, p, kind in marks:
        start = text.index(part, place)
        place = start + len(part)
        pieces.append({"start": start, "end": place, "type": kind, "p": p})
    return pieces


def widened(text: str, *marks: tuple[str, float, str]) -> list[tuple[str, float, str]]:
    spans = whole_words(text, cut(text, *marks))
    return [(text[one["start"] : one["end"]], one["p"], one["type"]) for one in spans]


@pytest.mark.parametrize(("text", "expected"), case_table(__file__)["units_of_many_scripts"])
def test_units_of_many_scripts(text, expected):
    assert "|".join(text[start:end] for start, end in units(text)) == expected


def test_pieces_of_a_word_mark_it_whole_by_the_surest():
    text = "It was in 1733 on the Bertu."
    assert widened(text, ("1", 0.8, "x"), ("7", 0.9, "x"), ("33", 0.7, "x"), ("ert", 0.6, "x")) == [
        ("1733", 0.9, "x"),
        ("Bertu", 0.6, "x"),
    ]


def test_a_piece_over_two_words_marks_both_as_one_span_without_the_comma():
    assert widened("inhabitants, and Anva.", (", and An", 0.98, "x"), ("va.", 0.86, "x")) == [
        ("and Anva", 0.98, "x")
    ]


def test_marked_suspected_and_faint_words_and_types_stay_apart():
    text = "one two three four five"
    marks = [
        ("one", 0.9, "x"),
        ("two", 0.4, "x"),
        ("three", 0.1, "x"),
        ("four", 0.9, "x"),
        ("five", 0.9, "y"),
    ]
    assert widened(text, *marks) == [tuple(mark) for mark in marks]


def test_letters_of_a_script_without_spaces_are_kept_as_the_detector_cut_them():
    assert widened("京都は古い", ("都は", 0.7, "x")) == [("都は", 0.7, "x")]


def test_punctuation_alone_stays_and_a_share_keeps_its_sign():
    assert widened("really?! 5% of", ("?!", 0.7, "x"), ("%", 0.6, "x")) == [("?!", 0.7, "x"), ("%", 0.6, "x")]
    assert widened("up 5% now", ("5%", 0.7, "x")) == [("5%", 0.7, "x")]


def test_no_piece_no_span():
    assert whole_words("some text", []) == [] and whole_words("", []) == []


def test_words_are_counted_without_punctuation():
    text = "It was, in 1733."
    assert n_words(text) == 4
    assert n_words(text, whole_words(text, cut(text, ("17", 0.9, "x")))) == 1
    low = cut(text, ("17", 0.4, "x"))
    assert n_words(text, whole_words(text, low)) == 0
    assert n_words(text, whole_words(text, low, 0.35), 0.35) == 1  # a detector's own threshold
