"""Token detectors that need no weights: the constants, the answer's own words, and a regression on what the
reference holds.

They read the units of features.py, whatever the language. What they reach is what a set gives away without a
network.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.config import Backbone
from truerate.core.errors import TruerateError, listed
from truerate.detectors.tokens.features import reference_index, unit_features
from truerate.detectors.tokens.labels import token_labels
from truerate.detectors.tokens.span_probabilities import Reading
from truerate.metrics.ngrams import fit_logistic, logistic

BUCKETS = 2**15  # of hashed features
REACH = 4  # tokens on either side that a regression on match features sees
STATE = "state.npz"
State = dict[str, np.ndarray]


class Passage(NamedTuple):
    """A text cut into units: `offsets` (n, 2), their `codes` (n, 3) against the reference (features.py), and
    their `labels` (n,).

    Label 0 is no hallucination, −100 a unit whose span has a type that is not learned.
    """

    text: str
    offsets: np.ndarray
    codes: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class TokenRule:
    """How a rule learns from labelled passages and reads others. `learn` is None for a rule that learns nothing.

    `about` says what the rule is, in the words of the detector page. Only for a rule that `sees_reference` is
    the reference read.
    """

    name: str
    about: str
    read: Callable[[State, Sequence[Passage]], list[Reading]]
    learn: Callable[[Sequence[Passage], int], State] | None = None
    sees_reference: bool = False


def passages_of(table: pl.DataFrame, labels: Sequence[str], *, sees_reference: bool = True) -> list[Passage]:
    """The rows of a passages frame (`text`, `reference`, `spans`) as units; else the codes are those against
    an empty reference.

    A page of 8 KB takes ten times as long to index as a passage to read, so that rules that do not look at it
    do without.
    """
    read_passages = []
    for text, reference, spans in table.select("text", "reference", "spans").iter_rows():
        units, codes = unit_features(text, reference_index(reference if sees_reference else ""))
        read_passages.append(
            Passage(text, units.offsets, codes, token_labels(text, units.offsets, spans or [], labels))
        )
    return read_passages


# ---- constants ---------------------------------------------------------------------------------------------
def constant(p: float) -> Callable[[State, Sequence[Passage]], list[Reading]]:
    """Gives every character the same probability, so that spans of marked texts are whole texts."""
    return lambda state, passages: [
        Reading(np.array([[0, len(one.text)]]), np.array([p]), np.ones(1, dtype=int)) for one in passages
    ]


# ---- regressions on sparse features of each word -----------------------------------------------------------
def own_words(passage: Passage) -> list[list[str]]:
    """Names of features of each word that never look at the reference: itself, its neighbours, its character
    n-grams.
    """
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
    """Names of features of each word: match and alignment of the words around it, pairs of codes next to it,
    what its sentence tells.
    """
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
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.preprocessing import normalize

    rows = [row for passage in passages for row in features(passage)]
    return normalize(
        FeatureHasher(BUCKETS, input_type="string", alternate_sign=False).transform(rows or [[]])
    )[: len(rows)]


def learn_by(features: Features) -> Callable[[Sequence[Passage], int], State]:
    """Learn which words are hallucinated, and among those each type against the others where there are several.

    No class weights, as in the networks' loss: what is written down as p has to be a probability.
    """

    def learn(passages: Sequence[Passage], n_types: int) -> State:
        labels = np.concatenate([passage.labels for passage in passages])
        inside, is_taught = labels > 0, labels >= 0
        rows = hashed(passages, features)
        weights = [fit_logistic(rows[is_taught], inside[is_taught], is_balanced=False)]
        if n_types > 1:
            weights += [_one_of(rows[inside], labels[inside] == kind) for kind in range(1, n_types + 1)]
        return {
            "coefficients": np.array([fitted[0] for fitted in weights], dtype=np.float32),
            "intercepts": np.array([fitted[1] for fitted in weights], dtype=np.float32),
        }

    return learn


def _one_of(rows, labels: np.ndarray) -> tuple[np.ndarray, float]:
    """The regression of one type; where its words are none or all there is nothing to weigh and the intercept
    alone says so.
    """
    if labels.all() or not labels.any():
        return np.zeros(BUCKETS), 20.0 if labels.all() else -20.0
    return fit_logistic(rows, labels)


def read_by(features: Features) -> Callable[[State, Sequence[Passage]], list[Reading]]:
    """P(hallucinated) of every word of every passage, and the likeliest type."""

    def read(state: State, passages: Sequence[Passage]) -> list[Reading]:
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


def can_learn(passages: Sequence[Passage]) -> bool:
    """Whether there are hallucinated and other words among them."""
    labels = np.concatenate([np.zeros(0, dtype=int), *(one.labels for one in passages)])
    return bool((labels > 0).any() and (labels == 0).any())


RULES = (
    TokenRule("mark-all", "Marks every text whole.", constant(1.0)),
    TokenRule("mark-none", "Marks nothing.", constant(0.0)),
    TokenRule(
        "reference-blind",
        "Logistic regression on each word of the answer, its neighbours and its character n-grams; it never sees the reference.",
        read_by(own_words),
        learn_by(own_words),
    ),
    TokenRule(
        "token-lr",
        f"Logistic regression on which of the {REACH} words on either side stand in the reference, beside which neighbours, "
        "and how much of the sentence does.",
        read_by(matches),
        learn_by(matches),
        sees_reference=True,
    ),
)
BY_NAME = {rule.name: rule for rule in RULES}


def check_member(name: str, backbones: Mapping[str, Backbone]) -> None:
    """Raises TruerateError where a token member is neither a rule nor an entry of `backbones`."""
    if name not in BY_NAME and name not in backbones:
        raise TruerateError(
            f"detector member {name!r} is not known; allowed: {listed([*BY_NAME, *backbones])}"
        )


# ---- states on disk ----------------------------------------------------------------------------------------
def save_state(state: State, folder: Path) -> None:
    """Write what a rule learned: single precision, the same bytes for the same numbers (an .npz has no clock
    in it).
    """
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / STATE, **{name: state[name] for name in sorted(state)})


def load_state(folder: Path) -> State:
    """Read what `save_state` wrote; TruerateError where it is no such file."""
    try:
        with np.load(folder / STATE, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (OSError, ValueError) as error:
        raise TruerateError(
            f"reading the token rule at {str(folder)!r}: {error}; run `dvc repro train`"
        ) from None
