"""N-grams are counted as scikit-learn counts them, column for column."""

import pytest
import regex

from truerate.core.text import LETTER, PIECE
from truerate.metrics import ngrams
from truerate.metrics.ngrams import character_grams, counts_of, word_grams

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
