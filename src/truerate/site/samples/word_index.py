"""Free-text search of the sample browser: which words stand in which records, as compact lists by hash.

A text is folded (`folded`) and cut into words; where a script sets no blanks between words, each character
and each pair of neighbours is a word. The page cuts what is searched for by the same rule
(assets/samples/search.js) and looks up `word_hash`. Of a hash 32 bits are kept: their first bits name the
bucket, a file, in which the numbers of the records with the word lie.
"""

import sys
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import polars as pl

from truerate.site.samples.packing import LISTS, packed

BASE, MIXER = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93  # odd 64-bit numbers
LONGEST = 32  # characters of a word that count
# scripts without blanks, by blocks of Unicode: Thai to Tibetan, Burmese, Khmer, kana, Han
DENSE = ((0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x31F0, 0x31FF),
         (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))  # fmt: skip
# kinds of characters: between words, of words, words by themselves, as if absent
GAP, WORD, SINGLE, SKIPPED = range(4)
TATWEEL = 0x0640  # stretches an Arabic word, says nothing
ALL_BITS = (1 << 64) - 1
BITS = 12  # of a record's number within a part
PART = 4_000  # records that are indexed together
FEW = 2_000  # records below which one bucket holds all words
BUCKETS = 64
GROUP = 100  # texts that are cut together: their characters stay in the processor's cache


def buckets_of(n: int) -> int:
    """Return how many buckets the words of `n` records are spread over, a power of two."""
    return BUCKETS if n > FEW else 1


