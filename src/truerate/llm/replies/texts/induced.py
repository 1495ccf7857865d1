"""Read a response made wrong on purpose, with the segment that is wrong and the reason: three headed parts,
in any order.

#Induced Response#: … (or nothing but the words, where the prompt ended with the heading) #Segment#: "…"
#Rationale#: …
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
_INLINE = lazy(r"(?<=\S)[ ](?=#[A-Z][\w ]{2,20}#)")
_NUMBERED = lazy(r"^[ \t]*\(?\d[.)][ \t]+(?=[A-Z][\w ]{2,30}[ \t]*[:：])", re.MULTILINE)
_SEPARATORS = lazy(r"\s*(?:\n|;|\s\|\s)\s*(?:[-*•]|\(?\d[.)])?\s*")
_BROKEN = lazy(r"\n[ ]*#|\s\(?\d[.)]\Z|\b(?:segment|rationale|response)s?#?\s*[:：]", re.I)
_NO_SEGMENT = frozenset(("", "none", "n/a", "na", "null", "no segment", "no segments"))


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


def induced_reply(reply: str, cue: str) -> InducedReply:
    """The response, the segment and the rationale of a reply; `cue` is the heading that the prompt ends with.

    A part that is missing is empty or None; without a response, a reason of the list (`absent` where segment
    or rationale are there). Of several examples the first is read. A segment that stands nowhere in the
    response counts as not located.
    """
    lines, answer, cuts = unwrapped_text(reply)
    if not answer:
        return InducedReply(None, nothing(cuts).reason, cuts)
    answer = _INLINE.sub("\n", answer)  # as long as before
    if is_refusal(answer):
        return InducedReply(None, "refusal", cuts)
    form = Form("Response", KINDS, cue)
    if answer.startswith(("{", "[")):
        parts, cuts = _of_names(answer, form), joined(cuts, ("json",))
    else:
        parts = _first_example(_sections(_NUMBERED.sub("", answer), form))
    text = next((words for kind, words in parts if kind == "text"), None)
    if text is None:
        return InducedReply(None, "absent" if any(kind != "given" for kind, _ in parts) else "empty", cuts)
    result = response_in(text, cue)
    cuts = joined(cuts, result.cuts)
    rationale = " ".join(_unfollowed(words) for kind, words in parts if kind == "rationale").strip()
    named = [words for kind, words in parts if kind == "segment"]
    strings = [string for words in named for string in _strings(words, str(result.value or ""))]
    is_broken = any(_BROKEN.search(part) for part in (str(result.value or ""), rationale))
    if result.value is None or len(strings) > MAX_SEGMENTS or is_broken:
        return InducedReply(None, result.reason or "ambiguous", cuts)
    located = located_strings(strings, result.value)
    why = with_lines(rationale, answer, lines) if rationale else None
    return InducedReply(
        result.value, None, cuts, tuple(strings), why, located.segments, located.n_not_located
    )


Section = tuple[str, str]  # the kind of a headed part (text, segment, rationale, given) and its words


def _sections(answer: str, form: Form) -> list[Section]:
    """The parts under their headings, in order. What stands before any of these is the response unless its
    heading comes right behind; what another name of a response heads is one unless the response's own heading
    is there.
    """
    starts: list[tuple[str, int, int]] = [("lead", 0, 0)]
    for block in blocks_of(answer):
        if label := block.label:
            kind = _kind_of(" ".join(label.words))
            if kind is None and form.is_named(label):
                kind = "own"
            elif kind is None and names_text(label.words):
                kind = "other"
            elif kind is None and names_material(label.words) and label.words[0] not in phrases("PERSONS"):
                kind = "given"
            starts += [(kind, block.start, block.start + label.end)] if kind else []
    ends = [start for _, start, _ in starts[1:]] + [len(answer)]
    parts = [(kind, answer[begin:end].strip()) for (kind, _, begin), end in zip(starts, ends, strict=True)]
    parts = [(kind, words) for kind, words in parts if kind == "given" or has_words(words)]
    kinds = [kind for kind, _ in parts]
    is_lead = kinds[:1] == ["lead"] and kinds[1:2] not in (["own"], ["other"])
    has_own = "own" in kinds and not is_lead
    texts = {"own": "text", "lead": "text" if is_lead else "given", "other": "given" if has_own else "text"}
    return [(texts.get(kind, kind), words) for kind, words in parts]


def _first_example(sections: Sequence[Section]) -> list[Section]:
    """The parts of the first example: material before its response is an echo, material or another response
    behind it begins the next one.
    """
    parts: list[Section] = []
    for kind, words in sections:
        has_text = any(before == "text" for before, _ in parts)
        if kind in ("given", "text") and has_text:
            break
        parts = [] if kind == "given" else [*parts, (kind, words)]
    return parts


def _kind_of(name: str) -> str | None:
    return (
        "segment" if name in phrases("SEGMENTS") else "rationale" if name in phrases("RATIONALES") else None
    )


def _of_names(answer: str, form: Form) -> list[Section]:
    """The parts that names and values give; none where no name is that of a response."""
    cue = structured.name_key(form.cue or "")
    named = [
        (_kind_of(name) or ("text" if name in ("text", cue) or names_text(name.split()) else ""), value)
        for name, value in structured.pairs(answer) or ()
    ]
    return [(kind, value) for kind, value in named if kind and isinstance(value, str) and has_words(value)]


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
    lines = [bare(line).text.strip(" *_`") for line in _SEPARATORS.split(part)]
    return [line for line in lines if line.casefold().strip(" .()-–") not in _NO_SEGMENT]
