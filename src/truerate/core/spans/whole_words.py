"""Marks of a text in whole words: what a detector said of pieces of words, as a reader can take it in."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import regex

from truerate.core.text import UNSPACED

# a word is marked above it (Mu-SHROOM's rule for hard spans) unless the detector has a threshold of its own
MARKED = 0.5
SUSPECTED = 0.2  # a word is suspected above it, and told to programs alone below it
# Also letters that several of these scripts share (ー), and those of Tibetan, which puts points between
# syllables.
_UNSPACED = UNSPACED.replace(r"\p{", r"\p{scx=") + r"\p{scx=Tibetan}"
_LETTER = rf"[\p{{L}}&&[{_UNSPACED}]]\p{{M}}*"
# Letters, marks, digits and joiners of any other script; inside a word apostrophes, inside a number its
# points and commas.
_IN_WORD = rf"[[\p{{L}}\p{{M}}\p{{N}}_\u00ad\u200c\u200d]--[\p{{L}}&&[{_UNSPACED}]]]"
_INNER = r"(?<=\p{L}\p{M}*)['’ʼ](?=\p{L})|(?<=\p{N})[.,:/٫٬’'](?=\p{N})"
_UNIT = regex.compile(rf"(?V1){_LETTER}|{_IN_WORD}(?:{_IN_WORD}|{_INNER})*|\S")


def units(text: str) -> Iterator[tuple[int, int]]:
    """Places (start, end) of words, numbers, letters of unspaced scripts, and other characters, in order."""
    for match in _UNIT.finditer(text):
        yield match.span()


def whole_words(
    text: str, pieces: Sequence[Mapping[str, Any]], threshold: float = MARKED
) -> list[dict[str, Any]]:
    """The soft spans {start, end, type, p} of whole words, from a detector's spans of any cut.

    A word takes the largest p, and type, of the ordered disjoint `pieces` that touch it. Neighbours are one
    span if both are marked (p above the threshold), suspected or neither, with one type; its p is the
    largest. Punctuation at a span's ends is left out.
    """
    spans: list[dict[str, Any]] = []
    for start, end, piece in _touched(text, pieces):
        last, kind = spans[-1] if spans else None, (level(piece["p"], threshold), piece["type"])
        is_near = last is not None and not text[last["end"] : start].strip()
        if (
            last and is_near and (level(last["p"], threshold), last["type"]) == kind
        ):  # the unit goes on the span
            last |= {"end": end, "p": max(last["p"], piece["p"])}
        else:
            spans.append({"start": start, "end": end, "type": piece["type"], "p": piece["p"]})
    return [_trimmed(text, span) for span in spans]


def n_words(text: str, spans: Sequence[Mapping[str, Any]] | None = None, threshold: float = MARKED) -> int:
    """Return how many words a text has, or how many of them its marked spans hold. Punctuation is none."""
    inside = None if spans is None else [span for span in spans if span["p"] > threshold]
    return sum(
        any(character.isalnum() for character in text[start:end])
        and (inside is None or any(span["start"] <= start and end <= span["end"] for span in inside))
        for start, end in units(text)
    )


def _touched(text: str, pieces: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """Each unit that a piece touches, with the piece of the largest p, the first of equals."""
    first = 0
    for start, end in units(text):
        while first < len(pieces) and pieces[first]["end"] <= start:
            first += 1
        touching = []
        for piece in islice(pieces, first, None):
            if piece["start"] >= end:
                break
            touching.append(piece)
        if touching:
            yield start, end, max(touching, key=lambda piece: piece["p"])


def level(p: float, threshold: float = MARKED) -> int:
    """2 for a marked p, 1 for a suspected one, else 0."""
    return 2 if p > threshold else int(p > SUSPECTED)


def _trimmed(text: str, span: dict[str, Any]) -> dict[str, Any]:
    """A span without punctuation and blank space at its ends, where anything else is in it."""
    start, end = span["start"], span["end"]
    while start < end and _is_edge(text[start]):
        start += 1
    while start < end and _is_edge(text[end - 1]):
        end -= 1
    return span | {"start": start, "end": end} if start < end else span


def _is_edge(character: str) -> bool:
    is_punctuation = unicodedata.category(character).startswith("P") and character not in "%‰"
    return is_punctuation or character.isspace()


def is_unicode(text: str) -> bool:
    """Return whether a text can be written as UTF-8: false where half of a surrogate pair stands in it."""
    return not any("\ud800" <= character <= "\udfff" for character in text)
