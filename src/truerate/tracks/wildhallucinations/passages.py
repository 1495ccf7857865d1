"""Evidence in pieces: documents cut into passages on the borders of sentences, and the passages that speak
most of a fact, by BM25 or by an encoder (`dense`).

All facts of an entity are scored in one product (`metrics.bm25`), and an entity's passages are tokenised
once.
"""

import re
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from truerate.core.keys import content_id
from truerate.core.sentence_spans import sentence_spans
from truerate.core.text import passage_name, terms, word_spans, words
from truerate.metrics.bm25 import Index
from truerate.tracks.wildhallucinations.dense import Retriever

CACHED = 32  # entities whose index is kept: the replies of a shard come entity by entity
KEPT = 10_000  # entities whose facts' passages are kept by place: 3 kB each, the paper has 7,919
BM25 = Retriever()
_GROUPED = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+")

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Passage(NamedTuple):
    """A part of a document, `start` to `end` in code points (half-open), with its title where shown."""

    document_id: str
    start: int
    end: int
    text: str
    title: str = ""

    @property
    def id(self) -> str:
        """Its name, as the evidence of a fact holds it."""
        return passage_name(self.document_id, self.start, self.end)


def passages(document_id: str, text: str, n_words: int) -> list[Passage]:
    """Return the passages of a document: whole sentences up to `n_words` words; a longer sentence is cut."""
    bounds: list[tuple[int, int]] = []
    size = 0
    for start, end in sentence_spans(text, by_line=True):
        cuts = [start + first for first, _ in word_spans(text[start:end])][n_words::n_words]
        borders = [start, *cuts, end]
        for first, following in zip(borders, borders[1:], strict=False):
            last = first + len(text[first:following].rstrip())
            n = len(words(text[first:last]))
            if bounds and size + n <= n_words:
                bounds[-1], size = (bounds[-1][0], last), size + n
            else:
                bounds.append((first, last))
                size = n
    return [Passage(document_id, start, end, text[start:end]) for start, end in bounds]


def tokens(text: str) -> list[str]:
    """Return the terms that are matched (`text.terms`); a number is one, with or without commas."""
    return terms(_GROUPED.sub(lambda match: match[0].replace(",", ""), text))


class Evidence:
    """The passages of one entity, ready to be ranked."""

    def __init__(self, documents: Iterable[tuple[str, str]], n_words: int):
        self.passages = [passage for name, text in documents for passage in passages(name, text, n_words)]
        self.index = Index.of([tokens(passage.text) for passage in self.passages])

    def ranked(self, queries: Sequence[str], k: int, retriever: Retriever = BM25) -> list[list[Passage]]:
        """Return for each query at most `k` passages, best first; by BM25 only such that share a word with it."""
        is_lexical = retriever.method != "dense"
        n = len(self.passages) if retriever.has_vectors else k
        best = (
            self.index.best([tokens(query) for query in queries], n) if is_lexical else [[] for _ in queries]
        )
        if retriever.has_vectors:
            best = retriever.best(queries, [passage.text for passage in self.passages], best, k)
        return [[self.passages[number] for number in numbers] for numbers in best]


_INDEXES: OrderedDict[tuple, Evidence] = OrderedDict()
_RANKED: OrderedDict[str, np.ndarray] = OrderedDict()


def keep(cache: OrderedDict[Key, Value], key: Key, value: Value, *, most: int) -> None:
    """Put what was used last at the end of a cache of `most`; the one not used for longest goes."""
    cache[key] = value
    cache.move_to_end(key)
    if len(cache) > most:
        cache.popitem(last=False)


def evidence_of(documents: Sequence[tuple[str, str]], n_words: int) -> Evidence:
    """Return the evidence of documents (id, text), kept for the next call; an id is a digest."""
    key = (n_words, *(document_id for document_id, _ in documents))
    evidence = _INDEXES.get(key) or Evidence(documents, n_words)
    keep(_INDEXES, key, evidence, most=CACHED)
    return evidence


def ranked(
    documents: Sequence[tuple[str, str]],
    queries: Sequence[str],
    k: int,
    *,
    n_words: int,
    retriever: Retriever = BM25,
) -> list[list[Passage]]:
    """Return for each query the `k` best passages of the documents (id, text); no documents give none.

    Where passages lie is kept for the next call with the same documents and queries, as rows of query,
    document, start and end: a plan assumes the same facts of every subject, entity by entity through whole
    shards.
    """
    if not queries:
        return []
    ids = [document_id for document_id, _ in documents]
    key = content_id("ranked", n_words, k, ids, list(queries), retriever.method, retriever.encoder)
    rows = _RANKED.get(key)
    if rows is None:
        best = evidence_of(documents, n_words).ranked(queries, k, retriever)
        lines = [
            (n, ids.index(passage.document_id), *passage[1:3]) for n, of in enumerate(best) for passage in of
        ]
        rows = np.array(lines, dtype=np.int32).reshape(-1, 4)
    keep(_RANKED, key, rows, most=KEPT)
    passage_of: dict[tuple[int, int, int], Passage] = {}
    best = [[] for _ in queries]
    for query, document, start, end in rows.tolist():
        name, text = documents[document]
        where = (document, start, end)
        if where not in passage_of:
            passage_of[where] = Passage(name, start, end, text[start:end])
        best[query].append(passage_of[where])
    return best
