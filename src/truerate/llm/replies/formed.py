"""Choices in a form for machines: JSON and tables between bars."""

import re
from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies import structured
from truerate.llm.replies.comparisons import Asks
from truerate.llm.replies.cutting import bare
from truerate.llm.replies.mentions import alone_name
from truerate.llm.replies.rating import CROSSES, TICKS
from truerate.llm.replies.reading import Parsed

_KEYS = lazy(
    r"(?:(?:best|better|chosen|selected|hallucinated|your|final|my|more\s+plausible)\s+){0,2}"
    r"(?:choice|answer|response|summary|pick|option|selection|verdict|hallucinated|result|best|one|text)|(?:which|"
    r"better|best)",
    re.I,
)


_OTHER_KEYS = lazy(
    r"worst|worse|other|reject|explan|reason|rationale|thought|confidence|score|rank|index|id\b", re.I
)
# what a column says of the texts: that they are at fault, or that they are sound
_OF_FAULT = lazy(
    r"hallucinat|fabricat|error|mistake|made[ -]up|unsupported|incorrect|wrong|contradict|false", re.I
)
_OF_SOUND = lazy(r"faithful|accura|correct|supported|factual|consistent|\btrue\b|grounded|valid", re.I)
_OF_BEST = lazy(r"\b(?:better|best|winner|wins|preferred|pick|choice)\b", re.I)
_OVERALL = lazy(r"(?:overall|final|total|verdict|winner|conclusion|overall\s+winner)", re.I)
_NOT = lazy(r"\b(?:no|not|free|without)\b|non|n't", re.I)


def of_json(text: str, names: Sequence[str]) -> Parsed | None:
    """The one of two names that the JSON or the tags of a reply give; None of a reply without such a form."""
    if (named := structured.pairs(text)) is None:
        return None
    values = {alone_name(str(value), names) for name, value in named if not _OTHER_KEYS.search(name)}
    values.discard(None)
    if not any(_KEYS.fullmatch(name) or not name for name, _ in named):
        values = set()
    if len(values) == 1:
        return Parsed(values.pop(), cuts=("json",))
    if values or bare(text)[0].startswith(("{", "[")):
        return Parsed(None, "ambiguous" if values else "absent", ("json",))
    return None


def of_table(text: str, names: Sequence[str], asks: Asks) -> Parsed | None:
    """The one that a table shows to be what was asked for, which has a row for each of two texts and a column that says by
    its head whether they are at fault or sound; None of other replies, and where its columns do not agree.
    """
    found = structured.table(text)
    if found is None or asks is None:
        return None
    head, body = found
    if overall := [row for row in body if _OVERALL.fullmatch(row[0].strip(" :*_"))]:
        named = {alone_name(cell, names) for cell in overall[-1][1:]} - {None}
        return (
            Parsed(named.pop(), cuts=("table",))
            if len(named) == 1 and len(head) == 2 and _OF_BEST.search(head[1])
            else None
        )
    rows = {alone_name(row[0], names): row for row in body}
    if len(body) != 2 or set(rows) != set(names):
        return None
    faulty = set()
    for at, title in enumerate(head[1:], start=1):
        is_fault = bool(_OF_FAULT.search(title))
        if is_fault is bool(_OF_SOUND.search(title)):
            continue
        said = [_yes(rows[name][at]) for name in names]
        if None in said or said[0] is said[1] or _NOT.search(title):
            return None
        faulty.add(names[said.index(is_fault)])
    if len(faulty) != 1 or structured.without_cells(text).strip():
        return None
    fault = faulty.pop()
    return Parsed(fault if asks == "hallucinated" else names[1 - names.index(fault)], cuts=("table",))


def _yes(cell: str) -> bool | None:
    """Whether a cell says yes, in a word or by a sign."""
    word = re.sub(r"\W*\(.*\)\W*\Z", "", cell).strip(" .!*").casefold()
    if word in ("yes", "no"):
        return word == "yes"
    sign = {one for one in cell if one in TICKS + CROSSES}
    return next(iter(sign)) in TICKS if len(sign) == 1 else None
