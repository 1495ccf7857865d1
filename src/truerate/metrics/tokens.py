"""The units in which hallucinated text is counted: N, H_det and every token score of one board count the same
tokens.

Detectors have tokenizers of their own; their spans are characters, and characters become these tokens.
`words` needs no download: a run of letters, digits and their marks is a token, a character of Chinese,
Japanese, Thai, Lao, Khmer or Burmese is one by itself.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from truerate.core.errors import TruerateError
from truerate.core.pretrained import load_tokenizer
from truerate.core.text import piece_spans

Span = tuple[int, int]
WORDS = "words"


class TokenCounts(NamedTuple):
    """Tokens of a text: all (N), gold ones, detected ones (H_det), and those that are both."""

    n: int
    gold: int
    detected: int
    both: int


def word_offsets(text: str) -> list[Span]:
    """The tokens of a text as half-open code points; blank space and punctuation are none. An empty text has
    none.
    """
    return list(piece_spans(text))


@lru_cache(maxsize=4)
def offsets_by(tokenizer: str) -> Callable[[str], list[Span]]:
    """The function that cuts a text into tokens: `words`, or a tokenizer by Hub id or path (its special
    tokens left out).

    Raises TruerateError where there is no such tokenizer, or one that gives no offsets.
    """
    if tokenizer == WORDS:
        return word_offsets
    try:
        loaded = load_tokenizer(tokenizer)
    except ValueError as error:
        raise TruerateError(
            f"tokenizer {tokenizer!r}: {error}; name {WORDS!r}, a Hub id, or a folder with tokenizer.json"
        ) from None
    if not loaded.is_fast:
        raise TruerateError(
            f"tokenizer {tokenizer!r} gives no offsets; name {WORDS!r} or a fast one (tokenizer.json)"
        )

    def cut(text: str) -> list[Span]:
        found = loaded(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        trimmed = (
            (start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
            for start, piece in pieces(text, found)
        )
        return [span for span in trimmed if span[0] < span[1]]

    return cut


def pieces(text: str, offsets: Iterable[Span]) -> list[tuple[int, str]]:
    """Start and text of each offset."""
    return [(start, text[start:end]) for start, end in offsets]


def marked(offsets: Sequence[Span], spans: Iterable[Span]) -> np.ndarray:
    """Which tokens (tokens,) overlap a span by at least one character; empty spans mark none."""
    units = np.asarray(offsets, dtype=int).reshape(-1, 2)
    hit = np.zeros(len(units), dtype=bool)
    for start, end in spans:
        if start < end:
            hit |= (units[:, 0] < end) & (start < units[:, 1])
    return hit


def token_counts(offsets: Sequence[Span], gold: Iterable[Span], detected: Iterable[Span]) -> TokenCounts:
    """The counts of one text; sum them over texts for micro-averages."""
    is_gold, is_detected = marked(offsets, gold), marked(offsets, detected)
    return TokenCounts(
        len(offsets), int(is_gold.sum()), int(is_detected.sum()), int((is_gold & is_detected).sum())
    )


def total(counts: Iterable[TokenCounts]) -> TokenCounts:
    """Summed counts; zeros over no text."""
    gathered = list(counts)
    return TokenCounts(*map(sum, zip(*gathered, strict=True))) if gathered else TokenCounts(0, 0, 0, 0)
