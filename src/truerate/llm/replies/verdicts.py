"""Verdicts: what a reply answers to a question of yes or no: behind the heading of its prompt, in JSON or
tags, in a table, or in sentences (`decisions`).
"""

from typing import Literal

from truerate.core.patterns import lazy
from truerate.llm.replies import headings, structured
from truerate.llm.replies.cutting import MAX_CLOSED, bare, unwrapped
from truerate.llm.replies.decisions import answer_in, decided, of_fields
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.regions import MATERIAL, answering
from truerate.llm.replies.words import has, sentences, words

Asks = Literal["", "hallucination"]
_BLANKS = lazy(r"[^\S\n]+")


def yes_no(text: str, cue: str | None = None, *, asks: Asks = "") -> Parsed:
    """True for Yes, False for No, None with its reason where neither can be read.

    `cue` is the heading that the prompt ends with. `asks="hallucination"`: Yes means that the judged text
    contains hallucination; then statements count as well, names of JSON as `faithful` are turned, and a
    verdict that its own words contradict is ambiguous. Without `asks` nothing but values counts.
    """
    answer, cuts = unwrapped(text, MAX_CLOSED)
    if not answer:
        return nothing(cuts)
    answer = _BLANKS.sub(" ", answer)
    region, more = answering(answer, cue, lambda head: _of_region(head, asks).reason != "absent", MATERIAL)
    verdict = _of_region(region, asks)
    if "heading" in more and _is_disputed(answer, cue or "", verdict.value, asks):
        return Parsed(None, "ambiguous", joined(cuts, more))
    return Parsed(verdict.value, verdict.reason, joined(cuts, more, verdict.cuts))


def _is_disputed(answer: str, cue: str, value: bool | None, asks: Asks) -> bool:
    """Return whether a reply gives another value before its cue, behind a label or first, or quotes or
    supposes the cue.
    """
    head = answer[: headings.find(answer, cue)[-1].start]
    answers = [answer_in(item) for item in sentences(head.replace("#", " "), asks)]
    values = {
        item.value
        for at, item in enumerate(answers)
        if item and item.is_firm and (item.is_labelled or not at)
    }
    is_supposed = has(words(head.rpartition("\n")[2]), "condition")
    return bool(values - {value}) or is_supposed or head.rstrip(" #*`")[-1:] in ("“", '"')


def _of_region(text: str, asks: Asks) -> Parsed:
    """The verdict of the part of a reply that answers."""
    inside, cuts = bare(text)
    if not inside.strip(" \t\n.*_#`-…"):
        return Parsed(None, "empty", cuts)
    if structured.is_cut(text) or text.count("|") > 2 and not structured.cells(text):
        return Parsed(None, "malformed", cuts)
    is_stated = asks != ""
    for pairs, kind in ((structured.pairs(text), "json"), (structured.cells(text), "table")):
        if pairs and kind == "table" and any(has(words(name, asks), "info") for name, _ in pairs):
            inside = structured.without_cells(text)  # of single claims
        elif pairs and (named := of_fields(pairs, asks, is_stated=is_stated)) is not None:
            outside = structured.outside(text) if kind == "json" else structured.without_cells(text)
            beside = decided(outside, asks, is_stated=is_stated)
            if named.value is not None and (
                beside.reason == "ambiguous" or beside.value is (not named.value)
            ):
                return Parsed(None, "ambiguous", (kind,))
            return Parsed(named.value, named.reason, (kind,))
    if inside.startswith(("{", '["')):
        return Parsed(None, "malformed", cuts)
    verdict = decided(inside, asks, is_stated=is_stated)
    return Parsed(verdict.value, verdict.reason, cuts)
