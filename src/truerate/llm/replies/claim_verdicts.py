"""Verdicts by the number of their claim: lines `[1] supported` or `[1] not supported`, in the closed forms of
`closed`.

Read as well, each with a mark among the cuts: numbers in other marks (`marks`), other words (the vocabulary
`claims`), a reason behind the verdict or before it, the claim said again, the verdict on the line below,
several entries on one line, a list without numbers, JSON and tables. Two verdicts on a claim, and a later
word that takes something back, leave it without one.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from truerate.core.patterns import lazy
from truerate.llm.replies import headings
from truerate.llm.replies.cutting import MAX_CLOSED, unfenced, unwrapped
from truerate.llm.replies.lists import marks
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.worded import verdict
from truerate.llm.replies.words import VALUES, has, words

NOUNS = frozenset("claim claims fact statement verdict c no nr number item aussage affirmation".split())
# Why a claim has no verdict: nothing came · the reply has no line for it · its line says something else ·
# it says two things, or takes one back.
REASONS = ("empty", "absent", "malformed", "ambiguous")
MAX_LINES = 1_000  # of a reply that is read
Stated = dict[int, set[bool | str]]
_INNER = lazy(r"[,;.|]? +(?=[*_]*(?:\[\d{1,3}\]|\(\d{1,3}\)|claim \d{1,3}) ?:? ?\S)", 2)
_CITED = lazy(r"(?<=\w)(?: ?[\[(](?:passages? )?\d{1,3}(?:(?:, ?| and )\d{1,3}){0,9}[\])]){1,9}", 2)
# `Claim 1 is supported. Claims 2 and 3 are not supported.`
_SENTENCE = lazy(
    r"(?:^|(?<=\. ))((?:the )?(?:claim|fact|statement)s? \[?\d[\d ,and\[\]]{0,40}) (?=(?:is|are) )", 10
)
_WORD = lazy(r"\w+")
_CONTRADICTED = lazy(r"(?<!not )\b(?:contradict(?:ed|s|ory|ion)?|refute[ds]?|disprove[dns]*)\b", 2)
_UNMENTIONED = lazy(
    r"\b(?:not (?:mentioned|stated|addressed|covered)|no mention|unmentioned|neutral|neither)\b", 2
)
_MATERIAL = ("Subject", "Passages", "Claims")
_NUMBER_KEYS = ("claim", "claim_id", "claim_number", "number", "id", "index", "n", "no", "nr", "#")
_VERDICT_KEYS = (
    "verdict", "judgement", "judgment", "label", "result", "status", "answer", "decision", "support", "supported", "is_supported",
)  # fmt: skip


def read_verdicts(text: str, claims: Sequence[str]) -> Parsed:
    """Of each claim whether it is NOT supported, or one of REASONS: a list, in the order of the claims."""
    answer, cuts = unwrapped(text, MAX_CLOSED)
    if not answer:
        return Parsed(["empty"] * len(claims), nothing(cuts).reason, cuts)
    if answer.count("\n") > MAX_LINES:
        return Parsed(["absent"] * len(claims), "too-long", cuts)
    answer, ran_on = headings.before_next(marks.level(answer), _MATERIAL)
    more: tuple[str, ...]
    if (value := marks.json_of(answer)) is not None:
        stated, more = _of_json(value, claims), ("json",)
    elif marks.is_json_like(answer):
        stated, more = {}, ()
    elif table := _of_table(answer, claims):
        stated, more = table, ("table",)
    else:
        stated, more = _of_lines(unfenced(answer).text, claims)
    verdicts = [_verdict(stated.get(position)) for position in range(1, len(claims) + 1)]
    return Parsed(verdicts, None, joined(cuts, ran_on, more))


def _verdict(stated: set[bool | str] | None) -> bool | str:
    """The verdict of a claim from all that was said of it."""
    verdicts = [element for element in stated or () if isinstance(element, bool)]
    if stated and ("ambiguous" in stated or len(verdicts) > 1):
        return "ambiguous"
    return verdicts[0] if verdicts else "malformed" if stated else "absent"


@lru_cache(1024)  # a run of replies says the same few words
def is_unsupported(text: str, claim: str = "") -> bool | None:
    """Return whether words say that a claim is NOT supported (True) or is (False); None where they say
    neither clearly.
    """
    value = verdict(_CITED.sub("", without_claim(text, claim) if claim else text), "claims").value
    return None if value is None else not value


def without_claim(text: str, claim: str) -> str:
    """Words without the claim where it stands first or last in them, whatever marks lie between its words."""
    result = [(match[0].casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
    stated, claimed = [word for word, _, _ in result], [word.casefold() for word in _WORD.findall(claim)]
    n = len(claimed)
    for lead in (["the", "claim", "that"], ["the", "statement", "that"], []):
        first = len(lead)
        if n and stated[:first] == lead and stated[first : first + n] == claimed:
            return text[result[first + n - 1][2] :].lstrip(" .,;!*_`\"'“”’)»]–—-→:")
    if n and len(stated) > n and stated[-n:] == claimed:
        before = text[: result[-n][1]].rstrip(" *_`\"'“„«")
        return before.rstrip(":：.(–—- ") if before[-1:] in ":：.(–—-" else text
    return text


def read_contradicted(text: str, claims: Sequence[str]) -> list[bool | None]:
    """Of each claim whether its line says that it is contradicted (True) or that nothing is said of it
    (False); None where it says neither, both, or stands on no line or on several. `[1] not mentioned`.
    """
    answer, _ = unwrapped(text, MAX_CLOSED)
    lines = marks.lines_of(marks.level(answer or ""), NOUNS)
    entries = [line.entry for line in lines if line.entry]
    of_claims: list[list[str]] = [
        [entry.text for entry in entries if number in entry.numbers] for number in range(1, len(claims) + 1)
    ]
    if len(claims) == 1 and not entries:
        of_claims = [[answer or ""]]
    kinds: list[bool | None] = []
    for stated, claim in zip(of_claims, claims, strict=True):
        words_left = without_claim(stated[0], claim) if len(stated) == 1 else ""
        is_against, is_silent = (bool(sign.search(words_left)) for sign in (_CONTRADICTED, _UNMENTIONED))
        kinds.append(is_against if is_against is not is_silent else None)
    return kinds


# ---- lines -----------------------------------------------------------------------------------------------


def _of_lines(text: str, claims: Sequence[str]) -> tuple[Stated, tuple[str, ...]]:
    """Return what numbered lines and the lines below them say of each claim, and how loosely it was read."""
    text = _SENTENCE.sub(r"\n\1: ", text)
    lines = marks.lines_of("\n".join(part for line in text.split("\n") for part in _parted(line)), NOUNS)
    places = [position for position, line in enumerate(lines) if line.entry]
    if any(0 in entry.numbers for line in lines if (entry := line.entry)):
        return {}, ()
    stated: Stated = {}
    cuts: tuple[str, ...] = ()
    for position, end in zip(places, [*places[1:], len(lines)], strict=False):
        entry = lines[position].entry
        assert entry is not None
        for number in entry.numbers:
            if 1 <= number <= len(claims):
                below = [line.text for line in lines[position + 1 : end]]
                value, how = _entry(entry, below, claims[number - 1])
                stated.setdefault(number, set()).add(value)
                cuts = joined(cuts, how)
    for line in (
        lines if stated else ()
    ):  # something taken back: of the claims that the line names, else of all
        some = () if line.entry else words(line.text, "claims")
        if has(some, "retraction"):
            named = {int(word.text) for word in some if word.text.isdecimal()}
            for number in named & set(stated) or stated:
                stated[number].add("ambiguous")
    return (stated, cuts) if stated or places else _by_place(text, claims)


def _parted(line: str) -> list[str]:
    """The entries of a line that holds several, each a verdict: `[1] supported, [2] not supported`."""
    number, _, rest = line.strip().partition(" ")
    if number.isdecimal() and len(number) < 4 and rest[:1].isalpha() and is_unsupported(rest) is not None:
        return [f"{number}: {rest}"]
    parts = _INNER.split(line)
    entries = [marks.entry_of(part, NOUNS) for part in parts] if len(parts) > 1 else []
    return (
        parts
        if entries and all(entry and is_unsupported(entry.text) is not None for entry in entries)
        else [line]
    )


def _entry(entry: marks.Entry, below: Sequence[str], claim: str) -> tuple[bool | str, tuple[str, ...]]:
    """The verdict of one entry from its own words and the lines below it, up to the first blank line behind
    which it has one.
    """
    paragraphs: list[list[str]] = [[entry.text]]
    for line in below:
        if line:
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    text = _as_one(paragraphs[0])
    if len(paragraphs) > 1 and not has(words(without_claim(text, claim), "claims"), *VALUES):
        text = _as_one([text, *paragraphs[1]])
    value = is_unsupported(text, claim)
    if value is None:
        return "malformed", ()
    some = words(entry.text, "claims")[:-1]
    how = "below" if not some else "" if len(some) < 3 and has(some[:1], *VALUES) else "explanation"
    mark = () if entry.is_exact else ("sign",) if entry.has_sign else ("mark",)
    return value, joined(mark, (how,) if how else ())


def _as_one(lines: Sequence[str]) -> str:
    """Lines as one text: a line that begins with a small letter goes on, any other is a new sentence."""
    return "".join(
        line if not at else f" {line}" if line[:1].islower() else f" . {line}"
        for at, line in enumerate(lines)
        if line
    )


def _by_place(text: str, claims: Sequence[str]) -> tuple[Stated, tuple[str, ...]]:
    """Verdicts without numbers: of one claim the reply; as many lines as there are claims, each a verdict."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    first, _, rest = " ".join(lines).partition(" ")
    if first.casefold() in ("all", "none", "neither", "both") and not (
        first.casefold() == "both" and len(claims) != 2
    ):
        value = is_unsupported(rest.removeprefix("of "))  # `All claims are supported.`
        is_stated = value is not None and not (value and first.casefold() in ("none", "neither"))
        value = value is (first.casefold() in ("all", "both"))
        return {n: {value} for n in range(1, len(claims) + 1)} if is_stated else {}, ("list",)
    if len(claims) == 1:
        value = is_unsupported(_as_one(lines), claims[0])
        return ({1: {value}}, ()) if value is not None else ({}, ())
    listed = [marks.item_of(line) or line for line in lines if line[-1] not in ":："]
    values = [is_unsupported(item, claim) for item, claim in zip(listed, claims, strict=False)]
    if len(listed) != len(claims) or None in values:
        return {}, ()
    return {position: {value} for position, value in enumerate(values, 1) if value is not None}, ("list",)


