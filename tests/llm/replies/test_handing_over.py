"""Words that hand over a verdict or a text are taken off; words that say something of what is judged are not."""

import pytest

from truerate.llm.replies.texts.candidates import written
from truerate.llm.replies.verdicts import yes_no

TEXT = "Tower Varn was built of red brick in 1873."


@pytest.mark.parametrize(
    "words",
    ["Here you go:", "As requested:", "Sure! Here is what you asked for:", "TL;DR:", "After careful review:",
     "Judging this one:"],
)  # fmt: skip
@pytest.mark.parametrize(("verdict", "value"), [("Yes", True), ("**No.**", False)])
@pytest.mark.parametrize("break_", [" ", "\n\n"])
def test_a_verdict_that_is_handed_over_is_read(words, verdict, value, break_):
    assert yes_no(f"{words}{break_}{verdict}", asks="hallucination").value is value
    assert yes_no(f"{words}{break_}{verdict}\nHave a great day!", asks="hallucination").value is value


@pytest.mark.parametrize(
    "text",
    [
        "Based on what the answer says: Yes",  # of what is judged
        "Based on the claim that it is supported: No",
        "After that: no, thanks",
        "Based on the document: Yes, the tower is of brick.",  # the verdict on a claim, or a claim
        "Here is the answer that was given: No.",
        "After no review at all: yes",
    ],
)
def test_words_that_say_something_hand_nothing_over(text):
    assert yes_no(text, asks="hallucination").value is None


@pytest.mark.parametrize(
    "before",
    [
        "",
        "Here is what you asked for:\n",
        "How about this:\n\n",
        "I would write:\n",
        "As per your instructions:\n",
    ],
)
@pytest.mark.parametrize(
    "behind",
    [
        "",
        "\n\nHave a great day!",
        "\n\n(End of answer)",
        "\n\nPlease provide the next example.",
        "\n\nThanks!",
    ],
)
def test_a_text_is_kept_without_what_hands_it_over_and_takes_leave(before, behind):
    may_be_lost = (None,) if before.startswith("How about") else ()
    assert written(f"{before}{TEXT}{behind}", "Answer").value in (TEXT, *may_be_lost)


def test_a_turn_of_a_dialogue_may_propose_and_thank():
    assert written("How about this: Inception?", "Response").value == "How about this: Inception?"
    assert written("I liked it.\nThanks!", "Response").value == "I liked it.\nThanks!"
