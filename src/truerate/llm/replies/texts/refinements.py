"""Read texts that were to be corrected: the corrected one, or that nothing was to be changed."""

import re

from truerate.core.text import normalise
from truerate.llm.replies.blocks import MAX_HEAD, flat, plain
from truerate.llm.replies.cutting import opened
from truerate.llm.replies.matching import match, words_of
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.texts.candidates import Noun
from truerate.llm.replies.texts.extraction import Form, text_of

_ITEMS = re.compile(r"^[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]", re.MULTILINE)
KINDS = ("Refined", "Corrected", "Revised", "Rewritten")


def refined(text: str, noun: Noun, original: str) -> Parsed:
    """The corrected text that a reply gives; `unchanged` where it gives the text as it was or says that
    nothing is to be corrected.
    """
    form = Form(noun, KINDS, may_list=len(_ITEMS.findall(original)) > 1)
    result = text_of(text, form)
    value = result.value
    if value is None and result.reason in ("no-answer", "ambiguous"):
        value = flat(opened(plain(text)).text)
    if value and (
        normalise(value) == normalise(original)
        or match("unchanged", words_of(flat(value)[:MAX_HEAD])) is not None
    ):
        return Parsed(None, "unchanged", result.cuts)
    return result
