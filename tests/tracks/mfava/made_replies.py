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
    told = [np.nan if one is None else one for one in gold] or [np.nan] * n
    groups = np.array([f"{lang}-{place}" for place in range(n)])
    flaws = {name: np.zeros(n, dtype=bool) for name in FLAWS}
    columns = (
        np.full((n, 1), tokens),
        np.array(detected).reshape(n, 1),
        np.array(told, dtype=float),
        np.zeros(n, dtype=bool),
    )
    return Replies(groups, groups, np.array(["42", "43"] * n)[:n], np.ones(n, dtype=bool), *columns, flaws)


def row_of(rows: list[dict], subject: str, metric: str, **where: str) -> dict:
    found = [
        row
        for row in rows
        if (row["subject"], row["metric"]) == (subject, metric)
        and all({"key": k, "value": v} in row["slice"] for k, v in where.items())
    ]
    assert len(found) == 1
    return found[0]