# ---- JSON and tables -------------------------------------------------------------------------------------


def _of_json(value: Any, claims: Sequence[str]) -> Stated:
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
            key = marks.first_of(element, _NUMBER_KEYS) if isinstance(element, dict) else None
            pairs.append((entry.numbers[0], entry.text) if entry else (marks.number_of(key, NOUNS), element))
    if pairs and all(number is None for number, _ in pairs) and len(pairs) == len(claims):
        pairs = list(enumerate((element for _, element in pairs), 1))
    if any(number == 0 for number, _ in pairs):
        return {}
    stated: Stated = {}
    for number, element in pairs:
        if number is not None and 1 <= number <= len(claims):
            values = {_in_json(part) for part in (element if isinstance(element, list) else [element])}
            stated.setdefault(number, set()).update("malformed" if part is None else part for part in values)
    return stated


def _in_json(value: Any) -> bool | str | None:
    """The verdict that a JSON value is: true for supported, the words, or an object with a field for it."""
    if isinstance(value, dict):
        fields = (marks.first_of(value, (key,)) for key in _VERDICT_KEYS)
        values = {_in_json(field) for field in fields if field is not None} - {None}
        return "ambiguous" if len(values) > 1 else next(iter(values), None)
    return not value if isinstance(value, bool) else is_unsupported(value) if isinstance(value, str) else None


def _of_table(text: str, claims: Sequence[str]) -> Stated:
    """The verdicts of a table between bars: its first column is the number, the verdict stands in the column
    that its head names, else in the one cell of the row that is a verdict.
    """
    rows = marks.table_of(text)
    names = [cell.casefold().strip(" ?") for cell in rows[0]] if rows else []
    heads = [position for position, name in enumerate(names) if position and name in _VERDICT_KEYS]
    stated: Stated = {}
    for row in rows:
        number = marks.number_of(row[0], NOUNS)
        if number is not None and 1 <= number <= len(claims):
            cells = [row[heads[0]]] if len(heads) == 1 else row[1:]
            values = {
                value for cell in cells if (value := is_unsupported(cell, claims[number - 1])) is not None
            }
            stated.setdefault(number, set()).update(values or {"malformed"})
    return stated
