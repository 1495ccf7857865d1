"""The units in which hallucinated text is counted: N, H_det and every token score of one board count the same
tokens.

Detectors have tokenizers of their own; their spans are characters, and characters become these tokens.
`words` needs no download: a run of letters, digits and their marks is a token, a character of Chinese,
Japanese, Thai, Lao, Khmer or Burmese is one by itself.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from truerate.core.errors import TruerateError
from truerate.core.pretrained import load_tokenizer
from truerate.core.text import piece_spans
from truerate.metrics.rates import hr_est

Span = tuple[int, int]
WORDS = "words"


class TokenCounts(NamedTuple):
    """Tokens of a text: all (N), gold ones, detected ones (H_det), and those that are both."""

    n: int
    gold: int
    detected: int
    both: int


def word_offsets(text: str) -> list[Span]:
    """The tokens of a text as half-open code points, blanks and punctuation left out."""
    return list(piece_spans(text))


@lru_cache(maxsize=4)
def offsets_by(tokenizer: str) -> Callable[[str], list[Span]]:
    """The function that cuts a text into tokens: `words`, or a tokenizer by Hub id or path (its special
    tokens left out). Raises TruerateError where there is no such tokenizer, or one that gives no offsets.
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
        offsets = loaded(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        cut = pieces(text, offsets)
        ends = (
            (start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())) for start, piece in cut
        )
        return [span for span in ends if span[0] < span[1]]

    return cut


def pieces(text: str, offsets: Iterable[Span]) -> list[tuple[int, str]]:
    """Start and text of each offset."""
    return [(start, text[start:end]) for start, end in offsets]


def marked(offsets: Sequence[Span], spans: Iterable[Span]) -> np.ndarray:
    """Return which tokens (tokens,) overlap a span by at least one character; empty spans mark none."""
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


