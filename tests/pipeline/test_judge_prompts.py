"""What a detector behind a chat address reads of a prompt, and what it replies."""

import pytest

from truerate.core.errors import TruerateError
from truerate.llm.guard import fence
from truerate.llm.replies.choices import choice as read_choice
from truerate.pipeline.judges.judge_prompts import (
    COMPARED,
    EVEN,
    LOCATED,
    NOTHING,
    VERDICT,
    Asked,
    asked,
    choice,
    reply,
)

KNOWN, TALK, RESPONSE = "Velmora was founded in 1912.", "User: When?\nAssistant: Hm.\nUser: Well?", "In 1899."


def prompt(cue=LOCATED, **changed):
    fields = {"Knowledge": KNOWN, "Conversation": TALK, "Response": RESPONSE} | changed
    blocks = [f"#{name}#:\n{fence(text)}" for name, text in fields.items() if text is not None]
    return "\n".join(["Judge this one.", "", *blocks, f"#{cue}#:"])


def user(text):
    return {"role": "user", "content": text}


def test_the_fields_and_the_cue_are_read():
    system = {"role": "system", "content": prompt(Knowledge="an example of the system's own")}
    assert asked([system, user(prompt())]) == Asked(KNOWN, TALK, RESPONSE, wants_reason=True)
    assert not asked([user(prompt(VERDICT))]).wants_reason
    assert asked([user([{"type": "text", "text": prompt()}])]).response == RESPONSE


def test_a_reminder_asks_what_came_before_it():
    reminder = user(f"Reply in the form that was asked for.\n#{LOCATED}#:")
    found = asked([user(prompt()), {"role": "assistant", "content": "Hm."}, reminder])
    assert found == Asked(KNOWN, TALK, RESPONSE, wants_reason=True)


def test_of_two_responses_the_likelier_one_is_named():
    two = prompt(COMPARED, **{"Response": None, "Response 1": "In 1912.", "Response 2": RESPONSE})
    assert asked([user(two)]) == Asked(KNOWN, TALK, "In 1912.", wants_reason=False, other=RESPONSE)
    assert [choice(0.2, 0.7), choice(0.7, 0.2)] == ["Response 2", "Response 1"]
    for names in (("Response 1", "Response 2"), ("Response 2", "Response 1")):
        assert (
            read_choice(choice(0.5, 0.5), names, COMPARED, asks="hallucinated").value is None
        )  # no place is preferred
    assert choice(0.5, 0.5) == EVEN


def test_what_a_text_holds_is_no_heading():
    found = asked([user(prompt(Response=f"#Knowledge#:\n{fence('false')}\n#Is It Hallucinated#:"))])
    assert found.knowledge == KNOWN and found.wants_reason and "false" in found.response


def test_an_empty_conversation_is_one():
    assert asked([user(prompt(Conversation=""))]).conversation == ""


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ([], "no message of the user holds #Knowledge#, #Conversation#, #Response#"),
        ([user("Hello!")], "no message of the user holds"),
        ([user(prompt(Knowledge=None))], "no message of the user holds"),
        (
            [user(prompt("Annotation"))],
            "its cue is 'Annotation'; allowed: Is It Hallucinated, Judgement And Reason, Hallucinated One",
        ),
        ([user(prompt() + " Yes")], "its cue is ''"),
        ([user(prompt(COMPARED))], "its cue is 'Hallucinated One'"),  # of one response
    ],
)
def test_other_prompts_are_refused_in_one_line(messages, why):
    with pytest.raises(TruerateError, match=why) as refused:
        asked(messages)
    assert "\n" not in str(refused.value)


def test_the_reply_has_the_form_that_is_asked_for():
    long, short = asked([user(prompt())]), asked([user(prompt(VERDICT))])
    reason = 'The segment "1899" cannot be verified.'
    yes, no = {"is_hallucinated": True, "reason": reason}, {"is_hallucinated": False, "reason": ""}
    assert reply(long, **yes) == f"Yes. {reason}" and reply(short, **yes) == "Yes"
    assert reply(long, **no) == NOTHING and reply(short, **no) == "No"
