"""Whether a reply calls an evaluation accurate: `Accurate` or `Inaccurate`, in the closed forms of `closed`.

A field that bears the word as its name (`Accurate: no`) says what its value says. Half of it (`partly
accurate`), both words, doubt and exceptions are ambiguous; Yes and No alone are neither, as they were not
asked for.
"""

from collections.abc import Sequence
from typing import Any

from truerate.core.patterns import lazy
from truerate.llm.replies import structured
from truerate.llm.replies.cutting import MAX_CLOSED, bare, unwrapped
from truerate.llm.replies.decisions import TRUTHS
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.regions import answering
from truerate.llm.replies.texts.refusals import is_refusal
from truerate.llm.replies.worded import verdict

_NAMES = {"accurate": True, "correct": True, "inaccurate": False, "incorrect": False}  # of fields
_PARTS = frozenset("reason rationale segment segments explanation place quotation span quote".split())
_KEYS = frozenset((
    "", "evaluation", "evaluation is", "the evaluation is", "verdict", "label", "answer", "result", "judgement", "judgment",
    "assessment", "decision", "output", "final answer", "meta evaluation", "final verdict", "conclusion",
))  # fmt: skip
_BLANKS = lazy(r"[^\S\n]+")
# a box to tick, a gap to fill in, a last line that may be a value (`Accurate` above `- low`)
_BLANK_FORM = lazy(r"\[[\sxX✓✔]{0,3}\]|[☐☒□]|[:：] *_{2,}|accurate[^\w\n]*\n[ ]*[-–—] *\S+(?: \S+)?\s*\Z", 2)


def accurate(reply: str, cue: str) -> Parsed:
    """True for Accurate, False for Inaccurate, None with its reason where neither can be read.

    `cue` is the heading that the prompt ends with. Correct and Incorrect are the same.
    """
    answer, frame = unwrapped(reply, MAX_CLOSED)
    if not answer:
        return nothing(frame)
    region, more = answering(_BLANKS.sub(" ", answer), cue, lambda head: _of_words(head).reason != "absent")
    inside, layers = bare(region)
    cuts = joined(frame, more, layers)
    if not inside.strip(" \t\n.*_#`-…\"'"):
        return Parsed(None, "empty", cuts)
    if structured.is_cut(region):
        return Parsed(None, "malformed", cuts)
    pairs = structured.pairs(region)
    fields, kind = (pairs, "json") if pairs else (structured.cells(region), "table")
    if values := _of_fields(fields) or (set() if pairs else _of_fields(_rows(region))):
        beside = (
            f"{structured.outside(region)}\n\n{region.rpartition('}')[2]}"
            if pairs
            else structured.without_cells(region)
        )
        other = _of_words(beside)
        value = values.pop() if len(values) == 1 else None
        is_of_part = not pairs and any(str(cell).casefold() in _PARTS for _, cell in fields)
        if value is None or is_of_part or other.reason == "ambiguous" or other.value not in (None, value):
            return Parsed(None, "ambiguous", joined(cuts, (kind,)))
        return Parsed(value, None, joined(cuts, (kind,)))
    if pairs and inside.startswith("{"):
        return Parsed(None, "absent", joined(cuts, (kind,)))
    if is_refusal(inside):
        return Parsed(None, "refusal", cuts)
    stated = _of_words(structured.without_cells(inside) if fields and not pairs else inside)
    return Parsed(stated.value, stated.reason, cuts)


def _rows(text: str) -> list[tuple[str, Any]]:
    """The names and values of the rows of a table of two columns that has a head (`| Field | Value |`)."""
    head, body = structured.table(text) or ([], [])
    return [(structured.name_key(row[0]), row[1]) for row in body] if len(head) == 2 else []


def _of_fields(fields: Sequence[tuple[str, Any]]) -> set[bool | None]:
    """Return what names and values say of the evaluation; empty where no name speaks of it."""
    values: set[bool | None] = set()
    for name, value in fields:
        plain = name.removeprefix("is ")
        if plain in _NAMES:
            word = str(value).strip(" \t\n.!*_\"'`|()[]").casefold() if isinstance(value, str | int) else ""
            values.add(None if word not in TRUTHS else TRUTHS[word] is _NAMES[plain])
        elif name in _KEYS and (isinstance(value, str) or len(fields) == 1):
            values.add(_of_words(value).value if isinstance(value, str) else None)
    return values


def _of_words(text: str) -> Parsed:
    """Return what the sentences of a reply say of the evaluation, or why they say nothing."""
    text = structured.ticked(text)
    if _BLANK_FORM.search(text) or (text.count("|") > 2 and not structured.cells(text)):
        return Parsed(None, "malformed")
    return verdict(text, "accuracy")