@dataclass(frozen=True)
class TokenLine:
    """The tokens of many texts. `starts`, `ends` (tokens,): places on the line; `first` (texts + 1,): where a
    text's tokens begin; `base` (texts,): where its characters begin.
    """

    starts: np.ndarray
    ends: np.ndarray
    first: np.ndarray
    base: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Tokens per text, (texts,)."""
        return np.diff(self.first)

    def marked(self, texts: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Return which tokens (tokens,) overlap one of the spans by at least one character; span i lies in
        text `texts[i]`. The rule of `tokens.marked`. Tokens of one text must be in order and must not
        overlap. Empty spans mark none.
        """
        keep = starts < ends
        begin, end = self.base[texts[keep]] + starts[keep], self.base[texts[keep]] + ends[keep]
        change = np.zeros(len(self.starts) + 1, dtype=np.int32)
        np.add.at(change, np.searchsorted(self.ends, begin, side="right"), 1)
        np.add.at(change, np.searchsorted(self.starts, end, side="left"), -1)
        return np.cumsum(change[:-1], dtype=np.int32) > 0

    def highest(
        self, texts: np.ndarray, starts: np.ndarray, ends: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """The highest of the values, not negative, of the spans that each token overlaps, (tokens,) in their
        type; 0 where it overlaps none. Span i lies in text `texts[i]` and has `values[i]`; rules as `marked`.
        """
        order = np.argsort(values, kind="stable")  # of spans that share a token the last one stays
        order = order[starts[order] < ends[order]]
        base = self.base[texts[order]]
        first = np.searchsorted(self.ends, base + starts[order], side="right")
        sizes = np.maximum(np.searchsorted(self.starts, base + ends[order], side="left") - first, 0)
        places = np.arange(sizes.sum()) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
        highest_values = np.zeros(len(self.starts), dtype=values.dtype)
        highest_values[places] = np.repeat(values[order], sizes)
        return highest_values

    @cached_property
    def text_of(self) -> np.ndarray:
        """The text of each token, (tokens,)."""
        return np.repeat(np.arange(len(self.base)), self.sizes)

    def tokens_of(self, texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The places of the tokens of these texts (texts,), one text after the other, and of each token the
        number of its text among them; both (tokens of these,).
        """
        sizes = self.sizes[texts]
        begin = np.cumsum(sizes) - sizes
        places = np.arange(sizes.sum()) + np.repeat(self.first[:-1][texts] - begin, sizes)
        return places, np.repeat(np.arange(len(texts)), sizes)

    def per_text(self, values: np.ndarray) -> np.ndarray:
        """Sums of token values (tokens,) per text, (texts,)."""
        return np.bincount(self.text_of, weights=values, minlength=len(self.base))

    def per_kind(self, kinds: np.ndarray, keep: np.ndarray, n: int) -> np.ndarray:
        """Return how many tokens of `keep` (tokens,) have each kind 1 to n, per text, (texts, n); 0 is none."""
        cell = self.text_of[keep] * (n + 1) + kinds[keep]
        return np.bincount(cell, minlength=len(self.base) * (n + 1)).reshape(len(self.base), n + 1)[:, 1:]


def token_line(texts: Sequence[str], cut: Callable[[str], Iterable[Span]]) -> TokenLine:
    """The tokens of these texts as `cut` (`tokens.offsets_by`) gives them."""
    base = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])]).astype(np.int64)
    offsets_by_text = [np.asarray(list(cut(text)), dtype=np.int64).reshape(-1, 2) for text in texts]
    shifted_offsets = [offsets + start for offsets, start in zip(offsets_by_text, base, strict=False)]
    whole = np.concatenate([np.zeros((0, 2), np.int64), *shifted_offsets])
    first = np.concatenate([[0], np.cumsum([len(offsets) for offsets in offsets_by_text])]).astype(np.int64)
    return TokenLine(whole[:, 0], whole[:, 1], first, base[:-1])


def precision(totals: np.ndarray) -> np.ndarray:
    """Of the detected tokens, the share that is gold, in [0, 1]; `totals` (…, 4): n, gold, detected, both."""
    return totals[..., 3] / totals[..., 2]


def recall(totals: np.ndarray) -> np.ndarray:
    """Of the gold tokens, the share that is detected (the true positive rate), in [0, 1]. NaN where none is gold."""
    return totals[..., 3] / totals[..., 1]


def f1(totals: np.ndarray) -> np.ndarray:
    """2 · both / (gold + detected), in [0, 1]. NaN where neither side marks any."""
    return 2 * totals[..., 3] / (totals[..., 1] + totals[..., 2])


def false_positive_rate(totals: np.ndarray) -> np.ndarray:
    """Of the tokens that are not gold, the share that is detected, in [0, 1]. NaN where all are gold."""
    return (totals[..., 2] - totals[..., 3]) / (totals[..., 0] - totals[..., 1])


def recall_of_type(totals: np.ndarray) -> np.ndarray:
    """Of the gold tokens of a type, the share that is detected as any type, in [0, 1] (mFAVA Table 3's recall by type).
    `totals` (…, 4) of a type: gold, those of them that are detected at all, detected as this type, right by
    type. NaN where none is gold.
    """
    return totals[..., 1] / totals[..., 0]


def f1_of_type(totals: np.ndarray) -> np.ndarray:
    """2 · right by type / (gold + detected as this type), in [0, 1], `totals` (…, 4); NaN where no side marks any."""
    return 2 * totals[..., 3] / (totals[..., 0] + totals[..., 2])


def f1_typed(totals: np.ndarray) -> np.ndarray:
    """`f1_of_type` over all types together, in [0, 1], `totals` (…, types, 4): both sides give a token one type."""
    return f1_of_type(totals.sum(axis=-2))


def flagged_rates(counts: np.ndarray) -> np.ndarray:
    """The raw rate of each seed from counts (…, 2) of detected and all tokens; NaN over no token."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return counts[..., 0] / counts[..., 1]


def seed_hr_est(totals: np.ndarray, counts: np.ndarray) -> float | None:
    """HR_est (`rates.hr_est`) of one seed from its totals (n, gold, detected, both) over labelled texts and
    its counts (detected, tokens) in the replies; None where it is not defined.
    """
    _, gold, detected, both = totals
    return hr_est(both / detected if detected else None, both / gold if gold else None, *counts)
