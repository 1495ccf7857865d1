"""Evidence in pieces: documents cut into passages on the borders of sentences, and the passages that speak
most of a fact.

Ranking is BM25 in the form of Lucene (Robertson et al. 1994; k1 1.5, b 0.75, as `bm25s` has it). All facts of
an entity are scored in one product of sparse matrices, and an entity's passages are tokenised once.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from truerate.core.text import passage_name, words

K1, B = 1.5, 0.75
CACHED = 32  # entities whose index is kept: the replies of a shard come entity by entity
_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+|\w+")
_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=\S)|[。！？]\s*(?=\S)|\n+")


class Passage(NamedTuple):
    """A part of a document, `start` to `end` in code points (half-open)."""

    document_id: str
    start: int
    end: int
    text: str

    @property
    def id(self) -> str:
        """Its name, as the evidence of a fact holds it."""
        return passage_name(self.document_id, self.start, self.end)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences and lines of a text stand, without the space around them."""
    borders = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    spans = []
    for start, end in zip(borders, borders[1:], strict=False):
        part = text[start:end]
        inner = part.strip()
        if inner:
            start += len(part) - len(part.lstrip())
            spans.append((start, start + len(inner)))
    return spans


def passages(document_id: str, text: str, n_words: int) -> list[Passage]:
    """The passages of a document: whole sentences up to `n_words` words together, a longer sentence cut
    between words.

    An empty text has none. Together they hold every word of the text.
    """
    found: list[tuple[int, int]] = []
    size = 0
    for start, end in (piece for span in sentence_spans(text) for piece in _pieces(text, span, n_words)):
        n = len(words(text[start:end]))
        if found and size + n <= n_words:
            found[-1], size = (found[-1][0], end), size + n
        else:
            found.append((start, end))
            size = n
    return [Passage(document_id, start, end, text[start:end]) for start, end in found]


def _pieces(text: str, span: tuple[int, int], n_words: int) -> list[tuple[int, int]]:
    """A sentence, or its parts of `n_words` words where it is longer."""
    start, end = span
    starts = [start + match.start() for match in re.finditer(r"\w+(?:['’\-]\w+)*", text[start:end])][
        n_words::n_words
    ]
    borders = [start, *starts, end]
    return [(a, a + len(text[a:b].rstrip())) for a, b in zip(borders, borders[1:], strict=False)]


def tokens(text: str) -> list[str]:
    """The tokens that are matched: runs of letters and digits in lower case; a number is one token, with or
    without commas.
    """
    return [token.replace(",", "") for token in _TOKEN.findall(text.casefold())]


class Index:
    """BM25 over the token lists of one entity's passages."""

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


class Evidence:
    """The passages of one entity, ready to be ranked."""

    def __init__(self, documents: Iterable[tuple[str, str]], n_words: int):
        self.passages = [
            one for document_id, text in documents for one in passages(document_id, text, n_words)
        ]
        self.index = Index([tokens(one.text) for one in self.passages])

    def ranked(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """For each query the `k` passages that speak most of it, best first; fewer where fewer share a word
        with it.
        """
        return [
            [self.passages[place] for place in found]
            for found in self.index.best([tokens(query) for query in queries], k)
        ]


_CACHE: OrderedDict[tuple, Evidence] = OrderedDict()


def evidence_of(documents: Sequence[tuple[str, str]], n_words: int) -> Evidence:
    """The evidence of the documents (id, text), kept for the next call: every subject's facts on an entity
    are checked against the same.

    The ids of documents are digests of their text, so they name it.
    """
    key = (n_words, *(document_id for document_id, _ in documents))
    found = _CACHE.get(key)
    if found is None:
        found = _CACHE[key] = Evidence(documents, n_words)
        if len(_CACHE) > CACHED:
            _CACHE.popitem(last=False)
    _CACHE.move_to_end(key)
    return found


def ranked(
    documents: Sequence[tuple[str, str]], queries: Sequence[str], k: int, *, n_words: int
) -> list[list[Passage]]:
    """For each query the `k` best passages of the documents (id, text); no documents give none."""
    return evidence_of(documents, n_words).ranked(queries, k) if queries else []
