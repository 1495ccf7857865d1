"""The cue in all its forms, the last one before a next example."""

import pytest

from truerate.llm.replies.headings import before_next, last_before_next

from .corpus import load
from .readers import READERS
from .variants import EXAMPLE

FORMS = (
    "#Your Judgement#: Yes", "###Your Judgement###:\nYes", "**Your Judgment:** Yes", "**Your Judgement**: Yes",
    "Your judgement: Yes", "`#Your Judgement#:` Yes", "[Your Judgement]: Yes", "### Your Judgement\nYes",
    "#Your Judgement# Yes", "＃Your Judgement＃：Yes", "- Your Judgement: Yes", "So: #Your Judgement#: Yes",
    "It is off, hence your judgement: Yes", "Your Judgement - Yes", "YOUR_JUDGEMENT = Yes", "【Your Judgement】：Yes",
    "> **Your Judgement:**\n\nYes",
)  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_a_cue_in_any_form(text):
    assert last_before_next(text, "#Your Judgement#:") == ("Yes", ("heading",))


def test_the_last_cue_before_the_next_example():
    text = "#Your Judgement#: so so\n#Your Judgement#: No\n\n#Document#: It opened.\n#Your Judgement#: Yes"
    assert last_before_next(text, "Your Judgement") == ("No", ("heading", "next-example"))


def test_a_reply_that_repeats_what_it_was_given():
    text = "#Question#: Which river?\n#Answer#: the Weser\n#Your Judgement#: Yes"
    assert last_before_next(text, "Your Judgement") == ("Yes", ("heading",))
    assert before_next("#Question#: Which river?") == ("#Question#: Which river?", ())


def test_without_a_cue_the_next_example_ends_the_reading():
    text = "No\n**Document:** The bridge opened.\n**Summary:** It closed."
    assert before_next(text) == ("No", ("next-example",))
    assert last_before_next(text, "Your Judgement") is None


def test_words_that_are_no_cue():
    assert last_before_next("In your judgement the year is off.", "Your Judgement") is None
    assert last_before_next("Several names: one", "Verdict", "Final Verdict") is None
    assert last_before_next("Final verdict: No", "Verdict", "Final Verdict")[0] == "No"


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("No, I will not judge this.", None),
        ("Yes, I will evaluate it.", None),
        ("👍", None),
        ("I understand. I will judge the response and end with one line. Please send the first one.", None),
        ("**Final Verdict:**", None),
        ('In your example the reply was "Your Judgement: Yes". Should I follow this format?', None),
        ("Right answer: Yes. Given answer: No.", None),
        ("Let me verify. They disagree in the date. I would judge this response as hallucinated.", None),
        ("The claims hold.\n\n**Conclusion**\nThe response contains no hallucination.", False),
        ('Each claim is in the text; hence "Your Judgement: No".', None),
    ],
)
def test_the_verdict_of_a_next_example_is_never_the_replys(reply, value):
    """What stands before it is read, or nothing."""
    row = load("verdicts")[0]
    text = f"{reply}{EXAMPLE['verdicts'].format('Yes')}"
    assert READERS["verdicts"]({**row, "text": text}).value in (value, None)


@pytest.mark.parametrize("opening", ["Here is what I was given:", "", "Let me look at both:"])
def test_a_reply_that_repeats_its_material_is_read_behind_it(opening):
    row = load("verdicts")[0]
    assert READERS["verdicts"]({**row, "text": f"{opening}{EXAMPLE['verdicts'].format('Yes')}"}).value is True


def test_two_words_around_a_versus_are_no_verdict():
    for text in ("Accurate vs. Inaccurate", "Let me look at it.\n\nAccurate vs. Inaccurate"):
        assert READERS["accuracies"]({**load("accuracies")[0], "text": text}).value is None
