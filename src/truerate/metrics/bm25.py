"""BM25 in the form of Lucene (Robertson et al. 1994; k1 1.5, b 0.75, as `bm25s` has it): all queries are scored
in one product of sparse matrices.
"""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

K1, B = 1.5, 0.75


class Index:
    """BM25 over the token lists of passages."""

    def __init__(self, tokenised: Sequence[Sequence[str]]):
        self.n = len(tokenised)
        self.vocabulary: dict[str, int] = {}
        seen = self.vocabulary
        ids = np.array(
            [seen.setdefault(token, len(seen)) for found in tokenised for token in found], dtype=np.int64
        )
        lengths = np.array([len(found) for found in tokenised], dtype=np.int64)
        self.weights = _weights(ids, lengths, len(seen)) if len(ids) else None

    def scores(self, queries: Sequence[Sequence[str]]) -> np.ndarray:
        """BM25 of every passage for every query, (queries, passages); a token that stands in a query twice
        counts twice.
        """
        if self.weights is None:
            return np.zeros((len(queries), self.n), dtype=np.float32)
        known = [[self.vocabulary[token] for token in query if token in self.vocabulary] for query in queries]
        ends = np.cumsum([0, *map(len, known)])
        columns = np.array([one for found in known for one in found], dtype=np.int64)
        asked = sparse.csr_array(
            (np.ones(len(columns), np.float32), columns, ends), shape=(len(queries), len(self.vocabulary))
        )
        return np.asarray((asked @ self.weights).todense())

    def best(self, queries: Sequence[Sequence[str]], k: int) -> list[list[int]]:
        """The `k` best passages of each query, the best first, equal ones in their order; none without a
        token of the query.
        """
        scores = np.round(self.scores(queries), 4)
        k = min(k, self.n)
        if not k or not len(queries):
            return [[] for _ in queries]
        # Ties by place: equal scores are told apart by a step that is smaller than the rounding.
        keys = scores.astype(np.float64) - np.arange(self.n) * (4e-5 / self.n)
        part = np.argpartition(-keys, k - 1, axis=1)[:, :k]
        order = np.take_along_axis(part, np.argsort(-np.take_along_axis(keys, part, 1), axis=1), 1)
        return [[int(place) for place in row if scores[query, place] > 0] for query, row in enumerate(order)]


def _weights(ids: np.ndarray, lengths: np.ndarray, n_words: int) -> sparse.csr_array:
    """What each token adds to the score of each passage, (tokens, passages)."""
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
