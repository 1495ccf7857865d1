"""A detector of answers and what it says of one; and the detectors that need nothing: what of an answer its
reference does not hold, word by word. These rules read no meaning, and err as such rules do; what they err by
is what labels are for.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from truerate.detectors.absent_words import (
    NUMBER_SUPPORT,
    WORD_SUPPORT,
    absent_numbers,
    absent_words,
    is_content,
)
from truerate.detectors.tokens.features import unit_features
from truerate.sources.answers.reading import Answer

JUDGE = "judge:"  # before the name of a declared model
NO_REFERENCE = "no reference"  # why an answer cannot be judged
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


def is_mostly_absent(text: str, spans: Spans) -> bool:
    """Return whether more than MOST_ABSENT of the content words are marked; False for a text without any."""
    units, _ = unit_features(text, "")
    n_content = sum(is_content(text[start:end]) for start, end in units.offsets.tolist())
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
