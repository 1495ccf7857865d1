"""Spans of a passage carried to its translation by which words stand for one another, where it was translated
without tags (`projection: alignment`): IBM Model 1 and 2 (Brown et al. 1993), learned from the translations
alone.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from truerate.core.spans.tags import with_tags
from truerate.core.text import is_in_word, sentences
from truerate.llm.generation import Prompted, Read, generation
from truerate.llm.request import Reply
from truerate.metrics.tokens import marked, word_offsets
from truerate.tracks.mfava.translating import NOT_ALIGNED, TRANSLATE, Text, read_translation

ROUNDS = (4, 4)  # of EM: without a prior of places (Model 1), then with it, as is usual
TENSION = 2.0  # how strongly words keep their place: little, for word orders differ
NULL = 0.08  # share of words that stand for nothing, likewise
SAME = 20.0  # how much likelier at first a word is to stand for itself (numbers, names) than for another
LEAST = 1e-12
MAX_CELLS = 10_000_000  # pairs of words of references: some 100 bytes each while an alignment is learned


class Pair(NamedTuple):
    """A text and its translation, as the words of both with their places."""

    source: str
    target: str


class Cells(NamedTuple):
    """Every pair of a source word and a target word of all texts, (cells,): the number of the pair of texts,
    both places in it, and the pair of words as source word · `n_words` + target word; `n_sources`,
    `n_targets`, (texts,).
    """

    text: np.ndarray
    source: np.ndarray
    target: np.ndarray
    words: np.ndarray
    n_sources: np.ndarray
    n_targets: np.ndarray
    n_words: int

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> "Cells":
        """Return the cells of pairs; words are compared case folded, so that a number or a name is itself in
        both.
        """
        numbers: dict[str, int] = {}

        def numbered(text: str) -> np.ndarray:
            words = [text[start:end].casefold() for start, end in word_offsets(text)]
            return np.array([numbers.setdefault(word, len(numbers)) for word in words], int)

        sides = [[numbered(text) for text in pair] for pair in pairs]
        lengths = np.array([[len(side) for side in both] for both in sides], dtype=int).reshape(-1, 2)
        columns = [[np.zeros(0, dtype=np.int64)] for _ in range(4)]
        for number, (source, target) in enumerate(sides):
            n, m = len(source), len(target)
            columns[0].append(np.full(n * m, number))
            columns[1].append(np.repeat(np.arange(n), m))
            columns[2].append(np.tile(np.arange(m), n))
            columns[3].append((source[:, None] * len(numbers) + target).ravel())
        text, source_place, target_place, words = map(np.concatenate, columns)
        return cls(text, source_place, target_place, words, lengths[:, 0], lengths[:, 1], len(numbers))


def aligned(pairs: Sequence[Pair]) -> list[np.ndarray]:
    """Return how far each source word (rows) and target word (columns) of a pair stand for one another, in
    [0, 1]; learned over all pairs at once.
    """
    cells = Cells.of(pairs)
    both = np.zeros(0)
    if len(cells.text):
        both = _posterior(cells, by_target=True) * _posterior(cells, by_target=False)
    sizes = cells.n_sources * cells.n_targets
    parts = np.split(both, np.cumsum(sizes)[:-1]) if len(sizes) else []
    shapes = zip(cells.n_sources, cells.n_targets, strict=True)
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _posterior(cells: Cells, *, by_target: bool) -> np.ndarray:
    """The posterior of every cell after ROUNDS of EM: of source given target word or vice versa."""
    n, m = cells.n_sources[cells.text], cells.n_targets[cells.text]
    slope = -TENSION * np.abs((cells.source + 0.5) / n - (cells.target + 0.5) / m)
    side = cells.target if by_target else cells.source
    group = np.unique(cells.text * (int(side.max()) + 1) + side, return_inverse=True)[1]
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


# ---- spans -------------------------------------------------------------------------------------------------


def projected(texts: Sequence[Text], asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Return the Generation rows of translations without tags, passages with their tags put back by
    alignment; one of whose spans stands for nothing is `unparsed` (NOT_ALIGNED).

    The alignment of a language is learned from all of its translations here, references among them.
    """
    readings = [read_translation(reply.text, text) for text, reply in zip(texts, replies, strict=True)]
    for lang in dict.fromkeys(text.lang for text in texts):
        of_lang = [index for index, text in enumerate(texts) if text.lang == lang]
        places = [index for index in of_lang if replies[index].status == readings[index].status == "ok"]
        spans_of = carried([(texts[index], readings[index].text) for index in places])
        for index, spans in zip(places, spans_of, strict=True):
            if texts[index].purpose == TRANSLATE:
                readings[index] = _tagged(readings[index], spans)
    return [
        generation(question, reply, reading if reply.status == "ok" else None)
        for question, reply, reading in zip(asked, replies, readings, strict=True)
    ]


