"""What of an answer its reference does not hold, word by word: marks that need neither training nor weights."""

from functools import lru_cache

from truerate.core.text import compatible
from truerate.detectors.tokens.features import stem
from truerate.metrics.ngrams import STOP_WORDS
from truerate.metrics.tokens import word_offsets

WORD_SUPPORT, NUMBER_SUPPORT = "word-support", "number-support"


def absent_words(text: str, reference: str) -> tuple[tuple[int, int], ...]:
    """The content words whose word and stem the reference lacks, each a span (start, end)."""
    stems = _stems(reference)
    return tuple(
        (start, end)
        for start, end in word_offsets(text)
        if _stem(text[start:end]) not in stems and is_content(text[start:end])
    )


@lru_cache(maxsize=16)
def _stems(reference: str) -> frozenset[str]:
    """The stems of a reference, kept while its answers are read."""
    return frozenset(_stem(reference[start:end]) for start, end in word_offsets(reference))


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    return stem(compatible(word).casefold())


def absent_numbers(text: str, reference: str) -> tuple[tuple[int, int], ...]:
    """Those of `absent_words` that hold a digit."""
    spans = absent_words(text, reference)
    return tuple(span for span in spans if any(map(str.isdigit, text[slice(*span)])))


def is_content(word: str) -> bool:
    """Return whether a word counts: it holds a letter or digit and is no stop word."""
    return any(map(str.isalnum, word)) and word.lower() not in STOP_WORDS


MARKS = {WORD_SUPPORT: absent_words, NUMBER_SUPPORT: absent_numbers}
