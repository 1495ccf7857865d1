"""Whether a reply calls an evaluation accurate: `Accurate` or `Inaccurate`.

What a reply begins or ends with counts, and each sentence that names the evaluation; all of it must agree. A field that bears the
word as its name (`Accurate: no`) says what its value says. Half of it (`partly accurate`), both words, doubt and exceptions are
ambiguous.
"""

from collections.abc import Sequence
from typing import Any

from truerate.core.patterns import lazy
from truerate.llm.replies import structured
from truerate.llm.replies.accuracy_clauses import (
    NAMES,
    PARTS_ALONE,
    VALUES,
    WORDS,
    is_against,
    is_left_open,
    takes_back,
    values_of,
)
from truerate.llm.replies.cutting import bare, unwrapped
from truerate.llm.replies.located import answering
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.refusals import is_refusal
from truerate.llm.replies.verdicts import is_cut_json
from truerate.llm.replies.words import MAX_SENTENCES, MAX_WORDS, Word, has, sentences

_KEYS = frozenset((
    "", "evaluation", "evaluation is", "the evaluation is", "verdict", "label", "answer", "result", "judgement", "judgment",
    "assessment", "decision", "output", "final answer", "meta evaluation", "final verdict", "conclusion",
))  # fmt: skip
_BLANKS = lazy(r"[^\S\n]+")
_QUOTED = lazy(r"[\"“”'‘]((?:in)?(?:accurate|correct)[.!]?)[\"”“'’]", 2)
# a box to tick, a gap to fill in, a last line that may be a value (`Accurate` above `- low`)
_BLANK_FORM = lazy(r"\[[\sxX✓✔]{0,3}\]|[☐☒□]|[:：] *_{2,}|accurate[^\w\n]*\n[ ]*[-–—] *\S+(?: \S+)?\s*\Z", 2)
# signs of right and wrong, behind a name or elsewhere
_TICK = lazy(r"((?<=\w)[*_`)\] ]{0,4}[:：=|?→⇒>–—-][\s*_`|(]{0,9})?([✅✔✓☑❌✗✘✖])")


def accurate(reply: str, cue: str) -> Parsed:
    """True for Accurate, False for Inaccurate, None with its reason where neither can be read.

    `cue` is the heading that the prompt ends with. Correct and Incorrect are the same; Yes and No alone are
    neither, as they were not asked for.
    """
    answer, frame = unwrapped(reply)
    if not answer:
        return nothing(frame)
    region, more = answering(_BLANKS.sub(" ", answer), cue, lambda head: _of_words(head)[1] != "absent")
    inside, layers = bare(region)
    cuts = joined(frame, more, layers)
    if not inside.strip(" \t\n.*_#`-…\"'"):
        return Parsed(None, "empty", cuts)
    if is_cut_json(region):
        return Parsed(None, "malformed", cuts)
    pairs = structured.pairs(region)
    fields, kind = (pairs, "json") if pairs else (structured.cells(region), "table")
    if values := _of_fields(fields) or (set() if pairs else _of_fields(_rows(region))):
        beside = (
            f"{structured.outside(region)}\n\n{region.rpartition('}')[2]}"
            if pairs
            else structured.without_cells(region)
        )
        other, why = _of_words(beside)
        value = values.pop() if len(values) == 1 else None
        is_of_part = not pairs and any(str(cell).casefold() in PARTS_ALONE for _, cell in fields)
        if value is None or is_of_part or why == "ambiguous" or other not in (None, value):
            return Parsed(None, "ambiguous", joined(cuts, (kind,)))
        return Parsed(value, None, joined(cuts, (kind,)))
    if is_refusal(inside):
        return Parsed(None, "refusal", cuts)
    value, reason = _of_words(structured.without_cells(inside) if fields and not pairs else inside)
    return Parsed(value, reason, cuts)


def _rows(text: str) -> list[tuple[str, Any]]:
    """The names and values of the rows of a table of two columns that has a head (`| Field | Value |`)."""
    head, body = structured.table(text) or ([], [])
    return [(structured.name_key(row[0]), row[1]) for row in body] if len(head) == 2 else []


def _of_fields(fields: Sequence[tuple[str, Any]]) -> set[bool | None]:
    """What names and values say of the evaluation; empty where no name speaks of it."""
    values: set[bool | None] = set()
    for name, value in fields:
        plain = name.removeprefix("is ")
        if plain in NAMES:
            word = str(value).strip(" \t\n.!*_\"'`|()[]").casefold() if isinstance(value, str | int) else ""
            values.add(None if word not in VALUES else VALUES[word] is NAMES[plain])
        elif name in _KEYS and isinstance(value, str):
            values.add(_of_words(value)[0])
        elif name in _KEYS and len(fields) == 1:
            values.add(None)
    return values


def _of_words(text: str) -> tuple[bool | None, str | None]:
    """What the sentences of a reply say of the evaluation, or why they say nothing."""
    text = structured.ticked(text)
    if _BLANK_FORM.search(text) or (text.count("|") > 2 and not structured.cells(text)):
        return None, "malformed"
    ticks: set[bool] = set()

    def as_word(tick: Any) -> str:
        value = VALUES[tick[2]]
        if tick[1]:
            return ": yes " if value else ": no "
        ticks.add(value)
        return " "

    plain = _TICK.sub(as_word, _QUOTED.sub(r"\1", text))
    some = [
        sentence
        for sentence in sentences(plain)
        if not has(sentence.words, "farewell") and not _is_courtesy(sentence.words)
    ]
    if len(some) > MAX_SENTENCES or sum(len(item.words) for item in some) >= MAX_WORDS:
        return None, "too-long"
    values, beside = values_of(some)
    if any(takes_back(item.words) for item in some) or (not values and is_left_open(some)):
        return None, "ambiguous"
    if not values:
        return None, "absent"
    value = values.pop() if len(values) == 1 else None
    if value is None or (ticks | beside) - {value} or any(is_against(item, value) for item in some):
        return None, "ambiguous"
    return value, None


def _is_courtesy(some: Sequence[Word]) -> bool:
    return has(some, "courtesy") and not any(word.text in WORDS for word in some)
