import pytest

from truerate.metrics.ngrams import Form, Overlap, content_words, form, overlap


def test_features_by_hand():
    reference = "The tower in Paris was finished in 1889".split()
    words = "The tower in Lyon was finished in 1887".split()
    # content: tower, Lyon, finished, 1887 → Lyon and 1887 are absent (2/4); numbers: 1887 (1/1)
    # bigrams: the tower, tower in | in lyon, lyon was | was finished, finished in | in 1887 → 3 of 7 absent
    assert overlap(words, reference) == pytest.approx(Overlap(2 / 4, 2, 1.0, 3 / 7))


def test_nothing_said_and_nothing_to_check_against():
    assert overlap([], ["word"]) == Overlap(0, 0, 0, 0)
    assert overlap(["Paris", "fell"], []) == Overlap(1, 2, 0, 1)


def test_content_words_are_lower_case_and_not_function_words():
    assert content_words(["The", "Tower", "is", "tall"]) == ["tower", "tall"]


def test_form():
    assert form(" Two words. ") == Form(2, 10, 1, 1)
    assert form("巴黎。") == Form(2, 3, 1, 0)  # a letter of Chinese is a word, its stop none
    assert form("") == Form(0, 0, 0, 0)
    assert form("line\n").has_trailing_space == 1
