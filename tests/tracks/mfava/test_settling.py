"""Voting over the tokens of a text."""

import pytest

from truerate.annotation.labels import Label, Span
from truerate.metrics.tokens import word_offsets
from truerate.tracks.mfava.settling import runs, token_types, voted


def marks(*spans: tuple[int, int, str]) -> tuple[Span, ...]:
    return tuple(Span(*span) for span in spans)


def test_votes_over_tokens():
    # red: 2 of 3 (entity, invented: a tie goes to entity); blue: all three (invented twice); green: 1 of 3
    text, offsets = "red blue green", word_offsets("red blue green")
    labels = [
        Label("t", "a", True, marks((0, 3, "entity"), (4, 8, "invented"))),
        Label("t", "b", True, marks((0, 8, "invented"))),
        Label("t", "c", True, marks((4, 14, "subjective"))),
    ]
    share, types = voted(offsets, labels)
    assert share.tolist() == pytest.approx([2 / 3, 1, 1 / 3])
    hard = runs(offsets, types, share, lambda p: p > 0.5)
    assert [(text[s["start"] : s["end"]], s["type"], s["p"]) for s in hard] == [
        ("red", "entity", 0.666667),
        ("blue", "invented", 1.0),
    ]
    assert len(runs(offsets, types, share, lambda p: p > 0)) == 3


def test_neighbours_of_one_type_and_share_are_one_span():
    offsets = word_offsets("red, blue green")
    both = [Label("t", "a", True, marks((0, 15, "entity"))), Label("t", "b", True, marks((0, 9, "entity")))]
    share, types = voted(offsets, both)
    spans = runs(offsets, types, share, lambda p: p > 0)
    assert [(span["start"], span["end"], span["p"]) for span in spans] == [(0, 9, 1.0), (10, 15, 0.5)]


def test_token_types():
    assert token_types(word_offsets("a b c"), marks((0, 3, "relation"))).tolist() == [2, 2, 0]
