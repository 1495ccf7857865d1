"""Gradient-boosted trees as plain arrays: learned by scikit-learn, kept and read without it.

The trees of an ensemble lie one behind the other in arrays of nodes, the root of each named by `roots`: what
is saved is numbers alone, and reads the same in any version of the library.
"""

from collections.abc import Sequence

import numpy as np

from truerate.detectors.tokens.span_probabilities import Reading
from truerate.detectors.tokens.word_features import Passage, State, word_features

ROUNDS = 200
RATE = 0.06  # of learning
LEAVES = 31  # of a tree, at most
LEAST = 200  # words of a leaf, at least
ROWS = 16384  # of which the trees are asked at a time: their features stay in the processor's cache
Trees = dict[str, np.ndarray]


SHAPE = {"max_iter": ROUNDS, "learning_rate": RATE, "max_leaf_nodes": LEAVES, "min_samples_leaf": LEAST}


def fit_trees(features: np.ndarray, labels: np.ndarray, seed: int, **shape: float) -> Trees:
    """Learn P(label) of rows (rows, features) by boosted trees with logistic loss (Friedman 2001), as
    scikit-learn's HistGradientBoostingClassifier does with settings `shape` (default SHAPE), on one thread:
    the same on every run.

    Arrays: `feature`, `cut`, `left`, `right` and `value` (nodes,), `roots` (trees,), `baseline` (1,). A row
    goes left where its feature is at most the cut; a leaf is its own child. Both labels must occur.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(early_stopping=False, random_state=seed, **(shape or SHAPE))
    with threadpool_limits(1):
        model.fit(features, labels)
    trees = [tree.nodes for (tree,) in model._predictors]
    sizes = [len(nodes) for nodes in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    nodes = np.concatenate(trees)
    first, nodes_in_order = np.repeat(roots, sizes), np.arange(len(nodes))
    is_leaf = nodes["is_leaf"].astype(bool)
    return {
        "feature": np.where(is_leaf, 0, nodes["feature_idx"]).astype(np.int16),
        "cut": np.where(is_leaf, 0.0, nodes["num_threshold"]),
        "left": np.where(is_leaf, nodes_in_order, first + nodes["left"]).astype(np.int32),
        "right": np.where(is_leaf, nodes_in_order, first + nodes["right"]).astype(np.int32),
        "value": np.where(is_leaf, nodes["value"], 0.0),
        "roots": roots.astype(np.int32),
        "baseline": np.asarray(model._baseline_prediction, dtype=float).ravel(),
    }


def constant_trees(log_odds: float) -> Trees:
    """An ensemble without trees: the same probability for every row."""
    kinds = {"feature": np.int16, "cut": float, "left": np.int32, "right": np.int32, "value": float}
    arrays = {name: np.zeros(0, dtype=kind) for name, kind in (kinds | {"roots": np.int32}).items()}
    return arrays | {"baseline": np.array([log_odds])}


def probabilities(trees: Trees, features: np.ndarray) -> np.ndarray:
    """P(label) of rows (rows, features), (rows,): the logistic function of the sum of their leaves."""
    ranks, cuts = _ranked(trees, features)
    children = np.stack([trees["left"], trees["right"]], axis=1).ravel()
    scores = np.full(len(ranks), trees["baseline"][0])
    for start in range(0, len(ranks), ROWS):
        block = ranks[start : start + ROWS]
        flat, first = block.ravel(), np.arange(len(block)) * block.shape[1]
        for root in trees["roots"].tolist():
            node, before = np.full(len(block), root), np.zeros(0)
            while not np.array_equal(node, before):  # all rows go down one tree, until none moves
                before = node
                goes_right = flat.take(first + trees["feature"].take(node)) > cuts.take(node)
                node = children.take(2 * node + goes_right)
            scores[start : start + ROWS] += trees["value"].take(node)
    return 1 / (1 + np.exp(-scores))


def _ranked(trees: Trees, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Features (rows, features) and cuts (nodes,) as numbers of a byte that compare as they do: how many
    different cuts of its feature lie below each. A feature has fewer than 255 (the library's bins).
    """
    ranks = np.zeros(features.shape, dtype=np.uint8)
    cuts = np.full(len(trees["cut"]), np.iinfo(np.uint8).max, dtype=np.uint8)  # of a leaf: none is above
    is_inner = trees["left"] != trees["right"]
    for column in range(features.shape[1]):
        is_of_column = is_inner & (trees["feature"] == column)
        steps, cuts[is_of_column] = np.unique(trees["cut"][is_of_column], return_inverse=True)
        ranks[:, column] = np.searchsorted(steps, features[:, column], side="left")
    return ranks, cuts


SEED = 0  # nothing is drawn: of fewer words than scikit-learn samples its bins from, the same ones come
SURE = 20.0  # log odds of a type that all hallucinated words have
_ALL, _TYPE = "hallucinated", "type"


def learn_trees(passages: Sequence[Passage], n_types: int) -> State:
    """Learn which words are hallucinated, and among those each type against the others where there are
    several.
    """
    labels, features = np.concatenate([passage.labels for passage in passages]), word_features(passages)
    is_training, inside = labels >= 0, labels > 0
    ensembles = {_ALL: fit_trees(features[is_training], inside[is_training], SEED)}
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
    for path, values in state.items():
        name, _, key = path.partition(".")
        ensembles.setdefault(name, {})[key] = values
    features = word_features(passages)
    p = probabilities(ensembles[_ALL], features)
    of_types = [probabilities(ensembles[f"{_TYPE}{kind}"], features) for kind in range(1, len(ensembles))]
    kinds = 1 + np.argmax(of_types, axis=0) if of_types else np.ones(len(features), dtype=int)
    ends = np.cumsum([len(passage.offsets) for passage in passages])[:-1]
    return [
        Reading(passage.offsets, *parts)
        for passage, *parts in zip(passages, np.split(p, ends), np.split(kinds, ends), strict=True)
    ]
