"""A response made wrong on purpose, with the segment that is wrong and the reason: three headed parts, in any
order.

#Induced Response#: … (or nothing but the words, where the prompt ended with the heading) #Segment#: "…"
#Rationale#: …
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

from truerate.core.patterns import lazy
from truerate.core.quotes import Span, located_strings, quotations
from truerate.core.text import words
from truerate.llm.replies import headings, structured
from truerate.llm.replies.cutting import bare, framed, opened
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.refusals import is_refusal
from truerate.llm.replies.responses import before_turns, one_response
from truerate.llm.replies.steady import steady
from truerate.llm.replies.verdicts import ANNOUNCES

_KINDS = ("Induced", "Hallucinated", "New", "Modified", "Altered", "Incorrect", "Fabricated")
_SEGMENT = tuple(
    f"{kind}{noun}" for kind in ("", "Hallucinated ", "Induced ", "Wrong ", "Changed ", "Key ")
    for noun in ("Segment", "Segments", "Span", "Spans", "Part", "Parts")
)  # fmt: skip
_RATIONALE = ("Rationale", "Reason", "Reasoning", "Explanation", "Justification", "Why")
_GIVEN = (
    "Knowledge",
    "Conversation",
    "Correct Response",
    "Reference Response",
    "Kind",
    "Dialogue History",
)
_NUMBERED = lazy(r"^[ \t]*\(?\d[.)][ \t]+(?=[*_#`\[]*[A-Z][\w ]{2,30}[*_#`\]]*[ \t]*[:：])", re.MULTILINE)
_NONE = lazy(r"\W*(?:none|n/?a|null|no\s+segments?|-+|–)?\W*", re.I)
_HEADED = lazy(
    r"\b(?:response|segment|rationale)[\]#]*\s*[:：]|\n\W*(?:induced|hallucinated|new|modified)\W*\Z", re.I
)
_SEPARATORS = lazy(r"\s*(?:\n|;|\s\|\s)\s*(?:[-*•]|\(?\d[.)])?\s*")


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
    or rationale stand alone). Whether the text says the right one again is for who knows that (`restating`).
    """
    return steady(
        lambda words: _induced_reply(words, cue),
        lambda result: InducedReply(None, "ambiguous", result.cuts),
        reply,
    )


def _induced_reply(reply: str, cue: str) -> InducedReply:
    """The parts of a reply in its plain form."""
    answer, cuts = opened(reply)
    if not answer:
        none = nothing(cuts)
        return InducedReply(None, none.reason, none.cuts)
    answer, frame = framed(answer)
    cuts = joined(cuts, frame)
    if is_refusal(answer):
        return InducedReply(None, "refusal", cuts)
    named = structured.pairs(answer)
    is_json = named is not None and answer.startswith(("{", "["))
    parts = _of_names(named or [], cue) if is_json else _of_headings(_NUMBERED.sub("", answer), cue)
    cuts = joined(cuts, ("json",) if is_json else ())
    part_text = next((part.words for part in parts if part.kind == "text" and words(part.words)), None)
    if part_text is None:
        has_more = any(part.kind in ("segment", "rationale") for part in parts)
        return InducedReply(None, "absent" if has_more else "empty", cuts)
    result = one_response(part_text, cue)
    cuts = joined(cuts, result.cuts)
    if result.value is None:
        return InducedReply(None, result.reason, cuts)
    strings = [
        string for part in parts if part.kind == "segment" for string in _strings(part.words, result.value)
    ]
    reasons = (before_turns(part.words) for part in parts if part.kind == "rationale")
    rationale = " ".join(reasons).strip() or None
    if rationale and _HEADED.search(rationale):
        return InducedReply(None, "ambiguous", cuts)  # another part stands in it
    position = located_strings(strings, result.value)
    return InducedReply(
        result.value, None, cuts, tuple(strings), rationale, position.segments, position.n_not_located
    )


def _of_headings(answer: str, cue: str) -> list[_Part]:
    """The parts under their headings, in order, each of the last heading of its kind before a next example.
    What stands before any of these is the response, where no heading names it.
    """
    result = _headings(answer, cue)
    if not result:
        return [_Part("text", answer)]
    ends = [heading.start for _, heading in result[1:]] + [len(answer)]
    parts = [
        _Part(kind, answer[heading.end : end].strip())
        for (kind, heading), end in zip(result, ends, strict=True)
    ]
    before = answer[: result[0][1].start].strip()
    # what stands before the first heading is the response, but where a response is headed in the same example
    first_parts = list(takewhile(lambda part: part.kind != "given", parts))
    kinds = [part.kind for part in first_parts if words(part.words)]
    is_headed = kinds.count("text") > 0 and kinds.count("text") >= kinds.count("segment")
    is_echo = not first_parts and ANNOUNCES.search(before)
    if words(before) and not is_headed and not is_echo:
        parts.insert(0, _Part("text", before))
    return _first_example(parts)


def _headings(answer: str, cue: str) -> list[tuple[str, headings.Heading]]:
    """The headings at line starts, with the kind of what they head; a bare word counts with a colon alone."""
    kinds = (
        ("text", (cue, *(f"{kind} Response" for kind in _KINDS), "Response")),
        ("segment", _SEGMENT),
        ("rationale", _RATIONALE),
        ("given", _GIVEN),
    )
    result = [
        (kind, item) for kind, names in kinds for item in headings.find(answer, *names, is_anywhere=False)
    ]
    marked = [(kind, item) for kind, names in kinds for item in headings.find(answer, *names)
              if "#" in answer[item.start : item.end]]  # fmt: skip
    by_end = {item.end: (kind, item) for kind, item in (*marked, *result) if _is_heading(answer, item)}
    return sorted(by_end.values(), key=lambda pair: pair[1].start)


def _is_heading(answer: str, heading: headings.Heading) -> bool:
    return heading.is_marked or any(sign in answer[heading.start : heading.end] for sign in ":：\n")


def _first_example(parts: Sequence[_Part]) -> list[_Part]:
    """The parts of the first example: up to given material behind a response, and of two responses the first
    with words. Material before it is an echo.
    """
    kept: list[_Part] = []
    for part in parts:
        has_text = any(item.kind == "text" for item in kept)
        if part.kind == "given":
            if has_text:
                break
            kept = []
        elif words(part.words) and not (part.kind == "text" and has_text):
            kept.append(part)
        elif part.kind == "text" and has_text and words(part.words):
            break
    return kept


def _of_names(named: Sequence[tuple[str, Any]], cue: str) -> list[_Part]:
    """The parts that names and values give; none where no name is that of a response."""
    texts = {
        structured.name_key(name)
        for name in (cue, "Response", "Text", *(f"{kind} Response" for kind in _KINDS))
    }
    kinds = dict.fromkeys(texts, "text")
    kinds |= {structured.name_key(name): "segment" for name in _SEGMENT}
    kinds |= {structured.name_key(name): "rationale" for name in _RATIONALE}
    parts = [_Part(kinds[name], value) for name, value in named if name in kinds and isinstance(value, str)]
    return parts


def _strings(part_text: str, text: str) -> list[str]:
    """The segments that a part names: what stands between marks of quotation, else all of it, line by line."""
    if quoted := quotations(part_text, text):
        return quoted
    plain = [bare(line).text.strip(" *_`") for line in _SEPARATORS.split(part_text)]
    return [line for line in plain if not _NONE.fullmatch(line)]
