"""Who cannot answer declines; who cannot answer the phone, or for somebody else, does not."""

import pytest

from truerate.llm.replies.texts.refusals import is_refusal


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("I'm sorry, but I cannot answer.", True),
        ("I'm sorry, but without a reference passage I cannot provide an answer.", True),
        ("I am unable to give you an answer to that.", True),
        ("I can't answer the phone right now, I'm driving.", False),
        ("I cannot answer for him, but he was born in 1950.", False),
    ],
)
def test_that_one_cannot_answer_is_a_refusal(text, is_one):
    assert is_refusal(text) == is_one
