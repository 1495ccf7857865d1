"""What a candidate must be before it may stand in the data set, and what its words say of the length rule."""

from truerate.core import text as texts
from truerate.llm.replies.restating import restates

# Why a candidate is not in the data set: no reply came, none could be read from it, the model declined, it
# acknowledged the task and wrote nothing, it has no words, it is the right text, it says the right text in a
# sentence and no other, or it was usable but the judge (or the seeded pick) preferred the other one.
REASONS = (
    "dead", "unparsed", "refusal", "no-answer", "empty", "same_as_right", "right-restated", "filtered_out",
)  # fmt: skip
NAMED = ("refusal", "no-answer", "empty")  # unread replies that are told by their own reason
LENGTH_RULED = ("qa", "summarization")  # the tasks whose instruction limits the length (HELMA 2.1)


def candidate_reason(text: str, right: str | None, question: str = "") -> str | None:
    """Why a candidate cannot be a hallucinated text, None if it can.

    `empty`: no words; `same_as_right`: equal to the right text but for case, articles and punctuation;
    `right-restated`: the right text in a frame (`replies.restating.restates`) with no other answer beside it.
    """
    plain = texts.normalise(text)
    if not plain:
        return "empty"
    if right is None:
        return None
    if plain == texts.normalise(right):
        return "same_as_right"
    return "right-restated" if restates(text, right, question) else None


def words_over(text: str, right: str) -> int:
    """By how many words (`text.words`) a candidate is longer than the right text; negative where it is shorter."""
    return len(texts.words(text)) - len(texts.words(right))


def breaks_length_rule(n_over: int, slack: int) -> bool:
    """Whether a candidate is longer than the right text by more words than the instruction allows."""
    return n_over > slack
