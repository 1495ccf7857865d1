"""Verdicts with their place and their reason: `Yes. The segment "…" … because …`.

The verdict is the first word of the answer; what the reason says (`No mention of it …`) gives no verdict.
Every string quoted in the reason that stands in the judged response is a segment (`core.quotes`). A reply
that begins with other words is read as `verdicts` reads it.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from truerate.core.patterns import lazy
from truerate.core.spans.quotes import Span, located_strings, quotations
from truerate.llm.replies import headings, structured
from truerate.llm.replies.blocks import flat
from truerate.llm.replies.cutting import MAX_CLOSED, bare, unemphasised, unwrapped
from truerate.llm.replies.decisions import answer_in, decided, of_fields, stated_by
from truerate.llm.replies.polarity import stated
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.regions import NO_WORDS, answering
from truerate.llm.replies.texts.refusals import is_refusal
from truerate.llm.replies.words import VALUES, Sentence, has, sentences, words

_ASKS = "hallucination"
_REASONS = ("Reason", "Rationale", "Explanation", "Reasoning", "Justification", "Analysis")
_SEGMENTS = (
    "Segment", "Segments", "Hallucinated Segment", "Hallucinated Segments", "Span", "Spans", "Location", "Place",
)  # fmt: skip
_REASON_KEYS = frozenset((*map(str.casefold, _REASONS), "why", "comment", "because"))
_SEGMENT_KEYS = frozenset((
    *map(str.casefold, _SEGMENTS), "hallucinated span", "hallucinated spans", "locations", "places", "quote", "quotes", "quoted",
    "text", "texts",
))  # fmt: skip
_FIRST = lazy(r"[^\w\n]*((?:[^\W\d_]|[\u0900-\u097f])+)(?![\w'’])(?!-\w)[\"'”’*_`)\]}>]*")
_LABEL = lazy(r"[\s*_`#>(\[-]*([^\W\d_][\w ]{1,40}\??)[\s*_`\])]*[:：=–—-][\s*_`]*")
# a quotation of which a reason says no more than that it is right
_CLEARED = lazy(
    r"[\"“][^\"“”\n]{1,300}[\"”] (?:is|are|was|were) (?:fully |clearly |indeed |also )?"
    r"(?:right|correct|accurate|true|fine|faithful|supported|confirmed)\b(?: by the \w+)?(?=\s*(?:[.;!)]|$))",
    re.I,
)
_BLANKS = lazy(r"[^\S\n]+")
_TAGS = lazy(r"</?[A-Za-z][\w-]{0,40}>")
MAX_STATED = 4_000  # characters of words that do not begin with their verdict
_QUOTES = frozenset("\n'`\"“”„«»‘")
_OPENING = frozenset(
    '"“„«‹「『《＂'
)  # a segment between marks of quotation is read with the reason's, over lines as well


@dataclass(frozen=True, slots=True)
class LocatedVerdict(Parsed):
    """A verdict (`value`: True for Yes, the response is hallucinated) with its reason in words and the
    segments of the response that it quotes, half-open code points in order. A No and an unread reply have no
    segments and no counts.
    """

    rationale: str | None = None
    segments: tuple[Span, ...] = ()
    n_quoted: int = 0
    n_not_located: int = 0


def located_verdict(reply: str, response: str, cue: str, *, knowledge: str = "") -> LocatedVerdict:
    """Return what a reply says of a response: whether it is hallucinated, where, and why.

    `cue` is the heading that the prompt ends with. Quotations of `knowledge` are neither segments nor missed.
    JSON gives the verdict under its name, segments and reason under theirs. The rationale is None where there
    is none; it holds the reply's words behind the verdict.
    """
    answer, cuts = unwrapped(reply, MAX_CLOSED)
    if not answer:
        none = nothing(cuts)
        return LocatedVerdict(None, none.reason, none.cuts)
    return _located(unemphasised(_BLANKS.sub(" ", answer)), response, cue, knowledge, cuts)


def _located(answer: str, response: str, cue: str, knowledge: str, cuts: tuple[str, ...]) -> LocatedVerdict:
    """The verdict of a reply in one of its plain forms."""
    region, more = answering(
        answer, cue, lambda head: _begun(head)[0].reason != "absent" or _stated(head).reason != "absent"
    )
    cuts = joined(cuts, more)
    if (named := _names(region)) is not None:
        inner = structured.name_key(cue)
        plain = [("answer" if name == inner else name, value) for name, value in named]
        return _of_names(plain, response, knowledge, cuts)
    region = _TAGS.sub(" ", region).strip()
    if is_refusal(region):
        return LocatedVerdict(None, "refusal", cuts)
    verdict, rest = _begun(region)
    cuts = joined(cuts, verdict.cuts)
    if verdict.reason == "absent":
        rest = bare(region).text
        verdict = _stated(rest)
    if verdict.value is None:
        return LocatedVerdict(None, verdict.reason, cuts)
    rationale, strings = _parts(rest)
    if not verdict.value:
        return LocatedVerdict(False, None, cuts, rationale)
    located = located_strings([*strings, *_quoted(rationale, response)], response, knowledge=knowledge)
    rest = rest.lstrip(" .\n")
    if "\n" in rest and (flat_rest := flat(rest)) != rest:
        rationale_flat, strings = _parts(flat_rest)
        quoted = [*strings, *_quoted(rationale_flat, response)]
        if located_strings(quoted, response, knowledge=knowledge).segments != located.segments:
            return LocatedVerdict(None, "ambiguous", cuts)  # a line break stands in a segment, or between two
    return LocatedVerdict(True, None, cuts, rationale, *located)


def _begun(region: str) -> tuple[Parsed, str]:
    """The verdict that a text begins with, or why there is none, and what follows it."""
    inside, cuts = bare(region)
    if (label := _LABEL.match(inside)) and _is_label(label[1]):
        inside, cuts = inside[label.end() :], joined(cuts, ("label",))
    if not inside.strip(NO_WORDS):
        return Parsed(None, "empty", cuts), ""
    first = _first_value(inside)
    rest = inside[first.end() :] if first else ""
    # a line of its own ends a sentence, as does a Yes before a quotation
    is_yes = first is not None and has(words(first[1], _ASKS)[:1], "yes")
    is_end = rest.lstrip(" ")[:1] in (_QUOTES if is_yes else ("\n",)) and not rest.strip()[:1].islower()
    some = sentences(f"{inside[: -len(rest)]}.{rest}" if rest and is_end else inside, _ASKS) if first else []
    answer = answer_in(some[0]) if some else None
    if first is None or answer is None:
        return Parsed(None, "absent", cuts), inside
    behind = stated(answer.behind) if answer.behind else stated_by(some[1].words) if some[1:] else None
    later = [Sentence(answer.behind, False, False)] if answer.behind else []
    if (
        answer.value is None
        or behind is (not answer.value)
        or _is_taken_back([*later, *some[1:]], answer.value)
    ):
        return Parsed(None, "ambiguous", cuts), ""
    return Parsed(answer.value, None, cuts), rest


def _first_value(text: str) -> re.Match[str] | None:
    """Match the Yes or No that is the first word of a text."""
    first = _FIRST.match(text)
    return first if first and has(words(first[1], _ASKS)[:1], *VALUES) else None


def _is_label(name: str) -> bool:
    """Return whether a name is one of the verdict (`Final answer`) or of the question (`Hallucinated`, `Is it
    hallucinated`).
    """
    some = words(name, _ASKS)[:-1]
    return all(
        has([word], "label", "filler", "be", "pronoun", "finding") or word.text.startswith("hallucinat")
        for word in some
    ) and any(has([word], "label") or word.text.startswith("hallucinat") for word in some)


def _is_taken_back(some: Sequence[Sentence], value: bool) -> bool:
    """Return whether sentences give another value for good: behind words that take the first one back, or
    behind a label.
    """
    is_back = False
    for item in some:
        is_back = is_back or has(item.words, "retraction")
        answer = answer_in(item)
        if item.words[0].text.partition(" ")[0] == "or" or (
            answer and answer.value is not value and (is_back or answer.is_labelled)
        ):
            return True
        if is_back and has(item.words[-1:], *VALUES) and has(item.words[-1:], "fault_value") is not value:
            return True
    return False


def _stated(text: str) -> Parsed:
    """The verdict of words that do not begin with one. What they say of `it` alone may be of a segment or a
    reason.
    """
    if len(text) > MAX_STATED:
        return Parsed(None, "ambiguous")
    inside = bare(text).text
    some = sentences(inside, _ASKS)
    stated = [item.words for item in some if stated_by(item.words) is not None]
    is_of_it = bool(stated) and not any(has(item.words, *VALUES) for item in some)
    for item in stated:
        is_named = any(word.text.startswith("hallucinat") for word in item)
        is_of_it = is_of_it and has(item[:1], "pronoun") and not has(item, "subject") and not is_named
    return Parsed(None, "absent") if is_of_it else decided(inside, _ASKS)


def _quoted(rationale: str | None, response: str) -> list[str]:
    """Return what a reason quotes, but for words of verdict and what it calls right."""
    strings = quotations(_CLEARED.sub("", rationale or ""), response)
    return [string for string in strings if " " in string or _first_value(string) is None]


def _parts(rest: str) -> tuple[str | None, list[str]]:
    """The reason in words, and the strings under headings of segments that no marks of quotation enclose."""
    strings = []
    for heading in headings.find(rest, *_SEGMENTS, is_anywhere=False):
        inside = rest[heading.end :].lstrip("\n").partition("\n")[0].strip(" \t*_")
        is_none = not inside or inside.casefold() in ("none", "n/a", "-", "–")
        if not is_none and inside[0] not in _OPENING and not quotations(inside):
            strings.append(inside)
    lone = headings.find(rest, *_SEGMENTS, *_REASONS, is_anywhere=False)
    if len(lone) == 1 and not rest[: lone[0].start].strip(NO_WORDS) and lone[0].name.title() in _REASONS:
        rest = rest[lone[0].end :]
    plain = re.sub(rf"\A(?:(?!`[^`\n]+`)[{re.escape(NO_WORDS[:-4])}])+", "", rest).strip()
    return (plain if plain.strip(NO_WORDS) else None), strings


# ---- a form for machines -----------------------------------------------------------------------------------


def _names(region: str) -> list[tuple[str, Any]] | None:
    """The names and values of a reply that is JSON or tags; None where it is words, be there a tag in them."""
    named = structured.pairs(region)
    if named is None or region.lstrip("` \njsonJSON").startswith(("{", "[")):
        return named
    is_whole = any(name in _SEGMENT_KEYS | _REASON_KEYS for name, _ in named)
    return named if (is_whole or "{" in region) and _first_value(structured.outside(region)) is None else None


def _of_names(
    named: Sequence[tuple[str, Any]], response: str, knowledge: str, cuts: tuple[str, ...]
) -> LocatedVerdict:
    """Return what names and values say; a text that begins with a verdict is that verdict."""
    cuts = joined(cuts, ("json",))
    begun = [
        (name, item, _begun(item) if isinstance(item, str) else (Parsed(None), "")) for name, item in named
    ]
    values = {True: "yes", False: "no"}
    plain = [(name, values.get(verdict.value, item)) for name, item, (verdict, _) in begun]
    result = of_fields([pair for pair in plain if pair[0] not in _SEGMENT_KEYS | _REASON_KEYS], _ASKS)
    if result is None or result.value is None:
        return LocatedVerdict(None, "absent" if result is None else result.reason, cuts)
    behind = (_parts(rest)[0] or "" for name, _, (_, rest) in begun if name == "answer")
    rationale = " ".join(part for part in (*_texts(named, _REASON_KEYS), *behind) if part) or None
    if not result.value:
        return LocatedVerdict(False, None, cuts, rationale)
    strings = [*_texts(named, _SEGMENT_KEYS), *_quoted(rationale, response)]
    return LocatedVerdict(
        True, None, cuts, rationale, *located_strings(strings, response, knowledge=knowledge)
    )


def _texts(named: Sequence[tuple[str, Any]], names: Set[str]) -> list[str]:
    return [item.strip() for name, item in named if name in names and isinstance(item, str) and item.strip()]
