"""Gradient-boosted trees as plain arrays: fitted by scikit-learn, saved and evaluated without it.

The nodes of all trees lie one behind the other, the root of each tree named by `roots`: what is saved is
numbers alone, and reads the same in any version of the library.
"""

import numpy as np

SHAPE = {"max_iter": 200, "learning_rate": 0.06, "max_leaf_nodes": 31, "min_samples_leaf": 200}
ROWS = 16384  # evaluated at a time: their features stay in the processor's cache
Trees = dict[str, np.ndarray]


def fit_trees(features: np.ndarray, labels: np.ndarray, seed: int, **shape: float) -> Trees:
    """Fit P(label) of rows (rows, features) by boosted trees with logistic loss (Friedman 2001), as
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
    roots, nodes = np.cumsum([0, *sizes[:-1]]), np.concatenate(trees)
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
    """Return an ensemble without trees: the same probability for every row."""
    kinds = {"feature": np.int16, "cut": float, "left": np.int32, "right": np.int32, "value": float}
    arrays = {name: np.zeros(0, dtype=kind) for name, kind in (kinds | {"roots": np.int32}).items()}
    return arrays | {"baseline": np.array([log_odds])}


def probabilities(trees: Trees, features: np.ndarray) -> np.ndarray:
    """Return P(label) of rows (rows, features), (rows,): the logistic function of the sum of their leaves."""
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
    """Return features (rows, features) and cuts (nodes,) as bytes that compare as they do: how many different
    cuts of its feature lie below each. A feature has fewer than 255 (the library's bins).
    """
    ranks = np.zeros(features.shape, dtype=np.uint8)
    cuts = np.full(len(trees["cut"]), np.iinfo(np.uint8).max, dtype=np.uint8)  # of a leaf: none is above
    is_inner = trees["left"] != trees["right"]
    for column in range(features.shape[1]):
        is_of_column = is_inner & (trees["feature"] == column)
        steps, cuts[is_of_column] = np.unique(trees["cut"][is_of_column], return_inverse=True)
        ranks[:, column] = np.searchsorted(steps, features[:, column], side="left")
    return ranks, cuts
