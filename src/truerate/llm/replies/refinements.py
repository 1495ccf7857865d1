"""Texts that were to be corrected: the corrected one, or that nothing was to be changed."""

import re

from truerate.core.patterns import lazy
from truerate.core.text import normalise
from truerate.llm.replies.candidates import ITEM, Noun, written
from truerate.llm.replies.cutting import opened
from truerate.llm.replies.explaining import KINDS, MADE
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.steady import steady

_UNCHANGED = lazy(
    r"\W*(?:(?:the|this|your|it)?\s*(?:original\s+|given\s+|provided\s+)?(?:answer|response|summary|text|it|"
    r"this|that|statement)?\s*(?:is|was|"
    r"looks|seems)\s+(?:already\s+|factually\s+|completely\s+|fully\s+)*"
    r"(?:correct|right|accurate|fine|faithful|supported|free\s+of\s+hallucinations?)\b[^\n]{0,100}"
    r"|(?:there\s+(?:is|are)\s+)?no(?:thing)?\s+(?:further\s+)?(?:changes?|corrections?|hallucinations?|"
    r"errors?|rewriting|refinement|revision|edits?|to\s+(?:correct|change|refine|fix|rewrite))\b[^\n]{0,80}"
    r"|(?:the|this)\s+(?:answer|response|summary|text)\s+(?:(?:does\s+not|doesn't)\s+(?:need|require|"
    r"contain)|contains\s+no)\b[^\n]{0,100}"
    r"|(?:it\s+)?(?:remains?|stays?|left)\s+(?:unchanged|as\s+it\s+(?:is|was))\W*|unchanged\W*|"
    r"(?:i\s+)?(?:made|make)\s+no\s+changes?\b[^\n]{0,80})",
    re.I,
)
# the text as it was, and below it the one that was asked for
_BESIDE_ORIGINAL = lazy(
    rf"[\s*_#>-]*original(?:\s+{MADE})?[\s*_]*:[^\n]*\n+[\s*_#>-]*{KINDS}(?:\s+{MADE})?[\s*_]*:[\s*_]*(?P<refined>\S.*)",
    re.I | re.DOTALL,
)


def refined(text: str, noun: Noun, original: str) -> Parsed:
    """The corrected text that a reply gives; `unchanged` where it gives the text as it was or says that
    nothing is to be corrected.
    """
    return steady(
        lambda words: _refined(words, noun, original),
        lambda result: Parsed(None, "ambiguous", result.cuts),
        text,
    )


def _refined(text: str, noun: Noun, original: str) -> Parsed:
    """The corrected text that a reply in its plain form gives."""
    if beside := _BESIDE_ORIGINAL.fullmatch(opened(text).text):
        text = beside["refined"]
    result = written(text, noun, kinds=("Refined",), may_list=len(ITEM.findall(original)) > 1)
    value = (
        result.value
        if result.value is not None
        else opened(text).text
        if result.reason in ("no-answer", "ambiguous")
        else ""
    )
    if value and (normalise(value) == normalise(original) or _UNCHANGED.fullmatch(value)):
        return Parsed(None, "unchanged", result.cuts)
    return result
