"""A passage cut into units that rules read: words, what the reference says of each, and its label."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.detectors.tokens.features import reference_index, unit_features
from truerate.detectors.tokens.labels import token_labels

State = dict[str, np.ndarray]  # what a rule learned


class Passage(NamedTuple):
    """A text cut into units: `offsets` (n, 2), the `sentences` (n,) that they stand in, their `codes` (n, 3)
    against the reference (features.py), and their `labels` (n,).

    Label 0 is no hallucination, −100 a unit whose span has a type that is not learned.
    """

    text: str
    offsets: np.ndarray
    sentences: np.ndarray
    codes: np.ndarray
    labels: np.ndarray


def passages_of(table: pl.DataFrame, labels: Sequence[str], *, sees_reference: bool = True) -> list[Passage]:
    """The rows of a passages frame (`text`, `reference`, `spans`) as units; else the codes are those against
    an empty reference.

    A page of 8 KB takes ten times as long to index as a passage to read, so that rules that do not look at it
    do without.
    """
    read_passages = []
    for text, reference, spans in table.select("text", "reference", "spans").iter_rows():
        units, codes = unit_features(text, reference_index(reference if sees_reference else ""))
        marked = token_labels(text, units.offsets, spans or [], labels)
        read_passages.append(Passage(text, units.offsets, units.sentences, codes, marked))
    return read_passages


def can_learn(passages: Sequence[Passage]) -> bool:
    """Whether there are hallucinated and other words among them."""
    labels = np.concatenate([np.zeros(0, dtype=int), *(passage.labels for passage in passages)])
    return bool((labels > 0).any() and (labels == 0).any())
