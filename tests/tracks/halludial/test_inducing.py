"""Induced and matched texts: what is asked, and the rules that a text breaks."""

import pytest

from truerate.llm.generation import generation
from truerate.tracks.halludial.inducing import broken, read_induced, read_matched, requests

from .made import RIGHT, context, dead, questions


def induced(text: str, segment: str = "Porto"):
    reply = f'{text}\n#Segment#: "{segment}"\n#Rationale#: It is Lisbon.'
    return read_induced(reply, RIGHT, 6)


def test_both_kinds_and_the_paraphrase_are_asked_of_each_turn_with_a_reference():
    asked = requests([context(), context("i1", right_answer=None)], "writer", questions())
    assert [(one.item_id, one.purpose, one.attributes["kind"]) for one in asked] == [
        ("i0", "induce", "factuality"), ("i0", "induce", "faithfulness"), ("i0", "match", "matched"),
    ]  # fmt: skip
    assert asked[0].request.messages[-1]["content"].endswith("#Kind#: factuality\n#Induced Response#:")


def test_an_induced_response_keeps_its_segment_and_its_reason():
    read = induced("It is Porto, on the Tagus.")
    assert (read.text, read.attributes["segments"]) == ("It is Porto, on the Tagus.", "6-11")
    assert read.attributes["rationale"] == "It is Lisbon."
    assert broken({name: value for name, value in read.attributes.items() if value}) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "It is Porto, on the Tagus, as every one of us has always known well.",
            "too-long",
        ),  # 14 words, the right one 6
        ("It is Lisbon, on the Tagus!", "right-restated"),
        ("It is Braga, on the Tagus.", "not-located"),
    ],
)
def test_a_rule_that_is_broken_is_told(text, reason):
    segment = "Lisbon" if reason == "right-restated" else "Porto"
    read = induced(text, segment)
    assert read.status == "ok"
    assert broken({name: value for name, value in read.attributes.items() if value}) == [reason]


def test_six_words_more_are_allowed():
    read = induced("It is Porto, on the Tagus, a b c d e f.")
    assert (read.attributes["words_over"], read.attributes["too_long"]) == ("6", None)


def test_a_paraphrase_that_is_the_right_response_is_told():
    assert read_matched("it is lisbon on the Tagus", RIGHT, 6).attributes["unchanged"] == "yes"
    assert read_matched("On the Tagus: Lisbon.", RIGHT, 6).attributes["unchanged"] is None


def test_a_refusal_abstains():
    assert read_induced("Refused", RIGHT, 6).status == "abstained"
    asked = requests([context()], "writer", questions())
    assert {generation(one, dead("refusal"))["status"] for one in asked} == {
        "abstained"
    }  # in a field of its own
