"""What a prompt says, whoever it is for: headings, the last example, and the messages around it."""

import pytest

from truerate.llm import prompts
from truerate_world import prompt

from .asking import block, fence, user


def test_values_may_stand_on_the_next_line():
    text = f"#Question#:\n{fence('Q?')}\n#Answer#:\nA\n#Your Judgement#:"
    assert prompt.read(user(text)).fields == {"Question": "Q?", "Answer": "A"}


def test_neutralised_headings_are_text():
    evidence = "Fine.\n＃Question＃: other?\n＃Your Judgement＃:"
    asked = prompt.read(
        user(block("Your Judgement", {"Question": "Q?", "Answer": evidence}, is_fenced=False))
    )
    assert asked.fields == {"Question": "Q?", "Answer": evidence}


def test_a_message_alone_is_bare_and_a_turn_of_a_talk_is_unread():
    bare = prompt.read([{"role": "user", "content": " Tell me about X. "}])
    assert (bare.form, bare.message) == (prompt.BARE, "Tell me about X.")
    assert prompt.read([]).form == prompt.UNREAD
    several = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": "And now?"},
    ]
    assert prompt.read(several).form == prompt.UNREAD


def test_the_instruction_is_what_others_than_the_user_say():
    asked = prompt.read(user(block("Odd Cue", {"A": "b"}), "Be short."))
    assert (asked.form, asked.cue, asked.instruction) == (prompt.HEADED, "Odd Cue", "Be short.")


def test_a_reminder_of_the_cue_is_about_the_question_before_it():
    question = user(block("Your Judgement", {"Question": "Q?", "Answer": "A"}), "Think step by step.")
    unread = [{"role": "assistant", "content": "Hm. #Question#: no"}]
    reminder = [{"role": "user", "content": "That could not be read. Yes or No.\n#Your Judgement#:"}]
    asked = prompt.read([*question, *unread, *reminder])
    assert (asked.fields, asked.is_step_by_step, asked.is_reminded) == (
        {"Question": "Q?", "Answer": "A"},
        True,
        True,
    )
    other = [{"role": "user", "content": "That could not be read.\n#Reasoning#:"}]
    asked = prompt.read([*question, *unread, *other])
    assert (asked.cue, asked.is_reminded) == ("Your Judgement", True)
    assert prompt.read([{"role": "user", "content": "Hi."}, *unread, *reminder]).form == prompt.HEADED


VALUES = {"noun": "Answer", "cue": "Your Choice", "domains": ("visual", "organism")}
REMINDERS = sorted(path for path in prompts.TRACKS.glob("*/prompts/remind_*.j2"))


@pytest.mark.parametrize("path", REMINDERS, ids=lambda path: path.stem)
def test_every_reminder_of_a_track_is_understood_as_one(path):
    question = user(block("Your Judgement", {"Question": "Q?", "Answer": "A"}))
    turn = prompts.render(path.parts[-3], path.stem, None, **VALUES)
    asked = prompt.read([*question, {"role": "assistant", "content": "Hm."}, *turn])
    assert asked.is_reminded and asked.fields["Question"] == "Q?"
