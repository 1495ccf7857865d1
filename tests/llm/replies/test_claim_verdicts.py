"""Verdicts by the number of their claim, read from replies in many manners."""

import pytest

from truerate.llm.replies.claim_verdicts import read_verdicts


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