def _tagged(reading: Read, spans: Sequence[dict] | None) -> Read:
    if spans is None:
        detail = "a span of the original has no words in the translation"
        return Read(reading.text, "unparsed", NOT_ALIGNED, {**reading.attributes, "detail": detail})
    return replace(reading, text=with_tags(reading.text, spans))


def carried(texts: Sequence[tuple[Text, str]]) -> list[list[dict] | None]:
    """Return the spans of each text in its translation, all of one language; None where one stands for
    nothing.

    Texts with as many sentences as their translation are aligned sentence by sentence; the model learns from
    references by these alone, and only from the first of them, up to MAX_CELLS pairs of words.
    """
    parts: list[tuple[int, int, int, Pair]] = []  # text, where its words begin in both, the pair
    n_cells = 0
    for number, (text, translation) in enumerate(texts):
        pairs = [Pair(*pair) for pair in zip(sentences(text.marked), sentences(translation), strict=False)]
        if len(sentences(text.marked)) != len(sentences(translation)):
            pairs = [Pair(text.marked, translation)]
        is_reference = text.purpose != TRANSLATE
        if is_reference and (len(pairs) == 1 or n_cells > MAX_CELLS):
            continue
        n = m = 0
        for pair in pairs:
            parts.append((number, n, m, pair))
            sizes = len(word_offsets(pair.source)), len(word_offsets(pair.target))
            n, m = n + sizes[0], m + sizes[1]
            n_cells += sizes[0] * sizes[1] if is_reference else 0
    weights_of: dict[int, list[tuple[int, int, np.ndarray]]] = {}
    for (number, n, m, _), weights in zip(parts, aligned([pair for *_, pair in parts]), strict=True):
        weights_of.setdefault(number, []).append((n, m, weights))
    return [_carried(*pair, weights_of.get(number, [])) for number, pair in enumerate(texts)]


def _carried(text: Text, translation: str, parts: Sequence[tuple[int, int, np.ndarray]]) -> list[dict] | None:
    """Each target word is won by what holds most of its weight: a span, or what lies outside; a span is the
    run of words that wins most. One that ends with its full stop does so there, too.
    """
    words, translated = word_offsets(text.marked), word_offsets(translation)
    owner = np.zeros(len(words), dtype=int)  # of a source word: 0 outside, else the number of its span
    for number, span in enumerate(text.spans, 1):
        owner[marked(words, [(span["start"], span["end"])])] = number
    mass = np.zeros((len(text.spans) + 1, len(translated)))
    for n, m, weights in parts:
        rows, columns = weights.shape
        for number in range(len(mass)):
            mass[number, m : m + columns] += weights[owner[n : n + rows] == number].sum(axis=0)
    share = mass / np.maximum(mass.sum(axis=0), 1e-9)
    spans: list[dict] = []
    for number, span in enumerate(text.spans, 1):
        run = best_run(2 * share[number] - share.sum(axis=0))
        if run is None:
            return None
        start, end = translated[run[0]][0], translated[run[1]][1]
        if not is_in_word(text.marked[span["end"] - 1]):
            stops = itertools.takewhile(
                lambda mark: not (is_in_word(mark) or mark.isspace()), translation[end:]
            )
            end += len(list(stops))
        spans.append({"start": start, "end": end, "type": span["type"]})
    spans.sort(key=lambda span: (span["start"], span["end"]))
    is_apart = all(span["end"] <= later["start"] for span, later in zip(spans, spans[1:], strict=False))
    return spans if is_apart else None


def best_run(values: np.ndarray) -> tuple[int, int] | None:
    """Return first and last place of the run with the largest sum above 0, the first of equals."""
    best, start, total, run = 0.0, 0, 0.0, None
    for index, value in enumerate(values.tolist()):
        if total <= 0:
            start, total = index, 0.0
        total += value
        if total > best + 1e-9:
            best, run = total, (start, index)
    return run
