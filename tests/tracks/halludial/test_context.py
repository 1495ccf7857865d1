"""Contexts: turns read from histories, dialogues in order, what prompts show of a long one."""

import polars as pl

from truerate.core.schemas import pairs
from truerate.tracks.halludial.context import (
    Turn,
    chosen,
    contexts,
    conversation,
    dialogues,
    earlier_turns,
    with_own,
)

from .rows_by_hand import context, tables


def test_a_history_is_read_as_turns_whatever_its_speakers_are_called():
    history = "[Human]: Hello\n there.\n[Assistant]: Hi.\n[User]: Well?"
    assert earlier_turns(history) == (
        Turn("User", "Hello there."),
        Turn("Assistant", "Hi."),
        Turn("User", "Well?"),
    )
    assert earlier_turns("") == ()
    assert earlier_turns("No name before it.") == (Turn("User", "No name before it."),)


def test_a_dialogue_that_begins_with_the_assistant_keeps_its_first_turn():
    assert earlier_turns("[Assistant]: Ask me.") == (Turn("Assistant", "Ask me."),)


def test_the_question_is_the_last_turn_and_the_place_is_that_of_the_source():
    actual = contexts(*tables(1, 2))["i01"]
    assert actual.history == "User: Question 0?\nAssistant: Answer 0 0.\nUser: Question 1?"
    assert (actual.dialogue, actual.turn, actual.n_answered) == ("0", 1, 1)
    assert actual.knowledge == "Fact 0 1."


def test_an_item_without_a_place_stands_alone():
    items, documents = tables(1, 2)
    bare = items.with_columns(
        attributes=pl.Series([pairs(), pairs(turn="last")], dtype=items["attributes"].dtype)
    )
    actual = contexts(bare, documents)
    assert [turn_context.turn for turn_context in actual.values()] == [None, None]
    assert [len(turns) for turns in dialogues(actual.values())] == [1, 1]


def test_dialogues_stand_in_the_order_of_their_turns():
    actual = contexts(*tables(2, 3))
    names = [[question.item_id for question in turns] for turns in dialogues(reversed(actual.values()))]
    assert names == [["i00", "i01", "i02"], ["i10", "i11", "i12"]]


def test_two_histories_under_one_name_are_two_dialogues():
    entry, other = context("i0", 1), context("i1", 1)
    assert [len(turns) for turns in dialogues([entry, other])] == [1, 1]


def test_a_larger_number_of_dialogues_keeps_the_earlier_ones():
    actual = contexts(*tables(6, 2)).values()
    groups = [{turn.group_id for turn in chosen(actual, n, 7)} for n in (2, 4, 9)]
    assert groups[0] < groups[1] < groups[2] and [len(group) for group in groups] == [2, 4, 6]
    assert len(chosen(actual, 2, 7)) == 4  # all turns of each


def test_own_responses_take_the_place_of_the_assistants_turns():
    values = with_own(context(turn=2), {1: "mine"})
    assert [turn.text for turn in values.turns] == ["q0", "gold 0", "q1", "mine", "What is the capital?"]


def test_a_long_history_gives_way_from_its_beginning():
    long = context(
        turn=2, turns=(Turn("User", "word " * 10_000), Turn("Assistant", "a b"), Turn("User", "c d e"))
    )
    assert conversation(long, 5) == ("Assistant: a b\nUser: c d e", True)
    assert conversation(long, 1) == ("User: c d e", True)  # the last turn always stands
    assert conversation(context(turn=1), 100)[1] is False
