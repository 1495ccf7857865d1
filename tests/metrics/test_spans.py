import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from truerate.metrics.spans import (
    EXACT,
    Overlap,
    answer_correlation,
    answer_iou,
    average_ranks,
    covered,
    hard_spans,
    iou,
    matched,
    overlap,
    probabilities,
    shape,
    span_f1,
    span_precision,
    span_recall,
    span_sums,
    spearman,
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


# ---- matching ----------------------------------------------------------------------------------------------
def test_shapes():
    assert shape("the Black Sea") == (3, False) and shape("the Black Sea. ") == (3, True)
    # bins of a tenth: 21 and 22 words share one, 21 and 24 do not
    assert shape("w " * 21)[0] == shape("w " * 22)[0] < shape("w " * 24)[0]
    assert shape("w " * 9)[0] == EXACT + 2


def test_pairs_are_kept_in_equal_numbers_of_either_direction():
    a, b, c = (2, False), (3, False), (3, True)
    hallucinated, right = [a, b, b, b, c], [a, a, a, b, a]
    right[0] = a
    hallucinated.append(a), right.append(b)
    # rows 0 and 3 have one shape; rows 1 and 2 (b against a) meet row 5 (a against b): one of them is kept,
    # the one that comes first by the draw; row 4 (c against a) has no counterpart
    result = matched(hallucinated, right, [0.5, 0.9, 0.1, 0.5, 0.5, 0.5])
    assert result.tolist() == [True, False, True, True, False, True]


def test_every_shape_is_as_frequent_on_either_side():
    rng = np.random.default_rng(3)
    hallucinated = [
        (int(n), bool(stop)) for n, stop in zip(rng.integers(1, 9, 400), rng.random(400) < 0.8, strict=True)
    ]
    right = [
        (int(n), bool(stop)) for n, stop in zip(rng.integers(1, 5, 400), rng.random(400) < 0.2, strict=True)
    ]
    kept = matched(hallucinated, right, rng.random(400))
    counts = [
        Counter(item for item, is_kept in zip(side, kept, strict=True) if is_kept)
        for side in (hallucinated, right)
    ]
    assert counts[0] == counts[1] and 0 < kept.sum() < 400


def test_no_pair():
    assert matched([], [], []).tolist() == []


# ---- mushroom ----------------------------------------------------------------------------------------------
VAL = Path(__file__).parents[3] / "shared/data/mushroom/val.jsonl"


def test_iou_counts_characters_marked_hard():
    # gold 0–4 (p .6), the .5 span is not hard; predicted 2–6: both 2, either 6
    gold = [(0, 4, 0.6), (8, 9, 0.5)]
    assert answer_iou(gold, [(2, 6, None)]) == pytest.approx(2 / 6)
    assert answer_iou([(8, 9, 0.5)], []) == 1.0 and answer_iou([], [(0, 1, 1.0)]) == 0.0
    assert hard_spans(gold) == [(0, 4)]


def test_correlation_by_hand():
    # ranks of (1, 1, 0, 0): 3.5, 3.5, 1.5, 1.5; of (.9, 0, 0, 0): 4, 2, 2, 2. Covariance 2·(1·1.5 − 1·.5
    # ...): r = 1/√3
    assert answer_correlation(4, [(0, 2, 1.0)], [(0, 1, 0.9)]) == pytest.approx(1 / np.sqrt(3))
    assert answer_correlation(4, [(0, 2, 1.0)], [(0, 2, 0.2)]) == pytest.approx(1.0)


def test_constant_vectors_are_one_or_zero():
    # the task's rule: marking everything and marking nothing are both constant
    for baseline in ([], [(0, 5, 1.0)]):
        assert answer_correlation(5, [], baseline) == 1.0
        assert answer_correlation(5, [(0, 2, 0.7)], baseline) == 0.0
    assert (
        spearman(np.array([0.1, 0.1 + 1e-10]), np.array([0.0, 1.0])) == 0.0
    )  # equal after rounding to 8 digits


def test_average_ranks_and_overlapping_spans():
    assert average_ranks(np.array([0.2, 0.1, 0.2, 0.5])).tolist() == [2.5, 1.0, 2.5, 4.0]
    assert probabilities(4, [(0, 3, 0.2), (1, 2, 0.6), (3, 4, None)]).tolist() == [0.2, 0.6, 0.2, 1.0]


@pytest.mark.skipif(not VAL.is_file(), reason="no Mu-SHROOM files beside this checkout")
def test_published_answers_under_the_official_definition():
    rows = [json.loads(line) for line in VAL.read_text("utf-8").splitlines()]
    for row in rows:
        text = row["model_output_text"]
        gold = [(item["start"], item["end"], item["prob"]) for item in row["soft_labels"]]
        marked = {index for start, end in row["hard_labels"] for index in range(start, end)}
        half = [(0, len(text) // 2, 0.9)]
        inside = set(range(len(text) // 2))
        assert {index for start, end in hard_spans(gold) for index in range(start, end)} == marked
        assert answer_iou(gold, [(0, len(text), 1.0)]) == pytest.approx(
            len(marked) / len(text) if marked else 0.0, abs=1e-6
        )
        assert answer_iou(gold, []) == float(not marked)
        assert answer_iou(gold, half) == pytest.approx(len(inside & marked) / len(inside | marked), abs=1e-6)
        vectors = probabilities(len(text), gold), probabilities(len(text), half)
        if np.ptp(vectors[0]) > 0:
            assert answer_correlation(len(text), gold, half) == pytest.approx(
                spearmanr(*vectors).statistic, abs=1e-6
            )
