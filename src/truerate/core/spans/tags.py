"""FAVA's tags: hallucinated pieces of a text marked by type, read strictly. What does not keep the grammar is
refused with its reason.

    <entity><delete>Paris</delete><mark>Lyon</mark></entity>     replaced (also `relation`); either order, the deleted piece may be missing
    <invented>A sentence.</invented>                             inserted (also contradictory, unverifiable, subjective)

Tags do not nest in one another, `delete` and `mark` stand only in `entity` and `relation`, and nothing else
there. The marked text is what a reader sees: deleted pieces leave it before offsets are taken. Offsets are
code points, half-open.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

REPLACED = ("entity", "relation")
INSERTED = ("contradictory", "unverifiable", "invented", "subjective")
TYPES = REPLACED + INSERTED
# Why a text is refused: nothing in it · a tag that is unknown, nested, crossed or never closed · a mark
# without text · a text outside the tags that is not the original.
REASONS = ("empty", "malformed", "empty-span", "altered")
_TAG = re.compile(r"</?[^<>\s][^<>]*>")
_PIECES = re.compile(
    r"(?:<delete>(?P<old>[^<>]*)</delete>)?\s*<mark>(?P<new>[^<>]*)</mark>\s*(?:<delete>(?P<late>[^<>]*)</delete>)?"
)


class Tagged(NamedTuple):
    """A text as a reader sees it, its spans (`start`, `end`, `type`) in order, and the text before them."""

    text: str
    spans: tuple[dict[str, Any], ...]
    original: str


class Refused(NamedTuple):
    """Why a text could not be read: one of REASONS, and where."""

    reason: str
    detail: str


def parse_tags(marked: str, *, original: str | None = None, types: Sequence[str] = TYPES) -> Tagged | Refused:
    """The text and spans of a marked text, or why it is refused. With `original` the text without insertions
    and with deletions must equal it, blank space apart. Tags outside `types` are unknown.
    """
    if not marked.strip():
        return Refused("empty", "no text")
    text, before, spans, position = "", "", [], 0
    while (tag := _TAG.search(marked, position)) is not None:
        text, before = text + marked[position : tag.start()], before + marked[position : tag.start()]
        name = tag[0][1:-1]
        if name not in types:
            return Refused("malformed", f"tag {tag[0][:40]!r} where one of {', '.join(types)} opens")
        end = marked.find(f"</{name}>", tag.end())
        if end < 0:
            return Refused("malformed", f"{tag[0]!r} is never closed")
        pieces = _pieces(name, marked[tag.end() : end])
        if pieces is None:
            return Refused("malformed", f"tags inside {tag[0]!r}")
        new, old = pieces
        if not new.strip():
            return Refused("empty-span", f"{tag[0]!r} marks nothing")
        lead = len(new) - len(new.lstrip())
        spans.append({"start": len(text) + lead, "end": len(text) + len(new.rstrip()), "type": name})
        text, before = text + new, before + old
        position = end + len(name) + 3
    text, before = text + marked[position:], before + marked[position:]
    if original is not None and _squeezed(before) != _squeezed(original):
        return Refused("altered", "the text outside the tags is not the one that was given")
    return Tagged(text, tuple(spans), before)


def _pieces(name: str, inside: str) -> tuple[str, str] | None:
    """Return what a tag shows and what it replaced; None where its inside breaks the grammar."""
    if "<" not in inside or not _TAG.search(inside):
        return inside, ""
    match = _PIECES.fullmatch(inside.strip()) if name in REPLACED else None
    if match is None or (match["old"] is not None and match["late"] is not None):
        return None
    return match["new"], match["old"] or match["late"] or ""


def _squeezed(text: str) -> str:
    """A text without blank space: languages differ in where it stands, and insertions bring their own."""
    return "".join(text.split())


def with_tags(text: str, spans: Sequence[dict[str, Any]]) -> str:
    """A text with its disjoint spans marked, as `parse_tags` reads it. Raises ValueError otherwise."""
    pieces, position = [], 0
    for span in sorted(spans, key=lambda span: (span["start"], span["end"])):
        if not position <= span["start"] < span["end"] <= len(text):
            raise ValueError(
                f"span {span['start']}–{span['end']} overlaps another or leaves the text of {len(text)} "
                "characters"
            )
        pieces += [
            text[position : span["start"]],
            f"<{span['type']}>",
            text[span["start"] : span["end"]],
            f"</{span['type']}>",
        ]
        position = span["end"]
    return "".join([*pieces, text[position:]])
