"""Passages with FAVA's tags: parsed strictly, rejected by reason, and laid onto the published text."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from truerate.core.spans.tags import TYPES, Tagged, parse_tags
from truerate.core.text import clean
from truerate.sources.rows import BadRow, Reason, span

_NAME = re.compile(r"<([^<>/\s][^<>]*)>")
_REASONS = {"empty": Reason.EMPTY_FIELD} | {
    word: Reason(word) for word in ("malformed", "empty-span", "altered")
}


def tagged(marked: str) -> Tagged:
    """The text and spans of a marked passage. Raises BadRow with the grammar's reason, `unknown-type` for
    tags that keep the grammar under a name that is no type (`contridictory`, `Entity`).
    """
    parsed = parse_tags(marked)
    if isinstance(parsed, Tagged):
        return parsed
    if parsed.reason == "malformed" and (foreign := _foreign(marked)):
        raise BadRow(Reason.UNKNOWN_TYPE, f"type {foreign[0][:40]!r} is none of {', '.join(TYPES)}")
    raise BadRow(_REASONS[parsed.reason], parsed.detail)


def _foreign(marked: str) -> list[str]:
    """The names that are no type, where the passage would keep the grammar if they were; else none."""
    names = [name for name in dict.fromkeys(_NAME.findall(marked)) if name not in ("delete", "mark")]
    keeps = isinstance(parse_tags(marked, types=[*TYPES, *names]), Tagged)
    return [name for name in names if name not in TYPES] if keeps else []


def spans_on(published: str, marked: str) -> list[dict]:
    """The spans of a marked passage as code points of the published text without marks; raises BadRow with
    the reason, which is `altered` where the text is, whatever its tags are called.
    """
    try:
        return laid_onto(published, tagged(marked))
    except BadRow as bad:
        if bad.reason is Reason.UNKNOWN_TYPE:
            laid_onto(published, parse_tags(marked, types=[*TYPES, *_foreign(marked)]))
        raise


def laid_onto(published: str, tagged_text: Tagged) -> list[dict]:
    """The spans of a tagged passage (`start`, `end`, `type`, `p` null) as code points of the published text,
    without blanks at their edges. Raises BadRow (`altered`) where the texts differ in more than blanks.
    """
    if tagged_text.text == published:
        return [span(mark["start"], mark["end"], mark["type"]) for mark in tagged_text.spans]
    ours, theirs = _inked(tagged_text.text), _inked(published)
    if [tagged_text.text[index] for index in ours] != [published[index] for index in theirs]:
        raise BadRow(Reason.ALTERED, "the text without its tags is not the published one")
    order = {index: number for number, index in enumerate(ours)}
    spans = []
    for mark in tagged_text.spans:
        inside = [order[index] for index in range(mark["start"], mark["end"]) if index in order]
        spans.append(span(theirs[inside[0]], theirs[inside[-1]] + 1, mark["type"]))
    return spans


def _inked(text: str) -> list[int]:
    """Return where a text holds something other than blank space."""
    return [index for index, character in enumerate(text) if not character.isspace()]


def in_cleaned(published: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Half-open spans of a published text in that text once cleaned. Raises BadRow for one outside it."""
    size, moved = len(published), []
    # Cleaning takes single characters out: where they stood says how far what is behind them moves.
    is_clean = len(clean(published)) == size
    gone = [] if is_clean else [index for index, character in enumerate(published) if not clean(character)]
    for start, end in spans:
        if not 0 <= start < end <= size:
            raise BadRow(Reason.OUT_OF_RANGE, f"span {start}–{end} is no part of a text of {size} characters")
        moved.append((start - bisect_left(gone, start), end - bisect_left(gone, end)))
    return moved


def refuse_overlap(spans: Sequence[dict]) -> None:
    """Raise BadRow where two spans share a character: a character has one type and one probability."""
    for first, other in pairwise(sorted(spans, key=lambda mark: (mark["start"], mark["end"]))):
        if other["start"] < first["end"]:
            places = f"{first['start']}–{first['end']} and {other['start']}–{other['end']}"
            raise BadRow(Reason.OVERLAP, f"spans {places} overlap")


def joined(marks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Marks (`start`, `end`, `type`) as spans in order; those that overlap are one, of all their types."""
    runs: list[dict[str, Any]] = []
    for mark in sorted(marks, key=lambda entry: (entry["start"], entry["end"])):
        if runs and mark["start"] < runs[-1]["end"]:
            kinds = dict.fromkeys([*runs[-1]["type"].split("; "), *mark["type"].split("; ")])
            runs[-1] |= {"end": max(runs[-1]["end"], mark["end"]), "type": "; ".join(kinds)}
        else:
            runs.append(span(mark["start"], mark["end"], mark["type"]))
    return runs
