"""A verdict is not read where what follows takes it back, or says the contrary in words."""

import pytest

from truerate.llm.replies.verdicts import yes_no

STATED = {
    True: (
        "Yes.", "**Yes**", "Yes, the answer contains a hallucination.", "The answer contains a hallucination.",
        "The answer is not supported by the source.", "It invents a date.", "My judgement is Yes.",
        "The summary adds a detail that is not in the document.", "So the answer is hallucinated.",
        "There is a hallucination in the response.", "The response wrongly states that he was born in Rome.",
        "That makes it unfaithful.", "None of this is in the document.", "Overall, the response is inaccurate.",
    ),
    False: (
        "No.", "**No**", "No, the answer is accurate.", "The answer is supported by the source.", "My judgement is No.",
        "It contains no hallucination.", "Everything in the answer is in the document.", "So the answer is faithful.",
        "There is no hallucination in the response.", "All three points can be traced to the text.",
        "I can't find any error.", "The summary is consistent with the article.",
    ),
}  # fmt: skip
TAKEN_BACK = {
    None: (
        "Wait, no.", "Wait, yes.", "On second thought, {other}.", "Actually, {other}.", "Hmm, actually {other}.",
        "But I'm not sure.", "No, that's wrong.", "Scratch that: {other}.", "Or maybe {other}.", "I take that back.",
        "That is what I thought at first. It turns out that I was wrong.",
    ),
    True: (
        "However, the answer is correct.", "But everything in it is supported by the source.",
        "On closer inspection, it is accurate.", "So the answer is not hallucinated.",
        "Therefore, my judgement is No.", "Still, there is no hallucination.",
    ),
    False: (
        "However, it contains a hallucination.", "But it invents a date.", "However, the date is made up.",
        "On closer inspection, it is hallucinated.", "So the answer is hallucinated.", "Therefore, my judgement is Yes.",
        "Except for the date, which is fabricated.", "But the last sentence is not supported by the document.",
        "However, the mayor's name is not mentioned in the source.",
        "\nThat said, the claim about the sister is fabricated.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "stated"), [(value, words) for value, some in STATED.items() for words in some]
)
def test_a_verdict_that_is_taken_back_is_not_read(value, stated):
    assert yes_no(stated, asks="hallucination").value is value
    tails = [tail.format(other="no" if value else "yes") for tail in (*TAKEN_BACK[None], *TAKEN_BACK[value])]
    texts = [f"{stated}{sep}{tail}" for tail in tails for sep in (" ", "\n\n")]
    assert [text for text in texts if yes_no(text, asks="hallucination").value is value] == []


@pytest.mark.parametrize(
    "text", ["Yes, although I'm not sure.", "No, though I am not certain.", "不, 结论: 有幻觉"]
)
def test_a_verdict_that_its_own_words_leave_open_or_contradict_is_not_read(text):
    assert yes_no(text, asks="hallucination").value is None
