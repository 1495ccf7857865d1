"""What a text that was read off a page is worth: nothing, an invitation to sign in, or something to hold
claims against.
"""

from collections.abc import Iterable

from truerate.core.text import clean
from truerate.web.outcomes import Outcome, Text

SIGN_IN_WORDS = 120  # a longer text that mentions signing in has something else to say as well


def judged(
    text: str,
    title: str,
    dated: str | None,
    sign_in_phrases: Iterable[str] = (),
    *,
    licence: str | None = None,
) -> Text:
    """A text with its outcome: empty, one that only asks to sign in, or ok."""
    if not text:
        return Text(Outcome.EMPTY, title=title)
    plain = f"{title} {text}".casefold()
    if len(text.split()) <= SIGN_IN_WORDS:
        for phrase in sign_in_phrases:
            if phrase.casefold() in plain:
                return Text(Outcome.SIGN_IN, title=title, detail=phrase)
    return Text(Outcome.OK, text, title, dated, licence)


def tidy(text: str) -> str:
    """A text cleaned, with single spaces and line breaks."""
    lines = (" ".join(line.split()) for line in clean(text).splitlines())
    return "\n".join(line for line in lines if line)
