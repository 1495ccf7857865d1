"""The detectors that need nothing: what of an answer its reference does not hold, word by word. These rules read no
meaning, and err as such rules do; what they err by is what labels are for.
"""

from collections.abc import Callable
from typing import NamedTuple

from truerate.answers.verdicts import Spans
from truerate.detectors.absent_words import (
    NUMBER_SUPPORT,
    WORD_SUPPORT,
    absent_numbers,
    absent_words,
    is_content,
)
from truerate.metrics.tokens import word_offsets

MOST_ABSENT = 0.25  # of content words: an answer with a larger share that its reference lacks is flagged


class AnswerRule(NamedTuple):
    """`mark`: the unsupported spans of (answer, reference); `decide`: whether the answer is flagged."""

    about: str
    mark: Callable[[str, str], Spans]
    decide: Callable[[str, Spans], bool]


def is_mostly_absent(text: str, spans: Spans) -> bool:
    """Return whether more than MOST_ABSENT of the content words are marked; False for a text without any."""
    n_content = sum(is_content(text[start:end]) for start, end in word_offsets(text))
    return n_content > 0 and len(spans) > MOST_ABSENT * n_content


RULES = {
    WORD_SUPPORT: AnswerRule(
        "marks content words that the reference does not hold, flags answers with more than "
        f"{MOST_ABSENT:.0%} of them; of five public sets it flagged 35 to 91% of the hallucinated answers and 3 to 52% "
        "of the others",  # benchmarks/RESULTS.md, by default_detector.py
        absent_words,
        is_mostly_absent,
    ),
    NUMBER_SUPPORT: AnswerRule(
        "marks numbers that the reference does not hold, flags answers with any",
        absent_numbers,
        lambda text, spans: bool(spans),
    ),
}
