"""Mu-SHROOM's definitions by hand, and its two baselines on the published validation answers."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from truerate.metrics.spans import (
    answer_correlation,
    answer_iou,
    average_ranks,
    hard_spans,
    probabilities,
    spearman,
)

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
        assert (
            answer_correlation(5, [], baseline) == 1.0
            and answer_correlation(5, [(0, 2, 0.7)], baseline) == 0.0
        )
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
