"""Replies and rows by hand for the tests of rates, contrasts and analyses."""

from collections.abc import Sequence

import numpy as np

from truerate.config import Model
from truerate.tracks.mfava.rates import FLAWS, Replies

MODELS = {
    name: Model(endpoint="e", model=name, family=family, size_b=size)
    for name, family, size in (("s", "x", 1), ("m", "y", 3), ("l", "x", 9))
}


def replies(*detected: int, tokens: int = 10, lang: str = "en", gold: Sequence[float | None] = ()) -> Replies:
    """Replies of ten tokens, each about an article of its own; of `gold` None: nobody labelled it."""
    n = len(detected)
    labels = np.array([np.nan if count is None else count for count in gold] or [np.nan] * n, dtype=float)
    groups = np.array([f"{lang}-{index}" for index in range(n)])
    subsets, counts = (
        np.array(["42", "43"] * n)[:n],
        (np.full((n, 1), tokens), np.array(detected).reshape(n, 1)),
    )
    no_flaws = np.zeros((n, len(FLAWS)), dtype=bool)
    return Replies(groups, groups, subsets, *counts, labels, np.zeros(n, dtype=bool), no_flaws)


def row_of(rows: list[dict], subject: str, metric: str, **where: str) -> dict:
    pairs = [{"key": key, "value": value} for key, value in where.items()]
    of_metric = [row for row in rows if (row["subject"], row["metric"]) == (subject, metric)]
    (row,) = [row for row in of_metric if all(pair in row["slice"] for pair in pairs)]
    return row
