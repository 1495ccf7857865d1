"""What is found in a reply without a detector."""

import csv

import pytest

from truerate.core.languages import LANGUAGES
from truerate.tracks.mfava.wild import PHRASES, is_other_language, marks, phrases, repeats, says_unknown

SIX = ("en", "de", "fr", "tr", "zh", "ar")


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (False, "The museum opened in 1901. It stands by the river."),
        (True, "The museum opened in 1901. It is large. The museum opened in 1901!"),
        (False, "Yes. It is. Yes. It is old and famous."),  # short sentences may come back
        (True, "one two three four five six seven eight, and then one two three four five six seven eight"),
        (False, "one two three four five six seven, and then one two three four five six seven"),
        (False, "中华人民共和国国务院发布了公告，中华人民共和国国务院又说了话"),  # ten characters: a name
        (True, "这座博物馆于一九〇一年开放。这座博物馆于一九〇一年开放。"),
        (False, ""),
    ],
)
def test_repeats(expected, text):
    assert repeats(text) is expected


@pytest.mark.parametrize(
    ("expected", "text", "lang"),
    [
        (True, "I’m not sure who that is.", "en"),
        (True, "Das weiß ich nicht.", "de"),
        (True, "Je ne sais pas.", "fr"),
        (True, "Bu konuda bilgim yok.", "tr"),
        (True, "我不知道。", "zh"),
        (True, "لا أعرف ذلك.", "ar"),
        (True, "I do not know this town.", "tr"),  # models fall back to English
        (False, "Das weiß ich nicht.", "fr"),
        (False, "The town lies by the river Odla.", "en"),
        (
            False,
            "I do not know its age. " + "It has a market and a castle on a hill. " * 5,
            "en",
        ),  # it says more than that
    ],
)
def test_not_knowing_is_a_short_reply_that_says_so(expected, text, lang):
    assert says_unknown(text, lang) is expected


@pytest.mark.parametrize(
    ("expected", "text", "lang"),
    [
        (False, "Das Museum wurde im Jahr 1901 eröffnet und steht am Fluss.", "de"),
        (True, "The museum was opened in the year 1901 and stands by the river.", "de"),
        (True, "The museum was opened in the year 1901 and stands by the river.", "ar"),
        (False, "The museum.", "de"),  # too short to tell
        (False, "这座博物馆位于河边，于一九〇一年开放，每年有许多人前来参观。", "zh"),
        (True, "Le musée a ouvert ses portes en 1901 au bord de la rivière.", "tr"),
        (False, "Velmora Tarvel Kodru Nashim Beldar Moren", "tr"),  # names alone are of no language
    ],
)
def test_the_language_of_a_reply(expected, text, lang):
    assert is_other_language(text, lang, SIX) is expected


def test_a_language_alone_in_its_script_is_told_by_script():
    assert not is_other_language(
        "这座博物馆位于河边，于一九〇一年开放，每年有许多人前来参观。", "zh", ("zh", "en")
    )
    assert not is_other_language("The museum was opened in the year 1901.", "en", ("en", "zh"))


def test_marks_name_what_was_found():
    assert marks("Das weiß ich nicht.", "de", SIX) == {
        "repeats": None,
        "dont_know": "yes",
        "wrong_language": None,
    }


def test_phrases_are_of_known_languages_each_once_and_readable():
    with PHRASES.open(encoding="utf-8", newline="") as file:
        rows = [(row["lang"], row["phrase"]) for row in csv.DictReader(file)]
    assert len({(lang, phrase.casefold()) for lang, phrase in rows}) == len(rows) and {
        lang for lang, _ in rows
    } <= set(LANGUAGES)
    assert all(phrase == phrase.strip().lower() for _, phrase in rows)
    assert set(SIX) <= set(phrases())
