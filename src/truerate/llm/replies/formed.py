"""Choices in a form for machines: JSON and tables between bars."""

import re
from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies import structured
from truerate.llm.replies.comparisons import Asks
from truerate.llm.replies.cutting import bare
from truerate.llm.replies.grammar import state
from truerate.llm.replies.mentions import alone_name, mention
from truerate.llm.replies.rating import BUT, CROSSES, TICKS
from truerate.llm.replies.reading import Parsed

_KEYS = lazy(
    r"(?:(?:best|better|chosen|selected|hallucinated|your|final|my|more\s+plausible)\s+){0,2}"
    r"(?:choice|answer|response|summary|pick|option|selection|verdict|hallucinated|result|best|one|text|winner|preferred|chosen|selected)|(?:which|"
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
_OVERALL = lazy(r"(?:overall|final|total|verdict|winner|conclusion)\b", re.I)
_OWN_KEYS = {"hallucinated": r"hallucinat", "best": r"\bbe(?:st|tter)\b", None: None}
_OPEN = lazy(
    r"\b(?:both|neither|either|none|not\s+sure|unsure|unclear|tie|equal\w*|however|but|although|"
    r"means?|stands?|lower|fewer)\b|\?",
    re.I,
)
_NOT = lazy(r"\b(?:no|not|free|without)\b|non|n't", re.I)


def of_json(text: str, names: Sequence[str], asks: Asks) -> Parsed | None:
    """The one of two names that the JSON or the tags of a reply give; None of a reply without such a form."""
    if (named := structured.pairs(text)) is None:
        return None
    if (told := _of_each(named, names, asks)) is not None:
        return Parsed(told, cuts=("json",))
    own = _OWN_KEYS[asks]
    asked = [(name, value) for name, value in named if own and re.search(own, name)] or named
    values = {alone_name(str(value), names) for name, value in asked if not _OTHER_KEYS.search(name)}
    values.discard(None)
    if not any(_KEYS.fullmatch(name) or not name for name, _ in named):
        values = set()
    if len(values) == 1:
        return Parsed(values.pop(), cuts=("json",))
    if values or bare(text)[0].startswith(("{", "[")):
        return Parsed(None, "ambiguous" if values else "absent", ("json",))
    return None


def _of_each(named: Sequence[tuple[str, object]], names: Sequence[str], asks: Asks) -> str | None:
    """The one that was asked for, where a name of JSON tells of each text, in its value (`"Response 1": "faithful"`) or in
    itself (`"response 1 hallucinated": true`); None of other JSON.
    """
    faulty: dict[str, bool] = {}
    for key, value in named:
        found = [one for one in mention().finditer(key)]
        if asks is None or len(found) != 1:
            return None
        rest = " ".join(f"{key[: found[0].start()]} {key[found[0].end() :]}".split())
        told = state(value) if isinstance(value, str) and not rest else None
        if isinstance(value, bool) and rest:
            said = state(rest.removeprefix("is "))
            told = None if said is None else said is value
        if told is None:
            return None
        faulty[names[0 if found[0]["first"] else 1]] = told
    if len(faulty) != 2 or len(set(faulty.values())) != 2:
        return None
    return next(name for name, is_fault in faulty.items() if is_fault is (asks == "hallucinated"))


def of_table(text: str, names: Sequence[str], asks: Asks) -> Parsed | None:
    """The one that a table shows to be what was asked for, which has a row for each of two texts and a column that says by
    its head whether they are at fault or sound; None of other replies, and where its columns do not agree.
    """
    found = structured.table(text)
    if found is None or asks is None:
        return None
    head, body = found
    beside = structured.without_cells(text)
    if (sets := _compared(head, body, names)) is None or _OPEN.search(beside):
        return None
    faulty: set[str] = set()
    best: set[str] = set()
    for title, cells in sets:
        is_fault, is_sound = bool(_OF_FAULT.search(title)), bool(_OF_SOUND.search(title))
        is_best = bool(_OF_BEST.search(title) or _OVERALL.match(title)) and not is_fault and not is_sound
        if is_fault is is_sound and not is_best:
            continue
        said = _ranked(cells) if is_best else [_yes(cell) for cell in cells]
        if said is None or None in said or said[0] is said[1] or _NOT.search(title):
            return None
        (best if is_best else faulty).add(names[said.index(True if is_best else is_fault)])
    if best and asks == "best" and not faulty and len(best) == 1:
        found_one = best.pop()
    elif len(faulty) == 1 and best != faulty:
        fault = faulty.pop()
        found_one = fault if asks == "hallucinated" else names[1 - names.index(fault)]
    else:
        return None
    is_same = all(names[0 if one["first"] else 1] == found_one for one in mention().finditer(beside))
    return Parsed(found_one, cuts=("table",)) if is_same else None


def _compared(
    head: list[str], body: list[list[str]], names: Sequence[str]
) -> list[tuple[str, list[str]]] | None:
    """What a table compares two texts in: of each column, or row, its title and the cells of both, those alone that it calls
    overall where it has such; of a table of winners the overall one. None of a table that does not have both texts.
    """
    rows = {alone_name(row[0], names): row for row in body}
    columns = {alone_name(cell, names): at for at, cell in enumerate(head)}
    if set(names) <= set(columns):
        found = [(row[0], [row[columns[name]] for name in names]) for row in body]
    elif len(body) == 2 and set(rows) == set(names):
        found = [(title, [rows[name][at] for name in names]) for at, title in enumerate(head) if at]
    elif len(head) == 2 and _OF_BEST.search(head[1]):
        winners = [(row[0], alone_name(row[1], names)) for row in body if alone_name(row[1], names)]
        found = [(title, ["yes" if name == won else "no" for name in names]) for title, won in winners]
        return [one for one in found if _OVERALL.match(one[0])] or None
    else:
        return None
    return [one for one in found if _OVERALL.match(one[0])] or found


def _ranked(cells: list[str]) -> list[bool | None] | None:
    """Which of two cells has the sign or the higher number; None where they do not tell."""
    numbers = [re.fullmatch(r"(\d{1,3}(?:\.\d+)?)(?:\s*/\s*\d+|\s*%)?", cell) for cell in cells]
    if all(numbers):
        first, second = (float(one[1]) for one in numbers if one)
        return None if first == second else [first > second, second > first]
    said = [_yes(cell) if cell else False for cell in cells]
    return said if sum(bool(one) for one in said) == 1 else None


def _yes(cell: str) -> bool | None:
    """Whether a cell says yes, in a word or by a sign."""
    word = re.match(r"\W*(yes|no)\b(?!\s+\w)", cell, re.I)
    if word and not BUT.search(cell):
        return word[1].casefold() == "yes"
    if re.fullmatch(r"\W*(?:the\s+)?(?:best|better|winner|preferred|chosen)\W*", cell, re.I):
        return True
    sign = {one for one in cell if one in TICKS + CROSSES}
    return next(iter(sign)) in TICKS if len(sign) == 1 else None
