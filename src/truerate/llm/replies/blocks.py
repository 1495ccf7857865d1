"""Part a reply into blocks (paragraphs, and lines that are a form of their own), and tell by their labels
what they are.

A line break within a block is a blank and nothing else (`flat`), so that a sentence reads alike however its
lines are broken.
"""

from collections.abc import Sequence
from functools import lru_cache
from re import IGNORECASE, MULTILINE
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies import structured
from truerate.llm.replies.cutting import bare, is_rule, opened, unblocked, unemphasised, visible
from truerate.llm.replies.matching import all_of, has, match, phrases, words_of
from truerate.llm.replies.reading import joined

MAX_HEAD = 240  # characters of a block that are looked at for what it is
MAX_LABEL = 70  # characters of a label
MAX_TEXT = (
    40_000  # characters of a text that was asked for; the longest that a prompt asks for has about 20,000
)
MAX_BLOCKS, MAX_LINES = 100, 300  # that are told apart
_BLANKS = lazy(r"[^\S\n]+")
_SAME_LINES = lazy(r"([^\n]{0,12}\n)\1{8,}")  # as where a model falls into repeating them
_MARK_ALONE = lazy(r"^ ?(#{1,6}|[-*•–]|\d{1,2}[.)]) ?\n(?=[^\s#*-])", MULTILINE)
_EMPHASISED = lazy(r"^[ \t]*(\*\*|__)(?!\s)([^*_\n]{1,60}?)[ :：]*\1[ \t:：]*$", MULTILINE)
_FORM = lazy(
    r" *(?:#|>|\||`{3}|~{3}|[-=*_]{3}|[-*•–] |\(?\d{1,2}[.)] |</?\w|[{}\[\]]|\\|\((?:user|human"
    r"|assistant)\))",
    IGNORECASE,
)
_MARKS = lazy(r"[\s*_#>`\[【（(\-•~⚠\ufe0f]*")
_SIGN = lazy(r"[\s*_#`\]】]*(?:[:：→]|=>|->|[ ][-–—=](?=\s))[ *_]*`?(?!``)[ *_]*")
_SIGNS = (":", "：", "→", "=>", "->", " - ", " – ", " — ", " = ", "#", "\n")


class Label(NamedTuple):
    """The head of a block: its words, where its text begins, and whether hashes or brackets set it off."""

    words: tuple[str, ...]
    end: int
    is_marked: bool

    @property
    def is_part(self) -> bool:
        """Whether it names the text, material of a prompt, a speaker, or what explains a text."""
        return _names_part(self.words)


class Block(NamedTuple):
    """A paragraph of a reply, or a line of it that is a form of its own, and where it begins."""

    start: int
    text: str

    @property
    def head(self) -> tuple[str, ...]:
        """The words of its beginning, without marks before them."""
        return words_of(self.text[marks_end(self.text) :][:MAX_HEAD])

    @property
    def label(self) -> Label | None:
        """The label that it begins with."""
        return label_of(self.text)


def marks_end(text: str) -> int:
    """Return where the marks before the first word of a text end."""
    marks = _MARKS.match(text)
    return marks.end() if marks else 0


def has_words(text: str) -> bool:
    """Return whether a letter or a digit stands in a text."""
    return any(map(str.isalnum, text))


def names_text(names: Sequence[str]) -> bool:
    """Return whether words name the text that is asked for and nothing else: `(The) (hallucinated) answer
    (1)`.
    """
    kept = [name for name in names if name.isalnum() and not name.isdecimal()]
    return 0 < len(kept) <= 6 and all_of("LABEL", kept) and has("NOUN", kept)


def names_material(names: Sequence[str]) -> bool:
    """Return whether words name what a prompt gives: `Question`, `Dialogue History`."""
    return " ".join(name for name in names if name.isalnum()) in phrases("HEADS")


@lru_cache(maxsize=4096)
def _names_part(names: tuple[str, ...]) -> bool:
    is_listed = " ".join(names) in (*phrases("SEGMENTS"), *phrases("SPEAKERS"))
    return (
        is_listed or names_text(names) or names_material(names) or match("heads", (*names, ":")) is not None
    )


