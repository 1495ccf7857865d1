"""Documents in pieces, as the authors of published detectors cut them, and in windows where that is not
enough: nothing of a document is left out, and a claim is never cut.

`Offsets` gives the borders of a text's tokens. Sentences are those of `core.text`, where the authors take
NLTK's: a chunk may begin a sentence earlier or later than theirs.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import regex

from truerate.core.text import LETTER, PIECE, n_words, sentences
from truerate.detectors.tokens.groups import borders, in_room

Offsets = Callable[[str], Sequence[tuple[int, int]]]
SPARE = 2  # tokens that a piece of a text may have more than it had within the text
LEAST = 8  # a window is at least an eighth of what the network sees, or the text is too long to be judged
_WORD = regex.compile(rf"{LETTER}|{PIECE}|[^\w\s]", regex.VERSION1)


class Chunker(NamedTuple):
    """How a document is cut: `rule` by its author's name, `size` in the unit of that rule."""

    rule: Literal["minicheck", "minicheck-t5", "factcg", "alignscore", "sentences"]
    size: int = 0


def chunks(document: str, chunker: Chunker, offsets: Offsets) -> list[str]:
    """The pieces of a document by a rule, in their order; none of a document without text."""
    if chunker.rule == "minicheck":
        return by_lines(document, chunker.size, lambda text: len(offsets(text)))
    if chunker.rule == "minicheck-t5":
        return by_lines(document, chunker.size, n_words)
    if chunker.rule == "factcg":
        return greedy(sentences(document), chunker.size, lambda text: len(_WORD.findall(text)), "\n")
    if chunker.rule == "alignscore":
        return by_number(document, chunker.size)
    return [sentence for sentence in sentences(document) if len(sentence) > chunker.size]


def by_lines(document: str, size: int, length: Callable[[str], int]) -> list[str]:
    """MiniCheck's chunks: sentences line by line with the line break as a piece of its own, as many as have
    no more than `size`, joined by a blank (Liyan06/MiniCheck, inference.py).
    """
    lines = [sentences(line) for line in document.split("\n")]
    parts = [part for line in lines for part in (*line, "\n")][:-1]
    joined = (chunk.replace(" \n ", "\n").strip() for chunk in greedy(parts, size, length, " "))
    return [chunk for chunk in joined if chunk]


def greedy(parts: Iterable[str], size: int, length: Callable[[str], int], joiner: str) -> list[str]:
    """Parts in their order, joined as long as their lengths sum up to no more than `size`."""
    return [joiner.join(group) for group in in_room(parts, size, length)]


def by_number(document: str, size: int) -> list[str]:
    """AlignScore's chunks: n = words // size + 1 of them are aimed at, each of max(sentences // n, 1)
    sentences (yuh-zha/AlignScore, inference.py).
    """
    parts = sentences(document)
    n = n_words(document) // size + 1
    step = max(len(parts) // n, 1)
    return [" ".join(parts[start : start + step]) for start in range(0, len(parts), step)]


def windows(text: str, room: int, offsets: Offsets) -> list[str]:
    """Overlapping pieces of at most `room` tokens; the text itself where it fits, none without tokens."""
    tokens = offsets(text) if text.strip() else []
    if len(tokens) <= room:
        return [text] if tokens else []
    cut = [text[tokens[start][0] : tokens[end - 1][1]] for start, end in borders(len(tokens), room - SPARE)]
    return [
        window for piece in cut for window in (windows(piece, room, offsets) if piece != text else [piece])
    ]


def room_beside(window: int, n_taken: int) -> int | None:
    """The tokens that a window leaves for the document where the rest takes so many; None where they are
    fewer than an eighth of it: the claim is too long to be judged, and it is never cut.
    """
    left = window - n_taken
    return left if left >= max(window // LEAST, 1) else None
