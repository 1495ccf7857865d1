"""The readers of facts, verdicts, names, domains, tagged passages and abstentions on replies in many manners."""

import random

import pytest

from truerate.llm.replies.claim_verdicts import read_verdicts
from truerate.llm.replies.lists.facts import read_facts

from .corpus import MIN_READ, account, load
from .track_readers import READERS, rows


@pytest.mark.parametrize("name", sorted(READERS))
def test_nothing_is_turned_or_invented_and_what_a_person_can_read_is_read(name):
    outcomes = account(rows(name), READERS[name])
    assert [row["text"] for row in outcomes.invented] == []
    assert [(row["text"], row["got"]) for row in outcomes.turned] == []
    assert outcomes.read_rate >= MIN_READ


@pytest.mark.parametrize("name", sorted(READERS))
def test_no_reply_stands_in_a_corpus_twice(name):
    whole = [(row["text"], str(row.get("context"))) for row in load(name)]
    assert len(set(whole)) == len(whole)


CLAIMS = ["Kiel is a city.", "Kiel lies in Bavaria."]
VERDICTS = {
    False: [
        "supported",
        "Supported.",
        "supported by passage 2",
        "**supported**",
        "true",
        "✓",
        "The claim is supported.",
    ],
    True: ["not supported", "Unsupported.", "not supported: nothing is said of it", "refuted", "✗", "false"],
}
MARKS = ["[%d] ", "%d. ", "%d) ", "(%d) ", "**[%d]** ", "- [%d] ", "[%d]: "]
BEFORE = ["", "Here they are:\n\n", "<think>[1] supported\n[2] hm</think>", "```\n", "Sure!\n"]
BEHIND = ["", "\n\nI hope this helps.", "\n```", "<|eot_id|>"]
SENTENCES = ["Kiel is a city and has a harbour.", "See it once!", "It was founded in 1233."]
FACTS = [(1, "Kiel is a city."), (1, "Kiel has a harbour."), (2, None), (3, "Kiel was founded in 1233.")]
NONE = ["none", "(no fact)", "N/A", "No facts.", "nothing to state", "none (opinion)"]


def test_other_marks_words_and_wrappings_change_no_verdict():
    drawn = random.Random(7)
    for _ in range(150):
        verdicts, mark = (
            [drawn.random() < 0.5 for _ in CLAIMS],
            drawn.choice(MARKS + ["Claim %d: ", "[Claim %d] "]),
        )
        echo = drawn.random() < 0.3
        lines = [
            f"{mark % number}{f'{claim} - ' if echo else ''}{drawn.choice(VERDICTS[verdict])}"
            for number, (claim, verdict) in enumerate(zip(CLAIMS, verdicts, strict=True), 1)
        ]
        text = drawn.choice(BEFORE) + "\n".join(lines) + drawn.choice(BEHIND)
        assert read_verdicts(text, CLAIMS).value == verdicts, text


def test_other_marks_words_for_none_and_wrappings_change_no_fact():
    drawn = random.Random(8)
    for _ in range(150):
        mark = drawn.choice(MARKS + ["Sentence %d: ", "[S%d] ", "[%d] - "])
        lines = [f"{mark % number}{fact or drawn.choice(NONE)}" for number, fact in FACTS]
        text = drawn.choice(BEFORE) + drawn.choice(["\n", "\n\n"]).join(lines) + drawn.choice(BEHIND)
        read = read_facts(text, SENTENCES).value
        assert read.facts == tuple((number - 1, fact) for number, fact in FACTS if fact), text
        assert not read.missed and not read.n_malformed, text
