"""Passages cut into words, what the reference says of each, and what boosted trees see of them."""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.detectors.tokens.features import reference_index, unit_features
from truerate.detectors.tokens.span_probabilities import token_labels

State = dict[str, np.ndarray]  # what a rule learned


class Passage(NamedTuple):
    """A text cut into units: `offsets` (n, 2), the `sentences` (n,) that they stand in, their `codes` (n, 3)
    against the reference (features.py), and their `labels` (n,). Label 0 is no hallucination, −100 a unit
    whose span has a type that is not learned.
    """

    text: str
    offsets: np.ndarray
    sentences: np.ndarray
    codes: np.ndarray
    labels: np.ndarray


def passages_of(table: pl.DataFrame, labels: Sequence[str], *, sees_reference: bool = True) -> list[Passage]:
    """The rows of a passages frame (`text`, `reference`, `spans`) as units; else the codes are those against
    an empty reference. A page of 8 KB takes ten times as long to index as a passage to read, so that rules
    that do not look at it do without.
    """
    read_passages = []
    for text, reference, spans in table.select("text", "reference", "spans").iter_rows():
        units, codes = unit_features(text, reference_index(reference if sees_reference else ""))
        marked = token_labels(text, units.offsets, spans or [], labels)
        read_passages.append(Passage(text, units.offsets, units.sentences, codes, marked))
    return read_passages


def can_learn(passages: Sequence[Passage]) -> bool:
    """Return whether there are hallucinated and other words among them."""
    labels = np.concatenate([np.zeros(0, dtype=int), *(passage.labels for passage in passages)])
    return bool((labels > 0).any() and (labels == 0).any())


# ---- what trees see of each word ---------------------------------------------------------------------------
AROUND = 4  # neighbours on either side whose match codes are seen
WITHIN = (3, 8, 20)  # words on either side of which the share that the reference holds is seen
BEYOND = -1  # in place of the code of a neighbour that a text does not have
NAMES = (
    *(f"match {shift:+d}" for shift in range(-AROUND, AROUND + 1)),  # match codes (features.py)
    "characters",  # of the word
    "has_digit",
    "is_capital",  # its first letter
    "place",  # words before it in the text
    "words",  # of the text
    "place_in_sentence",  # words before it in its sentence
    "sentence_words",  # of its sentence
    "sentence_share",  # words of its sentence that the reference holds
    "text_share",  # words of the text that it holds
    *(f"share_within_{reach}" for reach in WITHIN),
    "run",  # words of the run that it stands in of which the reference holds none, 0 where it holds the word
    "after_punctuation",  # whether a mark stands between the word and the one before
)


def word_features(passages: Sequence[Passage]) -> np.ndarray:
    """The features of NAMES for each word of each passage in order, (words, 23). Shares are in [0, 1]."""
    rows = [_features(passage) for passage in passages if len(passage.offsets)]
    return np.concatenate(rows) if rows else np.zeros((0, len(NAMES)))


def _features(passage: Passage) -> np.ndarray:
    match, n = passage.codes[:, 0].astype(float), len(passage.offsets)
    edge = np.full(AROUND, float(BEYOND))
    is_held = (passage.codes[:, 0] - 1) % 3 > 0
    firsts, sentence, sizes = np.unique(
        passage.sentences, return_index=True, return_inverse=True, return_counts=True
    )[1:]
    return np.column_stack(
        [
            np.lib.stride_tricks.sliding_window_view(np.concatenate([edge, match, edge]), 2 * AROUND + 1),
            _looks(passage),
            np.arange(n),
            np.full(n, n),
            np.arange(n) - firsts[sentence],
            sizes[sentence],
            (np.bincount(sentence, weights=is_held) / sizes)[sentence],
            np.full(n, is_held.mean()),
            *(_share_within(is_held, reach) for reach in WITHIN),
            _runs(~is_held),
            _after_punctuation(passage),
        ]
    )


def _looks(passage: Passage) -> np.ndarray:
    """Characters, whether there is a digit, and whether the first letter is a capital, (words, 3)."""
    words = [passage.text[start:end] for start, end in passage.offsets.tolist()]
    rows = [[len(word), any(map(str.isdigit, word)), word[0].isupper()] for word in words]
    return np.array(rows, dtype=float)


def _share_within(is_held: np.ndarray, reach: int) -> np.ndarray:
    """Of the words at most `reach` away, itself among them, the share that is held, (words,)."""
    sums = np.concatenate([[0], np.cumsum(is_held)])
    places = np.arange(len(is_held))
    first, last = np.maximum(places - reach, 0), np.minimum(places + reach + 1, len(is_held))
    return (sums[last] - sums[first]) / (last - first)


def _runs(is_absent: np.ndarray) -> np.ndarray:
    """The length of the run of absent words that each stands in, 0 for others, (words,)."""
    borders = np.flatnonzero(np.diff(is_absent, prepend=not is_absent[0]))
    lengths = np.diff(np.append(borders, len(is_absent)))
    return np.repeat(lengths, lengths) * is_absent


def _after_punctuation(passage: Passage) -> np.ndarray:
    """Return whether punctuation stands between each word and the one before it, (words,)."""
    borders = zip([0, *passage.offsets[:-1, 1].tolist()], passage.offsets[:, 0].tolist(), strict=True)
    gaps = (passage.text[end:start] for end, start in borders)
    return np.array([any(unicodedata.category(sign)[0] == "P" for sign in gap) for gap in gaps], dtype=float)
