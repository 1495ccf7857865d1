"""Passages that come back with tags in them: what wraps them, and tags in other spellings.

A reply is cut in steps, the least first (`readings`); whoever asked knows the text that was given, and takes
the first reading that keeps its rules. So nothing is cut on a guess: what is taken is the text that was
given, with its tags. A part of a reply that holds a closed tag is never cut off.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies import structured
from truerate.llm.replies.cutting import bare, fence, opened, quotes, unblocked
from truerate.llm.replies.headings import find
from truerate.llm.replies.reading import joined

MAX_OPENING = 400  # characters in which the first words of a text are sought
MAX_BEFORE, MAX_BEHIND = 3, 6  # lines that may be cut off at either end
_FENCE = lazy(r"[ \t]*(`{3,}|~{3,})[^\n`]{0,40}")
_LABEL = lazy(r"\A[\s*_#>`]{0,20}[^\W\d][\w '’()-]{0,60}[*_`]*[:：][*_`]*\s*")
_PREAMBLE = lazy(r"\A[^\n<>.!?]{1,120}(?:[.!][^\n<>]{1,120})?[:：][*_]*\s*\n")


class Reading(NamedTuple):
    """One reading of a reply, and the kinds of `reading.CUTS` that were cut for it."""

    text: str
    cuts: tuple[str, ...]


def readings(reply: str, tags: Sequence[str], *headings: str) -> Iterator[Reading]:
    """The readings of a reply, the least cut first, each once. `tags` are the names that tags may have,
    `headings` those that may stand above the passage.
    """
    visited: set[str] = set()
    for text, cuts in _cores(reply, headings):
        for spelled, more in _spellings(text, tags):
            for trimmed, last in _trimmed(spelled):
                if trimmed not in visited:
                    visited.add(trimmed)
                    yield Reading(trimmed, joined(cuts, more, last))


def plain_passage(reply: str, *headings: str, tags: Sequence[str] = ()) -> Reading:
    """A passage of which no given text is known: without its heading, what wraps all of it, and a line before
    it that announces it (`Here is the passage:`). Tags of the names `tags` stay, in their plain spelling.
    """
    answer, cuts = opened(reply)
    if result := find(answer, *headings, is_anywhere=False):
        answer, cuts = answer[result[-1].end :], joined(cuts, ("heading",))
    if tags:
        plain = with_plain_tags(answer, tags)
        answer, cuts = plain, joined(cuts, () if plain == answer else ("tags",))
    inside, more = _unwrapped(answer, has_tags=bool(tags))
    without = _PREAMBLE.sub("", inside)
    if without.strip() and without != inside:
        inside, last = _unwrapped(without, has_tags=bool(tags))
        return Reading(inside, joined(cuts, more, last, ("preamble",)))
    return Reading(inside, joined(cuts, more))


def _unwrapped(text: str, *, has_tags: bool) -> Reading:
    """A text without what encloses all of it; the tags of one element stay where tags are meant."""
    if not has_tags:
        return Reading(*bare(text))
    inside, cuts = fence(text)
    inside, more = quotes(inside)
    return Reading(inside, joined(cuts, more))


def with_plain_tags(text: str, tags: Sequence[str]) -> str:
    """A text whose tags of these names stand in small letters, without attributes and blanks."""
    return _tags(tuple(tags)).sub(lambda tag: f"<{tag[1]}{tag[2].lower()}>", text)


@lru_cache(maxsize=32)
def _tags(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"<\s*(/?)\s*({'|'.join(map(re.escape, names))})(?:\s[^<>]*)?\s*>", re.IGNORECASE)


def _cores(reply: str, headings: Sequence[str]) -> Iterator[Reading]:
    """The reply without thought and special tokens; behind its heading; inside its fence; without what else
    encloses it; the one string of its JSON.
    """
    answer, cuts = opened(reply)
    answer, more = unblocked(answer)
    cuts = joined(cuts, more)
    parts = [Reading(answer, cuts)]
    if result := find(answer, *headings):
        parts.insert(0, Reading(answer[result[-1].end :].strip(), joined(cuts, ("heading",))))
    for text, some in list(parts):
        blocks = _blocks(text)
        if len(blocks) == 1:
            parts.append(Reading(blocks[0], joined(some, ("fence",))))
        inside, more = bare(text)
        parts.append(Reading(inside, joined(some, more)))
        if not inside.startswith("{"):
            continue
        named = [value for _, value in structured.pairs(inside) or () if isinstance(value, str)]
        if len(named) == 1:
            parts.append(Reading(named[0], joined(some, ("json",))))
    yield from parts


def _blocks(text: str) -> list[str]:
    """What stands in the fences of a text that close: between a line that opens one and the next with the
    same mark alone.
    """
    lines = text.split("\n")
    marks = [line.strip(" \t") if "``" in line or "~~" in line else "" for line in lines]
    left = Counter(marks)  # from here on: an opening mark that nothing closes is not sought again
    result: list[str] = []
    opening: str | None = None
    start = 0
    for at, line in enumerate(lines):
        left[marks[at]] -= 1
        if opening is not None and marks[at] == opening:
            result += ["\n".join(lines[start:at]).strip()] if at > start else []
            opening = None
        elif opening is None and marks[at] and (fence := _FENCE.fullmatch(line)) and left[fence[1]]:
            opening, start = fence[1], at + 1
    return result


def _spellings(text: str, tags: Sequence[str]) -> Iterator[Reading]:
    """A text with its tags in their plain spelling; where they came entity-encoded, these alone decoded, and
    then all of it.
    """
    plain = with_plain_tags(text, tags)
    yield Reading(plain, () if plain == text else ("tags",))
    if "&lt;" in text:
        names = "|".join(map(re.escape, tags))
        decoded = re.sub(rf"&lt;(\s*/?\s*(?:{names})(?:\s[^<>&]*)?)&gt;", r"<\1>", text, flags=re.IGNORECASE)
        yield Reading(with_plain_tags(decoded, tags), ("tags",))
        yield Reading(with_plain_tags(html.unescape(text), tags), ("tags",))


def _trimmed(text: str) -> Iterator[Reading]:
    """A text as it is, then without a label before it, lines before it, lines behind it, or both."""
    yield Reading(text, ())
    lines = text.split("\n")
    n_before = [n for n in range(min(MAX_BEFORE, len(lines) - 1) + 1) if _may_go(lines[:n])]
    n_behind = [n for n in range(min(MAX_BEHIND, len(lines) - 1) + 1) if _may_go(lines[len(lines) - n :])]
    for before in n_before:
        for behind in n_behind:
            if before + behind >= len(lines):
                continue
            kept = "\n".join(lines[before : len(lines) - behind]).strip()
            if _opens_alike(kept, "\n".join(lines[len(lines) - behind :])):
                continue  # another copy of the text stands behind: which of them is meant cannot be told
            cuts = (("preamble",) if before else ()) + (("explanation",) if behind else ())
            yield Reading(kept, cuts)
            inside, more = bare(kept)
            yield Reading(inside, joined(cuts, more))
            unlabelled = _LABEL.sub("", kept)
            if unlabelled != kept:
                yield Reading(bare(unlabelled).text, joined(cuts, ("heading",)))


def _opens_alike(text: str, behind: str) -> bool:
    """Whether what stands behind a text holds its first words without their tags."""
    opening = "".join(re.sub(r"<[^<>]*>|[*_`]", "", text[:MAX_OPENING]).split())[:16]
    return bool(opening) and opening in "".join(re.sub(r"[*_`]", "", behind).split())


def _may_go(lines: Sequence[str]) -> bool:
    """Whether lines hold no closed tag."""
    return not any("</" in line or "&lt;/" in line for line in lines)
