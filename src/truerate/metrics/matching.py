"""Pairs of texts matched in form: a subset in which neither length nor a full stop tells the sides apart."""

from collections.abc import Sequence
from math import log

import numpy as np

from truerate.metrics.overlap import form

EXACT = 8  # up to so many words lengths are matched to the word, above in bins of a tenth
STEP = 1.1

Shape = tuple[int, bool]


def shape(text: str) -> Shape:
    """The bin of a text's length in words, and whether it ends with a full stop."""
    found = form(text)
    n = int(found.n_words)
    binned = n if n <= EXACT else EXACT + int(log(n / EXACT) / log(STEP)) + 1
    return binned, bool(found.has_final_stop)


def matched(hallucinated: Sequence[Shape], right: Sequence[Shape], order: Sequence[float]) -> np.ndarray:
    """Which pairs stand in the matched subset, (pairs,) of bool.

    A pair whose sides have one shape is in it. Of pairs with the shapes A and B as many as have the
    hallucinated side in A are kept as have it in B, those first by `order` (a seeded draw per pair). Among
    the kept pairs each shape is therefore as frequent on one side as on the other, and a judge that looks
    at shapes alone has the balanced accuracy of a guess: exactly one half. Empty where no pair has a
    counterpart.
    """
    kept = np.zeros(len(order), dtype=bool)
    found: dict[frozenset[Shape], tuple[list[int], list[int]]] = {}
    for place in sorted(range(len(order)), key=lambda one: (order[one], one)):
        first, second = hallucinated[place], right[place]
        if first == second:
            kept[place] = True
        else:
            found.setdefault(frozenset((first, second)), ([], []))[first > second].append(place)
    for one, other in found.values():
        n = min(len(one), len(other))
        kept[one[:n] + other[:n]] = True
    return kept
