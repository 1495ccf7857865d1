import random
import time

import pytest

from tests.cases import case_table
from truerate.core.sentence_spans import sentence_spans

CASES = case_table(__file__)

TEXT = 'Varn is a town. It lies on the Odla!  "Is it old?" Yes: from 1204.\nIts market\n\nhas cheese 町。城。'


def split(text: str, lang: str | None = None, *, by_line: bool = False) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, lang, by_line=by_line)]


def test_sentences_and_lines_are_spans_of_the_text():
    assert split(TEXT, by_line=True) == [
        "Varn is a town.",
        "It lies on the Odla!",
        '"Is it old?"',
        "Yes: from 1204.",
        "Its market",
        "has cheese 町。",
        "城。",
    ]
    assert sentence_spans(" \n ") == sentence_spans("") == []


@pytest.mark.parametrize(
    "marked",  # a bar where a sentence ends
    [*CASES["english"], "(It was closed in 1990.)| It reopened… He left.".replace("… ", "…| ")],
)
def test_english(marked):
    assert split(marked.replace("|", "")) == [part.strip() for part in marked.split("|")]


@pytest.mark.parametrize(("lang", "marked"), CASES["other_languages_with_their_code_and_by_their_script"])
def test_other_languages_with_their_code_and_by_their_script(lang, marked):
    parts = [part.strip() for part in marked.split("|")]
    assert split(marked.replace("|", ""), lang) == parts
    if lang not in ("de", "fr", "es", "cs", "pl"):  # Latin letters name no language
        assert split(marked.replace("|", "")) == parts


def test_odd_texts_are_covered_in_order_whatever_stands_in_them():
    """Blank space of several bytes behind an initial makes the library panic where it is handed on as it stands."""
    draws = random.Random(1)
    signs = [
        *"abAB .!?。？\n\r\t\"'”“)(«»「」1-:…\xa0\u3000\x85\u2028 𠮷é؟।İ\ud800\u0301",
        "Dr. ",
        "J.\u3000",
        " É. ",
        "[1]",
        "\n- ",
        ". . ",
    ]
    for _ in range(3000):
        text = "".join(draws.choices(signs, k=draws.randrange(1, 40)))
        for lang in (None, "ja", "hi", "xx"):
            spans = sentence_spans(text, lang)
            ends = [0, *(place for span in spans for place in span), len(text)]
            assert ends == sorted(ends) and all(start < end for start, end in spans)
            assert not "".join(text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)).strip()


@pytest.mark.parametrize(
    "part",
    ["a. ", "(", '"a. ', ".", "\n", "Dr. ", "“Ab. ", "1. ", "a.[1]", " ", "\n- a", ". .", "\n \n", "A.B."],
)
def test_cost_grows_with_the_length_of_a_text(part):
    start = time.process_time()
    sentence_spans(part * (300_000 // len(part)) + "x")
    assert time.process_time() - start < 5  # quadratic: minutes
