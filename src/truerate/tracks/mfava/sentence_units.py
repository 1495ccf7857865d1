"""A tagged text cut into what a translation model takes at a time: sentences, none of them inside a tag."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from truerate.core.tags import TYPES
from truerate.core.text import sentences

_TAGS = re.compile(rf"<(/?)({'|'.join((*TYPES, 'delete', 'mark'))})>")


class Unit(NamedTuple):
    """A piece of a text, and the blank space behind it."""

    text: str
    gap: str


def units(marked: str) -> list[Unit]:
    """The sentences of a text with its tags, in order; sentences that one tag spans are one unit. Joined with
    their gaps they are the text, blank space at its ends left out.
    """
    found: list[Unit] = []
    start = 0
    for end in _ends(marked):
        if not _is_open(marked[start:end]) or end == len(marked):
            piece = marked[start:end]
            behind = piece[len(piece.rstrip()) :]
            found += [Unit(piece.strip(), behind)] if piece.strip() else []
            start = end
    return found


def _ends(marked: str) -> list[int]:
    """Where sentences end in a text with tags, the blank space behind them left in: found in the text without
    tags, a tag that closes there being part of the sentence.
    """
    tags = list(_TAGS.finditer(marked))
    plain = _TAGS.sub("", marked)
    ends, position = [], 0
    for sentence in sentences(plain):
        position = plain.index(sentence, position) + len(sentence)
        place = position
        for tag in tags:  # what stands before a place in the text with its tags
            is_before = tag.start() < place or (tag.start() == place and tag[1])
            place += len(tag[0]) if is_before else 0
        place += len(marked[place:]) - len(marked[place:].lstrip())
        ends.append(place)
    return [*ends[:-1], len(marked)] if ends else [len(marked)]


def joined(translations: Sequence[str], cut: Sequence[Unit]) -> str:
    """The translations of units as one text: a blank between them, or the break that stood there."""
    pieces = []
    for said, unit in zip(translations, cut, strict=True):
        pieces += [said.strip(), unit.gap if "\n" in unit.gap else " "]
    return "".join(pieces).strip()


def _is_open(text: str) -> bool:
    """Whether a tag opens in a text and does not close there."""
    return sum(-1 if tag[1] else 1 for tag in _TAGS.finditer(text)) > 0
