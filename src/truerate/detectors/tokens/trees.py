"""Boosted trees on the features of each word (word_features.py): whether it is hallucinated, and of which type."""

from collections.abc import Sequence

import numpy as np

from truerate.detectors.tokens.boosting import Trees, constant_trees, fit_trees, probabilities
from truerate.detectors.tokens.passages import Passage, State
from truerate.detectors.tokens.span_probabilities import Reading
from truerate.detectors.tokens.word_features import word_features

SEED = 0  # nothing is drawn: of fewer words than scikit-learn samples its bins from, the same ones come
SURE = 20.0  # log odds of a type that all hallucinated words have
_ALL, _TYPE = "hallucinated", "type"


def learn_trees(passages: Sequence[Passage], n_types: int) -> State:
    """Learn which words are hallucinated, and among those each type against the others where there are several."""
    labels, features = np.concatenate([passage.labels for passage in passages]), word_features(passages)
    is_taught, inside = labels >= 0, labels > 0
    ensembles = {_ALL: fit_trees(features[is_taught], inside[is_taught], SEED)}
    for kind in range(1, n_types + 1) if n_types > 1 else ():
        ensembles[f"{_TYPE}{kind}"] = _one_of(features[inside], labels[inside] == kind)
    return {f"{name}.{key}": values for name, trees in ensembles.items() for key, values in trees.items()}


def _one_of(features: np.ndarray, is_of_type: np.ndarray) -> Trees:
    """The trees of one type; where its words are none or all there is nothing to learn."""
    if is_of_type.all() or not is_of_type.any():
        return constant_trees(SURE if is_of_type.all() else -SURE)
    return fit_trees(features, is_of_type, SEED)


def read_trees(state: State, passages: Sequence[Passage]) -> list[Reading]:
    """P(hallucinated) of every word of every passage, and the likeliest type."""
    if not passages:
        return []
    ensembles: dict[str, Trees] = {}
    for place, values in state.items():
        name, _, key = place.partition(".")
        ensembles.setdefault(name, {})[key] = values
    features = word_features(passages)
    p = probabilities(ensembles[_ALL], features)
    of_types = [probabilities(ensembles[f"{_TYPE}{kind}"], features) for kind in range(1, len(ensembles))]
    kinds = 1 + np.argmax(of_types, axis=0) if of_types else np.ones(len(features), dtype=int)
    ends = np.cumsum([len(passage.offsets) for passage in passages])[:-1]
    return [
        Reading(one.offsets, *parts)
        for one, *parts in zip(passages, np.split(p, ends), np.split(kinds, ends), strict=True)
    ]
