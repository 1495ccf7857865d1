"""Logistic regressions on sparse features of each word: the answer's own, or those of the reference."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from truerate.detectors.tokens.span_probabilities import Reading
from truerate.detectors.tokens.word_features import Passage, State
from truerate.metrics.ngrams import fit_logistic, logistic

BUCKETS = 2**15  # of hashed features
REACH = 4  # tokens on either side that a regression on match features sees


def own_words(passage: Passage) -> list[list[str]]:
    """Feature names of each word without the reference: itself, its neighbours, character n-grams."""
    words = [
        "<s>",
        "<s>",
        *(passage.text[start:end].lower() for start, end in passage.offsets.tolist()),
        "</s>",
        "</s>",
    ]
    values = []
    for i in range(2, len(words) - 2):
        before, word, after = words[i - 1], words[i], words[i + 1]
        near = [f"0 {word}", f"-1 {before}", f"1 {after}", f"-2 {words[i - 2]}", f"2 {words[i + 2]}"]
        pairs = [f"-1 0 {before} {word}", f"0 1 {word} {after}", f"-1 1 {before} {after}"]
        values.append(near + pairs + _ngrams(word))
    return values


@lru_cache(maxsize=50_000)
def _ngrams(word: str) -> list[str]:
    """Names of the character n-grams of a word between its ends."""
    padded = f"<{word}>"
    return [f"c {padded[k : k + n]}" for n in (2, 3, 4) for k in range(len(padded) - n + 1)]


def matches(passage: Passage) -> list[list[str]]:
    """Feature names of each word: match and alignment around it, pairs of codes, informativeness."""
    n, codes = len(passage.offsets), passage.codes
    edge = ["-"] * REACH
    match, alignment, informativeness = (edge + column + edge for column in codes.T.tolist())
    values = []
    for i in range(REACH, n + REACH):
        around = [f"m{d} {match[i + d]}" for d in range(-REACH, REACH + 1)] + [
            f"a{d} {alignment[i + d]}" for d in range(-REACH, REACH + 1)
        ]
        pairs = [
            f"p {match[i - 1]} {match[i]}",
            f"n {match[i]} {match[i + 1]}",
            f"ma {match[i]} {alignment[i]}",
        ]
        values.append([*around, *pairs, f"t {informativeness[i]}", f"mt {match[i]} {informativeness[i]}"])
    return values


Features = Callable[[Passage], list[list[str]]]


def hashed(passages: Sequence[Passage], features: Features):
    """Sparse (words of all passages, BUCKETS) of hashed feature names; each row has length 1."""
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.preprocessing import normalize

    if not any(len(passage.offsets) for passage in passages):
        return csr_matrix((0, BUCKETS))  # the hasher takes no empty table
    # names of one passage at a time: those of all would take more memory than the matrix of them
    rows = (row for passage in passages for row in features(passage))
    hasher = FeatureHasher(BUCKETS, input_type="string", alternate_sign=False)
    return normalize(hasher.transform(rows), copy=False)


def learn_by(features: Features) -> Callable[[Sequence[Passage], int], State]:
    """Learn which words are hallucinated, and among those each type against the others where there are
    several.

    No class weights, as in the networks' loss: what is written down as p has to be a probability.
    """

    def learn(passages: Sequence[Passage], n_types: int) -> State:
        """`coefficients` (regressions, BUCKETS) and `intercepts` (regressions,), float32: that of being
        hallucinated first, then one per type where there are several. Tokens without a label (−1) teach
        nothing.
        """
        labels = np.concatenate([passage.labels for passage in passages])
        inside, is_training = labels > 0, labels >= 0
        rows = hashed(passages, features)
        weights = [fit_logistic(rows[is_training], inside[is_training], is_balanced=False)]
        if n_types > 1:
            weights += [_one_of(rows[inside], labels[inside] == kind) for kind in range(1, n_types + 1)]
        return {
            "coefficients": np.array([fitted[0] for fitted in weights], dtype=np.float32),
            "intercepts": np.array([fitted[1] for fitted in weights], dtype=np.float32),
        }

    return learn


def _one_of(rows, labels: np.ndarray) -> tuple[np.ndarray, float]:
    """The regression of one type; an intercept alone where its words are none or all."""
    if labels.all() or not labels.any():
        return np.zeros(BUCKETS), 20.0 if labels.all() else -20.0
    return fit_logistic(rows, labels)


def read_by(features: Features) -> Callable[[State, Sequence[Passage]], list[Reading]]:
    """P(hallucinated) of every word of every passage, and the likeliest type."""

    def read(state: State, passages: Sequence[Passage]) -> list[Reading]:
        """A Reading per passage, in their order; the type is 1 where only one was learned."""
        rows, weights = hashed(passages, features), state["coefficients"].astype(float)
        scores = [
            logistic(rows, coefficients, float(intercept))
            for coefficients, intercept in zip(weights, state["intercepts"], strict=True)
        ]
        kinds = 1 + np.argmax(scores[1:], axis=0) if len(scores) > 1 else np.ones(rows.shape[0], dtype=int)
        ends = np.cumsum([len(passage.offsets) for passage in passages])
        return [
            Reading(
                passage.offsets,
                scores[0][end - len(passage.offsets) : end],
                kinds[end - len(passage.offsets) : end],
            )
            for passage, end in zip(passages, ends.tolist(), strict=True)
        ]

    return read
