"""What is told of a data set, by hand."""

import pytest

from truerate.core.schemas import Generation, Item, Sample, frame
from truerate.tracks.halludial.making_scores import label_rows, leak_rows, reply_rows, size_rows

from .made_scores import WRITER, item, reply, sample, values


def test_sizes_of_dialogues_and_of_turns_that_stand_alone():
    items = [item("a0", "a", 0), item("a1", "a", 1), item("b0", "b", 0)]
    actual = values(size_rows(frame(Item, items), WRITER))
    assert (actual["n_dialogues"][0], actual["n_turns"][0], actual["turns_per_dialogue"]) == (2, 3, (1.5, 2))
    assert values(size_rows(frame(Item, [item("a", "a", None)]), WRITER)) == {"n_turns": (1, 1)}


def test_labels_by_scenario_split_and_kind():
    samples = [
        sample("s1", True, text="one two three"),
        sample("s2", False, text="one", split="train"),
        sample("f", True, scenario="induced", kind="factuality"),
        sample("m", False, scenario="induced", kind="matched"),
    ]
    result = label_rows(frame(Sample, samples), WRITER)
    actual = values(result, scenario="spontaneous")
    assert actual == {"n_samples": (2, 2), "hallucinated_rate": (0.5, 2), "words_per_response": (2, 2)}
    assert values(result, scenario="spontaneous", split="test")["hallucinated_rate"] == (1, 1)
    assert values(result, scenario="induced", kind="factuality") == {"n_by_kind": (1, 2)}
    assert values(result, scenario="induced")["hallucinated_rate"] == (
        1,
        1,
    )  # paraphrases are counted by kind alone


def test_a_split_by_sample_shares_contexts():
    # one dialogue of two turns: turn 1 has texts on both sides, turn 2 two in test
    sides = [("t1", "train"), ("t1", "test"), ("t2", "test"), ("t2", "test")]
    samples = [
        sample(f"s{n}", False, item_id=turn, group_id="d", more={"split_by_sample": side})
        for n, (turn, side) in enumerate(sides)
    ]
    result = leak_rows(frame(Sample, samples), WRITER)
    published = values(result, scenario="spontaneous", split="by-sample")
    assert published["shared_context_rate"] == (1 / 2, 2) and published["shared_dialogue_rate"] == (1, 1)
    assert published["sibling_rate"] == (pytest.approx(1 / 3, abs=1e-6), 3)
    of_own = values(result, scenario="spontaneous", split="by-dialogue")
    assert [of_own[name][0] for name in ("shared_context_rate", "shared_dialogue_rate", "sibling_rate")] == [
        0,
        0,
        0,
    ]
    assert leak_rows(frame(Sample, [sample("s", True)]), WRITER) == []


def induced(name: str, **flags: str) -> dict:
    return reply(name, "i", purpose="induce", more={"kind": "factuality", **flags})


def test_rules_that_replies_break():
    replies = [
        reply("r1", "i", more={"too_long": "yes"}),
        reply("r2", "i", more={"continued": "yes"}),
        reply("r3", "i", status="unparsed", text=""),
        induced("f1", too_long="yes", restated="yes"),
        induced("f2"),
        reply("a1", "i", purpose="annotate", more={"verdict": "yes", "segments": "0-4"}),
        reply("a2", "i", purpose="annotate", more={"verdict": "yes"}),
        reply("a3", "i", purpose="annotate", more={"verdict": "no"}),
    ]
    result = reply_rows(frame(Generation, replies), frame(Item, [item("i", "g")]), WRITER)
    responses = values(result, step="respond")
    assert responses["unread_rate"] == (pytest.approx(1 / 3, abs=1e-6), 3)
    assert responses["too_long_rate"] == responses["continued_rate"] == (1 / 2, 2)
    written = values(result, step="induce", kind="factuality")
    assert written["broken_rate"] == written["too_long_rate"] == written["restated_rate"] == (1 / 2, 2)
    assert written["not_located_rate"] == (0, 2)
    assert values(result, step="annotate") == {"not_located_rate": (1 / 2, 2)}


def test_no_replies_no_rows():
    assert reply_rows(frame(Generation), frame(Item), WRITER) == []
