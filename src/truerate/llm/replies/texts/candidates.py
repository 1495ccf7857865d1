"""Read the texts that HaluEval asks for: candidates that should be wrong, the name of the pattern by which
they are, whether one gives the right answer again, and texts that were to be corrected.
"""

import re
from collections.abc import Sequence
from typing import Literal

from truerate.core.patterns import lazy
from truerate.core.text import normalise
from truerate.llm.replies import headings, structured
from truerate.llm.replies.blocks import MAX_HEAD, flat, plain
from truerate.llm.replies.cutting import opened
from truerate.llm.replies.matching import match, phrases, words_of
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.texts.extraction import Form, text_of

Noun = Literal["Answer", "Response", "Summary"]
CORRECTED = ("Refined", "Corrected", "Revised", "Rewritten")
SHORT = 2  # words of the question that may stand before a right text without a verb, or behind it
_ITEMS = lazy(r"^[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]", re.MULTILINE)
_IS = ("is", "was", "are", "were")
# words right before a right text that make it the answer
_BEFORE_RIGHT = frozenset((*_IS, "be", "named", "called", "by", "in", "on", "at", "from"))
_PARTICIPLES = {
    "wrote": "written", "write": "written", "sang": "sung", "sing": "sung", "drew": "drawn", "take": "taken",
    "took": "taken", "make": "made", "build": "built", "win": "won", "begin": "began", "hold": "held",
    "sell": "sold", "find": "found", "grow": "grew",
}  # fmt: skip


def written(
    text: str,
    noun: Noun,
    *,
    kinds: Sequence[str] = ("Hallucinated",),
    cue: str | None = None,
    needs_heading: bool = False,
    may_list: bool = False,
) -> Parsed:
    """The text that a reply gives, cleaned, or None with `thought_only`, `empty`, `refusal`, `no-answer`,
    `ambiguous`, or `absent` where it `needs_heading` and has none.

    `kinds` are the words before the noun in the prompt's heading (`Hallucinated`, `Refined`), `cue` is one
    that is made otherwise. Of several answers the first is taken (cut `alternatives`); a summary may be a
    list, as may any text with `may_list`.
    """
    return text_of(text, Form(noun, tuple(kinds), cue, may_list), needs_heading=needs_heading)


def refined(text: str, noun: Noun, original: str) -> Parsed:
    """The corrected text that a reply gives; `unchanged` where it gives the text as it was or says that
    nothing is to be corrected.
    """
    result = text_of(text, Form(noun, CORRECTED, may_list=len(_ITEMS.findall(original)) > 1))
    value = result.value
    if value is None and result.reason in ("no-answer", "ambiguous"):
        value = flat(opened(plain(text)).text)
    is_same = value is not None and normalise(value) == normalise(original)
    if is_same or value and match("unchanged", words_of(flat(value)[:MAX_HEAD])) is not None:
        return Parsed(None, "unchanged", result.cuts)
    return result


def closed_word(text: str, heading: str, names: Sequence[str]) -> str | None:
    """The one of a few names that stands under a heading, or under that name in JSON; None where none or
    several do.
    """
    answer = opened(text).text
    by_name = dict(reversed(structured.pairs(answer) or []))
    stated = str(by_name.get(structured.name_key(heading), ""))
    if not stated and (cues := headings.find(answer, heading)):
        stated = answer[cues[0].end :].lstrip().partition("\n")[0]
    bare = stated.casefold().strip(" .`*\"'_#“”")
    named = [name for name in names if re.search(rf"(?<![\w-]){re.escape(name.casefold())}(?![\w-])", bare)]
    leading = [name for name in named if bare.startswith(name.casefold())]
    return max(leading, key=len) if leading else named[0] if len(named) == 1 else None


def restates(text: str, right: str, question: str = "") -> bool:
    """Return whether a text says the right one and no other: the right one with nothing around it but a frame
    (`That would be …`) and words of the question, and without negation.

    Behind the right one, or before it with `is`, `was` … in between, or there with a word or two of the
    question behind it; elsewhere another answer may be meant. Case, articles and punctuation do not count
    (`core.text.normalise`).
    """
    plain_text, wanted = normalise(text.replace("’", "'")), normalise(right)
    if not plain_text or not wanted:
        return False
    if plain_text == wanted or _linked(plain_text) == _linked(wanted):
        return True
    if any(word in phrases("NEGATIONS") or word.endswith("n't") for word in plain_text.split()):
        return False
    spaced, is_first = f" {plain_text} ", plain_text.startswith(f"{wanted} ")
    around = spaced.partition(f" {wanted} ") if is_first else spaced.rpartition(f" {wanted} ")
    before, behind = around[0].split(), around[2].split()
    asked = {*phrases("FRAME"), *_forms(normalise(question).split())}
    if not around[1] or not all(word in asked for word in behind):
        return False
    is_framed = all(word in asked for word in before)
    if behind:
        return not before or (is_framed and before[-1] in _IS and len(behind) <= SHORT)
    first = text.split()[: len(before)]
    is_short = len(before) <= SHORT and all(word[:1].islower() or word in ("The", "A") for word in first)
    is_verb = before[-1] in _BEFORE_RIGHT or wanted.split()[0] in _BEFORE_RIGHT
    is_named = len(before) == 2 and re.match(r"\W*(?:The|Its)\s+[a-z]+\s+(?:is|was)\s", text) is not None
    return is_named or (
        is_framed and (is_short or is_verb or all(word in phrases("FRAME") for word in before))
    )


def _linked(words: str) -> list[str]:
    """The words of a text without those that link its sentences (`… in 1931 and it is free`)."""
    return [word for word in words.split() if word not in ("and", "also")]


def _forms(question: Sequence[str]) -> frozenset[str]:
    """The words of a question, and the past forms of its verbs (`open` → `opened`, `wrote` → `written`)."""
    past = [f"{word}{end}" for word in question for end in ("d", "ed") if len(word) > 2]
    return frozenset((*question, *past, *(_PARTICIPLES[word] for word in question if word in _PARTICIPLES)))
