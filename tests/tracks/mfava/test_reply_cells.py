"""Replies counted part after part are the replies counted at once, whatever is worded alike or judged by one seed."""

from dataclasses import fields

import numpy as np
import pytest

from truerate.metrics.tokens import offsets_by
from truerate.tracks.mfava.marking import NATURAL, Detector, answers, board_texts, labelled
from truerate.tracks.mfava.ordering import cells_of, judgements_of, parts, seeds_of
from truerate.tracks.mfava.rates import gold_tokens
from truerate.tracks.mfava.scores import score, scored_judgements

from .made_scores import At, item, judged, reply, sample, span, tables

WORDS = offsets_by("words")
LEADING = Detector("token-lr", "multi", "binary")
ITEMS = [item(f"i{k}", task="wild", group=f"g{k // 2}") for k in range(6)]
# Two models answer six items; both say the same of item 2. Seed 42 marks the first word of every reply, seed 43
# the second, and of items 0 to 2 alone.
REPLIES = [
    reply(f"i{k}", model, "a b" if k == 2 else f"{model} says {k} words", repeats="yes" if k == 4 else "no")
    for k in range(6)
    for model in ("small", "large")
]
SAID = [judged(row["generation_id"], span(0, 1, p=0.9)) for row in REPLIES] + [
    judged(row["generation_id"], span(2, 3, p=0.9), seed=43) for row in REPLIES if row["item_id"] < "i3"
]
OTHERS = [judged(row["generation_id"], span(0, 9), member="other") for row in REPLIES]


def counted(n_at_once: int):
    made = tables(
        ITEMS, [sample("i2", "a b", span(0, 1), task="wild", source="gold")], REPLIES, SAID + OTHERS
    )
    said = judgements_of(made["judgements"], LEADING)
    assert said.height == len(SAID) and seeds_of(said) == ["42", "43"]
    replies = answers(made["generations"], made["items"])
    texts = board_texts(made["samples"], replies, WORDS)
    gold_of = gold_tokens(texts, labelled(made["samples"], texts, NATURAL))
    assert gold_of
    return cells_of(replies, made["samples"], said, WORDS, gold_of, detector=LEADING, n_at_once=n_at_once)


@pytest.mark.parametrize("n_at_once", [1, 3, 5])
def test_in_parts_or_at_once(n_at_once):
    whole, found = counted(100), counted(n_at_once)
    assert list(whole) == list(found) == [("large", "en"), ("small", "en")]
    for key, cell in whole.items():
        for name in [field.name for field in fields(cell) if field.name != "flaws"]:
            ours, theirs = getattr(cell, name), getattr(found[key], name)
            assert np.array_equal(ours, theirs, equal_nan=ours.dtype == float), name
        assert {flaw: each.tolist() for flaw, each in cell.flaws.items()} == {
            flaw: each.tolist() for flaw, each in found[key].flaws.items()
        }


def test_a_seed_counts_only_what_it_judged():
    cell = counted(2)["small", "en"]
    assert cell.units.tolist() == [f"i{k}/0" for k in range(6)]
    assert cell.tokens.tolist() == [[4, 4], [4, 4], [2, 2], [4, 0], [4, 0], [4, 0]]
    assert cell.detected.tolist() == [[1, 1], [1, 1], [1, 1], [1, 0], [1, 0], [1, 0]]


def test_replies_of_an_item_stay_together():
    made = tables(ITEMS, (), REPLIES)
    found = list(parts(answers(made["generations"], made["items"]), 3))
    assert [sorted(part["item_id"].unique()) for part in found] == [
        ["i0", "i1"],
        ["i2"],
        ["i3", "i4"],
        ["i5"],
    ]
    assert sum(part.height for part in found) == len(REPLIES)


def test_judgements_that_score_does_not_read_change_no_score():
    samples = [sample("i2", "a b", span(0, 1), task="wild", source="gold"), sample("p1", "a b c", span(0, 1))]
    given = tables(
        [*ITEMS, item("p1")],
        samples,
        REPLIES,
        [*SAID, *OTHERS, judged("silver-p1", span(0, 1), member="other")],
    )
    rows = scored_judgements(At(), "board", given["samples"], given["generations"])
    read = given["judgements"].filter(rows)
    # of the others the passage and the two replies to item 2, which are the labelled text
    assert read.filter(judge="other").height == 3 and read.height == len(SAID) + 3
    whole, part = (
        score(At(), "board", **(given | {"judgements": judgements}), inputs="digest")
        for judgements in (given["judgements"], read)
    )
    assert whole[0].equals(part[0]) and whole[1].equals(part[1])
    assert whole[0].filter(metric="hallucination_rate").height and whole[0].filter(subject="other").height
