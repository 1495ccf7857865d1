import json

import numpy as np
import pytest
import regex

from truerate.core.text import LETTER, PIECE
from truerate.metrics import ngrams
from truerate.metrics.ngrams import (
    Form,
    Overlap,
    character_grams,
    content_words,
    counts_of,
    fit_ngrams,
    form,
    inverse_document_frequency,
    ngram_counts,
    ngram_probabilities,
    overlap,
    tf_idf,
    word_grams,
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
    with_it = tf_idf(counts, idf)
    without = tf_idf(csr_matrix(np.array([[2, 0, 0], [0, 0, 0], [1, 0, 300]])), idf)
    assert (with_it != without).nnz == 0 and with_it.nnz == without.nnz == 3
    assert counts.toarray().tolist() == [
        [2, 5, 0],
        [0, 3, 0],
        [1, 0, 300],
    ]  # what was handed over is as it was


def test_a_gram_may_occur_more_often_than_a_byte_holds():
    counts = ngram_counts(["a " * 300, "a"])
    assert counts.max() == 300 and counts[1].max() == 1


# ---- gram counts -------------------------------------------------------------------------------------------
TEXTS = [
    "It is Paris, of course.",
    "Paris",
    "",
    "  ",
    "a\u2003b\n\tÉté 2 İ x",
    "東京は日本の首都です。",
    "Paris is it. It is.",
    "... - !",
]
_TOKEN = rf"{LETTER}|{PIECE}|[^\w\s]"
KINDS = {
    "words": (
        word_grams,
        {"tokenizer": regex.compile(_TOKEN, regex.V1).findall, "token_pattern": None, "ngram_range": (1, 2)},
    ),
    "characters": (character_grams, {"analyzer": "char_wb", "ngram_range": (2, 4)}),
}


@pytest.mark.parametrize("n_kept", [20_000, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_scikit_learn(kind, n_kept, monkeypatch):
    from sklearn.feature_extraction.text import CountVectorizer

    monkeypatch.setattr(ngrams, "MAX_FEATURES", n_kept)
    cut, settings = KINDS[kind]
    peer = CountVectorizer(max_features=n_kept, **settings)
    expected = peer.fit_transform(TEXTS)
    vocabulary, counts = counts_of(cut, TEXTS)
    assert vocabulary == peer.get_feature_names_out().tolist()
    assert (counts != expected).nnz == 0 and counts.dtype == expected.dtype
    others = ["Paris is big.", "", "zzz"]
    assert (counts_of(cut, others, vocabulary)[1] != peer.transform(others)).nnz == 0


def test_texts_without_an_n_gram_have_no_columns():
    vocabulary, counts = counts_of(word_grams, ["", " "])
    assert vocabulary == [] and counts.shape == (2, 0)


# ---- overlap -----------------------------------------------------------------------------------------------
def test_features_by_hand():
    reference = "The tower in Paris was finished in 1889".split()
    words = "The tower in Lyon was finished in 1887".split()
    # content: tower, Lyon, finished, 1887 → Lyon and 1887 are absent (2/4); numbers: 1887 (1/1)
    # bigrams: the tower, tower in | in lyon, lyon was | was finished, finished in | in 1887 → 3 of 7 absent
    assert overlap(words, reference) == pytest.approx(Overlap(2 / 4, 2, 1.0, 3 / 7))


def test_nothing_said_and_nothing_to_check_against():
    assert overlap([], ["word"]) == Overlap(0, 0, 0, 0)
    assert overlap(["Paris", "fell"], []) == Overlap(1, 2, 0, 1)


def test_content_words_are_lower_case_and_not_function_words():
    assert content_words(["The", "Tower", "is", "tall"]) == ["tower", "tall"]


def test_form():
    assert form(" Two words. ") == Form(2, 10, 1, 1)
    assert form("巴黎。") == Form(2, 3, 1, 0)  # a letter of Chinese is a word, its stop none
    assert form("") == Form(0, 0, 0, 0)
    assert form("line\n").has_trailing_space == 1
