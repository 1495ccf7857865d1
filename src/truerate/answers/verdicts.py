"""A detector of answers, and what it says of one."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from truerate.sources.answers.reading import Answer

JUDGE = "judge:"  # before the name of a declared model
NO_REFERENCE = "no reference"  # why an answer cannot be judged
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
