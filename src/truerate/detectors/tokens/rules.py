"""Token detectors without a network: constants, the answer's own words, and logistic regressions and boosted
trees on what the reference holds (features.py), whatever the language. They show what a set gives away
without a network.

A rule that learns fits one model of whether a word is hallucinated, and where the labels have several types
one more per type among the hallucinated words. No class weights in the first, as in the networks' loss: p is
a probability.
"""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from truerate.config import Backbone
from truerate.core.errors import TruerateError, listed
from truerate.detectors.tokens.boosting import constant_trees, fit_trees, probabilities
from truerate.detectors.tokens.span_probabilities import Reading
from truerate.detectors.tokens.word_features import AROUND, Passage, State, word_features
from truerate.metrics.ngrams import fit_logistic, logistic

STATE = "state.npz"
BUCKETS = 2**15  # of hashed features
REACH = 4  # words on either side that a regression on match features sees
SURE = 20.0  # log odds of a type that all hallucinated words have
SEED = 0  # unused by trees of fewer words than scikit-learn samples its bins from

Features = Callable[[Passage], list[list[str]]]
Read = Callable[[State, Sequence[Passage]], list[Reading]]


@dataclass(frozen=True)
class TokenRule:
    """How a rule learns from labelled passages and reads others. `learn` is None for a rule that learns
    nothing. `about` describes the rule on the detector page. The reference is read only for a rule that
    `sees_reference`.
    """

    name: str
    about: str
    read: Read
    learn: Callable[[Sequence[Passage], int], State] | None = None
    sees_reference: bool = False


def constant(p: float) -> Read:
    """Return a reader that gives every character the same probability: marked texts are marked whole."""
    return lambda state, passages: [
        Reading(np.array([[0, len(passage.text)]]), np.array([p]), np.ones(1, dtype=int))
        for passage in passages
    ]


# ---- a model of all hallucinated words, and one per type ---------------------------------------------------
def _fitted(
    rows: Any,
    passages: Sequence[Passage],
    n_types: int,
    fit: Callable[[Any, np.ndarray], Any],
    *,
    fit_type: Callable[[Any, np.ndarray], Any],
    constant_type: Callable[[float], Any],
) -> list[Any]:
    """Fit the models of labelled rows (words, features); that of a type which no word or every one has is
    constant. Words without a label (−100) are left out.
    """
    labels = np.concatenate([passage.labels for passage in passages])
    is_training, inside = labels >= 0, labels > 0
    models = [fit(rows[is_training], inside[is_training])]
    for kind in range(1, n_types + 1) if n_types > 1 else ():
        is_of_type = labels[inside] == kind
        if is_of_type.all() or not is_of_type.any():
            models.append(constant_type(SURE if is_of_type.all() else -SURE))
        else:
            models.append(fit_type(rows[inside], is_of_type))
    return models


def _readings(passages: Sequence[Passage], p: np.ndarray, *of_types: np.ndarray) -> list[Reading]:
    """The reading of each passage from P(hallucinated) of all words, and of each type."""
    kinds = 1 + np.argmax(of_types, axis=0) if of_types else np.ones(len(p), dtype=int)
    ends = np.cumsum([len(passage.offsets) for passage in passages])[:-1]
    return [
        Reading(passage.offsets, *parts)
        for passage, *parts in zip(passages, np.split(p, ends), np.split(kinds, ends), strict=True)
    ]


# ---- logistic regressions on hashed feature names ----------------------------------------------------------
def own_words(passage: Passage) -> list[list[str]]:
    """Return feature names of each word without the reference: itself, its neighbours, character n-grams."""
    texts = (passage.text[start:end].lower() for start, end in passage.offsets.tolist())
    words, names = ["<s>", "<s>", *texts, "</s>", "</s>"], []
    for i in range(2, len(words) - 2):
        before, word, after = words[i - 1], words[i], words[i + 1]
        near = [f"0 {word}", f"-1 {before}", f"1 {after}", f"-2 {words[i - 2]}", f"2 {words[i + 2]}"]
        pairs = [f"-1 0 {before} {word}", f"0 1 {word} {after}", f"-1 1 {before} {after}"]
        names.append(near + pairs + _character_ngrams(word))
    return names


@lru_cache(maxsize=50_000)
def _character_ngrams(word: str) -> list[str]:
    padded = f"<{word}>"
    return [f"c {padded[k : k + n]}" for n in (2, 3, 4) for k in range(len(padded) - n + 1)]


def matches(passage: Passage) -> list[list[str]]:
    """Return feature names of each word: match and alignment around it, pairs of codes, informativeness."""
    edge, shifts, names = ["-"] * REACH, range(-REACH, REACH + 1), []
    match, align, inform = (edge + column + edge for column in passage.codes.T.tolist())
    for i in range(REACH, len(passage.offsets) + REACH):
        around = [f"m{d} {match[i + d]}" for d in shifts] + [f"a{d} {align[i + d]}" for d in shifts]
        pairs = [f"p {match[i - 1]} {match[i]}", f"n {match[i]} {match[i + 1]}", f"ma {match[i]} {align[i]}"]
        names.append([*around, *pairs, f"t {inform[i]}", f"mt {match[i]} {inform[i]}"])
    return names


