"""Spontaneous responses: what is asked at which temperature, what is read, and self history round by round."""

import pytest

from truerate.llm.generation import facts
from truerate.tracks.halludial.responding import collect, read_response, requests, run_self

from .rows_by_hand import context, dead, ok, questions, settings

DIALOGUE = [context(f"i{turn}", turn) for turn in range(3)]


def run(answer, **changes):
    asked_of = []

    def answered(asked, number):
        asked_of.append([prompted.request.messages[-1]["content"] for prompted in asked])
        return [answer(prompted, number) for prompted in asked]

    rows = run_self([DIALOGUE, [context("alone", None)]], "gen", questions(**changes), answered)
    return rows, asked_of


def test_every_turn_is_asked_at_the_base_temperature_and_some_at_the_others():
    asked = requests(DIALOGUE, DIALOGUE[:1], "gen", questions())
    assert [(question.item_id, question.attributes["temperature"]) for question in asked] == [
        ("i0", "1"), ("i1", "1"), ("i2", "1"), ("i0", "0.5"),
    ]  # fmt: skip
    assert asked[3].request.params["temperature"] == 0.5
    assert {question.attributes["history"] for question in asked} == {"gold"}


def test_the_models_own_turns_stand_before_the_next_and_peoples_are_kept():
    _, asked = run(lambda prompted, number: ok(f"own {number}"))
    assert len(asked[0]) == 2 and len(asked[2]) == 1
    assert "User: q0\nAssistant: own 0\nUser: q1\nAssistant: own 1\nUser: What is the capital?" in asked[2][0]


def test_a_response_that_never_came_leaves_a_gap_where_the_reference_stands():
    rows, asked = run(lambda prompted, number: dead() if number == 0 else ok(f"own {number}"))
    assert "Assistant: gold 0\nUser: q1\nAssistant: own 1" in asked[2][0]
    gaps = {row["item_id"]: facts(row).get("n_gaps") for row in rows}
    assert gaps == {"i0": None, "i1": "1", "i2": "1", "alone": None}


def test_a_turn_that_stands_alone_is_asked_as_in_gold_history():
    rows, asked = run(lambda prompted, number: ok("own"))
    gold = requests([context("alone", None)], (), "gen", questions())[0]
    assert asked[0][1] == gold.request.messages[-1]["content"]
    assert facts(rows[-1])["history"] == "self"


@pytest.mark.parametrize(
    ("reply", "text", "columns"),
    [
        ("It is Lisbon.", "It is Lisbon.", {"n_words": "3"}),
        ("#Next Response#: It is\nLisbon.", "It is Lisbon.", {"n_words": "3"}),
        ("a b c d e f g h i", "a b c d e f g h i", {"n_words": "9", "too_long": "yes"}),
        (
            "It is Lisbon.\nUser: Thanks!\nAssistant: Sure.",
            "It is Lisbon.",
            {"n_words": "3", "continued": "yes"},
        ),
    ],
)
def test_a_response_is_read_without_what_is_no_part_of_it(reply, text, columns):
    read = read_response(reply, 8)
    assert (read.status, read.text) == ("ok", text)
    actual = {name: value for name, value in read.attributes.items() if value is not None and name != "cut"}
    assert actual == columns


def test_an_empty_response_and_a_refusal_are_outcomes():
    assert (read_response("  ", 8).status, read_response("  ", 8).reason) == ("unparsed", "empty")
    refused = read_response("I'm sorry, but I can't help with that.", 8)
    assert (refused.status, refused.reason) == ("abstained", "refusal")


def test_a_refusal_in_a_field_of_its_own_abstains_as_one_in_words_does():
    asked = requests(DIALOGUE[:2], [], "gen", questions())
    rows = collect(asked, [dead("refusal"), dead("content_filter")], settings())
    assert [(row["status"], row["reason"]) for row in rows] == [
        ("abstained", "refusal"), ("dead", "content_filter"),
    ]  # fmt: skip


def test_a_temperature_that_a_model_refuses_is_a_dead_reply_of_that_temperature_alone():
    asked = requests(DIALOGUE[:1], DIALOGUE[:1], "gen", questions())
    rows = collect(asked, [ok("It is Lisbon."), dead("rejected")], settings())
    assert [(row["status"], row["reason"], facts(row)["temperature"]) for row in rows] == [
        ("ok", None, "1"), ("dead", "rejected", "0.5"),
    ]  # fmt: skip
