"""Manners: what is planted is drawn as often as the table says, and never changes what is said."""

from collections import Counter

import pytest
from scipy.stats import binom

from truerate.config import load_params
from truerate_world.manners import (
    LENGTH,
    MANNERS,
    PLAIN,
    READABLE,
    UNREADABLE,
    Manners,
    drawn,
    drawn_unreadable,
    is_unfinished,
    manners_of,
    thoughtful,
    unfinished,
    word_of,
)
from truerate_world.models import COVERAGE, IDS
from truerate_world.simulated_model import reply

from .asking import recognition, refinement, sampling, two

N = 4000
TAIL = 5e-6  # of each two-sided interval


def holds(hits, n, p):
    return binom.ppf(TAIL, n, p) <= hits <= binom.ppf(1 - TAIL, n, p)


def test_the_table_holds_probabilities_of_manners_that_there_are():
    assert set(MANNERS) == set(COVERAGE)
    for one in MANNERS.values():
        assert set(one.readable) <= set(READABLE) and sum(one.readable.values()) < 1
        assert set(one.unreadable) <= set(UNREADABLE) and 0 <= one.unfinished < 0.1


def test_one_model_is_always_plain_and_the_one_that_makes_the_data_sets_nearly():
    assert MANNERS["sim-aster"] == Manners() and manners_of("sim-aster-search") == Manners()
    assert sum(MANNERS["sim-quill"].readable.values()) < 0.1


@pytest.mark.parametrize("model", MANNERS)
def test_manners_are_drawn_as_often_as_planted(model):
    found = Counter(drawn(model, READABLE, "test", place) for place in range(N))
    for name, rate in manners_of(model).readable.items():
        assert holds(found[name], N, rate), (name, found[name])
    assert holds(sum(is_unfinished(model, place) for place in range(N)), N, manners_of(model).unfinished)
    weights = manners_of(model).unreadable
    found = Counter(drawn_unreadable(model, UNREADABLE, place) for place in range(N))
    assert all(holds(found[name], N, rate / sum(weights.values())) for name, rate in weights.items())


def test_a_manner_that_a_reply_cannot_have_is_plain():
    allowed = {drawn("sim-elm", ("json",), place) for place in range(400)}
    assert allowed == {PLAIN, "json"}
    assert drawn_unreadable("sim-cedar", (), "x") == "undecided"


def test_what_is_said_stands_behind_the_thought():
    for place in range(40):
        text = thoughtful("Yes", "Could it be No?", place)
        assert text.endswith("Yes") and text.count("Yes") == 1
    open_ = unfinished("Perhaps Yes", 1)
    assert open_.read is None and open_.finish == LENGTH and "</" not in open_.text


def test_a_word_of_a_list_is_said_in_every_manner():
    found = {}
    for model in MANNERS:
        for place in range(300):
            worded = word_of(model, "no entity", "Kind", ["entity", "private person"], place)
            found.setdefault(worded.manner, set()).add(worded.text)
            assert worded.read == (None if worded.manner == "unfinished" else "no entity")
            assert (worded.finish == LENGTH) == (worded.manner == "unfinished")
            assert worded.read is None or "no entity" in worded.text
    assert {"markdown", "preamble", "thought", "json", "label", "quotes", "token", PLAIN} <= set(found)


@pytest.fixture(scope="module")
def replies(world, items):
    """What every model says to prompts of each kind, as (kind, answer)."""
    made = []
    for item in items[::3]:
        asked = [
            ("verdict", recognition(item, item["right"])),
            ("verdict", recognition(item, item["right"], "chain-of-thought")),
            ("choice", two(item, item["right"], "something else", "Your Choice")),
            ("choice", two(item, item["right"], "something else", "Best")),
            ("candidate", sampling(item, "inference")),
            ("candidate", sampling(item)),
            ("rewritten", refinement(item, item["right"])),
        ]
        for kind, messages in asked:
            made += [
                (kind, reply(world, model, messages, temperature=1.0, seed=seed))
                for model in COVERAGE
                for seed in range(4)
            ]
    return made


def test_every_reply_names_its_manner_and_what_is_read_in_it(replies):
    for kind, answer in replies:
        read, manner = answer.truth["read"], answer.truth["manner"]
        assert manner in (PLAIN, "refusal", "restated", *READABLE, *UNREADABLE)
        assert (read is None) == (manner in UNREADABLE or manner in ("refusal", "restated"))
        if kind == "verdict":
            assert read in ("Yes", "No", None)
        elif read is not None and kind == "candidate":
            assert read in answer.text
        assert manner != "unfinished" or answer.finish == LENGTH
        assert answer.finish in (None, LENGTH)


def test_all_manners_are_met_in_replies_and_each_in_more_than_one_wording(replies):
    texts = {}
    for kind, answer in replies:
        texts.setdefault((kind, answer.truth["manner"]), set()).add(answer.text)
    assert {manner for _, manner in texts} >= {PLAIN, *READABLE, *UNREADABLE, "refusal"}
    for kind in ("verdict", "choice", "candidate", "rewritten"):
        assert len({manner for one, manner in texts if one == kind}) >= 6
    assert len(texts["candidate", "refusal"]) >= 6


def test_the_settings_say_what_each_models_card_shows():
    models = load_params("params.yaml").models
    for alias, model in models.items():
        assert model.model in IDS and model.about == manners_of(model.model).about, alias
