"""The cue in all its forms, the last one before a next example."""

import pytest

from truerate.llm.replies.headings import before_next, last_before_next

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
