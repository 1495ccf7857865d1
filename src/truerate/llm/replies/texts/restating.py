"""Whether a text that should be wrong gives the right answer again."""

import re
from collections.abc import Sequence
from functools import cache

from truerate.core.text import normalise
from truerate.llm.replies.matching import phrases

# words right before a right text that make it the answer
_BEFORE_RIGHT = frozenset(
    ("is", "was", "are", "were", "be", "named", "called", "by", "in", "on", "at", "from")
)
_PARTICIPLES = {"wrote": "written", "write": "written", "sang": "sung", "sing": "sung", "drew": "drawn", "take": "taken",
                "took": "taken", "make": "made", "build": "built", "win": "won", "begin": "began", "hold": "held",
                "sell": "sold", "find": "found", "grow": "grew"}  # fmt: skip
SHORT = 2  # words of the question that may stand before a right text without a verb


def restates(text: str, right: str, question: str = "") -> bool:
    """Whether a text says the right one and no other: the right one with nothing around it but a frame (`That
    would be …`) and words of the question, and without negation.

    Behind the right one at the beginning, or before it at the end, with `is`, `was` … in between, or there
    with a word or two of the question behind it; elsewhere another answer may be meant. Case, articles and
    punctuation do not count (`core.text.normalise`).
    """
    text = text.replace("’", "'")
    plain, wanted = normalise(text), normalise(right)
    if not plain or not wanted:
        return False
    if plain == wanted or _linked(plain) == _linked(wanted):
        return True
    if any(word in _words("NEGATIONS") or word.endswith("n't") for word in plain.split()):
        return False
    asked = _forms(normalise(question).split())
    if plain.endswith(f" {wanted}"):
        before = plain.removesuffix(wanted).split()
        first = text.split()[: len(before)]
        is_short = len(before) <= SHORT and all(word[:1].islower() or word in ("The", "A") for word in first)
        if is_short and all(word in _words("FRAME") | asked for word in before):
            return True
        is_named = len(before) == 2 and re.match(r"\W*(?:The|Its)\s+[a-z]+\s+(?:is|was)\s", text)
        return (
            bool(is_named)
            or all(word in _words("FRAME") for word in before)
            or (
                (before[-1] in _BEFORE_RIGHT or wanted.split()[0] in _BEFORE_RIGHT)
                and all(word in _words("FRAME") | asked for word in before)
            )
        )
    before, _, behind = (part.split() for part in plain.partition(f" {wanted} "))
    if before and 0 < len(behind) <= SHORT and before[-1] in ("is", "was", "are", "were"):
        # `Lake Arn is 40 metres deep`
        return all(word in _words("FRAME") | asked for word in before) and all(
            word in asked for word in behind
        )
    if plain.startswith(f"{wanted} "):
        behind = plain.removeprefix(wanted).split()
        return all(word in _words("FRAME") | asked for word in behind)
    return False


def _linked(words: str) -> list[str]:
    """The words of a text without those that link its sentences (`… in 1931 and it is free`)."""
    return [word for word in words.split() if word not in ("and", "also")]


def _forms(question: Sequence[str]) -> frozenset[str]:
    """The words of a question, and the past forms of its verbs (`open` → `opened`, `wrote` → `written`)."""
    past = [f"{word}{end}" for word in question for end in ("d", "ed") if len(word) > 2]
    return frozenset((*question, *past, *(_PARTICIPLES[word] for word in question if word in _PARTICIPLES)))


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(phrases(name))
