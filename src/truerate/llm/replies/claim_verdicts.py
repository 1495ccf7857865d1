"""Verdicts by the number of their claim: lines `[1] supported` or `[1] not supported`.

Read as well, each with a mark among the cuts: numbers in other marks (`marks`), other words (`phrases.yaml`), a reason
behind the verdict or before it, the claim said again, the verdict on the line below, several entries on one line, a list
without numbers, groups (`Supported: 1, 4`), JSON and tables. The words of a claim are a verdict at their start or at
their end; whatever else in them could turn it leaves the claim without one, and so do two verdicts and a later word that
takes something back.
"""

import re
from collections.abc import Sequence
from typing import Any

from truerate.core.patterns import lazy
from truerate.llm.replies import marks
from truerate.llm.replies.cutting import unfenced, unwrapped
from truerate.llm.replies.phrases import single, words_of
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.support import head_of, verdict_of

NOUNS = frozenset(("claim", "claims", "fact", "statement", "verdict", "c", "no", "nr", "number", "item"))
# Why a claim has no verdict: nothing came · the reply has no line for it · its line says something else ·
# it says two things, or takes one back.
REASONS = ("empty", "absent", "malformed", "ambiguous")
Said = dict[int, set[bool | str]]
_SENTENCE = lazy(
    r"(?:^|(?<=\. ))((?:the )?(?:claim|fact|statement)s? \[?\d[\d ,and\[\]]{0,40}) (?=(?:is|are) )",
    re.I | re.M,
)
_INNER = lazy(r"[,;.|]? +(?=[*_]*(?:\[\d{1,3}\]|\(\d{1,3}\)|claim \d{1,3}) ?:? ?\S)", re.I)
_NEXT_EXAMPLE = lazy(r"^[ >*_]*#{1,3}(?!\W*verdicts)[^#\n]{1,80}#{1,3}[ *_]*[:：]", re.I | re.M)
_NUMBER_KEYS = ("claim", "claim_id", "claim_number", "number", "id", "index", "n", "no", "nr", "#")
_VERDICT_KEYS = (
    "verdict", "judgement", "judgment", "label", "result", "status", "answer", "decision", "support", "supported", "is_supported",
)  # fmt: skip


def read_verdicts(text: str, claims: Sequence[str]) -> Parsed:
    """Of each claim whether it is NOT supported, or one of REASONS: a list, in the order of the claims."""
    answer, cuts = unwrapped(text)
    if not answer:
        return Parsed(["empty"] * len(claims), nothing(cuts).reason, cuts)
    answer = marks.level(answer)
    more: tuple[str, ...]
    if (value := marks.json_of(answer)) is not None:
        stated, more = _of_json(value, claims), ("json",)
    elif marks.is_json_like(answer):
        stated, more = {}, ()
    elif table := _of_table(answer, claims):
        stated, more = table, ("table",)
    else:
        stated, more = _of_lines(unfenced(answer).text, claims)
    return Parsed(
        [_verdict(stated.get(position)) for position in range(1, len(claims) + 1)], None, joined(cuts, more)
    )


def _verdict(stated: set[bool | str] | None) -> bool | str:
    """The verdict of a claim from all that was said of it."""
    verdicts = [element for element in stated or () if isinstance(element, bool)]
    if stated and ("ambiguous" in stated or len(verdicts) > 1):
        return "ambiguous"
    return verdicts[0] if verdicts else "malformed" if stated else "absent"


# ---- lines --------------------------------------------------------------------------------------------------


def _of_lines(text: str, claims: Sequence[str]) -> tuple[Said, tuple[str, ...]]:
    """What numbered lines and the lines below them say of each claim, and how loosely it was read."""
    text = _SENTENCE.sub(r"\n\1: ", text)
    grouped = _of_groups(text.split("\n"), len(claims))
    if grouped:
        return grouped, ("list",)
    lines = marks.lines_of("\n".join(part for line in text.split("\n") for part in _parted(line)), NOUNS)
    lines = _latest(lines, len(claims))
    places = [position for position, line in enumerate(lines) if line.entry]
    if any(0 in entry.numbers for line in lines if (entry := line.entry)):
        return {}, ()
    stated: Said = {}
    cuts: tuple[str, ...] = ()
    for position, end in zip(places, [*places[1:], len(lines)], strict=False):
        entry = lines[position].entry
        assert entry is not None
        for number in entry.numbers:
            if 1 <= number <= len(claims):
                below = [line.text for line in lines[position + 1 : end]]
                verdict, more = _entry(entry, below, claims[number - 1])
                stated.setdefault(number, set()).add(verdict)
                cuts = joined(cuts, more)
    for line in lines:  # something taken back: of the claims that the line names, else of all
        words = () if line.entry or not stated else words_of(line.text)
        if any(word in single("taken_back") for word in words):
            named = {int(word) for word in words if word.isdigit()}
            for number in named & set(stated) or stated:
                stated[number].add("ambiguous")
    return (stated, cuts) if stated else _by_place(text, claims)


