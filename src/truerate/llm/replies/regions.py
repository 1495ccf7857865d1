"""The part of a reply that answers: behind the heading of its prompt, before a next example that it writes
for itself.
"""

from collections.abc import Callable, Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies import headings
from truerate.llm.replies.reading import joined

# what prompts about a response in a dialogue give material under, beside the headings of every prompt
GIVEN = tuple(
    name for name in (*headings.GIVEN, "Conversation", "Reference Response", "Correct Response", "Dialogue")
    if name not in ("Answer", "Claims", "Evidence", "Sentences", "Context", "Example")
)  # fmt: skip
MATERIAL = tuple(
    name
    for name in headings.GIVEN
    if name not in ("Answer", "Claims", "Response", "Right Answer", "Right Summary")
)
# A reply may repeat its material before it answers, behind words with a colon that head no verdict. Behind
# anything else it has gone on to another example.
ANNOUNCES = lazy(
    r"(?:\A|\n)(?![^\n]*(?:verdict|judg(?:e?ment)|answer|conclusion|decision|result|final))[^\n]*:[\s*_`]*\Z"
    r"|\A[\s#*_`>=.-]*\Z",
    2,
)
NO_WORDS = " \t\n.,:;!|…—–-*_`#>\"'“”"


def answering(
    answer: str, cue: str | None, says: Callable[[str], bool], given: Sequence[str] = GIVEN
) -> tuple[str, tuple[str, ...]]:
    """The part of a reply behind the last cue, before a next example's headings. Where words that say it
    already (`says`), or announce nothing, stand before a next example, its own cue is no longer this reply's.
    """
    head, ran_on = headings.before_next(answer, given)
    behind = headings.last_before_next(answer, cue, given=given) if cue else None
    if behind is None:
        return head, ran_on
    cues = headings.find(answer, cue or "")
    if ran_on and not headings.heads(head, cue or "") and (says(head) or not ANNOUNCES.search(head)):
        return head, ran_on
    if not behind[0].strip(NO_WORDS):  # nothing behind it: what stands before it, if anything
        head, ran_on = headings.before_next(answer[: cues[0].start], given)
        return head, joined(("heading",), ran_on)
    return behind
