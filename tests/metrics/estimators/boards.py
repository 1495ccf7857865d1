"""Small boards with a planted truth, whose detector errs differently from model to model."""

import numpy as np

from truerate.metrics.estimators.sample import Cell, Cells

NONE = float("nan")


def cell(total, flagged, gold, clusters=None) -> Cell:
    """A cell from lists; every unit is its own cluster where none are given."""
    clusters = np.arange(len(total)) if clusters is None else np.asarray(clusters)
    return Cell(*(np.array(item, dtype=float) for item in (total, flagged, gold)), clusters)


def population(seed: int, *, n: int = 40, n_models: int = 5, n_langs: int = 6) -> tuple[Cells, dict]:
    """Cells of which every unit is labelled, and their rates. Worse models write more; the detector finds 80
    %, and raises more false alarms in longer replies.
    """
    rng = np.random.default_rng(seed)
    cells, rates = {}, {}
    for model in range(n_models):
        for lang in range(n_langs):
            total = rng.integers(8, 30 + 12 * model, n)
            single = rng.beta(0.5, 0.5 / (0.03 + 0.04 * model) - 0.5, n)
            gold = rng.binomial(total, single)
            flagged = rng.binomial(gold, 0.8) + rng.binomial(total - gold, np.minimum(0.6, total / 120))
            key = (f"m{model}", f"l{lang}")
            cells[key] = cell(total, flagged, gold, np.arange(n) // 2)
            rates[key] = gold.sum() / total.sum()
    return cells, rates


def labelled(cells: Cells, k: int, rng: np.random.Generator) -> Cells:
    """The cells with the labels of k of their units, drawn by chance."""
    kept = {}
    for key, item in cells.items():
        gold = item.gold.copy()
        gold[rng.permutation(item.n)[k:]] = NONE
        kept[key] = Cell(item.total, item.flagged, gold, item.clusters)
    return kept
