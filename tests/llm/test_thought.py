"""Thought that stands in a reply: cut in one place, kept beside the answer, counted."""

import polars as pl
import pytest

from llm.asked import asking
from truerate.llm.ask import ask
from truerate.llm.counts import counts
from truerate.llm.dry_run import DryRun
from truerate.llm.generation import Prompted, facts, generation, generations
from truerate.llm.request import Reply
from truerate.llm.thought import Parts, split_thought

CASES = {
    "none": ("A plain answer.\n", Parts("A plain answer.\n", None)),
    "before": ("<think>It may be so.</think>\n\nNo.", Parts("No.", "It may be so.")),
    "capitals and a blank": ("<Think >x</THINK >Yes", Parts("Yes", "x")),
    "thinking": ("<thinking>x</thinking>Yes", Parts("Yes", "x")),
    "empty": ("<think>\n\n</think>\n\nYes", Parts("Yes", "")),
    "behind": ("Yes.\n<think>was that right?</think>", Parts("Yes.", "was that right?")),
    "two": ("<think>a</think>One <think>b</think>two", Parts("One two", "a\nb")),
    "nested": ("<think>a <think>b</think> c</think>No", Parts("No", "a\nb\nc")),
    "lone closing tag": ("The year is off, so Yes.</think>No", Parts("No", "The year is off, so Yes.")),
    "lone closing tag behind a block": ("<think>a</think> b </think>No", Parts("No", "a\nb")),
    "never closed": ("<think>Perhaps Yes, the year", Parts("", "Perhaps Yes, the year")),
    "never closed behind an answer": ("No.\n<think>or is it", Parts("No.", "or is it")),
    "opened twice": ("<think>\n<think>\nso</think>\nYes", Parts("Yes", "so")),
    "with an attribute": ('<think type="x">so</think>Yes', Parts("Yes", "so")),
    "of kimi": ("◁think▷so◁/think▷Yes", Parts("Yes", "so")),
    "in square brackets": ("[THINK]so[/THINK]Yes", Parts("Yes", "so")),
    "reasoning": ("<reasoning>so</reasoning>\n<answer>No</answer>", Parts("<answer>No</answer>", "so")),
    "thought and a prefix": ("<seed:think>a</seed:think><thought>b</thought>No", Parts("No", "a\nb")),
    "encoded": ("&lt;think&gt;so&lt;/think&gt; No", Parts("No", "so")),
    "spelled out": ("<|begin_of_thought|>so<|end_of_thought|>No", Parts("No", "so")),
    "command": ("<|START_THINKING|>so<|END_THINKING|>No", Parts("No", "so")),
    "a channel of one bar": ("<|channel>thought\nso<channel|>No", Parts("No", "so")),
    "channels": (
        "<|channel|>analysis<|message|>so<|end|><|start|>assistant<|channel|>final<|message|>No<|return|>",
        Parts("No", "so"),
    ),
    "a channel that is cut": ("<|channel|>analysis<|message|>Perhaps Yes", Parts("", "Perhaps Yes")),
    "channels without their tokens": ("analysisWe check it.assistantfinalNo", Parts("No", "We check it.")),
    "the word analysis": ("analysis of the year: No", Parts("analysis of the year: No", None)),
    "spoken of": ("The tag `<think>` opens a thought.", Parts("The tag `<think>` opens a thought.", None)),
    "other words": ("I think, therefore </b> <thinker>.", Parts("I think, therefore </b> <thinker>.", None)),
}


@pytest.mark.parametrize("name", CASES)
def test_thought_is_cut(name):
    text, expected = CASES[name]
    assert split_thought(text) == expected


def test_replies_come_without_it_and_the_store_keeps_it(at, stub):
    layout = at()
    replies = ask(
        [asking("[[text <think>so</think>Yes]]"), asking("[[text <think>so]]"), asking("No")],
        layout,
        label="x",
    )
    assert [(r.status, r.text, r.reason, r.thought) for r in replies] == [
        ("ok", "Yes", None, "so"), ("dead", "", "thought_only", "so"), ("ok", "echo: No", None, None),
    ]  # fmt: skip
    again = ask([asking("[[text <think>so]]")], layout, label="y")
    assert (again[0].reason, again[0].is_stored, stub.n_calls) == ("thought_only", True, 3)
    planned = DryRun(assumed=lambda key, request: None)(
        [asking("[[text <think>so</think>Yes]]")], layout, label="z"
    )
    assert planned[0].text == "Yes"


def test_rows_hold_it_beside_the_text_and_accounts_count_it():
    def row(number: int, thought: str | None) -> dict:
        reply = Reply(f"{number:064x}", "ok", "Yes", "stop", None, 1, 1, 0.0, False, thought)
        return generation(Prompted(asking(f"{number}"), f"i{number}", "recognition"), reply)

    table = generations([row(1, "so"), row(2, None), row(3, "")])
    assert sorted(facts(one).get("thought", "-") for one in table.to_dicts()) == ["-", "-", "so"]
    (account,) = counts(table).select(pl.col("n_in", "n_ok", "n_thought")).rows()
    assert account == (3, 3, 1)


def test_thought_that_a_server_keeps_apart_stands_in_the_row_of_a_reply_and_of_a_stored_one(at, stub):
    """`reasoning_content` is no text of the reply, and its thought; one in the text goes before it."""
    layout = at()
    apart = {
        "role": "assistant",
        "content": "No",
        "reasoning_content": "It is told.\x00 So the answer is No.",
    }
    for content, thought in (("No", "It is told. So the answer is No."), ("<think>Seen.</think>No", "Seen.")):
        message = apart | {"content": content}
        stub.stub.more = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        for _ in range(2):  # then from the store
            (reply,) = ask([asking(content)], layout, label="x")
            row = generation(Prompted(asking(content), "i", "recognise"), reply)
            assert (row["text"], facts(row)["thought"]) == ("No", thought)
    assert stub.n_calls == 2
