"""What of an answer its reference does not hold, word by word: marks that need neither training nor weights."""

import numpy as np

from truerate.detectors.support import ABSENT, decoded
from truerate.detectors.tokens.features import reference_index, unit_features
from truerate.metrics.ngrams import STOP_WORDS

WORD_SUPPORT, NUMBER_SUPPORT = "word-support", "number-support"


def absent_words(text: str, reference: str) -> tuple[tuple[int, int], ...]:
    """The content words whose word and stem the reference lacks, each a span (start, end)."""
    units, codes = unit_features(text, reference_index(reference))
    is_absent = decoded(codes[:, 0])[0] == ABSENT if len(codes) else np.zeros(0, dtype=bool)
    return tuple(
        (start, end)
        for (start, end), absent in zip(units.offsets.tolist(), is_absent, strict=True)
        if absent and is_content(text[start:end])
    )


def absent_numbers(text: str, reference: str) -> tuple[tuple[int, int], ...]:
    """Those of `absent_words` that hold a digit."""
    spans = absent_words(text, reference)
    return tuple(span for span in spans if any(map(str.isdigit, text[slice(*span)])))


def is_content(word: str) -> bool:
    """Return whether a word counts: it holds a letter or digit and is no stop word."""
    return any(map(str.isalnum, word)) and word.lower() not in STOP_WORDS


MARKS = {WORD_SUPPORT: absent_words, NUMBER_SUPPORT: absent_numbers}
