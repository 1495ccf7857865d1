"""Which words of a translation stand for which of the original: a model of word alignment that is learned from
the translations themselves, so that it needs no weights and works for every language.

IBM's Model 1, then Model 2 with one prior towards the diagonal in the place of its table of positions (Brown et al. 1993; Dyer,
Chahuneau & Smith 2013), learned by EM in both directions; a pair of words counts as far as both directions hold
it (the product of their posteriors). Words are those that tokens are counted by (`word_offsets`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from truerate.metrics.tokens import word_offsets

ROUNDS = (4, 4)  # of EM: without a prior of places (Model 1), then with it, as is usual
TENSION = 2.0  # how strongly words keep their place: little, for word orders differ
NULL = 0.08  # share of words that stand for nothing, likewise
SAME = 20.0  # how much likelier at first a word is to stand for itself (numbers, names) than for another
LEAST = 1e-12


class Pair(NamedTuple):
    """A text and its translation, as the words of both with their places."""

    source: str
    target: str


class Cells(NamedTuple):
    """Every pair of a source word and a target word of all texts, (cells,): the number of the pair of texts, both
    places in it, and the pair of words as one number, source word · `n_words` + target word; `n_sources`,
    `n_targets`, (texts,).
    """

    text: np.ndarray
    source: np.ndarray
    target: np.ndarray
    words: np.ndarray
    n_sources: np.ndarray
    n_targets: np.ndarray
    n_words: int


def aligned(pairs: Sequence[Pair]) -> list[np.ndarray]:
    """How far each source word (rows) and each target word (columns) of a pair stand for one another, in [0, 1];
    learned over all pairs at once. An array without rows or columns for a text without words.
    """
    cells = _cells(pairs)
    if not len(cells.text):
        return [np.zeros((n, m)) for n, m in zip(cells.n_sources, cells.n_targets, strict=True)]
    both = _posterior(cells, by_target=True) * _posterior(cells, by_target=False)
    sizes = cells.n_sources * cells.n_targets
    ends = np.cumsum(sizes)
    return [
        both[end - size : end].reshape(n, m)
        for end, size, n, m in zip(ends, sizes, cells.n_sources, cells.n_targets, strict=True)
    ]


def _cells(pairs: Sequence[Pair]) -> Cells:
    known: dict[str, int] = {}
    sides = [
        [[known.setdefault(word, len(known)) for word in _words(text)] for text in (pair.source, pair.target)]
        for pair in pairs
    ]
    texts, sources, targets, words = [], [], [], []
    for place, (source, target) in enumerate(sides):
        n, m = len(source), len(target)
        texts.append(np.full(n * m, place, dtype=np.int32))
        sources.append(np.repeat(np.arange(n, dtype=np.int32), m))
        targets.append(np.tile(np.arange(m, dtype=np.int32), n))
        words.append((np.array(source, dtype=np.int64)[:, None] * len(known) + np.array(target)).ravel())
    joined = [
        np.concatenate([np.zeros(0, dtype=np.int64), *part]) for part in (texts, sources, targets, words)
    ]
    lengths = np.array([[len(source), len(target)] for source, target in sides], dtype=int).reshape(-1, 2)
    columns = [part.astype(np.int64) for part in joined]
    return Cells(columns[0], columns[1], columns[2], columns[3], lengths[:, 0], lengths[:, 1], len(known))


def _words(text: str) -> list[str]:
    """The words as they are compared: case folded; one that stands for itself (a number, a name) is the same word
    in both texts.
    """
    return [text[start:end].casefold() for start, end in word_offsets(text)]


def _posterior(cells: Cells, *, by_target: bool) -> np.ndarray:
    """The posterior of every cell after ROUNDS of EM: of the source word given the target word (`by_target`), or
    the other way round.
    """
    n, m = cells.n_sources[cells.text], cells.n_targets[cells.text]
    slope = -TENSION * np.abs((cells.source + 0.5) / n - (cells.target + 0.5) / m)
    group = _numbered(cells.text, cells.target if by_target else cells.source)
    diagonal = np.exp(slope)
    diagonal *= (1 - NULL) / np.bincount(group, diagonal)[group]
    names, word = np.unique(cells.words, return_inverse=True)
    source, target = names // cells.n_words, names % cells.n_words
    given = np.unique(source if by_target else target, return_inverse=True)[1]
    table = np.where(source == target, SAME, 1.0)
    table /= np.bincount(given, table)[given]
    null = NULL / len(np.unique(target if by_target else source))
    flat = (1 - NULL) / np.bincount(group)[group]
    for prior in [flat] * ROUNDS[0] + [diagonal] * ROUNDS[1]:
        scored = prior * table[word]
        posterior = scored / (np.bincount(group, scored) + null)[group]
        counts = np.bincount(word, posterior, minlength=len(names))
        table = counts / np.maximum(np.bincount(given, counts), LEAST)[given]
    return posterior


def _numbered(*columns: np.ndarray) -> np.ndarray:
    """Rows of columns as numbers from 0, equal where the rows are."""
    key = columns[0] * (int(columns[1].max()) + 1) + columns[1]
    return np.unique(key, return_inverse=True)[1]
