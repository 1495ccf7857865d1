"""Verdicts by the number of their claim, read from replies in many manners."""

import pytest

from truerate.llm.replies.claim_verdicts import (
    is_unsupported,
    read_contradicted,
    read_verdicts,
    without_claim,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1] supported\n[2] not supported", [False, True]),
        ("[2] Not Supported.\n- [1] **supported**", [False, True]),
        ("#Verdicts#:\n[1] supported\n[2] supported", [False, False]),
        ("[1] supported", [False, "absent"]),
        ("[1] supported\n[1] supported\n[2] hard to say", [False, "malformed"]),
        ("[1] supported\n[1] not supported\n[2] supported [3]", ["ambiguous", False]),
        ("[1] supported because [2] not supported\n[3] supported", ["malformed", "absent"]),
        ("1 supported", [False, "absent"]),
        ("", ["empty", "empty"]),
    ],
)
def test_verdicts_by_hand(text, expected):
    assert read_verdicts(text, ["Kiel is a city.", "Kiel lies in Bavaria."]).value == expected


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("supported by passages 1 or 2", False),
        ("cannot be verified", True),
        ("neither supported nor contradicted", True),
        ("partially supported", True),
        ("supported by no passage", None),
        ("not unsupported", None),
        ("supported? no", None),
        ("not supported by passage 1, but passage 2 states it", None),
        ("I would not call this supported", None),
        # what is denied with a reason is read as often as what is granted: lost on one side alone it would shift the score
        ("Passage 1 says so. Supported.", False),
        ("No passage says so. Not supported.", True),
        ("The passages call her a poet, not a mathematician. Not supported.", True),
        ("I would not say so. Not supported.", None),
        ("This is true, though not stated. Not supported.", None),
        ("supports", False),
        ("refutes", True),
        ("entailment", False),
        ("contradict", True),
        ("neutral", True),
    ],
)
def test_a_verdict_is_read_where_nothing_in_the_words_could_turn_it(words, verdict):
    assert is_unsupported(words) is verdict


@pytest.mark.parametrize("first", ["supported", "not supported"])
def test_an_object_that_names_a_claim_twice_is_unread(first):
    claims = ["Kiel is a city.", "Kiel lies in Bavaria."]
    twice = f'{{"1": "{first}", "2": "supported", "1": "supported"}}'
    assert read_verdicts(twice, claims).value == ["absent", "absent"]


def test_a_claim_that_is_said_again_is_no_part_of_its_verdict():
    assert (
        without_claim("“The bill was not supported.” – supported", "The bill was not supported.")
        == "supported"
    )
    assert is_unsupported("The bill was not supported: supported", "The bill was not supported.") is False
    assert is_unsupported("The bill was not supported.", "The bill was not supported.") is None


@pytest.mark.parametrize("text", ["[2] supported", "2. supported", "Claim 2: supported", "(2) not supported"])
def test_a_verdict_under_another_number_is_none_of_the_one_claim_that_was_asked_about(text):
    assert read_verdicts(text, ["Kiel is a city."]).value in (None, ["absent"])


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("[1] contradicted\n[2] not mentioned", [True, False]),
        ("Claim 1: Contradicted by passage 2.\nClaim 2: **Not mentioned**", [True, False]),
        ("[1] supported\n[2] not supported", [None, None]),
        ("[1] neither supported nor contradicted\n[2] not contradicted", [None, None]),
        ("[1] contradicted\n[1] not mentioned\n[2] refuted", [None, True]),
        ("[2] The claim that Kiel lies in Bavaria is contradicted", [None, True]),
        ("", [None, None]),
    ],
)
def test_a_claim_is_contradicted_or_not_mentioned_where_its_line_says_one_of_the_two(text, kinds):
    assert read_contradicted(text, ["Kiel is a city.", "Kiel lies in Bavaria."]) == kinds


def test_a_single_claim_needs_no_number_to_be_contradicted():
    assert read_contradicted("Contradicted.", ["Kiel is a city."]) == [True]
