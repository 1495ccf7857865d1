import numpy as np

from truerate.metrics.spans import (
    Overlap,
    covered,
    iou,
    overlap,
    span_f1,
    span_precision,
    span_recall,
    span_sums,
    union,
)


def test_union_joins_overlapping_and_touching_spans():
    assert union([(5, 7), (0, 2), (1, 3), (3, 4), (9, 9)]) == [(0, 4), (5, 7)]
    assert covered([(0, 2), (1, 3)]) == 3 and covered([]) == 0


def test_intersection_over_union_by_hand():
    # gold 0–4 and 6–8 (6 characters), predicted 2–7 (5): both hold 2, 3, 6 → 3
    o = overlap([(0, 4), (6, 8)], [(2, 7)])
    assert o == Overlap(6, 5, 3)
    assert iou(o) == 3 / 8


def test_doubly_marked_characters_count_once():
    assert overlap([(0, 4), (2, 4)], [(0, 4)]) == Overlap(4, 4, 4)


def test_nothing_marked():
    assert iou(overlap([], [])) == 1.0  # Mu-SHROOM's rule
    assert iou(overlap([(0, 1)], [])) == 0


def test_micro_averages_by_hand():
    # first text: gold 10, predicted 5, both 5; second: gold 0, predicted 5; third: gold 10, nothing predicted
    sums = span_sums([[(0, 10)], [], [(0, 4), (6, 12)]], [[(5, 10)], [(0, 5)], []]).sum(axis=0)
    assert (span_precision(sums), span_recall(sums), span_f1(sums)) == (5 / 10, 5 / 20, 2 * 5 / 30)


def test_micro_averages_over_nothing():
    sums = span_sums([[]], [[]]).sum(axis=0)
    assert np.isnan([span_precision(sums), span_recall(sums), span_f1(sums)]).all()
    assert span_sums([], []).shape == (0, 3)
