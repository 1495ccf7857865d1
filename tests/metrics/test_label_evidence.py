"""How strongly verdicts speak against a label, by hand."""

import numpy as np
import pytest

from truerate.metrics.label_quantities import bits_against

NONE = np.nan


def bits(labels, *judges):
    return bits_against(np.array(labels), np.array(judges, dtype=float).T)


def test_one_judge_by_hand():
    # says 1 of one of the two hallucinated: (1 + .5) / 3 = 1/2; of none of the two others: .5 / 3 = 1/6
    expected = np.log2([(1 / 6) / (1 / 2), (5 / 6) / (1 / 2), (1 / 2) / (5 / 6), (1 / 2) / (5 / 6)])
    assert bits([1, 1, 0, 0], [1, 0, 0, 0]) == pytest.approx(expected)


def test_judges_add_up_and_one_that_said_nothing_of_a_text_adds_nothing():
    item, twice = bits([1, 1, 0, 0], [1, 0, 0, 0]), bits([1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0])
    assert twice == pytest.approx(2 * item)
    # of the last text the second judge says nothing: its FPR is .5 / 2 = 1/4, and only the first counts there
    part = bits([1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, NONE])
    assert part[3] == pytest.approx(item[3])
    assert part[1] == pytest.approx(item[1] + np.log2((3 / 4) / (1 / 2)))


@pytest.mark.parametrize("says", [[0, 0, 1, 1], [1, 0, 1, 0], [1, 1, 1, 1], [NONE] * 4])
def test_a_judge_no_better_than_chance_counts_for_nothing(says):
    assert np.isnan(bits([1, 1, 0, 0], says)).all()


def test_the_strongest_evidence_is_against_the_labels_that_were_turned_round():
    rng = np.random.default_rng(5)
    truth = rng.random(2000) < 0.4
    says = [np.where(rng.random(2000) < 0.9, truth, ~truth) for _ in range(3)]
    turned = np.arange(40)
    labels = truth.copy()
    labels[turned] = ~labels[turned]
    order = np.argsort(-bits(labels.astype(int), *says), kind="stable")
    # all three judges are right of a text in .9^3 = .73 of cases: 29 of 40; all wrong of one in .001: 2 of
    # 1,960
    assert np.isin(order[:30], turned).sum() >= 25


def test_no_texts_no_evidence():
    assert bits_against(np.zeros(0), np.zeros((0, 2))).shape == (0,)
