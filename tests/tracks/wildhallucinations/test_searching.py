"""What a search adds, entity by entity, against fractions derived by hand; and the checks of `base`."""

from dataclasses import replace

import pytest

from truerate.config import Model
from truerate.core.schemas import Outcome, Score, validate
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


def gains(**bases: str) -> dict:
    models = {name: Model(endpoint="e", model=name, base=base) for name, base in bases.items()}
    parts = tables(ITEMS, REPLIES, FACTS)
    scores, outcomes = score(At(replace(Params(), models=models)), "board", **parts, inputs="digest")
    validate(Score, scores, where="scores"), validate(Outcome, outcomes, where="outcomes")
    return {key: row for key, row in by_key(scores).items() if key[0].endswith("_gain")}


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


def test_a_pair_of_which_one_is_not_on_the_board_has_no_gain():
    assert gains(s="nobody") == {} and gains(t="b") == {}


def test_the_base_of_a_subject_is_a_subject_too():
    assert [*PROTOCOL.faults(layout(subjects=("aster", "aster-search")), BOARD)] == []
    (line,) = PROTOCOL.faults(layout(subjects=("aster-search",)), BOARD)
    assert line.endswith("'aster' is the base of subject 'aster-search' and no subject; name it too")
