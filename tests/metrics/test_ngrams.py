import json

import numpy as np
import pytest

from truerate.metrics.ngrams import (
    fit_ngrams,
    inverse_document_frequency,
    ngram_counts,
    ngram_probabilities,
    tf_idf,
)

RIGHT = ["Paris", "Rome", "Oslo in Norway", "1889"]
WRONG = ["It is Paris, of course.", "It is Rome, surely.", "It is Oslo.", "It is 1887, of course."]


def test_a_regression_tells_wordings_apart_and_survives_json():
    labels = np.array([0] * 4 + [1] * 4)
    state = fit_ngrams(RIGHT + WRONG, labels)
    repeated = json.loads(json.dumps({**state, "idf": [round(x, 6) for x in state["idf"]]}))
    p = ngram_probabilities(state, ["Berlin", "It is Bern, of course."])
    assert p[0] < 0.5 < p[1]
    assert (ngram_probabilities(repeated, RIGHT + WRONG) == ngram_probabilities(state, RIGHT + WRONG)).all()
    assert fit_ngrams(RIGHT + WRONG, labels) == state


def test_weights_by_hand():
    from scipy.sparse import csr_matrix

    counts = csr_matrix(np.array([[1, 0, 0], [3, 1, 0]]))
    # idf: ln(3/3) + 1 = 1; ln(3/2) + 1 = 1.405465; never held: 0
    assert inverse_document_frequency(counts) == pytest.approx([1, 1.405465, 0], abs=1e-6)
    # second row: (1 + ln 3) · 1 and 1 · 1.405465, of length 2.527, so .8303 and .5562
    assert tf_idf(counts, inverse_document_frequency(counts)).toarray() == pytest.approx(
        np.array([[1, 0, 0], [0.83079, 0.55658, 0]]), abs=2e-4
    )


def test_texts_without_any_word_are_left_undecided():
    state = fit_ngrams(["", " "], np.array([0, 1]))
    assert ngram_counts(["", " "]) is None
    assert ngram_probabilities(state, ["anything", ""]).tolist() == [0.5, 0.5]
    assert ngram_probabilities(fit_ngrams(RIGHT + WRONG, np.array([0] * 4 + [1] * 4)), []).tolist() == []


def test_a_final_full_stop_is_a_word():
    counts = ngram_counts(["Paris", "Paris."])
    assert (counts[0] != counts[1]).nnz > 0


def test_a_feature_that_training_did_not_hold_leaves_no_trace():
    from scipy.sparse import csr_matrix

    counts = csr_matrix(np.array([[2, 5, 0], [0, 3, 0], [1, 0, 300]]))
    idf = np.array([1.5, 0.0, 1.2])
    with_it, without = (
        tf_idf(counts, idf),
        tf_idf(csr_matrix(np.array([[2, 0, 0], [0, 0, 0], [1, 0, 300]])), idf),
    )
    assert (with_it != without).nnz == 0 and with_it.nnz == without.nnz == 3
    assert counts.toarray().tolist() == [
        [2, 5, 0],
        [0, 3, 0],
        [1, 0, 300],
    ]  # what was handed over is as it was


def test_a_gram_may_occur_more_often_than_a_byte_holds():
    counts = ngram_counts(["a " * 300, "a"])
    assert counts.max() == 300 and counts[1].max() == 1