def _latest(lines: list[marks.Line], n: int) -> list[marks.Line]:
    """The lines up to a next example, from the last heading behind which the list begins anew and speaks of every claim
    that stood before it.
    """
    first = next((position for position, line in enumerate(lines) if line.entry), len(lines))
    end = next(
        (
            position
            for position, line in enumerate(lines)
            if position > first and _NEXT_EXAMPLE.match(line.text)
        ),
        len(lines),
    )
    lines = lines[:end]
    for position in range(len(lines) - 1, 0, -1):
        words = () if lines[position].entry else words_of(lines[position].text)
        if (
            words
            and words[-1] in (":", "#")
            and any(word in single("anew") or word == "verdicts" for word in words[-6:])
        ):
            before, after = (
                {number for line in part if line.entry for number in line.entry.numbers if 1 <= number <= n}
                for part in (lines[:position], lines[position + 1 :])
            )
            if after and before <= after:
                return lines[position + 1 :]
    return lines


def _parted(line: str) -> list[str]:
    """The entries of a line that holds several, each a verdict: `[1] supported, [2] not supported`."""
    number, _, rest = line.strip().partition(" ")
    if number.isdecimal() and len(number) < 4 and rest[:1].isalpha() and verdict_of(rest) is not None:
        return [f"{number}: {rest}"]
    parts = _INNER.split(line)
    if len(parts) == 1:
        return parts
    entries = (marks.entry_of(part, NOUNS) for part in parts)
    return parts if all(entry and verdict_of(entry.text) is not None for entry in entries) else [line]


def _entry(entry: marks.Entry, below: Sequence[str], claim: str) -> tuple[bool | str, tuple[str, ...]]:
    """The verdict of one entry from its own words and the lines below it, up to the first blank line behind which
    it has one.
    """
    end = next((position for position, line in enumerate(below) if not line), len(below))
    entry_text = _as_one([entry.text, *below[:end]])
    verdict = verdict_of(entry_text, claim)
    if verdict is None and not any(
        word in single("supported") | single("not_supported") for word in words_of(entry_text)
    ):
        rest = next(
            (position for position, line in enumerate(below[end + 1 :], end + 1) if not line), len(below)
        )
        entry_text = _as_one([entry_text, *below[end + 1 : rest]])
        verdict = verdict_of(entry_text, claim)
    if verdict is None:
        return "malformed", ()
    words = words_of(entry.text)
    how = (
        ""
        if words and words[-1] in ("supported", ".") and len(words) < 4
        else "below"
        if not words
        else "explanation"
    )
    return verdict, joined(
        () if entry.is_exact else ("sign",) if entry.has_sign else ("mark",), (how,) if how else ()
    )


def _as_one(lines: Sequence[str]) -> str:
    """Lines as one text: a line that begins with a small letter goes on, any other is a new sentence."""
    return "".join(
        line if not at else f" {line}" if line[:1].islower() else f" . {line}"
        for at, line in enumerate(lines)
        if line or not at
    )


def _of_groups(lines: Sequence[str], n: int) -> Said:
    """Claims by their verdict (`Supported: 1, 4`), where all groups together name each claim once."""
    stated: Said = {}
    for line in lines:
        words = words_of(line.strip(" #*>-•"))
        head = head_of(words, 0)
        rest = words[head[0] :] if head else ()
        if rest[:1] in (("claims",), ("claim",)):
            rest = rest[1:]
        if (
            head
            and rest[:1] == (":",)
            and all(
                word.isdigit() or word in ",;[]&#." or word in ("and", "claim", "claims") for word in rest[1:]
            )
        ):
            for word in rest:
                if word.isdigit():
                    stated.setdefault(int(word), set()).add(head[1])
    return stated if len(stated) > 1 and sorted(stated) == list(range(1, n + 1)) else {}


