"""Replies read strictly."""

import pytest

from truerate.llm.parse import REASONS, Parsed, after_heading, choice, tagged, yes_no


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("Yes", True, None),
        ("No.", False, None),
        (" **Yes** ", True, None),
        ("yes", True, None),
        ("no\n", False, None),
        ("Yes, the answer contradicts the knowledge.", True, None),
        ("#Your Judgement#: No", False, None),
        ("###Your Judgement###:\nYes", True, None),
        ("The text says No such thing. So it is wrong.\n#Your Judgement#: Yes", True, None),
        ("#Your Judgement#: Yes\nOn reflection:\n#Your Judgement#: No", False, None),
        ("Yes and No", None, "ambiguous"),
        ("#Your Judgement#: Yes or No", None, "ambiguous"),
        ("I cannot tell.", None, "absent"),
        ("Nothing is known; yesterday", None, "absent"),
        ("there is no evidence", None, "absent"),
        ("Yes.\n#Your Judgement#:", None, "empty"),
        ("  \n", None, "empty"),
    ],
)
def test_yes_no(text, value, reason):
    assert yes_no(text, "#Your Judgement#:") == yes_no(text, "Your Judgement") == Parsed(value, reason)


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("Answer 1", "Answer 1", None),
        ("answer 2.", "Answer 2", None),
        ("2", "Answer 2", None),
        ("#Best Answer#: Answer 1", "Answer 1", None),
        ("Answer 1 is worse.\n#Best Answer#: Answer 2", "Answer 2", None),
        ("Answer 1 is better than Answer 2", None, "ambiguous"),
        ("Answer 10", None, "absent"),
        ("Neither", None, "absent"),
        ("", None, "empty"),
    ],
)
def test_choice(text, value, reason):
    assert choice(text, ["Answer 1", "Answer 2"], "Best Answer") == Parsed(value, reason)


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("#Hallucinated Answer#: It was 1912.", "It was 1912.", None),
        ("#Pattern#: inference\n#Hallucinated Answer#: In Rome", "In Rome", None),
        ("#Hallucinated Answer#:\nline one\nline two\n#Note#: x", "line one\nline two", None),
        ("#Hallucinated Answer#:\n<data-0123abcd>\nfenced\n</data-0123abcd>", "fenced", None),
        ("In Rome", None, "absent"),
        ("#Hallucinated Answer#:  ", None, "empty"),
        ("", None, "empty"),
    ],
)
def test_after_heading(text, value, reason):
    assert after_heading(text, "Hallucinated Answer") == Parsed(value, reason)


def test_an_optional_heading():
    assert after_heading("In Rome\n#Note#: x", "Hallucinated Answer", is_optional=True) == Parsed("In Rome")


def test_tagged():
    text = "<entity>Rome</entity> has <relation>two</relation> rivers."
    plain, spans = tagged(text, ["entity", "relation"]).value
    assert plain == "Rome has two rivers."
    assert [(plain[span["start"] : span["end"]], span["type"]) for span in spans] == [
        ("Rome", "entity"),
        ("two", "relation"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<entity>Rome", "malformed"),
        ("Rome</entity>", "malformed"),
        ("<entity>a<relation>b</relation></entity>", "malformed"),
        ("<other>Rome</other>", "malformed"),
        ("<entity>Romes</entity>", "altered"),
        (" ", "empty"),
    ],
)
def test_tags_that_do_not_hold(text, reason):
    assert tagged(text, ["entity", "relation"], original="Rome") == Parsed(None, reason)
    assert reason in REASONS


def test_tags_are_placed_in_the_original():
    original = "  Rome is old. "
    value, spans = tagged("<entity>Rome</entity> is old.", ["entity"], original=original).value
    assert value == original
    assert original[spans[0]["start"] : spans[0]["end"]] == "Rome"
