import pytest

from truerate.metrics.spans import (
    Overlap,
    covered,
    iou,
    overlap,
    span_f1,
    span_precision,
    span_recall,
    total,
    union,
)


def test_union_joins_overlapping_and_touching_spans():
    assert union([(5, 7), (0, 2), (1, 3), (3, 4), (9, 9)]) == [(0, 4), (5, 7)]
    assert covered([(0, 2), (1, 3)]) == 3 and covered([]) == 0


def test_scores_by_hand():
    # gold 0–4 and 6–8 (6 characters), predicted 2–7 (5): both hold 2, 3, 6 → 3
    o = overlap([(0, 4), (6, 8)], [(2, 7)])
    assert o == Overlap(6, 5, 3)
    assert iou(o) == 3 / 8 and span_precision(o) == 3 / 5 and span_recall(o) == 3 / 6 and span_f1(o) == 6 / 11


def test_doubly_marked_characters_count_once():
    assert overlap([(0, 4), (2, 4)], [(0, 4)]) == Overlap(4, 4, 4)


def test_nothing_marked():
    o = overlap([], [])
    assert iou(o) == 1.0  # Mu-SHROOM's rule
    assert span_precision(o) is None and span_recall(o) is None and span_f1(o) is None
    assert span_f1(overlap([(0, 1)], [])) == 0 and span_precision(overlap([(0, 1)], [])) is None


def test_totals_are_micro_averages():
    # 1 of 1 and 0 of 9 predicted characters: precision 1/10, not (1 + 0) / 2
    whole = total([overlap([(0, 1)], [(0, 1)]), overlap([(10, 12)], [(0, 9)])])
    assert span_precision(whole) == pytest.approx(1 / 10)
    assert total([]) == Overlap(0, 0, 0)
