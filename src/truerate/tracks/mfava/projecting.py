"""Spans of a passage carried to its translation by which words stand for one another (`alignment`), where the
passage was translated without its tags (`projection: alignment`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from truerate.core.tags import with_tags
from truerate.core.text import is_in_word, sentences
from truerate.llm import Reply
from truerate.llm.generation import Prompted, Read, generation
from truerate.metrics.tokens import marked, word_offsets
from truerate.tracks.mfava.translating import TRANSLATE, Text, read_translation

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


# ---- Spans of a passage carried to its translation by which words stand for --------------------------------


NOT_ALIGNED = "not-aligned"  # no words of the translation stand for those of a span
TEACHING = 10_000_000  # pairs of words of references: some 100 bytes each while an alignment is learned
Spans = Sequence[dict[str, Any]]


def projected(
    made: Sequence[Text], asked: Sequence[Prompted], replies: Sequence[Reply]
) -> list[dict[str, object]]:
    """Generation rows of translations that were asked for without tags, passages with the tags of their spans
    put back by alignment; one of whose spans stands for nothing is `unparsed` (NOT_ALIGNED).

    The alignment of a language is learned from all of its translations here, references among them.
    """
    read = [
        read_translation(reply.text, text) if reply.status == "ok" else None
        for text, reply in zip(made, replies, strict=True)
    ]
    for lang in dict.fromkeys(text.lang for text in made):
        places = [
            place
            for place, text in enumerate(made)
            if text.lang == lang and (one := read[place]) is not None and one.status == "ok"
        ]
        found = carried([(made[place], _read(read[place]).text) for place in places])
        for place, spans in zip(places, found, strict=True):
            if made[place].purpose == TRANSLATE:
                read[place] = _tagged(_read(read[place]), spans)
    return [generation(one, reply, told) for one, reply, told in zip(asked, replies, read, strict=True)]


def _read(found: Read | None) -> Read:
    assert found is not None  # only what was read is aligned
    return found


def _tagged(read: Read, spans: Spans | None) -> Read:
    if spans is None:
        detail = "a span of the original has no words in the translation"
        return Read(read.text, "unparsed", NOT_ALIGNED, {**read.attributes, "detail": detail})
    return replace(read, text=with_tags(read.text, spans))


def carried(texts: Sequence[tuple[Text, str]]) -> list[list[dict] | None]:
    """The spans of each text in its translation, all of one language; None where one of them stands for nothing.
    Texts whose sentences are as many as those of their translation are aligned sentence by sentence; a reference
    teaches by these alone, and only the first of them do, up to TEACHING pairs of words.
    """
    units: list[tuple[int, int, int, Pair]] = []  # text, where its words begin in both, the pair
    taught = 0
    for place, (text, translation) in enumerate(texts):
        pairs, is_reference = _units(text.marked, translation), text.purpose != TRANSLATE
        if is_reference and (len(pairs) == 1 or taught > TEACHING):
            continue
        n = m = 0
        for pair in pairs:
            units.append((place, n, m, pair))
            sizes = len(word_offsets(pair.source)), len(word_offsets(pair.target))
            n, m = n + sizes[0], m + sizes[1]
            taught += sizes[0] * sizes[1] if is_reference else 0
    weights = aligned([pair for *_, pair in units])
    by_text: dict[int, list[tuple[int, int, np.ndarray]]] = {}
    for (place, n, m, _), weight in zip(units, weights, strict=True):
        by_text.setdefault(place, []).append((n, m, weight))
    return [
        _carried(text, translation, by_text.get(place, [])) for place, (text, translation) in enumerate(texts)
    ]


def _units(source: str, target: str) -> list[Pair]:
    ours, theirs = sentences(source), sentences(target)
    is_even = len(ours) == len(theirs)
    return [Pair(*pair) for pair in zip(ours, theirs, strict=True)] if is_even else [Pair(source, target)]


def _carried(text: Text, translation: str, parts: Sequence[tuple[int, int, np.ndarray]]) -> list[dict] | None:
    """Each target word is won by what holds most of its weight: a span, or what lies outside of all; a span is
    the run of words that wins most.
    """
    words, theirs = word_offsets(text.marked), word_offsets(translation)
    owner = np.zeros(len(words), dtype=int)  # of a source word: 0 outside, else the number of its span
    for number, span in enumerate(text.spans, 1):
        owner[marked(words, [(span["start"], span["end"])])] = number
    mass = np.zeros((len(text.spans) + 1, len(theirs)))
    for n, m, weight in parts:
        rows, columns = weight.shape
        for number in range(len(mass)):
            mass[number, m : m + columns] += weight[owner[n : n + rows] == number].sum(axis=0)
    share = mass / np.maximum(mass.sum(axis=0), 1e-9)
    found: list[dict] = []
    for number, span in enumerate(text.spans, 1):
        run = best_run(2 * share[number] - share.sum(axis=0))
        if run is None:
            return None
        start, end = theirs[run[0]][0], theirs[run[1]][1]
        if not is_in_word(text.marked[span["end"] - 1]):
            end = _with_stops(translation, end)
        found.append({"start": start, "end": end, "type": span["type"]})
    found.sort(key=lambda one: (one["start"], one["end"]))
    is_apart = all(one["end"] <= other["start"] for one, other in zip(found, found[1:], strict=False))
    return found if is_apart else None


def best_run(values: np.ndarray) -> tuple[int, int] | None:
    """First and last place of the run with the largest sum, the first of equals; None where no value is above 0."""
    best, start, total, run = 0.0, 0, 0.0, None
    for place, value in enumerate(values.tolist()):
        if total <= 0:
            start, total = place, 0.0
        total += value
        if total > best + 1e-9:
            best, run = total, (start, place)
    return run


def _with_stops(text: str, end: int) -> int:
    """The end moved behind the marks that close a word: a span that ends with its full stop does so there, too."""
    while end < len(text) and not is_in_word(text[end]) and not text[end].isspace():
        end += 1
    return end
