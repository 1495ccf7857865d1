"""What a search adds, entity by entity, against fractions derived by hand; and the checks of `base`."""

from dataclasses import replace

import pytest

from truerate.config import Model
from truerate.core.schemas import Outcome, Score, pairs, validate
from truerate.tracks.wildhallucinations.protocol import PROTOCOL
from truerate.tracks.wildhallucinations.scores import score

from .made_facts import At, Params, by_key, facts, item, reply, tables
from .tiny_world import BOARD, layout

ITEMS = [item("x"), item("y", wikipedia="false"), item("z", rarity="10^3"), item("v", wikipedia="false")]
# with search: x 2 of 2, y 1 of 2, z 2 of 2, v 1 of 1. Without: x 1 of 2, y 2 of 2, silent on z, v lost.
REPLIES = [reply("s", name) for name in "xyzv"]
REPLIES += [reply("b", "x"), reply("b", "y"), reply("b", "z", "abstained"), reply("b", "v", "dead")]
FACTS = [facts("s", "x", "++"), facts("s", "y", "+-"), facts("s", "z", "++"), facts("s", "v", "+")]
FACTS += [facts("b", "x", "+-"), facts("b", "y", "++")]


def gains(items=ITEMS, replies=REPLIES, made=FACTS, **bases: str) -> dict:
    models = {name: Model(endpoint="e", model=name, base=base) for name, base in bases.items()}
    parts = tables(items, replies, made)
    scores, outcomes = score(At(replace(Params(), models=models)), "board", **parts, inputs="digest")
    validate(Score, scores, where="scores"), validate(Outcome, outcomes, where="outcomes")
    return {key: row for key, row in by_key(scores).items() if "_gain" in key[0]}


def test_a_gain_is_the_mean_difference_over_entities_of_which_both_have_the_value():
    rows = gains(s="b")
    whole = {key[0]: (row["value"], row["n"]) for key, row in rows.items() if key[2:] == ("b",)}
    assert whole == {
        # x: 1 − 1/2, y: 1/2 − 1; nothing is said of z and v by both
        "wildfactscore_gain": (pytest.approx((1 / 2 - 1 / 2) / 2), 2),
        # of b's three replies that came x is not, y is and z (silence) is not all supported; v came to one alone
        "wildfactscore_strict_gain": (pytest.approx((1 + -1 + 1) / 3), 3),
        "responding_gain": (pytest.approx((0 + 0 + 1) / 3), 3),
    }
    by_wikipedia = {key[2:]: row for key, row in rows.items() if key[0] == "wildfactscore_gain"}
    assert by_wikipedia["b", "yes"]["value"] == 1 / 2 and by_wikipedia["b", "no"]["value"] == -1 / 2
    assert ("b", "10^3") not in by_wikipedia  # nothing of z is said by both
    silent = next(row for key, row in rows.items() if key[0] == "responding_gain" and "10^3" in key)
    assert (silent["value"], silent["n"]) == (1, 1)


def test_what_search_adds_for_rare_names_less_what_it_adds_for_frequent_ones():
    # perplexities 1, 1, 2, 3, 8, 9: thirds a, b (equally frequent) and e, f; g's is not known
    perplexity = {"a": "1.0", "b": "1.0", "c": "2.0", "d": "3.0", "e": "8.0", "f": "9.0", "g": None}
    items = [item(name) for name in perplexity]
    for row in items:
        if perplexity[row["item_id"]]:
            row["attributes"] = [*row["attributes"], *pairs(rarity=perplexity[row["item_id"]])]
    # with search: all right. Without: b and e half right, f silent, all else right
    without = {name: "+-" if name in "be" else "++" for name in "abcdeg"}
    replies = [reply("s", name) for name in perplexity] + [reply("b", name) for name in without]
    replies.append(reply("b", "f", "abstained"))
    made = [facts("s", name, "++") for name in perplexity]
    made += [facts("b", name, verdicts) for name, verdicts in without.items()]
    rows = gains(items, replies, made, s="b")
    by_rarity = {key[0]: (row["value"], row["n"]) for key, row in rows.items() if "by_rarity" in key[0]}
    assert by_rarity == {
        "wildfactscore_gain_by_rarity": (pytest.approx(1 / 2 - (0 + 1 / 2) / 2), 3),
        "wildfactscore_strict_gain_by_rarity": (pytest.approx((1 + 1) / 2 - (0 + 1) / 2), 4),
        "responding_gain_by_rarity": (pytest.approx((0 + 1) / 2 - 0), 4),
    }
    strict = rows["wildfactscore_strict_gain_by_rarity", "s", "b"]
    assert strict["low"] < strict["value"] < strict["high"]
    same = [row | {"attributes": [*item("x")["attributes"], *pairs(rarity="5.0")]} for row in items]
    assert not [key for key in gains(same, replies, made, s="b") if "by_rarity" in key[0]]


def test_a_pair_of_which_one_is_not_on_the_board_has_no_gain():
    assert gains(s="nobody") == {} and gains(t="b") == {}


def test_the_base_of_a_subject_is_a_subject_too():
    assert [*PROTOCOL.faults(layout(subjects=("aster", "aster-search")), BOARD)] == []
    (line,) = PROTOCOL.faults(layout(subjects=("aster-search",)), BOARD)
    assert line.endswith("'aster' is the base of subject 'aster-search' and no subject; name it too")
