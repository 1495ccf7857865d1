"""Of many passages a rule learns from some, whatever order they stand in."""

import polars as pl

from truerate.detectors.tokens.predict import drawn


def test_few_are_all_taken_and_of_many_the_same_ones_in_their_order():
    passages = pl.DataFrame({"target_id": [f"p{i}" for i in range(1000)]})
    assert drawn(passages, 1000).equals(passages)
    some = drawn(passages, 100)
    assert some.height == 100 and some["target_id"].to_list() == [
        item for item in passages["target_id"] if item in set(some["target_id"])
    ]
    repeated = drawn(passages.reverse(), 100)
    assert repeated["target_id"].reverse().equals(some["target_id"])
    # a part of the passages keeps those of it that were drawn: no passage hangs on where others stand
    part = passages.head(500)
    assert set(some["target_id"]) & set(part["target_id"]) <= set(drawn(part, 100)["target_id"])


def test_they_are_drawn_from_everywhere():
    places = [
        int(name[1:])
        for name in drawn(pl.DataFrame({"target_id": [f"p{i}" for i in range(1000)]}), 200)["target_id"]
    ]
    assert 400 < sum(places) / 200 < 600
