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

    source: str
    text: str
    stems: frozenset[str]


class Grounds(NamedTuple):
    """A segment's type, the nearest sentence (None: none shares a word), and its words that stand nowhere."""

    kind: str
    nearest: Known | None
    absent: tuple[str, ...]


def known_sentences(knowledge: str, conversation: str) -> list[Known]:
    """The sentences of the knowledge and of the turns before the response, questions left out."""
    parts = (("knowledge", knowledge), ("conversation", conversation))
    return [
        Known(source, sentence, frozenset(stem for _, _, stem in _content(units(sentence), sentence)))
        for source, text in parts
        for sentence in sentences(text)
        if not sentence.endswith(("?", "？", "؟"))
    ]


def grounds(text: str, segment: tuple[int, int], sentences: Sequence[Known]) -> Grounds:
    """Return what can be counted of a segment (start, end) of a text against the sentences that are known."""
    words = units(text)
    content = _content(words, text)
    inside = [item for item in content if segment[0] <= item[0] < segment[1]]
    clause = _clause(text, words, segment)
    inside_stems = {stem for *_, stem in inside}
    around = {stem for start, _, stem in content if clause[0] <= start < clause[1]} - inside_stems
    everywhere = frozenset().union(*(item.stems for item in sentences))
    absent = dict.fromkeys(text[start:end] for start, end, stem in inside if stem not in everywhere)
    stems = around | inside_stems

    def shared(item: Known) -> tuple[int, bool]:
        return len(item.stems & stems), item.source == "knowledge"

    nearest = max(sentences, key=shared, default=None)
    if nearest is None or not nearest.stems & stems:
        return Grounds(UNVERIFIABLE, None, tuple(absent))
    is_told = _is_told(around, inside_stems, nearest.stems)
    return Grounds(CONTRADICTS if is_told else UNVERIFIABLE, nearest, tuple(absent))


def _is_told(around: Set[str], inside_stems: Set[str], there: Set[str]) -> bool:
    """Return whether a sentence tells what stands around a segment, and something else in its place."""
    numbers = {stem for stem in inside_stems - there if any(map(str.isdigit, stem))}
    others = {stem for stem in there - around - inside_stems if any(map(str.isdigit, stem))}
    n_shared = len(around & there)
    is_near = n_shared >= N_SHARED and n_shared >= SHARE * len(around)
    return is_near and not inside_stems <= there and (not numbers or bool(others))


def _clause(text: str, words: Units, segment: tuple[int, int]) -> tuple[int, int]:
    """Start and end of the clause around a segment; of its sentences, where it holds few words besides."""
    offsets = words.offsets.tolist()
    numbered = list(zip(words.sentences.tolist(), offsets, strict=True))
    numbers = {n for n, (start, _) in numbered if segment[0] <= start < segment[1]}
    whole = [offset for n, offset in numbered if n in numbers]
    if not whole:
        return segment
    first, last = whole[0][0], whole[-1][1]
    cuts = [cut for cut in _PARTED.finditer(text, first, last) if not _is_in_number(text, cut.start())]
    start = max((cut.end() for cut in cuts if cut.end() <= segment[0]), default=first)
    end = min((cut.start() for cut in cuts if cut.start() >= segment[1]), default=last)
    beside = [a for a, _ in offsets if start <= a < end and not segment[0] <= a < segment[1]]
    return (start, end) if len(beside) >= N_ALONE else (first, last)


def _is_in_number(text: str, position: int) -> bool:
    return text[position - 1 : position].isdigit() and text[position + 1 : position + 2].isdigit()


def composed(text: str, segments: Sequence[tuple[tuple[int, int], Grounds]]) -> str:
    """One sentence per segment of a text, at most N_SEGMENTS of them."""
    if not segments:
        return "No word of the response could be named."
    sentences = [_reason(text, segment, why) for segment, why in segments[:N_SEGMENTS]]
    more = len(segments) - len(sentences)
    rest = [f"{more} more {'segment' if more == 1 else 'segments'}."] if more else []
    return " ".join([*sentences, *rest])


def _reason(text: str, segment: tuple[int, int], why: Grounds) -> str:
    begin, nearest = f"The segment {_quoted(text[segment[0] : segment[1]])}", why.nearest
    if nearest is None:
        because = "no sentence of the knowledge or the conversation shares a word with it"
    else:
        because = "neither the knowledge nor the conversation says so; the nearest sentence is "
        because += _quoted(nearest.text)
    reason = f"cannot be verified because {because}"
    if nearest is not None and why.kind == CONTRADICTS:
        reason = f"seems to contradict the {nearest.source} because it says {_quoted(nearest.text)}"
    if not why.absent:
        return f"{begin} {reason}."
    named = ", ".join(map(_quoted, why.absent[:N_WORDS])) + (", …" if len(why.absent) > N_WORDS else "")
    return f"{begin} {reason}; {named} {'stands' if len(why.absent) == 1 else 'stand'} in neither."


def _quoted(text: str) -> str:
    return '"' + " ".join(text.split()).replace('"', "'") + '"'


def _content(words: Units, text: str) -> list[tuple[int, int, str]]:
    """Start, end and stem of content words: four letters, a digit, a name, or a lone character."""
    content = []
    for i, (start, end) in enumerate(words.offsets.tolist()):
        key = words.keys[i]
        is_name = text[start].isupper() and i > 0 and words.sentences[i] == words.sentences[i - 1]
        if words.is_single[i] or len(key) >= 4 or any(map(str.isdigit, key)) or (is_name and len(key) > 1):
            content.append((start, end, words.stems[i]))
    return content
