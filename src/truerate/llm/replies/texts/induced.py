"""Read a response made wrong on purpose, with the segment that is wrong and the reason: three headed parts,
in any order.

#Induced Response#: … (or nothing but the words, where the prompt ended with the heading) #Segment#: "…"
#Rationale#: …
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.core.spans.quotes import Span, located_strings, quotations
from truerate.llm.replies import structured
from truerate.llm.replies.blocks import (
    blocks_of,
    has_words,
    names_material,
    names_text,
    unwrapped_text,
    with_lines,
)
from truerate.llm.replies.cutting import bare
from truerate.llm.replies.matching import match, phrases
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.texts.extraction import Form
from truerate.llm.replies.texts.refusals import is_refusal
from truerate.llm.replies.texts.responses import before_turns, response_in

MAX_SEGMENTS, MAX_PART = 20, 4_000  # segments that a reply names, and characters in which they are sought
KINDS = ("Induced", "Hallucinated", "New", "Modified", "Altered", "Incorrect", "Fabricated")
_INLINE = lazy(r"(?<=\S)[ ]+(?=#[A-Z][\w ]{2,20}#)")
_NUMBERED = lazy(r"^[ \t]*\(?\d[.)][ \t]+(?=[A-Z][\w ]{2,30}[ \t]*[:：])", re.MULTILINE)
_NONE = lazy(r"\W*(?:none|n/?a|null|no\s+segments?|-+|–)?\W*", re.I)
_SEPARATORS = lazy(r"\s*(?:\n|;|\s\|\s)\s*(?:[-*•]|\(?\d[.)])?\s*")
_BROKEN = lazy(r"\n[ ]*#|\b(?:segment|rationale|response)s?#?\s*[:：]", re.I)


@dataclass(frozen=True, slots=True)
class InducedReply(Parsed):
    """An induced response (`text`, the same as `value`; None with its reason), the strings that are named as
    its wrong segments, where they stand in it (half-open code points, in order), how many stand nowhere, and
    the rationale.
    """

    segments_quoted: tuple[str, ...] = ()
    rationale: str | None = None
    segments: tuple[Span, ...] = ()
    n_not_located: int = 0

    @property
    def text(self) -> str | None:
        """The response's words; None where there is none."""
        return None if self.value is None else str(self.value)


class _Part(NamedTuple):
    """A headed part of a reply: of which kind, and its words."""

    kind: str
    words: str


def induced_reply(reply: str, cue: str) -> InducedReply:
    """The response, the segment and the rationale of a reply; `cue` is the heading that the prompt ends with.

    A part that is missing is empty or None; without a response, a reason of the list (`absent` where segment
    or rationale are there). Of several examples the first is read. A segment that stands nowhere in the
    response counts as not located.
    """
    lines, answer, cuts = unwrapped_text(_INLINE.sub("\n", reply))
    if not answer:
        return InducedReply(None, nothing(cuts).reason, cuts)
    if is_refusal(answer):
        return InducedReply(None, "refusal", cuts)
    form = Form("Response", KINDS, cue)
    is_json = answer.startswith(("{", "["))
    parts = (
        list(_of_names(answer, form))
        if is_json
        else _first_example(_of_blocks(_NUMBERED.sub("", answer), form))
    )
    cuts = joined(cuts, ("json",) if is_json else ())
    text = next((part.words for part in parts if part.kind == "text" and has_words(part.words)), None)
    if text is None:
        has_more = any(part.kind in ("segment", "rationale") for part in parts)
        return InducedReply(None, "absent" if has_more else "empty", cuts)
    result = response_in(text, cue)
    cuts = joined(cuts, result.cuts)
    rationale = (
        " ".join(_unfollowed(part.words) for part in parts if part.kind == "rationale").strip() or None
    )
    strings = [
        string
        for part in parts
        if part.kind == "segment"
        for string in _strings(part.words, result.value or "")
    ]
    if (
        result.value is None
        or len(strings) > MAX_SEGMENTS
        or _BROKEN.search(result.value)
        or (rationale and _BROKEN.search(rationale))
    ):
        return InducedReply(None, result.reason or "ambiguous", cuts)
    located = located_strings(strings, result.value)
    rationale = rationale and with_lines(rationale, answer, lines)
    return InducedReply(
        result.value, None, cuts, tuple(strings), rationale, located.segments, located.n_not_located
    )


def _of_blocks(answer: str, form: Form) -> list[_Part]:
    """The parts under their headings, in order; what stands before any of these is the response."""
    starts: list[tuple[str, int, int]] = []
    for block in blocks_of(answer):
        label = block.label
        kind = _kind_of(" ".join(label.words)) if label else None
        if label and not kind and (form.is_named(label) or names_text(label.words)):
            kind = "text"
        elif label and not kind and names_material(label.words) and label.words[0] not in phrases("PERSONS"):
            kind = "given"
        if label and kind:
            starts.append((kind, block.start, block.start + label.end))
        elif not starts:
            starts.append(("text", block.start, block.start))
    ends = [start for _, start, _ in starts[1:]] + [len(answer)]
    return [
        _Part(kind, answer[begin:end].strip()) for (kind, _, begin), end in zip(starts, ends, strict=True)
    ]


def _kind_of(name: str) -> str | None:
    return (
        "segment" if name in phrases("SEGMENTS") else "rationale" if name in phrases("RATIONALES") else None
    )


def _first_example(parts: Sequence[_Part]) -> list[_Part]:
    """The parts of the first example: up to given material behind a response, and of two responses the headed
    one; material before it is an echo.
    """
    kept: list[_Part] = []
    for part in parts:
        has_text = any(before.kind == "text" for before in kept)
        has_more = any(before.kind in ("segment", "rationale") for before in kept)
        if part.kind == "given" and not has_text:
            kept = []
        elif part.kind == "given" or (
            part.kind == "text" and has_text and has_more and has_words(part.words)
        ):
            break
        elif part.kind == "text" and has_text:
            kept = [*(before for before in kept if before.kind != "text"), part]
        elif has_words(part.words):
            kept.append(part)
    return kept


def _of_names(answer: str, form: Form) -> Iterator[_Part]:
    """The parts that names and values give; none where no name is that of a response."""
    for name, value in structured.pairs(answer) or ():
        is_text = name in ("text", structured.name_key(form.cue or "")) or names_text(name.split())
        kind = _kind_of(name) or ("text" if is_text else None)
        if kind and isinstance(value, str):
            yield _Part(kind, value)


def _unfollowed(text: str) -> str:
    """A rationale without a farewell and turns behind it."""
    text = before_turns(text)
    blocks = blocks_of(text)
    while len(blocks) > 1 and match("leaves", blocks[-1].head) is not None:
        blocks = blocks[:-1]
    return text[: blocks[-1].start + len(blocks[-1].text)] if blocks else ""


def _strings(part: str, text: str) -> list[str]:
    """The segments that a part names: what is in quotation marks, else all of it, line by line."""
    if quoted := quotations(part[:MAX_PART], text):
        return quoted
    plain_lines = [bare(line).text.strip(" *_`") for line in _SEPARATORS.split(part)]
    return [line for line in plain_lines if not _NONE.fullmatch(line)]
