"""What a candidate must be before it may stand in the data set, and what its words say of the length rule."""

from truerate.core import text as texts

# Why a candidate is not in the data set: no reply came, none could be read from it, the model declined, it
# has no words, it says what the right text says, or it was usable but the judge (or the seeded pick)
# preferred the other one.
REASONS = ("dead", "unparsed", "refusal", "empty", "same_as_right", "filtered_out")
LENGTH_RULED = ("qa", "summarization")  # the tasks whose instruction limits the length (HELMA 2.1)
_REFUSALS = (
    "i'm sorry",
    "i am sorry",
    "sorry,",
    "i cannot",
    "i can't",
    "i can not",
    "i am unable",
    "i'm unable",
    "as an ai",
)
_NEGATIVE = ("cannot", "can't", "can not", "unable", "not able", "won't", "will not")


def candidate_reason(text: str, right: str | None) -> str | None:
    """Why a candidate cannot be a hallucinated text, None if it can.

    `empty`: no words; `same_as_right`: equal to the right text but for case, articles and punctuation.
    """
    plain = texts.normalise(text)
    if not plain:
        return "empty"
    return "same_as_right" if right is not None and plain == texts.normalise(right) else None


def is_refusal(text: str) -> bool:
    """Whether a reply declines the request: it opens as an apology or refusal and its first sentence says
    that it cannot.

    Deliberately narrow: a phrase list over whole texts takes "Sorry is a song by …" for a refusal.
    """
    first = (texts.sentences(text) or [""])[0].lower().replace("’", "'")
    return first.startswith(_REFUSALS) and any(word in first for word in _NEGATIVE)


def words_over(text: str, right: str) -> int:
    """By how many words (`text.words`) a candidate is longer than the right text; negative where it is shorter."""
    return len(texts.words(text)) - len(texts.words(right))


def breaks_length_rule(n_over: int, slack: int) -> bool:
    """Whether a candidate is longer than the right text by more words than the instruction allows."""
    return n_over > slack
