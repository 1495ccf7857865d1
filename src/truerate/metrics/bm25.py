"""BM25 in Lucene's form (Robertson et al. 1994; k1 1.5, b 0.75, as `bm25s` has it), by sparse products."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import orjson

if TYPE_CHECKING:  # imported where an index is made or searched: it takes longer than steps that need none
    from scipy import sparse

K1, B = 1.5, 0.75
_ARRAYS, _VOCABULARY = ("data", "indices", "indptr"), "vocabulary.json"


class Index:
    """BM25 over the token lists of passages: `n` of them, the `vocabulary`'s places, and what each token adds
    to the score of each passage (tokens, passages); None where there is no token.
    """

    def __init__(self, n: int, vocabulary: dict[str, int], weights: "sparse.csr_array | None"):
        self.n, self.vocabulary, self.weights = n, vocabulary, weights

    @classmethod
    def of(cls, tokenised: Iterable[Sequence[str]]) -> "Index":
        """The index of passages, each as its tokens."""
        id_of: dict[str, int] = {}
        lengths = array("q")

        def ids() -> Iterator[int]:
            for tokens in tokenised:
                lengths.append(len(tokens))
                for token in tokens:
                    yield id_of.setdefault(token, len(id_of))

        numbers = np.fromiter(ids(), dtype=np.int64)
        sizes = np.array(lengths, dtype=np.int64)
        return cls(len(sizes), id_of, _weights(numbers, sizes, len(id_of)) if len(numbers) else None)

    def save(self, folder: Path) -> None:
        """Write the index into a folder: arrays that `load` maps into memory, and the vocabulary."""
        from scipy import sparse

        folder.mkdir(parents=True, exist_ok=True)
        weights = sparse.csr_array((0, self.n), dtype=np.float32) if self.weights is None else self.weights
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(weights, name))
        (folder / _VOCABULARY).write_bytes(orjson.dumps([self.n, list(self.vocabulary)]))

    @classmethod
    def load(cls, folder: Path) -> "Index":
        """The index that `save` wrote; processes that map it share its pages."""
        from scipy import sparse

        n, vocabulary = orjson.loads((folder / _VOCABULARY).read_bytes())
        arrays = tuple(np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS)
        weights = sparse.csr_array(arrays, shape=(len(vocabulary), n)) if vocabulary else None
        return cls(n, {token: number for number, token in enumerate(vocabulary)}, weights)

    def scores(self, queries: Sequence[Sequence[str]]) -> np.ndarray:
        """BM25 of every passage for every query, (queries, passages); repeated tokens count repeatedly."""
        if self.weights is None:
            return np.zeros((len(queries), self.n), dtype=np.float32)
        from scipy import sparse

        known_ids = [
            [self.vocabulary[token] for token in query if token in self.vocabulary] for query in queries
        ]
        ends = np.cumsum([0, *map(len, known_ids)])
        columns = np.array([token_id for ids in known_ids for token_id in ids], dtype=np.int64)
        asked = sparse.csr_array(
            (np.ones(len(columns), np.float32), columns, ends), shape=(len(queries), len(self.vocabulary))
        )
        return np.asarray((asked @ self.weights).todense())

    def best(self, queries: Sequence[Sequence[str]], k: int) -> list[list[int]]:
        """The `k` best passages of each query, ties in their order; none without a token of the query."""
        scores = np.round(self.scores(queries), 4)
        k = min(k, self.n)
        if not k or not len(queries):
            return [[] for _ in queries]
        # Ties by place: equal scores are told apart by a step that is smaller than the rounding.
        keys = scores.astype(np.float64) - np.arange(self.n) * (4e-5 / self.n)
        part = np.argpartition(-keys, k - 1, axis=1)[:, :k]
        order = np.take_along_axis(part, np.argsort(-np.take_along_axis(keys, part, 1), axis=1), 1)
        return [
            [int(number) for number in row if scores[query, number] > 0] for query, row in enumerate(order)
        ]


def _weights(ids: np.ndarray, lengths: np.ndarray, n_words: int) -> "sparse.csr_array":
    """Return what each token adds to the score of each passage, (tokens, passages)."""
    from scipy import sparse

    n = len(lengths)
    rows = np.repeat(np.arange(n), lengths)
    pairs, counts = np.unique(ids * n + rows, return_counts=True)
    token, passage = pairs // n, pairs % n
    frequency = np.bincount(token, minlength=n_words)
    idf = np.log(1 + (n - frequency + 0.5) / (frequency + 0.5))
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    data = (idf[token] * counts / (counts + norm[passage])).astype(np.float32)
    return sparse.csr_array(
        (data, passage, np.searchsorted(token, np.arange(n_words + 1))), shape=(n_words, n)
    )
