import numpy as np
import pytest

from truerate.core.schemas import Judgement, pairs, validate
from truerate.detectors.tokens.span_probabilities import (
    BINARY,
    CATEGORY,
    Reading,
    Spans,
    judged_spans,
    not_fitted,
    soft_spans,
)


def result(text, offsets, p, kinds=None, labels=BINARY):
    kinds = np.ones(len(p), dtype=int) if kinds is None else np.array(kinds)
    return [
        tuple(item.values())
        for item in soft_spans(text, Reading(np.array(offsets).reshape(-1, 2), np.array(p), kinds), labels)
    ]


def test_neighbours_of_equal_p_are_one_span_with_what_lies_between():
    text = "Lyon is big, old"
    offsets = [(0, 4), (5, 7), (8, 11), (11, 12), (13, 16)]
    # .904 and .896 are both .90; .04 is below the floor and parts its neighbours
    assert result(text, offsets, [0.904, 0.896, 0.04, 0.3, 0.31]) == [
        (0, 7, "hallucination", 0.9),
        (11, 12, "hallucination", 0.3),
        (13, 16, "hallucination", 0.31),
    ]


def test_types_part_spans_and_equal_ones_join():
    text = "a b c"
    offsets = [(0, 1), (2, 3), (4, 5)]
    assert result(text, offsets, [0.8, 0.8, 0.8], [1, 2, 2], CATEGORY) == [
        (0, 1, "entity", 0.8),
        (2, 5, "relation", 0.8),
    ]


def test_pieces_of_one_character_take_the_largest():
    # an emoji in four byte tokens
    assert result("x 🦊", [(0, 1), (2, 3), (2, 3), (2, 3), (2, 3)], [0.1, 0.2, 0.9, 0.3, 0.0]) == [
        (0, 1, "hallucination", 0.1),
        (2, 3, "hallucination", 0.9),
    ]


@pytest.mark.parametrize(
    ("text", "offsets", "p"),
    [("", [], []), ("abc", [], []), ("a b", [(1, 1)], [0.9]), ("ab", [(0, 2)], [0.04])],
)
def test_nothing_to_say(text, offsets, p):
    assert result(text, offsets, p) == []


CELL = {"seed": 1, "scope": "mono", "labels": "binary", "lang": "tr"}


def soft(*probabilities):
    """One span of a character each."""
    return [
        {"start": k, "end": k + 1, "type": "entity", "p": p}
        for k, p in enumerate(probabilities)
        if p is not None
    ]


def test_a_text_is_marked_above_the_threshold_and_says_how_it_was_read():
    texts = [Spans("a", soft(0.5)), Spans("b", soft(0.51), 3), Spans("c", [], 3, 2)]
    rows = judged_spans("d", "v", texts, labelled={"a", "b", "c"}, **CELL)
    validate(Judgement, rows, where="test")
    assert rows["verdict"].to_list() == [False, True, False]
    assert rows["p"].to_list() == [0.5, 0.51, 0.0]
    more = ({}, {"n_windows": 3}, {"n_windows": 3, "n_read": 1})
    assert rows["attributes"].to_list() == [pairs(**CELL, **windows) for windows in more]
    lower = judged_spans("d", "v", texts, labelled={"a", "b", "c"}, threshold=0.305, **CELL)
    assert lower["verdict"].to_list() == [True, True, False]
    assert lower["attributes"][0].to_list() == pairs(**CELL, threshold=0.305)
    assert lower["judgement_id"].to_list() == rows["judgement_id"].to_list()


def test_a_text_without_labels_keeps_what_is_marked_and_the_largest_probability():
    texts = [Spans("a", soft(0.2, 0.51, 0.5, 0.9)), Spans("b", soft(0.2))]
    rows = judged_spans("d", "v", texts, labelled=(), **CELL)
    assert rows["p"].to_list() == [0.9, 0.2]
    assert [[span["p"] for span in spans] for spans in rows["spans"].to_list()] == [[0.51, 0.9], []]


def test_nothing_learned_is_no_verdict():
    rows = not_fitted("d", "v", ["a"], **CELL)
    assert rows.select("verdict", "p", "status", "reason").row(0) == (None, None, "unparsed", "not-fitted")
