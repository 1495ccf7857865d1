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
from truerate.detectors.judges.rationale import CONTRADICTS, UNVERIFIABLE, composed, grounds, known_sentences
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


# ---- rationale ---------------------------------------------------------------------------------------------
KNOWLEDGE = "Velmora is a town on the river Tola. Velmora was founded in 1912 by Ada Brill."
KNOWN = known_sentences(KNOWLEDGE, "User: Who founded Velmora?\nAssistant: It is known for lace.")


def reason(text, part):
    """The grounds of a part of a text, and the reason of a judgement that rests on it."""
    segment = (text.index(part), text.index(part) + len(part))
    why = grounds(text, segment, KNOWN)
    return why, composed(text, [(segment, why)])


def test_a_value_in_a_sentence_that_is_told_otherwise_seems_to_contradict():
    why, answer = reason("Velmora was founded in 1899.", "1899")
    assert why.kind == CONTRADICTS and why.absent == ("1899",)
    assert answer == (
        'The segment "1899" seems to contradict the knowledge because it says "Velmora was founded in 1912 by Ada '
        'Brill."; "1899" stands in neither.'
    )


def test_a_clause_of_its_own_contradicts_nothing_that_another_tells():
    text = "Velmora was founded in 1899 by Ada Brill, and it has got a red dome."
    assert reason(text, "1899")[0].kind == CONTRADICTS
    why, answer = reason(text, "dome")
    assert why.kind == UNVERIFIABLE and "contradict" not in answer
    # a few words before a comma are no clause: the sentence is
    assert reason("In 1899, Velmora was founded.", "1899")[0].kind == CONTRADICTS
    assert reason("It was founded in 1,899 by Ada Brill.", "1,899")[0].kind == CONTRADICTS


def test_a_number_contradicts_another_number_alone():
    assert reason("It is known for lace since 1899.", "1899")[0].kind == UNVERIFIABLE


def test_what_no_sentence_speaks_of_cannot_be_verified():
    why, answer = reason("Velmora was founded in 1912. Wolves run its bakery.", "Wolves run its bakery")
    assert why.kind == UNVERIFIABLE and why.nearest is None and why.absent == ("Wolves", "bakery")
    assert answer.endswith('shares a word with it; "Wolves", "bakery" stand in neither.')


def test_a_segment_whose_words_all_stand_there_names_none():
    why, answer = reason("Ada Brill lies on the Tola.", "Ada Brill")
    assert why.absent == () and "stand" not in answer


def test_what_was_said_before_is_known_and_questions_state_nothing():
    assert [item.source for item in KNOWN] == ["knowledge", "knowledge", "conversation"]
    why, answer = reason("Velmora is known for lace and beer.", "beer")
    assert why.absent == ("beer",) and why.nearest.source == "conversation"


def test_many_segments_are_counted_and_quotation_marks_inside_do_not_break_the_form():
    text = 'A "golden" ladder leads into the clouds there.'
    segments = [(0, 1), (2, 10), (11, 17), (18, 23), (34, 40)]
    answer = composed(text, [(item, grounds(text, item, KNOWN)) for item in segments])
    assert answer.endswith(" 2 more segments.") and "\"'golden'\"" in answer
    assert composed(text, []) == "No word of the response could be named."
    assert grounds(text, (2, 10), []).nearest is None
