"""Comparison: pairs of each kind, both orders, and what a choice says of either side."""

from collections import Counter

from truerate.core.schemas import pairs
from truerate.tracks.halludial.comparing import Pair, judgements, read, requests, sample_pairs

from .made import context, ok, questions, rows

PAIR = Pair("i0", "factuality", "ref", "It is Lisbon.", "hal", "It is Porto.")


def sample(name: str, item: str, text: str, is_hallucinated: bool, split: str = "test", **known) -> dict:
    return {"sample_id": name, "item_id": item, "text": text, "is_hallucinated": is_hallucinated, "split": split,
            "attributes": pairs(**known)}  # fmt: skip


def turn(item: str, split: str = "test") -> list[dict]:
    induced = {"scenario": "induced"}
    return [
        sample(f"{item}-ref", item, "right", False, split, kind="reference", **induced),
        sample(f"{item}-fac", item, "wrong", True, split, kind="factuality", **induced),
        sample(f"{item}-fai", item, "right", True, split, kind="faithfulness", **induced),
        sample(f"{item}-mat", item, "same", False, split, kind="matched", **induced),
        sample(f"{item}-yes", item, "odd", True, split, scenario="spontaneous"),
        sample(f"{item}-no", item, "fine", False, split, scenario="spontaneous"),
    ]


def test_pairs_are_of_test_turns_a_hallucinated_response_beside_the_reference():
    found = sample_pairs([*turn("a"), *turn("b", "train")], 10, 7)
    # the unfaithful response of this turn says the right one again: nothing to tell apart
    assert [(pair.kind, pair.hallucinated_id) for pair in found] == [
        ("factuality", "a-fac"),
        ("spontaneous", "a-yes"),
    ]


def test_so_many_of_each_kind():
    samples = [one for name in "abcdef" for one in turn(name)]
    assert Counter(pair.kind for pair in sample_pairs(samples, 4, 7)) == {"factuality": 4, "spontaneous": 4}
    assert set(sample_pairs(samples, 2, 7)) < set(sample_pairs(samples, 4, 7))


def test_both_orders_are_asked_and_a_choice_judges_both_sides():
    asked = requests([PAIR], {"i0": context()}, "judge", questions())
    assert [one.attributes["order"] for one in asked] == ["reference-first", "induced-first"]
    chosen = rows(asked, [ok("Response 2"), ok("Response 2")], read)
    said = [(one["target_id"], one["verdict"]) for one in judgements(chosen, "v")]
    assert said == [("ref", False), ("hal", True), ("hal", False), ("ref", True)]


def test_a_choice_that_cannot_be_read_judges_neither():
    asked = requests([PAIR], {"i0": context()}, "judge", questions())
    said = judgements(rows(asked, [ok("Neither."), ok("Both of them.")], read), "v")
    assert [one["verdict"] for one in said] == [None] * 4
