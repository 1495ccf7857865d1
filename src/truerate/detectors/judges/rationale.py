"""The reason of a judgement, composed: no model writes it, so it says nothing but what can be counted.

For each segment it names the sentence of the knowledge or of the conversation that shares most words with
what is said, and the words of the segment that stand in neither. A segment *seems to contradict* where the
clause around it is told there nearly word by word and the segment is not, and a number where another number
stands there in its place; else it *cannot be verified*.
"""

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from truerate.core.text import sentences
from truerate.detectors.tokens.features import Units, units

CONTRADICTS, UNVERIFIABLE = "contradictory", "unverifiable"  # types of a span, as FAVA names them
N_SEGMENTS, N_WORDS = 3, 5  # as many are told of; the others are counted
N_SHARED = 2  # words around a segment that a sentence must share to speak of the same thing
SHARE = 0.75  # of the words around it
N_ALONE = 3  # words beside a segment that make the clause around it one that says something of its own
_PARTED = re.compile(r"[,;:()–—、，；：]\s*")  # between clauses, but not within a number


class Known(NamedTuple):
    """A sentence that a response is held against: where it stands, its text, and the stems of its words."""

    place: str
    text: str
    stems: frozenset[str]


class Grounds(NamedTuple):
    """What one segment rests on: its type, the nearest sentence (None: none shares a word), and its words
    that stand nowhere.
    """

    kind: str
    nearest: Known | None
    absent: tuple[str, ...]


def known_sentences(knowledge: str, conversation: str) -> list[Known]:
    """The sentences of the knowledge and of the turns before the response, in this order; questions state
    nothing and are left out.
    """
    parts = (("knowledge", knowledge), ("conversation", conversation))
    return [
        Known(place, sentence, frozenset(stem for _, _, stem in _content(units(sentence), sentence)))
        for place, text in parts
        for sentence in sentences(text)
        if not sentence.endswith(("?", "？", "؟"))
    ]


def grounds(text: str, segment: tuple[int, int], known: Sequence[Known]) -> Grounds:
    """What can be counted of a segment (start, end) of a text against the sentences that are known."""
    said = units(text)
    content = _content(said, text)
    inside = [one for one in content if segment[0] <= one[0] < segment[1]]
    clause = _clause(text, said, segment)
    own = {stem for *_, stem in inside}
    around = {stem for start, _, stem in content if clause[0] <= start < clause[1]} - own
    everywhere = frozenset().union(*(one.stems for one in known))
    absent = dict.fromkeys(text[start:end] for start, end, stem in inside if stem not in everywhere)
    nearest = max(
        known, key=lambda one: (len(one.stems & (around | own)), one.place == "knowledge"), default=None
    )
    if nearest is None or not nearest.stems & (around | own):
        return Grounds(UNVERIFIABLE, None, tuple(absent))
    is_told = _is_told(around, own, nearest.stems)
    return Grounds(CONTRADICTS if is_told else UNVERIFIABLE, nearest, tuple(absent))


def _is_told(around: Set[str], own: Set[str], there: Set[str]) -> bool:
    """Whether a sentence tells what stands around a segment, and something else in its place."""
    numbers = {stem for stem in own - there if any(map(str.isdigit, stem))}
    others = {stem for stem in there - around - own if any(map(str.isdigit, stem))}
    n_shared = len(around & there)
    is_near = n_shared >= N_SHARED and n_shared >= SHARE * len(around)
    return is_near and not own <= there and (not numbers or bool(others))


def _clause(text: str, said: Units, segment: tuple[int, int]) -> tuple[int, int]:
    """Start and end of the clause around a segment; of its sentences, where it holds few words besides."""
    offsets = said.offsets.tolist()
    numbers = {
        n
        for n, (start, _) in zip(said.sentences.tolist(), offsets, strict=True)
        if segment[0] <= start < segment[1]
    }
    whole = [place for n, place in zip(said.sentences.tolist(), offsets, strict=True) if n in numbers]
    if not whole:
        return segment
    first, last = whole[0][0], whole[-1][1]
    cuts = [cut for cut in _PARTED.finditer(text, first, last) if not _is_in_number(text, cut.start())]
    start = max((cut.end() for cut in cuts if cut.end() <= segment[0]), default=first)
    end = min((cut.start() for cut in cuts if cut.start() >= segment[1]), default=last)
    beside = [a for a, _ in offsets if start <= a < end and not segment[0] <= a < segment[1]]
    return (start, end) if len(beside) >= N_ALONE else (first, last)


def _is_in_number(text: str, place: int) -> bool:
    return text[place - 1 : place].isdigit() and text[place + 1 : place + 2].isdigit()


def composed(text: str, found: Sequence[tuple[tuple[int, int], Grounds]]) -> str:
    """One sentence per segment of a text, at most N_SEGMENTS of them; a text without a segment has a reason
    too: no word of it could be named.
    """
    if not found:
        return "No word of the response could be named."
    told = [_reason(text, segment, why) for segment, why in found[:N_SEGMENTS]]
    more = len(found) - len(told)
    return " ".join([*told, *([f"{more} more {'segment' if more == 1 else 'segments'}."] if more else [])])


def _reason(text: str, segment: tuple[int, int], why: Grounds) -> str:
    begin, told = f"The segment {_quoted(text[segment[0] : segment[1]])}", why.nearest
    if told is None:
        because = "no sentence of the knowledge or the conversation shares a word with it"
    else:
        because = f"neither the knowledge nor the conversation says so; the nearest sentence is {_quoted(told.text)}"
    reason = f"cannot be verified because {because}"
    if told is not None and why.kind == CONTRADICTS:
        reason = f"seems to contradict the {told.place} because it says {_quoted(told.text)}"
    return f"{begin} {reason}; {_absent(why.absent)}." if why.absent else f"{begin} {reason}."


def _absent(words: Sequence[str]) -> str:
    named = ", ".join(map(_quoted, words[:N_WORDS])) + (", …" if len(words) > N_WORDS else "")
    return f"{named} {'stands' if len(words) == 1 else 'stand'} in neither"


def _quoted(text: str) -> str:
    return '"' + " ".join(text.split()).replace('"', "'") + '"'


def _content(said: Units, text: str) -> list[tuple[int, int, str]]:
    """Start, end and stem of the words that carry content: of four letters on, with a digit, or with a capital
    inside a sentence; a lone character of a script without spaces.
    """
    content = []
    for i, (start, end) in enumerate(said.offsets.tolist()):
        key = said.keys[i]
        is_name = text[start].isupper() and i > 0 and said.sentences[i] == said.sentences[i - 1]
        if said.is_single[i] or len(key) >= 4 or any(map(str.isdigit, key)) or (is_name and len(key) > 1):
            content.append((start, end, said.stems[i]))
    return content