def hashed(passages: Sequence[Passage], features: Features) -> Any:
    """Return the hashed feature names of all words, sparse (words, BUCKETS); each row has length 1."""
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.preprocessing import normalize

    if not any(len(passage.offsets) for passage in passages):
        return csr_matrix((0, BUCKETS))  # the hasher takes no empty table
    # names of one passage at a time: those of all would take more memory than the matrix of them
    rows = (row for passage in passages for row in features(passage))
    hasher = FeatureHasher(BUCKETS, input_type="string", alternate_sign=False)
    return normalize(hasher.transform(rows), copy=False)


def learn_regressions(passages: Sequence[Passage], n_types: int, *, features: Features) -> State:
    """Return `coefficients` (models, BUCKETS) and `intercepts` (models,), float32."""
    weights = _fitted(
        hashed(passages, features),
        passages,
        n_types,
        partial(fit_logistic, is_balanced=False),
        fit_type=fit_logistic,
        constant_type=lambda log_odds: (np.zeros(BUCKETS), log_odds),
    )
    coefficients, intercepts = (np.array(column, np.float32) for column in zip(*weights, strict=True))
    return {"coefficients": coefficients, "intercepts": intercepts}


def read_regressions(state: State, passages: Sequence[Passage], *, features: Features) -> list[Reading]:
    """Return the reading of each passage by `learn_regressions`."""
    if not passages:
        return []
    rows, weights = hashed(passages, features), state["coefficients"].astype(float)
    models = zip(weights, state["intercepts"], strict=True)
    return _readings(passages, *(logistic(rows, weight, float(intercept)) for weight, intercept in models))


# ---- boosted trees -----------------------------------------------------------------------------------------
def learn_trees(passages: Sequence[Passage], n_types: int) -> State:
    """Return the arrays of each ensemble under `hallucinated.`, `type1.`, …"""

    def fit(rows: np.ndarray, labels: np.ndarray) -> State:
        return fit_trees(rows, labels, SEED)

    ensembles = _fitted(
        word_features(passages), passages, n_types, fit, fit_type=fit, constant_type=constant_trees
    )
    names = ("hallucinated", *(f"type{kind}" for kind in range(1, len(ensembles))))
    return {
        f"{name}.{key}": values
        for name, trees in zip(names, ensembles, strict=True)
        for key, values in trees.items()
    }


def read_trees(state: State, passages: Sequence[Passage]) -> list[Reading]:
    """Return the reading of each passage by `learn_trees`."""
    if not passages:
        return []
    ensembles: dict[str, State] = {}
    for path, values in state.items():
        name, _, key = path.partition(".")
        ensembles.setdefault(name, {})[key] = values
    of_all, features = ensembles.pop("hallucinated"), word_features(passages)
    of_types = [ensembles[f"type{kind}"] for kind in range(1, len(ensembles) + 1)]
    return _readings(passages, *(probabilities(trees, features) for trees in (of_all, *of_types)))


RULES = (
    TokenRule("mark-all", "Marks every text whole.", constant(1.0)),
    TokenRule("mark-none", "Marks nothing.", constant(0.0)),
    TokenRule(
        "reference-blind",
        "Logistic regression on each word of the answer, its neighbours and its character n-grams; it never "
        "sees the reference.",
        partial(read_regressions, features=own_words),
        partial(learn_regressions, features=own_words),
    ),
    TokenRule(
        "token-lr",
        f"Logistic regression on which of the {REACH} words on either side stand in the reference, beside "
        "which neighbours, and how much of the sentence does.",
        partial(read_regressions, features=matches),
        partial(learn_regressions, features=matches),
        sees_reference=True,
    ),
    TokenRule(
        "token-tree",
        f"Boosted trees on which of the {AROUND} words on either side stand in the reference, what share of "
        "the sentence and of wider stretches does, how long the run is that does not, and on the look and "
        "place of the word.",
        read_trees,
        learn_trees,
        sees_reference=True,
    ),
)
BY_NAME = {rule.name: rule for rule in RULES}


def check_member(name: str, backbones: Mapping[str, Backbone]) -> None:
    """Raise TruerateError where a token member is neither a rule nor an entry of `backbones`."""
    if name not in BY_NAME and name not in backbones:
        allowed = listed([*BY_NAME, *backbones])
        raise TruerateError(f"detector member {name!r} is not known; allowed: {allowed}")


# ---- states on disk ----------------------------------------------------------------------------------------
def save_state(state: State, folder: Path) -> None:
    """Write what a rule learned as an .npz: the same bytes for the same numbers, wherever. It holds no clock
    and is not compressed: how that is done, and which version of the format numpy's own writer names, depend
    on the release of Python and of its zlib.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / STATE, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(state):
            array = io.BytesIO()
            np.lib.format.write_array(array, np.asanyarray(state[name]), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), array.getvalue())


def load_state(folder: Path) -> State:
    """Read what `save_state` wrote; TruerateError where it is no such file."""
    try:
        with np.load(folder / STATE, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError) as error:
        line = f"reading the token rule at {str(folder)!r}: {error}; run `dvc repro train`"
        raise TruerateError(line) from None
