"""Evidence in pieces: documents cut into passages on the borders of sentences, and the passages that speak
most of a fact.

All facts of an entity are scored in one product (`metrics.bm25`), and an entity's passages are tokenised once.
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

CACHED = 32  # entities whose index is kept: the replies of a shard come entity by entity
KEPT = 10_000  # entities of which it is kept where the passages of their facts lie: 3 kB each, the paper has 7,919
_GROUPED = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+")


class Passage(NamedTuple):
    """A part of a document, `start` to `end` in code points (half-open), with the document's title where it is shown."""

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
    """The passages of a document: whole sentences up to `n_words` words together, a longer sentence cut
    between words.

    An empty text has none. Together they hold every word of the text.
    """
    found: list[tuple[int, int]] = []
    size = 0
    for start, end in (
        piece for span in sentence_spans(text, by_line=True) for piece in _pieces(text, span, n_words)
    ):
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
    starts = [start + first for first, _ in word_spans(text[start:end])][n_words::n_words]
    borders = [start, *starts, end]
    return [(a, a + len(text[a:b].rstrip())) for a, b in zip(borders, borders[1:], strict=False)]


def tokens(text: str) -> list[str]:
    """The terms that are matched (`text.terms`); a number is one, with or without commas."""
    return terms(_GROUPED.sub(lambda found: found[0].replace(",", ""), text))


class Evidence:
    """The passages of one entity, ready to be ranked."""

    def __init__(self, documents: Iterable[tuple[str, str]], n_words: int):
        self.passages = [
            passage for document_id, text in documents for passage in passages(document_id, text, n_words)
        ]
        self.index = Index.of([tokens(passage.text) for passage in self.passages])

    def ranked(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """For each query the `k` passages that speak most of it, best first; fewer where fewer share a word
        with it.
        """
        return [
            [self.passages[place] for place in found]
            for found in self.index.best([tokens(query) for query in queries], k)
        ]


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
_CACHE: OrderedDict[tuple, Evidence] = OrderedDict()
_PLACES: OrderedDict[str, np.ndarray] = OrderedDict()


def keep(cache: OrderedDict[Key, Value], key: Key, value: Value, *, most: int) -> None:
    """Put what was used last at the end of a cache that holds `most` of them; the one not used for longest goes."""
    cache[key] = value
    cache.move_to_end(key)
    if len(cache) > most:
        cache.popitem(last=False)


def evidence_of(documents: Sequence[tuple[str, str]], n_words: int) -> Evidence:
    """The evidence of the documents (id, text), kept for the next call: every subject's facts on an entity
    are checked against the same.

    The ids of documents are digests of their text, so they name it.
    """
    key = (n_words, *(document_id for document_id, _ in documents))
    found = _CACHE.get(key) or Evidence(documents, n_words)
    keep(_CACHE, key, found, most=CACHED)
    return found


def ranked(
    documents: Sequence[tuple[str, str]], queries: Sequence[str], k: int, *, n_words: int
) -> list[list[Passage]]:
    """For each query the `k` best passages of the documents (id, text); no documents give none.

    Where passages lie is kept for the next call with the same documents and queries: a plan assumes the same facts of
    every subject, entity by entity through whole shards.
    """
    if not queries:
        return []
    key = content_id("ranked", n_words, k, [document_id for document_id, _ in documents], list(queries))
    places = _PLACES.get(key)
    if places is None:
        places = _places(documents, evidence_of(documents, n_words).ranked(queries, k))
    keep(_PLACES, key, places, most=KEPT)
    return _at(documents, places, len(queries))


def _places(documents: Sequence[tuple[str, str]], found: Sequence[Sequence[Passage]]) -> np.ndarray:
    """The passages of queries as rows of query, document, start and end."""
    order = {document_id: place for place, (document_id, _) in enumerate(documents)}
    rows = [
        (query, order[one.document_id], one.start, one.end)
        for query, best in enumerate(found)
        for one in best
    ]
    return np.array(rows, dtype=np.int32).reshape(-1, 4)


def _at(documents: Sequence[tuple[str, str]], places: np.ndarray, n_queries: int) -> list[list[Passage]]:
    """The passages that lie at these places, for each query."""
    made: dict[tuple[int, int, int], Passage] = {}
    found: list[list[Passage]] = [[] for _ in range(n_queries)]
    for query, document, start, end in places.tolist():
        place = (document, start, end)
        if place not in made:
            document_id, text = documents[document]
            made[place] = Passage(document_id, start, end, text[start:end])
        found[query].append(made[place])
    return found