def folded(text: str) -> str:
    """A text as it is searched: in small letters, compatibility forms as plain ones (NFKC)."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()


def word_hash(word: str) -> int:
    """The 32 bits by which a folded word is found: its first code points are the digits of a number in base
    `BASE`, the lowest first, modulo 2**64; half of its bits are mixed into the other, of which a product's
    upper half is taken.
    """
    number = sum(ord(character) * pow(BASE, power, 1 << 64) for power, character in enumerate(word[:LONGEST]))
    number &= ALL_BITS
    return ((number ^ number >> 32) * MIXER & ALL_BITS) >> 32


def word_lists(texts: Sequence[str], n_buckets: int) -> list[str]:
    """Per bucket the words of at most `PART` texts, packed: how many (32 bits, little end first), their
    hashes in order as steps from the one before (the first from 0), how many texts have each, and which, as
    steps again (from -1); all these seven bits a byte, the lowest first, a set high bit where more follow.
    """
    keys = _keys(texts)
    hashes = keys >> np.uint64(BITS)
    numbers = (keys & np.uint64((1 << BITS) - 1)).astype(np.int32)
    firsts = np.flatnonzero(np.r_[True, hashes[1:] != hashes[:-1]] if len(keys) else [])
    steps = np.diff(numbers, prepend=-1)
    steps[firsts] = numbers[firsts] + 1
    first_hashes, counts = hashes[firsts].astype(np.int64), np.diff(np.r_[firsts, len(keys)])
    ends = np.searchsorted(first_hashes, _bounds(n_buckets))
    jumps = np.diff(first_hashes, prepend=0)
    starts = ends[:-1][ends[:-1] < ends[1:]]  # where a bucket with words begins
    jumps[starts] = first_hashes[starts]
    lists = (
        (jumps, ends),
        (counts, ends),
        (steps, np.r_[firsts, len(keys)][ends]),
    )
    parts = [_in_buckets(numbers, bounds) for numbers, bounds in lists]
    sizes = np.diff(ends)
    return [
        packed(int(n).to_bytes(4, "little") + b"".join(part), LISTS)
        for n, part in zip(sizes, zip(*parts, strict=True), strict=True)
    ]


def _bounds(n_buckets: int) -> np.ndarray:
    """The least hash of each bucket, and what is beyond the last."""
    return np.arange(n_buckets + 1, dtype=np.int64) << (32 - (n_buckets.bit_length() - 1))


def _in_buckets(numbers: np.ndarray, bounds: np.ndarray) -> list[bytes]:
    """Numbers as `_short`, cut where they stand in another bucket: from each bound to the next."""
    lengths, whole = _short(numbers)
    places = np.r_[0, np.cumsum(lengths, dtype=np.int64)][bounds]
    return [whole[first:last].tobytes() for first, last in zip(places[:-1], places[1:], strict=True)]


def _keys(texts: Sequence[str]) -> np.ndarray:
    """Every word of every text once, as hash and number of the text in one integer, sorted."""
    order = sorted(
        range(len(texts)), key=lambda number: texts[number].isascii()
    )  # a byte a character is quickest
    groups = [_keys_from(texts, order[first : first + GROUP]) for first in range(0, len(order), GROUP)]
    unsorted = pl.Series(np.concatenate([np.zeros(0, np.uint64), *groups]))
    keys = unsorted.sort(
        multithreaded=False
    ).to_numpy()  # a third of the time of numpy's, half of that of two threads
    return keys[np.r_[True, keys[1:] != keys[:-1]]] if len(keys) else keys


def _keys_from(texts: Sequence[str], rows: list[int]) -> np.ndarray:
    """The keys of the words of the texts at some places, as they stand."""
    points, bounds = _points([texts[number] for number in rows])
    starts, lengths = _words(points, _kinds()[points])
    numbers = np.array(rows, np.uint64)[_texts_at(starts, bounds)]
    return _hashes(points, starts, lengths) << np.uint64(BITS) | numbers


def _texts_at(starts: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """The text in which each word begins; words stand in a few runs of rising places."""
    edges = np.r_[0, np.flatnonzero(starts[1:] < starts[:-1]) + 1, len(starts)]
    texts = np.arange(len(bounds))
    runs = [starts[first:last] for first, last in zip(edges, edges[1:], strict=False)]
    return np.concatenate(
        [np.repeat(texts, np.diff(np.searchsorted(run, bounds), prepend=0)) for run in runs]
    )


def _points(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """All texts as code points, a line feed after each, without what is skipped; and where each text ends."""
    spelled = [folded(text) for text in texts]
    whole = "\n".join([*spelled, ""])
    bounds = np.cumsum([len(text) + 1 for text in spelled])
    if whole.isascii():
        return np.frombuffer(whole.encode("ascii"), np.uint8), bounds
    points = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32)
    kept = _kinds()[points] != SKIPPED
    return points[kept], np.cumsum(kept)[bounds - 1]


@cache
def _kinds() -> np.ndarray:
    """The kind of every character."""
    kinds = np.array([_kind(unicodedata.category(chr(code))) for code in range(0x32400)], np.uint8)
    for first, last in DENSE:
        block = kinds[first : last + 1]
        block[block == WORD] = SINGLE
    kinds[TATWEEL] = SKIPPED
    return np.concatenate([kinds, np.full(sys.maxunicode + 1 - len(kinds), GAP, np.uint8)])


def _kind(category: str) -> int:
    if category in ("Mn", "Cf"):
        return SKIPPED
    return WORD if category[0] in "LN" or category == "Mc" else GAP


def _words(points: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where words begin, and how long they are; a single character is a word, and so are two
    neighbours.
    """
    is_word = np.r_[False, kinds == WORD, False]
    edges = np.flatnonzero(is_word[1:] != is_word[:-1])
    starts, lengths = edges[::2], edges[1::2] - edges[::2]
    if points.dtype == np.uint8:
        return starts, lengths
    singles = np.flatnonzero(kinds == SINGLE)
    pairs = singles[:-1][np.diff(singles) == 1]
    ones, twos = np.ones_like(singles), np.full_like(pairs, 2)
    return np.concatenate([starts, singles, pairs]), np.concatenate([lengths, ones, twos])


def _hashes(points: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return `word_hash` of each word from running sums over all characters times powers of `BASE`."""
    powers, inverses = _powers(max(len(points), 1 << 19))
    sums = np.zeros(len(points) + 1, np.uint64)
    np.multiply(points, powers[: len(points)], out=sums[1:])
    np.cumsum(sums[1:], out=sums[1:])
    hashes = sums[starts + np.minimum(lengths, LONGEST)]
    hashes -= sums[starts]
    hashes *= inverses[starts]
    hashes ^= hashes >> np.uint64(32)
    hashes *= np.uint64(MIXER)
    return hashes >> np.uint64(32)


@lru_cache(1)
def _powers(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The first powers of `BASE` modulo 2**64, and of its inverse."""
    bases = (BASE, pow(BASE, -1, 1 << 64))
    powers, inverses = (np.cumprod(np.r_[np.uint64(1), np.full(n, base, np.uint64)]) for base in bases)
    return powers, inverses


def _short(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers below 2**32, seven bits a byte: how many bytes each takes, and all of these."""
    lengths, lowest = np.ones(len(numbers), np.uint8), (numbers & 127).astype(np.uint8)
    longer = np.flatnonzero(numbers > 127)
    if not len(longer):
        return lengths, lowest
    lowest[longer] |= 128
    n_more, more = _short(numbers[longer] >> 7)
    lengths[longer] += n_more
    return lengths, np.insert(lowest, np.repeat(longer + 1, n_more), more)
