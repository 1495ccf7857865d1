"""What the words of one numbered entry state: a fact, that there is none, or nothing that can be read."""

import re
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.core.text import sentences
from truerate.llm.replies.cutting import emphasis, quotes
from truerate.llm.replies.nothing import says_nothing
from truerate.llm.replies.reading import joined

OPEN = lazy(
    r"(?:[,،、]|\b(?:a|an|the|of|in|on|at|to|by|for|from|with|and|or|is|was|as))$", re.IGNORECASE
)  # a fact that goes on
_CITED = lazy(r"(?:\s*\[\d{1,3}\])+(?=\s*[.!?]?\Z)")
_ELEMENTS = lazy(r"</[a-z][\w-]*>\s*</?[a-z][^<>]*>", re.IGNORECASE)  # `</fact><fact>`: several, not one
_BROKEN = lazy(r"(?:\b(?:the|an?|of|and|or|with|from|by)|,)\Z")
LABEL = lazy(r"[*_]*(?:atomic |extracted )?facts?(?:\s+\d{1,2})?[*_]*\s*[:：]\s*[*_]*\s*", re.IGNORECASE)


class Told(NamedTuple):
    """One thing read: its sentences from 1, the words (None: that there is no fact), how loosely."""

    numbers: tuple[int, ...]
    text: str | None
    cuts: tuple[str, ...] = ()


def stated(numbers: tuple[int, ...], text: str, cuts: tuple[str, ...] = ()) -> list[Told]:
    """What the words of one entry state: a fact, that there is none, or nothing that can be read (empty)."""
    label = LABEL.match(text)
    words = text[label.end() :] if label and label.end() < len(text) else text
    if label and words != text:
        cuts = joined(cuts, ("label",))
    plain = emphasis(words)
    if says_nothing(plain):
        is_asked = plain.rstrip(".").casefold() == "none"
        return [Told(numbers, None, cuts if is_asked else joined(cuts, ("other-none",)))]
    bare, more = quotes(plain)
    uncited = _CITED.sub("", bare)
    cuts = joined(cuts, more, ("citation",) if uncited != bare else ())
    # marks of further entries within the words: whose these are cannot be said
    inner = re.search(r"(?:^|[.!?;]\s+)\(?\d{1,3}[.)]\s+(?=[A-Z])", uncited[3:])
    parts = sentences(uncited)
    is_open = bool(_BROKEN.search(uncited)) or (
        len(parts) > 1 and parts[-1][-1].isalnum() and parts[0][-1] in ".!?"
    )
    if not any(map(str.isalnum, uncited)) or inner or is_open or _ELEMENTS.search(uncited):
        return []
    return [Told(numbers, uncited.strip(), cuts)]


def is_cut(fact: str, sentence: str) -> bool:
    """Whether the last fact of a reply ends within a word of its sentence: the reply was cut off."""
    last = re.search(r"\w+\Z", fact)
    if last is None or re.search(rf"\b{re.escape(last[0])}\b", sentence, re.IGNORECASE):
        return False
    n_more = r"\d+" if last[0].isdecimal() else r"\w{3,}"
    return re.search(rf"\b{re.escape(last[0])}{n_more}", sentence, re.IGNORECASE) is not None
