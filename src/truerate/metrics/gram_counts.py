"""Word and character n-grams of texts as sparse counts, equal to what scikit-learn's CountVectorizer gives,
each text cut once.

A process that fits many folds sees each text again and again: what a text holds is kept as numbers, and a
fold only gathers them.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import regex

from truerate.core.text import LETTER, PIECE

MAX_FEATURES = 20_000  # of each kind, the most frequent first
N_KEPT = 50_000  # texts
_TOKEN = regex.compile(rf"{LETTER}|{PIECE}|[^\w\s]", regex.VERSION1)


def word_grams(text: str) -> list[str]:
    """Words and pairs of neighbouring words, in lower case. Punctuation marks are words, so that a final full
    stop is seen.
    """
    tokens = _TOKEN.findall(text.lower())
    return tokens + [f"{first} {second}" for first, second in zip(tokens, tokens[1:], strict=False)]


def character_grams(text: str) -> list[str]:
    """Runs of two to four characters within a word and the blanks on its sides, in lower case."""
    padded = [f" {word} " for word in text.lower().split()]
    return [word[i : i + n] for word in padded for n in (2, 3, 4) for i in range(len(word) - n + 1)]


class Grams:
    """The n-grams of one kind. Each gets a number when it is first met; `held` keeps the numbers and counts
    of a text.
    """

    def __init__(self, cut: Callable[[str], list[str]]) -> None:
        self.cut = cut
        self.numbers: dict[str, int] = {}
        self.held = lru_cache(maxsize=N_KEPT)(self._counts)

    def _counts(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        counts = Counter(self.cut(text))
        numbers = [self.numbers.setdefault(gram, len(self.numbers)) for gram in counts]
        return np.array(numbers, dtype=np.int32), np.array(list(counts.values()), dtype=np.int32)

    def counts(self, texts: Sequence[str], kind: type = np.int64) -> tuple[list[str], object]:
        """The texts' n-grams, sorted, and how often each text holds them: sparse (texts, n-grams), numbers of a `kind`.

        Of more than MAX_FEATURES the most frequent are kept.
        """
        pairs = [self.held(text) for text in texts]
        numbers = _joined([numbers for numbers, _ in pairs])
        names = list(self.numbers)
        met = np.flatnonzero(np.bincount(numbers, minlength=len(names)))
        grams = [names[number] for number in met.tolist()]
        order = sorted(range(len(grams)), key=grams.__getitem__)
        column = np.zeros(len(names), dtype=np.int32)  # of each number, met or not
        column[met[order]] = np.arange(len(grams))
        counts = _sparse(column[numbers], [n for _, n in pairs], len(grams), kind)
        vocabulary = [grams[i] for i in order]
        if len(vocabulary) <= MAX_FEATURES:
            return vocabulary, counts
        kept = np.sort((-np.asarray(counts.sum(axis=0)).ravel()).argsort()[:MAX_FEATURES])
        return [vocabulary[i] for i in kept.tolist()], counts[:, kept]

    def counts_of(self, texts: Sequence[str], vocabulary: Sequence[str]) -> Any:
        """How often each text holds the n-grams of a vocabulary, sparse (texts, n-grams); others are not
        counted.
        """
        column = {gram: i for i, gram in enumerate(vocabulary)}
        counters = [Counter(filter(column.__contains__, self.cut(text))) for text in texts]
        return _sparse(
            _joined([np.array([column[gram] for gram in counter], dtype=np.int32) for counter in counters]),
            [np.array(list(counter.values()), dtype=np.int32) for counter in counters],
            len(vocabulary),
        )


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def _sparse(columns: np.ndarray, counts: Sequence[np.ndarray], n_columns: int, kind: type = np.int64) -> Any:
    """Rows of counts, the columns of all rows one after another."""
    from scipy.sparse import csr_matrix

    ends = np.cumsum([0, *map(len, counts)])
    return csr_matrix(
        (_joined(counts).astype(kind, copy=False), columns, ends), shape=(len(counts), n_columns)
    )


WORDS, CHARACTERS = Grams(word_grams), Grams(character_grams)


def forget_texts() -> None:
    """Let go of what is kept of texts, for who asks of many once: it takes as much as their counts."""
    for grams in (WORDS, CHARACTERS):
        grams.held.cache_clear()
