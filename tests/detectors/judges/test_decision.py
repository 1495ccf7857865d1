"""From tokens to judgements: thresholds, segments, p."""

import numpy as np
import pytest

from truerate.detectors.judges.decision import (
    Decision,
    HeldOut,
    balanced_accuracy,
    best_threshold,
    decide,
    located,
    segments,
    suspicion,
    word_probabilities,
)
from truerate.detectors.tokens.span_probabilities import Reading

TEXT = "Velmora was founded in 1899. It is old."


def reading(*p):
    """A reading of TEXT with these p of its words; all else is clean."""
    words = [
        result for result in word_probabilities(TEXT, Reading(np.zeros((0, 2)), np.zeros(0), np.zeros(0)))
    ]
    offsets = np.array([(word.start, word.end) for word in words])
    values = np.array([*p, *[0.0] * (len(words) - len(p))])
    return Reading(offsets, values, np.ones(len(words), dtype=int))


def test_suspicion_is_the_mean_of_the_three_worst_tokens():
    # (.9 + .6 + .3) / 3 = .6
    assert suspicion(reading(0.1, 0.9, 0.3, 0.6, 0.2)) == pytest.approx(0.6)
    assert suspicion(Reading(np.zeros((1, 2)), np.array([0.4]), np.ones(1))) == pytest.approx(0.4)
    assert suspicion(Reading(np.zeros((0, 2)), np.zeros(0), np.zeros(0))) == 0.0


def test_the_threshold_lies_where_balanced_accuracy_is_best():
    labels = np.array([True, True, False, False, False])
    # above .35: both hallucinated ones and one of three others: (1 + 2/3) / 2; above .5 and .7: (1/2 + 1) / 2
    p = np.array([0.8, 0.4, 0.6, 0.2, 0.1])
    assert best_threshold(p, labels) == pytest.approx(0.3)
    assert balanced_accuracy(p > 0.3, labels) == pytest.approx((1 + 2 / 3) / 2)
    assert best_threshold(np.full(5, 0.2), labels) == 0.5
    # .2 and .8 are apart at any of .35, .5 and .65: the one next to one half
    assert best_threshold(np.array([0.8, 0.5, 0.2]), np.array([True, True, False])) == pytest.approx(0.35)


def test_without_both_labels_nothing_is_chosen():
    texts = [HeldOut(TEXT, reading(0.9), True, [])]
    assert decide([]) == decide(texts) == Decision()
    assert Decision().p(np.array([0.25]))[0] == pytest.approx(0.25)


def test_a_decision_tells_texts_apart_and_is_a_probability():
    span = {"start": 23, "end": 27, "type": "unspecified", "p": None}
    wrong = [HeldOut(TEXT, reading(0.1, 0.1, 0.1, 0.1, 0.5 + 0.01 * i), True, [span]) for i in range(20)]
    right = [HeldOut(TEXT, reading(0.1, 0.1, 0.1, 0.1, 0.1), False, []) for i in range(20)]
    chosen = decide([*wrong, *right])
    p = chosen.p(np.array([suspicion(item.reading) for item in (*wrong, *right)]))
    assert ((p > chosen.threshold) == ([True] * 20 + [False] * 20)).all()
    assert ((p >= 0) & (p <= 1)).all() and chosen.slope > 0
    assert segments(TEXT, word_probabilities(TEXT, wrong[0].reading), chosen.word_threshold) == [(23, 27)]


def test_runs_with_two_words_between_them_are_one_segment_within_a_sentence():
    words = word_probabilities(TEXT, reading(0.9, 0.1, 0.1, 0.9))  # Velmora … in
    assert segments(TEXT, words, 0.5) == [(0, 22)]
    words = word_probabilities(TEXT, reading(0.9, 0.1, 0.1, 0.1, 0.9))  # three words between
    assert segments(TEXT, words, 0.5) == [(0, 7), (23, 27)]
    words = word_probabilities(TEXT, reading(0, 0, 0, 0, 0.9, 0, 0.9))  # 1899. It
    assert [TEXT[a:b] for a, b in segments(TEXT, words, 0.5)] == ["1899", "It"]


def test_a_verdict_always_has_a_segment_where_there_is_a_word():
    assert located(TEXT, reading(0.1, 0.1, 0.1, 0.1, 0.3), 0.9) == [((23, 27), 0.3)]
    assert located("…", Reading(np.array([[0, 1]]), np.array([0.9]), np.ones(1)), 0.5) == []
