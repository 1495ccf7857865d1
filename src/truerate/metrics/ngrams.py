"""A text as a bag of its word and character n-grams, for classifiers that read nothing but the answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from truerate.metrics.gram_counts import CHARACTERS, WORDS


def tf_idf(counts: Any, idf: np.ndarray) -> Any:
    """Counts (texts, features) as L2-normalised (1 + ln tf) · idf, sparse; a text without known n-grams is a
    zero row.
    """
    from scipy.sparse import csr_matrix

    known = csr_matrix(counts)  # its places are shared where all its features are known: no matrix is copied
    factors = np.asarray(idf)[known.indices]
    if not factors.all():
        known = csr_matrix(
            (np.where(factors != 0, known.data, 0), known.indices, known.indptr), known.shape
        ).copy()
        known.eliminate_zeros()
        factors = np.asarray(idf)[known.indices]
    weighted = known.data.astype(float)
    np.log(weighted, out=weighted)
    weighted += 1
    weighted *= factors
    del factors
    places = known.indices, known.indptr
    norms = np.sqrt(np.asarray(csr_matrix((weighted**2, *places), shape=known.shape).sum(axis=1)).ravel())
    weighted *= np.repeat(1 / np.where(norms > 0, norms, 1.0), np.diff(known.indptr))
    return csr_matrix((weighted, *places), shape=known.shape)


def inverse_document_frequency(counts: Any) -> np.ndarray:
    """ln((1 + texts) / (1 + texts with the feature)) + 1, per feature (scikit-learn's smoothed idf); 0 for a
    feature that no text holds.
    """
    held = np.asarray((counts > 0).sum(axis=0)).ravel()
    return np.where(held > 0, np.log((1 + counts.shape[0]) / (1 + held)) + 1, 0.0)


def fit_logistic(features: Any, labels: np.ndarray, *, is_balanced: bool = True) -> tuple[np.ndarray, float]:
    """Coefficients and intercept of an L2-regularised logistic regression, with balanced class weights or
    none, rounded to 6 digits.

    Without weights what it gives are probabilities. Both classes must occur. liblinear in double precision on
    one thread: the same on every run.
    """
    from sklearn.linear_model import LogisticRegression

    weights = "balanced" if is_balanced else None
    model = LogisticRegression(
        solver="liblinear", class_weight=weights, random_state=0, max_iter=1000, tol=1e-6
    )
    model.fit(features, np.asarray(labels, dtype=int))
    return np.round(model.coef_[0], 6), round(float(model.intercept_[0]), 6)


def logistic(features: Any, coefficients: np.ndarray, intercept: float) -> np.ndarray:
    """P(hallucinated) of each row, rounded to 6 digits."""
    return np.round(1 / (1 + np.exp(-(features @ coefficients + intercept))), 6)


def ngram_counts(
    texts: Sequence[str], vocabularies: tuple[Sequence[str], Sequence[str]] | None = None
) -> Any:
    """Counts of word and character n-grams side by side, sparse (texts, features), in as few bytes each as there can
    be; None where the texts hold none.

    Without vocabularies they are those of the texts themselves.
    """
    if vocabularies is None:
        return _side_by_side([kind.counts(texts, np.int32)[1] for kind in (WORDS, CHARACTERS)])
    return _side_by_side(
        [
            kind.counts_of(texts, vocabulary)
            for kind, vocabulary in zip((WORDS, CHARACTERS), vocabularies, strict=True)
        ]
    )


def _side_by_side(counted: list[Any]) -> Any:
    from scipy.sparse import hstack

    blocks = [counts for counts in counted if counts.shape[1]]
    for block in blocks:
        block.data = block.data.astype(np.min_scalar_type(block.data.max(initial=0)))
    return hstack(blocks).tocsr() if blocks else None


def fit_counts(counts: Any, labels: np.ndarray) -> dict[str, Any]:
    """idf, coefficients and intercept of the regression on counts; features of no row count for nothing. Both
    classes must occur.
    """
    idf = np.round(inverse_document_frequency(counts), 6)
    coefficients, intercept = fit_logistic(tf_idf(counts, idf), labels)
    return {"idf": idf, "coefficients": coefficients, "intercept": intercept}


def probabilities_of_counts(
    counts: Any, *, idf: np.ndarray, coefficients: np.ndarray, intercept: float
) -> np.ndarray:
    """P(hallucinated) of each row of counts under what `fit_counts` learned; n-grams that training did not
    hold change nothing.
    """
    return logistic(tf_idf(counts, np.asarray(idf)), np.asarray(coefficients), intercept)


def fit_ngrams(texts: Sequence[str], labels: np.ndarray) -> dict[str, Any]:
    """The regression on the texts' own n-grams as plain values: vocabularies, idf, coefficients, intercept.
    Both classes must occur.

    Texts without any n-gram leave the vocabularies empty and the intercept 0.
    """
    (words, of_words), (characters, of_characters) = (kind.counts(texts) for kind in (WORDS, CHARACTERS))
    counts = _side_by_side([of_words, of_characters])
    if counts is None:
        return {"words": [], "characters": [], "idf": [], "coefficients": [], "intercept": 0.0}
    learned = fit_counts(counts, labels)
    numbers = {name: learned[name].tolist() for name in ("idf", "coefficients")}
    return {"words": words, "characters": characters, "intercept": learned["intercept"]} | numbers


def ngram_probabilities(state: dict[str, Any], texts: Sequence[str]) -> np.ndarray:
    """P(hallucinated) of texts under a state of `fit_ngrams`; .5 where the state knows no n-gram."""
    counts = ngram_counts(texts, (state["words"], state["characters"])) if len(texts) else None
    if counts is None:
        return np.full(len(texts), 0.5)
    return probabilities_of_counts(
        counts, idf=state["idf"], coefficients=state["coefficients"], intercept=state["intercept"]
    )
