import numpy as np
import pytest

from truerate.core.schemas import Judgement, pairs, validate
from truerate.detectors.tokens.labels import BINARY, CATEGORY
from truerate.detectors.tokens.span_probabilities import Reading, Said, Spans, judgements, said_of, soft_spans


def found(text, offsets, p, kinds=None, labels=BINARY):
    kinds = np.ones(len(p), dtype=int) if kinds is None else np.array(kinds)
    return [
        tuple(one.values())
        for one in soft_spans(text, Reading(np.array(offsets).reshape(-1, 2), np.array(p), kinds), labels)
    ]


def test_neighbours_of_equal_p_are_one_span_with_what_lies_between():
    text = "Lyon is big, old"
    offsets = [(0, 4), (5, 7), (8, 11), (11, 12), (13, 16)]
    # .904 and .896 are both .90; .04 is below the floor and parts its neighbours
    assert found(text, offsets, [0.904, 0.896, 0.04, 0.3, 0.31]) == [
        (0, 7, "hallucination", 0.9),
        (11, 12, "hallucination", 0.3),
        (13, 16, "hallucination", 0.31),
    ]


def test_types_part_spans_and_equal_ones_join():
    text = "a b c"
    offsets = [(0, 1), (2, 3), (4, 5)]
    assert found(text, offsets, [0.8, 0.8, 0.8], [1, 2, 2], CATEGORY) == [
        (0, 1, "entity", 0.8),
        (2, 5, "relation", 0.8),
    ]


def test_pieces_of_one_character_take_the_largest():
    # an emoji in four byte tokens
    assert found("x 🦊", [(0, 1), (2, 3), (2, 3), (2, 3), (2, 3)], [0.1, 0.2, 0.9, 0.3, 0.0]) == [
        (0, 1, "hallucination", 0.1),
        (2, 3, "hallucination", 0.9),
    ]


@pytest.mark.parametrize(
    ("text", "offsets", "p"),
    [("", [], []), ("abc", [], []), ("a b", [(1, 1)], [0.9]), ("ab", [(0, 2)], [0.04])],
)
def test_nothing_to_say(text, offsets, p):
    assert found(text, offsets, p) == []


def test_a_text_is_marked_above_one_half_only():
    spans = [[{"start": 0, "end": 2, "type": "entity", "p": p}] if p else [] for p in (0.5, 0.51, None)]
    said = [said_of(Spans("", one), is_labelled=True) for one in spans]
    rows = judgements("d", "v", ["a", "b", "c"], said, seed=1, scope="mono", labels="binary", lang="tr")
    validate(Judgement, rows, where="test")
    assert rows["verdict"].to_list() == [False, True, False]
    assert rows["p"].to_list() == [0.5, 0.51, 0.0]
    assert rows["attributes"][0].to_list() == pairs(labels="binary", lang="tr", scope="mono", seed=1)


def test_a_text_without_labels_keeps_what_is_marked_and_the_largest_probability():
    soft = [{"start": k, "end": k + 1, "type": "entity", "p": p} for k, p in enumerate((0.2, 0.51, 0.5, 0.9))]
    assert said_of(Spans("", soft), is_labelled=True) == (0.9, soft, 1, 0)
    assert said_of(Spans("", soft), is_labelled=False) == (0.9, [soft[1], soft[3]], 1, 0)
    assert said_of(Spans("", soft[:1]), is_labelled=False) == (0.2, [], 1, 0)
    assert said_of(Spans("", soft), is_labelled=False, threshold=0.6) == (0.9, [soft[3]], 1, 0)


def test_a_detectors_own_threshold_is_told_and_decides():
    spans = [[{"start": 0, "end": 2, "type": "entity", "p": p}] for p in (0.3, 0.31)]
    cell = {"seed": 1, "scope": "mono", "labels": "binary", "lang": "tr"}
    spans = [said_of(Spans("", one), is_labelled=True) for one in spans]
    rows = judgements("d", "v", ["a", "b"], spans, threshold=0.305, **cell)
    assert rows["verdict"].to_list() == [False, True]
    assert rows["attributes"][0].to_list() == pairs(**cell, threshold=0.305)
    same = judgements("d", "v", ["a", "b"], spans, **cell)
    assert same["judgement_id"].to_list() == rows["judgement_id"].to_list()


def test_windows_of_a_reference_are_told_where_they_are_several():
    rows = judgements("d", "v", ["a", "b"], [Said(0.0, []), Said(0.0, [], 3)], seed=1)
    assert rows["attributes"].to_list() == [pairs(seed=1), pairs(seed=1, n_windows=3)]
    rows = judgements("d", "v", ["a", "b"], [Said(0.0, [], 3), Said(0.0, [], 3, 2)], seed=1)
    assert rows["attributes"].to_list() == [pairs(seed=1, n_windows=3), pairs(seed=1, n_windows=3, n_read=1)]


def test_nothing_learned_is_said():
    rows = judgements("d", "v", ["a"], None, seed=1, scope="multi", labels="binary", lang=None)
    assert rows.select("verdict", "p", "status", "reason").row(0) == (None, None, "unparsed", "not-fitted")
