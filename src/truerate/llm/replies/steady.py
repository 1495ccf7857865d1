"""Texts that read alike however their lines are broken: a reader of texts is asked twice, with the lines as they are and
with those of a paragraph as one, and a text that it reads differently is not read.
"""

import re
from collections.abc import Callable
from typing import Any, TypeVar

from truerate.core.patterns import lazy
from truerate.llm.replies.cutting import unemphasised, visible
from truerate.llm.replies.reading import Parsed

P = TypeVar("P", bound=Parsed)
_BLANKS = lazy(r"[^\S\n]+")
_SAME_LINES = lazy(r"([^\n]{0,12}\n)\1{8,}")  # as where a model falls into repeating them
# a line that begins a form of its own: a heading, an item, a row, a fence, a rule, a quotation, a tag; one that is all of it
_FORM = lazy(
    r" *(?:#|>|\||```|~~~|[-=*_]{3}|</?\w|[{}\[\]]|\$|\\|(?:\w[\w-]* )?(?:answer|response|summary|segments?|rationale|reason|"
    r"explanation|pattern|note|original|corrected|refined|paraphrase)(?: \d)? ?[:：])",
    re.I,
)
_ALONE = lazy(
    r" *(?:#{1,6} [^\n:]*|#[^#\n]+#+ *[:：]?|\|.*|```.*|~~~.*|[-=*_]{3,}|[^\w\n]*[>}\]]|[^\n]{1,80}[:：]) *"
)


def plain(text: str) -> str:
    """A reply with single blanks, without marks of emphasis around its words and without repeated short lines."""
    return unemphasised(_SAME_LINES.sub(r"\1\1", _BLANKS.sub(" ", visible(text))))


def unwrapped_paragraphs(text: str) -> str:
    """A text whose paragraphs are one line each; lines that are a form of their own stay."""
    parts: list[str] = []
    is_alone = True
    for line in text.split("\n"):
        is_blank = not line.strip()
        end = "" if not parts else "\n" if is_blank or is_alone or _FORM.match(line) else " "
        parts.append(end + line)
        is_alone = is_blank or _ALONE.fullmatch(line) is not None
    return "".join(parts)


def steady(read: Callable[[str], P], none: Callable[[P], P], text: str) -> P:
    """What a reader gives for a reply in its plain form, if it gives the same with its paragraphs on one line each; else
    `none` of what it gives.
    """
    words = plain(text)
    result = read(words)
    joined = unwrapped_paragraphs(words)
    if result.value is None or joined == words:
        return result
    return result if _levelled(read(joined)) == _levelled(result) else none(result)


def _levelled(result: Parsed) -> list[Any]:
    """What is read, parts beside the value included, whatever the blanks are."""
    parts = [result.value, getattr(result, "segments_quoted", ()), getattr(result, "rationale", None)]
    return [re.sub(r"[\s*_`]+", " ", str(part).replace("\\n", " ")).strip() for part in parts]