@lru_cache(maxsize=4096)
def label_of(line: str) -> Label | None:
    """The label that a line begins with: up to eight words and a colon, an arrow or a dash, or hashes around
    them; None without one.
    """
    start = marks_end(line)
    marks, head = line[:start], line[start : start + MAX_LABEL]
    stops = [
        at
        for sign in _SIGNS
        if (at := head.find(sign)) >= 0 and not (sign == "#" and head[at + 1 : at + 2].isdigit())
    ]
    at = min(stops, default=len(head))
    names = words_of(head[:at].partition("(")[0].strip(" *_`[]【】"))
    is_none = "(" in marks or ("#" not in marks and not stops) or head[at : at + 1] == "\n"
    if is_none or not 0 < len(names) <= 8:
        return None
    if sign := _SIGN.match(line, start + at):
        end = sign.end()
    else:
        is_alone = start + at >= len(line.rstrip())
        end = len(line) if is_alone else len(line) - len(line[start + at :].lstrip("# *_`"))
    return Label(names, end, any(mark in marks for mark in "#[【"))


def blocks_of(text: str) -> list[Block]:
    """The blocks of a text: a paragraph is one, and so is a line that begins a form of its own or is headed
    by a label of a part. Behind MAX_BLOCKS of them or MAX_LINES lines all is one.
    """
    blocks: list[Block] = []
    is_open, position, above = False, 0, ""
    for n, line in enumerate(text.split("\n")):
        start, stripped = position + len(line) - len(line.lstrip()), line.strip()
        position += len(line) + 1
        if not stripped:
            is_open = False
            continue
        if len(blocks) >= MAX_BLOCKS or n >= MAX_LINES:
            return [*blocks, Block(start, text[start:].rstrip())]
        is_form = _FORM.match(line) is not None
        label = label_of(stripped) if is_form or not stripped[0].islower() or not blocks else None
        # not where the label goes on from the line above: `Wrong⏎Summary:`
        is_label = label is not None and label.is_part and not (is_open and all_of("LABEL", words_of(above)))
        if is_open and not is_form and not is_label:
            blocks[-1] = Block(blocks[-1].start, text[blocks[-1].start : start + len(stripped)])
        else:
            blocks.append(Block(start, stripped))
        above = stripped[:MAX_HEAD]
        is_alone = (
            label is not None and is_label and label.end >= len(stripped) and label.words != ("pattern",)
        )
        is_fence = stripped[:3] in ("```", "~~~") and " " not in stripped
        announces = not is_label and stripped.endswith((":", "："))
        is_speaker = stripped.casefold() in ("assistant", "model")
        is_open = not (is_alone or is_fence or announces or is_speaker or is_rule(stripped))
    return blocks


def plain(text: str) -> str:
    """A reply with single blanks, without marks of emphasis around its words and without repeated short
    lines; a line that is emphasised as a whole is a heading if it names a part.
    """
    shown = _MARK_ALONE.sub(r"\1 ", _SAME_LINES.sub(r"\1\1", _BLANKS.sub(" ", visible(text))))
    if "**" in shown or "__" in shown:
        shown = _EMPHASISED.sub(lambda line: f"{line[2]}:" if _is_short_part(line[2]) else line[0], shown)
    return unemphasised(shown)


def _is_short_part(text: str) -> bool:
    names = words_of(text)
    return len(names) <= 5 and _names_part(names)


def flat(text: str) -> str:
    """A text with a blank for each line break within its blocks."""
    if text.startswith(("{", "[{", '["')):
        return text.replace("\n", " ")
    signs = list(text)
    for block in blocks_of(text):
        for at in range(block.start, block.start + len(block.text)):
            signs[at] = " " if signs[at] == "\n" else signs[at]
    return "".join(signs)


def with_lines(value: str, flat_text: str, text: str) -> str:
    """A part of a flat text with the line breaks of the text."""
    at = flat_text.find(value)
    return text[at : at + len(value)] if at >= 0 else value


def unwrapped_text(reply: str) -> tuple[str, str, tuple[str, ...]]:
    """A reply without what encloses all of it, the same flat, and what was cut."""
    answer, cuts = opened(reply, MAX_TEXT)
    answer = plain(answer).strip()
    inside, more = bare(structured.unboxed(answer))
    inside, block = unblocked(inside)
    return inside, flat(inside), joined(cuts, more, block)
