"""What a reference says of each word of an answer: three small codes that a network adds to its input
embeddings, and regressions read.

*match*: does the word stand in the reference, and do its neighbours stand beside it there? *alignment*: does
the sentence that holds it there speak of the same things as the answer's sentence? *telling*: how much of the
answer's sentence does the reference say in few of its own, so that the sentence is about one of these and not
about the subject alone? Words are runs of letters and digits, so an apostrophe parts a suffix from a name;
numbers are whole; a character of a script without spaces is a unit by itself, and counts as known in the
company of its neighbours. The whole reference is read, also where a network sees only a piece of it.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

import numpy as np
import regex

from truerate.core.text import UNSPACED, compatible
from truerate.metrics.tokens import word_offsets

# match: 0 a token of the reference · 1 + level + 3·(left neighbour beside it there) + 6·(right neighbour) ·
#   13 no word; level 0 absent, 1 a word of the same stem (a lone character), 2 the word (three in a row)
# alignment: 0 a token of the reference · 1 tells nothing (no word, a short one, not in the reference) · 2–5 =
#   2 + how many words that the answer's sentence shares with the best place of the reference are missing
#   where this word stands, at most 3
# telling: 0 a token of the reference · 1–4 = 1 + how many words of the answer's sentence stand in the
#   reference, but in at most RARE of its sentences, at most 3
SIZES = {"match": 14, "alignment": 6, "telling": 5}
NO_WORD, TELLS_NOTHING, NONE_TELLING = 13, 1, 1
# of the reference's sentences: in more a word is no longer telling; one sentence is always allowed
RARE = 1 / 3
_SINGLE = regex.compile(rf"[{UNSPACED}]", regex.VERSION1)
# and, so, with, as, the, for the
_ARABIC = regex.compile(r"^[\u0648\u0641]?(?:[\u0628\u0643]?\u0627\u0644|\u0644\u0644)(?=\p{Arabic}{3})")
_END = regex.compile(r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？؟۔।]|\n")


Content = list[tuple[int, str]]  # places and keys of the units that carry content


class Units(NamedTuple):
    """The words of a text: offsets (units, 2), exact and stemmed keys, single characters, sentences."""

    offsets: np.ndarray
    keys: list[str]
    stems: list[str]
    is_single: np.ndarray
    sentences: np.ndarray


class ReferenceIndex(NamedTuple):
    """A reference: its words, neighbours and runs of three, and where each content key stands. `holds` (keys,
    sentences) and `windows` (keys, sentences), a window being a sentence and the one before it; `rows` finds
    a key's row.
    """

    keys: frozenset[str]
    stems: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    triples: frozenset[tuple[str, str, str]]
    rows: dict[str, int]
    holds: np.ndarray
    windows: np.ndarray


def units(text: str) -> Units:
    """The words of a text in order. An empty text has none."""
    offsets = np.array(word_offsets(text), dtype=np.int32).reshape(-1, 2)
    keys = [compatible(text[start:end]).casefold() for start, end in offsets.tolist()]
    is_single = np.array([_SINGLE.match(key) is not None for key in keys], dtype=bool)
    ends = np.array([match.end() for match in _END.finditer(text)], dtype=np.int32)
    return Units(
        offsets, keys, list(map(stem, keys)), is_single, np.searchsorted(ends, offsets[:, 0], side="right")
    )


@lru_cache(maxsize=200_000)
def stem(key: str) -> str:
    """The beginning of a word that its forms share: four letters of up to six, five of longer words; whole
    where it holds a digit. Arabic words lose the article and what is written together with it.
    """
    if any(map(str.isdigit, key)):
        return key
    bare = _ARABIC.sub("", key)
    return bare[:4] if len(bare) <= 6 else bare[:5]


@lru_cache(maxsize=16)
def reference_index(reference: str) -> ReferenceIndex:
    """The index of a reference, kept while its answers are read."""
    words = units(reference)
    stems, is_single = words.stems, words.is_single
    triples = zip(stems, stems[1:], stems[2:], strict=False)
    is_run = is_single[:-2] & is_single[1:-1] & is_single[2:]
    n_sentences = int(words.sentences[-1]) + 1 if len(words.keys) else 0
    rows: dict[str, int] = {}
    content = _content(words)
    places = [(rows.setdefault(key, len(rows)), words.sentences[i]) for i, key in content]
    holds = np.zeros((len(rows), n_sentences), dtype=bool)
    if places:
        holds[tuple(np.array(places).T)] = True
    windows = holds.copy()
    windows[:, 1:] |= holds[:, :-1]
    return ReferenceIndex(
        frozenset(words.keys),
        frozenset(stems),
        frozenset(zip(stems, stems[1:], strict=False)),
        frozenset(compress(triples, is_run)),
        rows,
        holds,
        windows,
    )


def _content(words: Units) -> Content:
    """Content units with their keys: words of four letters (Arabic three), numbers, pairs of characters."""
    content = []
    for i, key in enumerate(words.stems):
        if words.is_single[i]:
            has_next = i + 1 < len(words.keys) and words.is_single[i + 1]
            if has_next and words.offsets[i, 1] == words.offsets[i + 1, 0]:
                content.append((i, key + words.stems[i + 1]))
        elif (
            len(words.keys[i]) >= 4 or key[0].isdigit() or (len(key) == 3 and "\u0600" <= key[0] <= "\u06ff")
        ):
            content.append((i, key))
    return content


def unit_features(text: str, reference: str | ReferenceIndex) -> tuple[Units, np.ndarray]:
    """The words of an answer and their codes (units, 3): match, alignment, telling."""
    about = reference_index(reference) if isinstance(reference, str) else reference
    words = units(text)
    content = _content(words)
    codes = _match(words, about), _alignment(words, content, about), _informativeness(words, content, about)
    return words, np.stack(codes, axis=1)


def _match(answer: Units, index: ReferenceIndex) -> np.ndarray:
    """The match code of each word."""
    n = len(answer.keys)
    stems = answer.stems
    pairs, triples = zip(stems, stems[1:], strict=False), zip(stems, stems[1:], stems[2:], strict=False)
    pair = np.array([both in index.pairs for both in pairs], dtype=np.int8)
    triple = np.array([three in index.triples for three in triples], dtype=bool)
    in_triple = np.zeros(n, dtype=bool)
    for shift in range(3 if len(triple) else 0):
        in_triple[shift : shift + len(triple)] |= triple
    exact = np.array([key in index.keys for key in answer.keys], dtype=bool)
    level = np.array([key in index.stems for key in answer.stems], dtype=np.int8)
    level[np.where(answer.is_single, in_triple, exact)] = 2
    left, right = np.zeros(n, np.int8), np.zeros(n, np.int8)
    if n > 1:
        left[1:], right[:-1] = pair, pair
    return (1 + level + 3 * left + 6 * right).astype(np.int8)


def _alignment(answer: Units, content: Content, index: ReferenceIndex) -> np.ndarray:
    """The alignment code of each word."""
    codes = np.full(len(answer.keys), TELLS_NOTHING, dtype=np.int8)
    for words in _shared(answer, content, index):
        distinct = {tuple(rows): number for number, (_, rows) in enumerate(words)}
        sizes = np.array([len(rows) for _, rows in words])
        matched_rows, starts = np.concatenate([rows for _, rows in words]), np.cumsum(sizes) - sizes
        is_held = np.logical_and.reduceat(index.holds[matched_rows], starts, axis=0)
        is_near = np.logical_and.reduceat(index.windows[matched_rows], starts, axis=0)
        hits = is_near * ((sizes + 1) // 2)[:, None]
        others = hits[list(distinct.values())].sum(axis=0)[None, :] - hits
        missing = others.max(axis=1) - np.where(is_held, others, -1).max(axis=1)
        for (places, _), code in zip(words, 2 + np.minimum(missing, 3), strict=True):
            codes[places] = code
    return codes


def _informativeness(answer: Units, content: Content, index: ReferenceIndex) -> np.ndarray:
    """The telling code of each word, that of its sentence; two pairs of characters make a word."""
    is_rare = index.holds.sum(axis=1) <= max(1, RARE * index.holds.shape[1])
    words: dict[int, set[int]] = {}
    pairs: dict[int, set[int]] = {}
    for i, key in content:
        row = index.rows.get(key)
        if row is not None and is_rare[row]:
            (pairs if answer.is_single[i] else words).setdefault(int(answer.sentences[i]), set()).add(row)
    counts = [
        len(words.get(sentence, ())) + (len(pairs.get(sentence, ())) + 1) // 2
        for sentence in answer.sentences.tolist()
    ]
    return (NONE_TELLING + np.minimum(counts, 3)).astype(np.int8)


def _shared(
    answer: Units, content: Content, index: ReferenceIndex
) -> Iterable[list[tuple[list[int], list[int]]]]:
    """Return what each sentence of an answer shares with the reference: places in the answer and rows of the
    index, word by word. A run of characters that one sentence of the reference holds is one word, and weighs
    as many words as it has pairs of characters.
    """
    by_sentence: dict[int, list[tuple[list[int], list[int]]]] = {}
    last = -2
    for i, key in content:
        row = index.rows.get(key)
        if row is None:
            continue
        words = by_sentence.setdefault(int(answer.sentences[i]), [])
        if not answer.is_single[i]:
            words.append(([i], [row]))
        elif last == i - 1 and words and index.holds[[*words[-1][1], row]].all(axis=0).any():
            words[-1][0].append(i + 1)
            words[-1][1].append(row)
        else:
            words.append(([i, i + 1], [row]))
        last = i if answer.is_single[i] else -2
    return by_sentence.values()


def token_features(
    text: str, offsets: np.ndarray, reference: str | ReferenceIndex, names: Sequence[str] = tuple(SIZES)
) -> np.ndarray:
    """The codes of an answer's tokens (tokens, names), each those of the word in which it begins."""
    if not names:
        return np.zeros((len(offsets), 0), dtype=np.int8)
    answer, codes = unit_features(text, reference)
    nothing = np.array([NO_WORD, TELLS_NOTHING, NONE_TELLING], dtype=np.int8)
    codes_by_token = np.tile(nothing, (len(offsets), 1))
    if len(answer.keys):
        word = np.searchsorted(answer.offsets[:, 0], offsets[:, 0], side="right") - 1
        is_inside = (word >= 0) & (offsets[:, 0] < answer.offsets[word, 1]) & (offsets[:, 0] < offsets[:, 1])
        codes_by_token[is_inside] = codes[word[is_inside]]
    return codes_by_token[:, [list(SIZES).index(name) for name in names]]
