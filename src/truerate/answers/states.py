"""Whether an answer says something, abstains, or is none."""

import re
import unicodedata

from truerate.core.invisible import is_blank
from truerate.core.patterns import lazy
from truerate.core.text import n_words
from truerate.llm.replies.texts.abstaining import says_not_known
from truerate.llm.replies.texts.refusals import is_refusal

STATED, ABSTAINED, EMPTY = "stated", "abstained", "empty"
_NOT_AVAILABLE = lazy(r"[\W_]*(?:n/a|n\.\s?a\.?|not available|not applicable)[\W_]*", re.IGNORECASE)
MOST_OF_REFUSAL = 60  # words of an answer that refuses: a longer one goes on and says something
# One of these stands in whatever abstains in English and in languages of plain letters; the rules, which take
# a millisecond a text, are asked of no other. (Each text of their own corpora that abstains has one: a test.)
_HINT = lazy(
    r"(?-i:[^\W\d_a-zA-Z])|n['’]t\b|\b(?:no|not?|nor|none|never|nothing|nobody|neither|can|cant|cannot|dont|un[a-z]+|in[a-z]+|im[a-z]+|"
    r"lacks?|lacking|little|less|fail[a-z]*|missing|empty|blank|silent|limited|scarce|hard|difficult|sorry|apolog[a-z]+|"
    r"refus[a-z]+|declin[a-z]+|den(?:y|ied)|rather|refrain|only|outside|beyond|against|false|wrong|n/a|idea|clue|need|would|"
    r"must|pass|my|nicht[a-z]*|kein[a-z]*|ne|n|pas|non|nao|nem|niet[a-z]*|geen|nie|inte|ikke|ikkje|ingen|inga|inget|tidak|yok|desconozco|ignoro|lamento|"
    r"desconhe[a-z]+|leider|lehne|ablehnen|brak|bilm[a-z]+|nu|en)\b",
    re.IGNORECASE,
)


def state_of(text: str, given: bool | None = None) -> str:
    """The state of an answer: EMPTY where nothing of it is seen, or nothing but punctuation; else as `given` (whether it
    abstains), else ABSTAINED where it says that it does not know (`says_not_known`) or, in MOST_OF_REFUSAL words at most,
    refuses (`is_refusal`).
    """
    if is_blank(text) or all(unicodedata.category(sign)[0] in "PZC" for sign in text):
        return EMPTY
    if given is None and _NOT_AVAILABLE.fullmatch(text):
        return ABSTAINED
    if given is None and _HINT.search(text):
        given = says_not_known(text) or (n_words(text) <= MOST_OF_REFUSAL and is_refusal(text))
    return ABSTAINED if given else STATED
