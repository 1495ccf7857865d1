"""A detector of answers and what it says of one; and the detectors that need nothing: what of an answer its
reference does not hold, word by word. These rules read no meaning, and err as such rules do; what they err by
is what labels are for.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from truerate.answers.reading import Answer
from truerate.detectors.support import ABSENT, decoded
from truerate.detectors.tokens.features import reference_index, unit_features
from truerate.metrics.ngrams import STOP_WORDS

JUDGE = "judge:"  # before the name of a declared model
NO_REFERENCE = "no reference"  # why an answer cannot be judged
WORD_SUPPORT, NUMBER_SUPPORT = "word-support", "number-support"
MOST_ABSENT = 0.25  # of content words: an answer with a larger share that its reference lacks is flagged
Span = tuple[int, int]
Spans = tuple[Span, ...]


class AnswerVerdict(NamedTuple):
    """Detector's verdict on one answer and its spans (None: not stated); `reason` if there is no verdict."""

    verdict: bool | None
    spans: Spans | None = None
    reason: str | None = None


class Detector(NamedTuple):
    """The detector that judges: its name, what it is or why it was taken, and whether it says where."""

    name: str
    why: str
    judge: Callable[[Sequence[Answer]], list[AnswerVerdict]]
    says_where: bool = True  # False: surely not; of weights it shows when they judge


# ---- rules -------------------------------------------------------------------------------------------------
class AnswerRule(NamedTuple):
    """`mark`: the unsupported spans of (answer, reference); `decide`: whether the answer is flagged."""

    about: str
    mark: Callable[[str, str], Spans]
    decide: Callable[[str, Spans], bool]


def absent_words(text: str, reference: str) -> Spans:
    """The content words whose word and stem the reference lacks, each a span (start, end)."""
    units, codes = unit_features(text, reference_index(reference))
    is_absent = decoded(codes[:, 0])[0] == ABSENT if len(codes) else np.zeros(0, dtype=bool)
    return tuple(
        (start, end)
        for (start, end), absent in zip(units.offsets.tolist(), is_absent, strict=True)
        if absent and _is_content(text[start:end])
    )


def absent_numbers(text: str, reference: str) -> Spans:
    """Those of `absent_words` that hold a digit."""
    spans = absent_words(text, reference)
    return tuple(span for span in spans if any(map(str.isdigit, text[slice(*span)])))


def _is_content(word: str) -> bool:
    return any(map(str.isalnum, word)) and word.lower() not in STOP_WORDS


def is_mostly_absent(text: str, spans: Spans) -> bool:
    """Return whether more than MOST_ABSENT of the content words are marked; False for a text without any."""
    units, _ = unit_features(text, "")
    n_content = sum(_is_content(text[start:end]) for start, end in units.offsets.tolist())
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
