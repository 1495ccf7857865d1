"""Passages that come back with tags in them: what wraps them, and tags in other spellings.

A reply is cut in steps, the least first (`readings`); whoever asked knows the text that was given, and takes
the first reading that keeps its rules. So nothing is cut on a guess: what is taken is the text that was
given, with its tags. A part of a reply that holds a closed tag is never cut off.
"""

import html
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies import structured
from truerate.llm.replies.blocks import label_of
from truerate.llm.replies.cutting import bare, fence, opened, quotes, unblocked, unfenced
from truerate.llm.replies.headings import find
from truerate.llm.replies.matching import words_of
from truerate.llm.replies.reading import joined
from truerate.llm.replies.texts.extraction import explains

MAX_OPENING = 400  # characters in which the first words of a text are sought
MAX_BEFORE, MAX_BEHIND = 3, 6  # lines that may be cut off at either end
_LABEL = lazy(r"\A[\s*_#>`]{0,20}[^\W\d][\w '’()-]{0,60}[*_`]*[:：][*_`]*\s*")
_PREAMBLE = lazy(r"\A[^\n<>.!?]{1,120}(?:[.!][^\n<>]{1,120})?[:：][*_]*\s*\n")
_TAG_OR_MARK = lazy(r"<[^<>]*>|[*_`\s]+")


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
        for spelled in _spellings(text, tags):
            for trimmed, last in _trimmed(spelled):
                if trimmed not in visited:
                    visited.add(trimmed)
                    yield Reading(trimmed, joined(cuts, ("tags",) if spelled != text else (), last))


def plain_passage(reply: str, *headings: str, tags: Sequence[str] = ()) -> Reading:
    """A passage of which no given text is known: without its heading, what wraps all of it, and a line before
    it that announces it (`Here is the passage:`). Tags of the names `tags` stay, in their plain spelling.
    """
    answer, cuts = opened(reply)
    if cues := find(answer, *headings, is_anywhere=False):
        answer, cuts = answer[cues[-1].end :], joined(cuts, ("heading",))
    if tags and (spelled := with_plain_tags(answer, tags)) != answer:
        answer, cuts = spelled, joined(cuts, ("tags",))
    inside, more = _unwrapped(answer, has_tags=bool(tags))
    without = _PREAMBLE.sub("", inside)
    if without.strip() and without != inside:
        inside, last = _unwrapped(without, has_tags=bool(tags))
        more = joined(more, last, ("preamble",))
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
    """The reply without thought and special tokens; behind its heading; of each also without fences and what
    else encloses it, and the one string of its JSON.
    """
    answer, cuts = opened(reply)
    answer, more = unblocked(answer)
    parts = [Reading(answer, joined(cuts, more))]
    if cues := find(answer, *headings):
        parts.insert(0, Reading(answer[cues[-1].end :].strip(), joined(cuts, more, ("heading",))))
    yield from parts
    for text, some in parts:
        inside, more = bare(text)
        yield Reading(*unfenced(text)._replace(cuts=joined(some, ("fence",))))
        yield Reading(inside, joined(some, more))
        named = [value for _, value in structured.pairs(inside) or ()] if inside.startswith("{") else []
        if len(named) == 1 and isinstance(named[0], str):
            yield Reading(named[0], joined(some, ("json",)))


def _spellings(text: str, tags: Sequence[str]) -> Iterator[str]:
    """A text with its tags in their plain spelling; where they came entity-encoded, these alone decoded, and
    then all of it.
    """
    yield with_plain_tags(text, tags)
    if "&lt;" in text:
        names = "|".join(map(re.escape, tags))
        decoded = re.sub(rf"&lt;(\s*/?\s*(?:{names})(?:\s[^<>&]*)?)&gt;", r"<\1>", text, flags=re.IGNORECASE)
        yield with_plain_tags(decoded, tags)
        yield with_plain_tags(html.unescape(text), tags)


def _trimmed(text: str) -> Iterator[Reading]:
    """A text as it is, then without a label before it, lines before it, lines behind it, or both."""
    yield Reading(text, ())
    lines = text.split("\n")
    holds_tag = ["</" in line or "&lt;/" in line for line in lines]
    for before in range(MAX_BEFORE + 1):
        for behind in range(MAX_BEHIND + 1):
            end = len(lines) - behind
            if before >= end or any(holds_tag[:before]) or any(holds_tag[end:]):
                continue
            if (
                before
                and not _parts(lines[before - 1], lines[before])
                or behind
                and not _parts(lines[end - 1], lines[end])
            ):
                continue
            kept = "\n".join(lines[before:end]).strip()
            opening = _TAG_OR_MARK.sub("", kept[:MAX_OPENING])[:16]
            if opening and opening in _TAG_OR_MARK.sub("", "\n".join(lines[end:])):
                continue  # another copy of the text stands behind: which of them is meant cannot be told
            cuts = (("preamble",) if before else ()) + (("explanation",) if behind else ())
            yield Reading(kept, cuts)
            inside, more = bare(kept)
            yield Reading(inside, joined(cuts, more))
            if (unlabelled := _LABEL.sub("", kept)) != kept:
                yield Reading(bare(unlabelled).text, joined(cuts, ("heading",)))


def _parts(above: str, line: str) -> bool:
    """Return whether two lines are of different paragraphs: a blank one, an announcement, a fence or words
    about the text.
    """
    is_parted = not above.strip() or not line.strip() or above.rstrip(" *_").endswith((":", "："))
    return is_parted or "``" in above + line or explains(words_of(line)) or label_of(line) is not None
