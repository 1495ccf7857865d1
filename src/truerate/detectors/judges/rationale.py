"""The reason of a judgement, composed: no model writes it, so it says nothing but what can be counted.

For each segment it names the sentence of the knowledge or of the conversation that shares most words with
what is said, and the words of the segment that stand in neither. A segment *seems to contradict* where the
sentence around it is told there nearly word by word and the segment is not; else it *cannot be verified*.
"""

from collections.abc import Sequence
from typing import NamedTuple

from truerate.core.text import sentences
from truerate.detectors.tokens.features import Units, units

CONTRADICTS, UNVERIFIABLE = "contradictory", "unverifiable"  # types of a span, as FAVA names them
N_SEGMENTS, N_WORDS = 3, 5  # as many are told of; the others are counted
N_SHARED = 2  # words around a segment that a sentence must share to speak of the same thing
SHARE = 0.75  # of the words around it


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
    own = {
        int(said.sentences[i])
        for i, (a, _) in enumerate(said.offsets.tolist())
        if segment[0] <= a < segment[1]
    }
    numbers = dict(zip(said.offsets[:, 0].tolist(), said.sentences.tolist(), strict=True))
    around = {stem for start, _, stem in content if numbers[start] in own} - {stem for *_, stem in inside}
    everywhere = frozenset().union(*(one.stems for one in known))
    absent = dict.fromkeys(text[start:end] for start, end, stem in inside if stem not in everywhere)
    stems = around | {stem for *_, stem in inside}
    nearest = max(known, key=lambda one: (len(one.stems & stems), one.place == "knowledge"), default=None)
    if nearest is None or not nearest.stems & stems:
        return Grounds(UNVERIFIABLE, None, tuple(absent))
    n_shared = len(around & nearest.stems)
    is_told = n_shared >= N_SHARED and n_shared >= SHARE * len(around)
    is_same = all(stem in nearest.stems for *_, stem in inside)
    return Grounds(CONTRADICTS if is_told and not is_same else UNVERIFIABLE, nearest, tuple(absent))


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