def _by_place(text: str, claims: Sequence[str]) -> tuple[Said, tuple[str, ...]]:
    """Verdicts without numbers: of one claim the reply; a sentence on all of them; as many lines as there are claims,
    each a verdict.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    words = words_of(" ".join(lines))
    counts = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    counted = {*counts} - {dict(enumerate(counts, 2)).get(len(claims))}
    is_whole = set(words) <= set(
        "all every each none both of the these those claims claim statements facts are is supported by passages evidence sources .".split()
    ) | {*counts}
    if (
        is_whole
        and "supported" in words
        and words[0] in ("all", "none", "every", "each", "both")
        and not counted & set(words)
    ):
        if words[0] != "both" or len(claims) == 2:
            return {position: {words[0] == "none"} for position in range(1, len(claims) + 1)}, ("list",)
    if len(claims) == 1:
        verdict = verdict_of(_as_one(lines), claims[0])
        return ({1: {verdict}}, ()) if verdict is not None else ({}, ())
    listed = [marks.item_of(line) or line for line in lines if line[-1] not in ":："]
    read = [verdict_of(item, claim) for item, claim in zip(listed, claims, strict=False)]
    if len(listed) != len(claims) or None in read:
        return {}, ()
    return {position: {element} for position, element in enumerate(read, 1) if element is not None}, ("list",)


# ---- JSON and tables ----------------------------------------------------------------------------------------


def _of_json(value: Any, claims: Sequence[str]) -> Said:
    """The verdicts of a JSON value: by number, else by place where there are as many as claims."""
    while (
        isinstance(value, dict)
        and len(value) == 1
        and isinstance(inner := next(iter(value.values())), list | dict)
    ):
        value = inner if marks.number_of(next(iter(value)), NOUNS) is None else [value]
    if isinstance(value, dict) and marks.first_of(value, _VERDICT_KEYS) is not None and len(claims) == 1:
        value = [value]
    pairs: list[tuple[int | None, Any]] = []
    if isinstance(value, dict):
        pairs = [(marks.number_of(key, NOUNS), element) for key, element in value.items()]
    elif isinstance(value, list):
        for element in value:
            entry = marks.entry_of(element, NOUNS) if isinstance(element, str) else None
            number = (
                marks.number_of(marks.first_of(element, _NUMBER_KEYS), NOUNS)
                if isinstance(element, dict)
                else None
            )
            pairs.append((entry.numbers[0], entry.text) if entry else (number, element))
    if pairs and all(number is None for number, _ in pairs) and len(pairs) == len(claims):
        pairs = list(enumerate((element for _, element in pairs), 1))
    stated: Said = {}
    for number, element in pairs:
        if number is not None and 1 <= number <= len(claims):
            values = {_in_json(part) for part in (element if isinstance(element, list) else [element])}
            stated.setdefault(number, set()).update("malformed" if part is None else part for part in values)
        elif number == 0:
            return {}
    return stated


def _in_json(value: Any) -> bool | str | None:
    """The verdict that a JSON value is: true for supported, the words, or an object with a field for it."""
    if isinstance(value, dict):
        values = {
            _in_json(element)
            for key in _VERDICT_KEYS
            if (element := marks.first_of(value, (key,))) is not None
        }
        return "ambiguous" if len(values - {None}) > 1 else next(iter(values - {None}), None)
    return not value if isinstance(value, bool) else verdict_of(value) if isinstance(value, str) else None


def _of_table(text: str, claims: Sequence[str]) -> Said:
    """The verdicts of a table between bars: its first column is the number, the verdict stands in the column
    that its head names, else in the one cell of the row that is a verdict.
    """
    rows = marks.table_of(text)
    stated: Said = {}
    heads = [
        position
        for position, cell in enumerate(rows[0] if rows else ())
        if position and set(words_of(cell)) & {*_VERDICT_KEYS, "supported?"}
    ]
    for row in rows:
        number = marks.number_of(row[0], NOUNS)
        if number is not None and 1 <= number <= len(claims):
            cells = [row[heads[0]]] if len(heads) == 1 else row[1:]
            verdicts = {
                element for cell in cells if (element := verdict_of(cell, claims[number - 1])) is not None
            }
            stated.setdefault(number, set()).update(verdicts or {"malformed"})
    return stated
