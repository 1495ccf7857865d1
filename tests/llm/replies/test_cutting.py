"""What wraps an answer comes off, layer by layer, and is told."""

import pytest

from truerate.llm.replies.cutting import bare, element, fence, opened, quotes, turn, unfenced

OPENED = {
    "nothing": ("Yes.", "Yes.", ()),
    "special token": ("Yes<|eot_id|>", "Yes", ("special-token",)),
    "sentence tokens": ("<s>No</s>", "No", ("special-token",)),
    "header of a turn": (
        "<|start_header_id|>assistant<|end_header_id|>\n\nNo<|eot_id|>",
        "No",
        ("special-token",),
    ),
    "end of an instruction": ("[/INST] Yes </s>", "Yes", ("special-token",)),
    "a turn of the user behind": (
        "Yes<|im_end|>\n<|im_start|>user\nNo?",
        "Yes",
        ("special-token", "next-turn"),
    ),
    "an instruction behind": ("No [INST] Judge this. [/INST] Yes", "No", ("special-token", "next-turn")),
    "thought and a token": ("<think>No?</think>Yes<|im_end|>", "Yes", ("thought", "special-token")),
    "thought alone": ("<think>No, the year", "", ("thought",)),
    "full-width token": ("No<｜end▁of▁sentence｜>", "No", ("special-token",)),
    "less than": ("5 < 7 and [4] > 2", "5 < 7 and [4] > 2", ()),
}


@pytest.mark.parametrize("name", OPENED)
def test_opened(name):
    text, value, cuts = OPENED[name]
    assert opened(text) == (value, cuts)


BARE = {
    "fence": ("```json\n{}\n```", "{}", ("fence",)),
    "fence in a line": ("```Yes```", "Yes", ("fence",)),
    "data": ("<data-0123abcd>\nthe Weser\n</data-0123abcd>", "the Weser", ("fence",)),
    "curly quotes": ("“the Weser”", "the Weser", ("quotes",)),
    "quotes in bold in a tag": ("<answer>**“the Weser”**</answer>", "the Weser", ("tags", "quotes")),
    "two quotations": ('"A" and "B"', '"A" and "B"', ()),
    "apostrophe": ("'It's the Weser'", "It's the Weser", ("quotes",)),
    "two elements": ("<a>x</a><a>y</a>", "<a>x</a><a>y</a>", ()),
    "German quotes": ("„die Weser“", "die Weser", ("quotes",)),
    "emphasis of one word": ("**A** and **B**", "**A** and **B**", ()),
}


@pytest.mark.parametrize("name", BARE)
def test_bare(name):
    text, value, cuts = BARE[name]
    assert bare(text) == (value, cuts)


def test_layers_alone():
    assert fence("two\n```\nx\n```").cuts == ()
    assert unfenced("See:\n```text\nYes\n```\n") == ("See:\nYes", ("fence",))
    assert quotes('"') == ('"', ())
    assert element("<answer>Yes") == ("<answer>Yes", ())
    assert turn("a <b> c").cuts == ()
