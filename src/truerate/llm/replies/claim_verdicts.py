"""Verdicts by the number of their claim: lines `[1] supported` or `[1] not supported`.

Read as well, each with a mark among the cuts: numbers in other marks (`marks`), other words, a reason, the claim
said again (`support`), the verdict on a line of its own below the claim, several entries on one line, a list
without numbers, JSON and tables where their count fits, and of several lists the last where its heading says so.
A claim of which two things are said, or something is taken back, has no verdict.
"""

import re
from collections.abc import Sequence
from typing import Any

from truerate.core.patterns import lazy
from truerate.llm.replies import marks
from truerate.llm.replies.cutting import unfenced, unwrapped
from truerate.llm.replies.marks import Entry
from truerate.llm.replies.normalizing import plain, unwrapped_lines
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.support import verdict_of, without_claim

NOUNS = ("claim", "claims", "fact", "statement", "verdict", "c", "no", "nr", "number", "item")
# Why a claim has no verdict: nothing came · the reply has no line for it · its line says something else ·
# it says two things, or takes one back.
REASONS = ("empty", "absent", "malformed", "ambiguous")
_ASKED = lazy(r"(?:not |un)?supported\.?")
_LABELLED = lazy(
    r"(?:[-*+•]\s*)?[*_`]*(?:final |my )?(?:(?P<word>verdict|judge?ment|answer|conclusion|label|status|result|decision|rating|assessment|"
    r"classification)|(?P<whether>supported|is supported|support))[*_`]*\s*[:：=]\s*[*_`]*(?P<rest>.*)",
    re.IGNORECASE,
)
# behind reasons on the same line: `No passage says so. Verdict: not supported.`
_LABELLED_LAST = lazy(
    r"[.;!]\s+[*_`]*(?:final |my )?(?:verdict|judge?ment|conclusion|label)[*_`]*\s*[:：=]\s*(?P<rest>[^.;:!?]+)[.!*_`\s]*\Z",
    re.IGNORECASE,
)
# a verdict as a sentence: `Claim 1 is supported. Claim 2 is not supported.`
_IN_PROSE = lazy(
    r"(?:^|(?<=[.;,]\s))[ \t]*(?:and[ \t]+|but[ \t]+|while[ \t]+)?(?:claim|fact|statement)s?[ \t]+"
    r"(?P<numbers>\[?\d{1,3}\]?(?:(?:[ \t]*,[ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+)\[?\d{1,3}\]?)*)[ \t]+(?:is|are)[ \t]+"
    r"(?:both[ \t]+|all[ \t]+)?"
    r"(?=(?:not[ \t]+|un)?supported\b)",
    re.IGNORECASE | re.MULTILINE,
)
# one sentence for all claims
_OF_ALL = lazy(
    r"[\W_]*(?P<who>all|every|each|both|neither|none|no)(?:\s+of)?(?:\s+(?:the|these|those))?(?:\s+(?P<count>two|"
    r"three|four|five|six|seven|eight|nine|ten|\d{1,2}))?(?:\s+(?:given|listed|above))?"
    r"(?:\s+(?:claims?|statements?|facts?|them))?(?:\s+(?:is|are)|\s*[:：])\s+(?:(?:fully|clearly|directly)\s+)?"
    r"(?P<against>not\s+supported|unsupported)?(?(against)|supported)(?:\s+by\s+(?:the\s+)?(?:passages?|evidence|sources?|text))?[\W_]*",
    re.IGNORECASE,
)
# and for all but some: `All claims are supported except [2].`
_OF_ALL_BUT = lazy(
    r"[\W_]*(?:all|every)(?:\s+of)?(?:\s+(?:the|these|those))?(?:\s+other)?\s+(?:claims?|statements?|facts?)\s+(?:is|are)\s+"
    r"(?P<against>not\s+supported|unsupported)?(?(against)|supported)(?:\s+by\s+(?:the\s+)?(?:passages?|evidence|sources?|text))?"
    r"\s*,?\s*(?:except|but|other\s+than|apart\s+from)(?:\s+for)?\s+(?:the\s+)?(?:(?:claims?|statements?|facts?|numbers?)\s+)?"
    r"(?P<but>[\[(#]?\d{1,3}[\])]?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)[\[(#]?\d{1,3}[\])]?)*)[\W_]*",
    re.IGNORECASE,
)
# claims by their verdict: `Supported: 1, 4`
_GROUPED = lazy(
    r"^[ \t>*_#•-]*(?P<word>(?:not[ \t_-]|un)?supported)(?:[ \t]+(?:claims?|statements?|facts?))?[*_]*[ \t]*[:：][*_ \t]*"
    r"(?:claims?[ \t]+)?(?P<numbers>[\[#]?\d{1,3}\]?(?:(?:[ \t]*[,;&][ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+)[\[#]?\d{1,3}\]?)*)[ \t.]*$",
    re.IGNORECASE | re.MULTILINE,
)
_COUNTS = {
    word: str(n)
    for n, word in enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 2)
}
_ANEW = lazy(
    r"[\W_]*(?:(?:final|corrected|revised|updated)\b[\w ]{0,40}|.{0,20}\bverdicts\W*#+|(?:verdicts|output|answer|results?))\W*"
    r"|.*\b(?:final|corrected) (?:answers?|verdicts?|list)\s*[:：][*_]*",
    re.IGNORECASE,
)
_TAKEN_BACK = lazy(
    r"\b(?:wait|actually|correction|on second thoughts?|scratch that|hmm|i mean|i was wrong|sorry|mistake|revis\w+)\b",
    re.IGNORECASE,
)
_SAYS = lazy(r"\b(?:un)?support\w*|\b(?:true|false|correct|refuted|contradicted)\b", re.IGNORECASE)
_GIVEN = lazy(r"^[ \t>*_\-]*#{1,3}[^#\n]{1,80}?#{1,3}[ \t*_]*[:：]", re.MULTILINE)
_NUMBER_KEYS = ("claim", "claim_id", "claim_number", "number", "id", "index", "n", "no", "nr", "#")
_VERDICT_KEYS = (
    "verdict", "judgement", "judgment", "label", "result", "status", "answer", "decision", "support", "supported", "is_supported",
)  # fmt: skip


def read_verdicts(text: str, claims: Sequence[str]) -> Parsed:
    """Of each claim whether it is NOT supported, or one of REASONS: a list, in the order of the claims."""
    answer, cuts = unwrapped(text)
    if not answer:
        return Parsed(["empty"] * len(claims), nothing(cuts).reason, cuts)
    n = len(claims)
    is_list = all(_ASKED.fullmatch(line.strip().casefold()) for line in answer.split("\n") if line.strip())
    answer = plain(answer) if is_list else unwrapped_lines(answer)
    value = marks.json_of(answer)
    if value is not None:
        return Parsed(_of_json(value, n), None, joined(cuts, ("json",)))
    if marks.is_json_like(answer):
        return Parsed(["absent"] * n, None, cuts)
    if (table := _of_table(answer, claims)) is not None:
        return Parsed(table, None, joined(cuts, ("table",)))
    answer = _IN_PROSE.sub(lambda found: f"\n[{', '.join(re.findall(r'[0-9]+', found['numbers']))}] ", answer)
    answer = _ungrouped(answer, n)
    said, more = _of_lines(_latest(_own(unfenced(answer).text, claims), n), claims)
    if not said:
        said, more = _by_place(unfenced(answer).text, claims)
    return Parsed([_one(said.get(place)) for place in range(1, n + 1)], None, joined(cuts, more))


def _ungrouped(text: str, n: int) -> str:
    """A reply with its groups (`Supported: 1, 4`) as lines of claims, where they name each claim once."""
    groups = list(_GROUPED.finditer(text))
    named = sorted(int(one) for group in groups for one in re.findall(r"\d+", group["numbers"]))
    if named != list(range(1, n + 1)) or len(named) < 2:
        return text
    return _GROUPED.sub(
        lambda found: f"[{', '.join(re.findall('[0-9]+', found['numbers']))}] {found['word']}", text
    )


def _one(said: set[bool | str] | None) -> bool | str:
    """The verdict of a claim from all that was said of it."""
    if not said:
        return "absent"
    verdicts = [one for one in said if isinstance(one, bool)]
    if "ambiguous" in said or len(verdicts) > 1:
        return "ambiguous"
    return verdicts[0] if verdicts else "malformed"


# ---- lines --------------------------------------------------------------------------------------------------


def _own(text: str, claims: Sequence[str]) -> str:
    """A reply up to the first heading of material (no heading of verdicts) before which verdicts stand: a next example."""
    for given in _GIVEN.finditer(text):
        if "verdict" not in given[0].casefold():
            said = _of_lines(text[: given.start()], claims)[0]
            if any(isinstance(one, bool) for verdicts in said.values() for one in verdicts):
                return text[: given.start()]
    return text


def _latest(text: str, n: int) -> str:
    """What follows the last heading behind which the list begins anew and speaks of every claim that stood
    before it, up to a next example.
    """
    lines = text.splitlines()
    for place in range(len(lines) - 1, 0, -1):
        if _ANEW.fullmatch(lines[place].strip()):
            before, after = (_covered(part, n) for part in (lines[:place], lines[place + 1 :]))
            if after and before <= after:
                lines = lines[place + 1 :]
                break
    rest = "\n".join(lines)
    given = next(
        (one for one in _GIVEN.finditer(rest) if _covered(rest[: one.start()].splitlines(), n)), None
    )
    return rest[: given.start()] if given else rest


def _covered(lines: Sequence[str], n: int) -> set[int]:
    entries = [line.entry for line in marks.lines_of("\n".join(lines), NOUNS) if line.entry]
    return {number for entry in entries for number in entry.numbers if 1 <= number <= n}


def _of_lines(text: str, claims: Sequence[str]) -> tuple[dict[int, set[bool | str]], tuple[str, ...]]:
    """What numbered lines and the lines below them say of each claim, and how loosely it was read."""
    lines = [line for part in text.splitlines() for line in _parted(_spaced(part))]
    read = marks.lines_of("\n".join(lines), NOUNS)
    places = [place for place, line in enumerate(read) if line.entry]
    if any(read[place].entry.numbers[0] == 0 for place in places):  # type: ignore[union-attr]
        return {}, ()
    said: dict[int, set[bool | str]] = {}
    cuts: tuple[str, ...] = ()
    for place, end in zip(places, [*places[1:], len(read)], strict=False):
        entry = read[place].entry
        assert entry is not None
        below = [line.text for line in read[place + 1 : end]]
        for number in entry.numbers:
            if 1 <= number <= len(claims):
                verdict, more = _entry(entry, below, claims[number - 1])
                said.setdefault(number, set()).add(verdict)
                cuts = joined(cuts, more)
    # something taken back below the list: of the claims that the line names
    for line in read:
        if not line.entry and _TAKEN_BACK.search(line.text) and _SAYS.search(line.text):
            for number in re.findall(r"(?:claims?|\[|#|and|,)\s*(\d{1,3})", line.text, re.IGNORECASE):
                said.setdefault(int(number), set()).add("ambiguous")
    return said, cuts


def _spaced(line: str) -> str:
    """A line `1 supported`, whose number has no mark, with one."""
    found = re.fullmatch(r"\s*(\d{1,3})\s+([^\W\d].*)", line)
    return f"{found[1]}: {found[2]}" if found and verdict_of(found[2]) is not None else line


def _parted(line: str) -> list[str]:
    """The entries of a line that holds several: `[1] supported, [2] not supported`."""
    parts = re.split(
        r"(?<=[\w\]).*✓✔✅☑✗✘❌✖])\s*[,;.|]\s+(?=[*_]*\[\d{1,3}\]\s*\S|[*_]*\(\d{1,3}\)\s*\S|\d{1,3}[:.)]\s|claim \d)|"
        r"(?<=supported)\s+(?=\[\d{1,3}\]:?\s+(?:not |un)?supported)",
        line,
        flags=re.IGNORECASE,
    )
    entries = [marks.entry_of(part, NOUNS) for part in parts]
    is_list = len(parts) > 1 and all(entry is not None and entry.text for entry in entries)
    return parts if is_list else [line]


def _entry(entry: Entry, below: Sequence[str], claim: str) -> tuple[bool | str, tuple[str, ...]]:
    """The verdict of one entry from its own words and the lines below it."""
    own = verdict_of(entry.text, claim) if entry.text else None
    if own is None and (last := _LABELLED_LAST.search(entry.text)):
        own = verdict_of(last["rest"])
    end = (
        next((place for place, line in enumerate(below) if not line), len(below))
        if own is not None
        else len(below)
    )
    labelled = [one for line in below if (one := _labelled(line)) is not None]
    alone = [
        one for line in below[:end] if not _LABELLED.fullmatch(line) and (one := _alone(line)) is not None
    ]
    verdicts = {one for one in (own, *labelled, *alone) if one is not None}
    if len(verdicts) != 1:
        return "ambiguous" if verdicts else "malformed", ()
    (verdict,) = verdicts
    reasons = [line for line in below[:end] if not _LABELLED.fullmatch(line) and _alone(line) is None]
    if any(_turns(without_claim(line, claim), verdict) for line in reasons):
        return "ambiguous", ()
    cuts = ("below",) if own is None else _loosely(entry.text, claim)
    return verdict, joined(() if entry.is_exact else ("sign",) if entry.has_sign else ("mark",), cuts)


def _loosely(text: str, claim: str) -> tuple[str, ...]:
    """How loosely a verdict's words were read."""
    plain = " ".join(text.strip(" .*_`").casefold().split())
    if _ASKED.fullmatch(plain):
        return ()
    if without_claim(text, claim) != text:
        return ("echo",)
    return ("explanation",) if re.match(r"(?:not |un)?supported\b", plain) else ("other-word",)


def _labelled(line: str) -> bool | None:
    """The verdict of a line `Verdict: …` or `Supported: yes`."""
    found = _LABELLED.fullmatch(line)
    return verdict_of(found["rest"]) if found else None


def _alone(line: str) -> bool | None:
    """The verdict of a line that is one and no more."""
    bare = re.sub(r"\A[-*+•>]\s+", "", line)
    return verdict_of(bare) if len(bare.split()) <= 3 and not re.search(r"[:,;(]", bare) else None


def _turns(line: str, verdict: bool) -> bool:
    """Whether a line below a verdict says the contrary, or takes it back."""
    plain = line.casefold()
    if _TAKEN_BACK.search(plain) and _SAYS.search(plain):
        return True
    denies = re.search(r"\b(?:not (?:\w+ )?supported|unsupported|refuted|contradict(?:s|ed)|false)\b", plain)
    affirms = re.search(r"\bsupported\b", re.sub(r"\b(?:not (?:\w+ )?|un)supported\b", "", plain))
    return bool(affirms if verdict else denies)


def _by_place(text: str, claims: Sequence[str]) -> tuple[dict[int, set[bool | str]], tuple[str, ...]]:
    """Verdicts without numbers: a list of as many entries as there are claims; of one claim alone the reply; of
    all claims a sentence that is the whole reply.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if whole := _OF_ALL.fullmatch(" ".join(lines)):
        who, is_against = whole["who"].casefold(), bool(whole["against"])
        is_two, is_none = who in ("both", "neither"), who in ("none", "no", "neither")
        counted = _COUNTS.get((whole["count"] or "").casefold(), whole["count"])
        is_other_number = counted is not None and int(counted) != len(claims)
        if is_against and (is_none or who == "all") or (is_two and len(claims) != 2) or is_other_number:
            return {}, ()  # `all are not supported`: each one, or not each one?
        return {place: {is_against or is_none} for place in range(1, len(claims) + 1)}, ("list",)
    if (rest := _OF_ALL_BUT.fullmatch(" ".join(lines))) and (
        numbers := {int(one) for one in re.findall(r"\d+", rest["but"])}
    ):
        is_against = bool(rest["against"])
        if all(1 <= number <= len(claims) for number in numbers):
            return {n: {is_against is not (n in numbers)} for n in range(1, len(claims) + 1)}, ("list",)
    if len(claims) == 1 and (verdict := verdict_of(" ".join(lines), claims[0])) is not None:
        return {1: {verdict}}, ()
    items = [item for line in lines if (item := marks.item_of(line)) is not None]
    listed = items or [line for line in lines if not re.search(r"[:：][*_]*\Z", line)]
    read = [verdict_of(item, claim) for item, claim in zip(listed, claims, strict=False)]
    if len(listed) != len(claims) or any(one is None for one in read):
        return {}, ()
    return {place: {one} for place, one in enumerate(read, 1) if one is not None}, ("list",)


# ---- JSON and tables ----------------------------------------------------------------------------------------


def _of_json(value: Any, n: int) -> list[bool | str]:
    """The verdicts of a JSON value: by number, else by place where there are as many as claims."""
    if (
        isinstance(value, dict)
        and len(value) == 1
        and isinstance(inner := next(iter(value.values())), list | dict)
    ):
        value = inner
    if isinstance(value, dict) and n == 1 and marks.first_of(value, _VERDICT_KEYS) is not None:
        value = [value]
    pairs: list[tuple[int | None, Any]] = []
    if isinstance(value, dict):
        pairs = [
            (
                marks.number_of(key, NOUNS),
                _agreed(one) if isinstance(one, dict) else one,
            )
            for key, one in value.items()
        ]
    elif isinstance(value, list) and all(isinstance(one, dict) for one in value):
        pairs = [(marks.number_of(marks.first_of(one, _NUMBER_KEYS), NOUNS), _agreed(one)) for one in value]
    elif isinstance(value, list):
        entries = [marks.entry_of(one, NOUNS) if isinstance(one, str) else None for one in value]
        pairs = [
            (entry.numbers[0], entry.text) if entry else (None, one)
            for entry, one in zip(entries, value, strict=True)
        ]
    if pairs and all(number is None for number, _ in pairs) and len(pairs) == n:
        pairs = [(place, one) for place, (_, one) in enumerate(pairs, 1)]
    said: dict[int, set[bool | str]] = {}
    for number, one in pairs:
        if number == 0:
            return ["absent"] * n
        if number is not None:
            told = {_in_json(part) for part in (one if isinstance(one, list) else [one])}
            said.setdefault(number, set()).update("malformed" if part is None else part for part in told)
    return [_one(said.get(place)) for place in range(1, n + 1)]


def _in_json(value: Any) -> bool | None:
    """The verdict that a JSON value is: true for supported, or the words."""
    return not value if isinstance(value, bool) else verdict_of(value) if isinstance(value, str) else None


def _agreed(entry: dict[str, Any]) -> Any:
    """What stands under the first of the names for a verdict, and all that others say where one says the contrary."""
    values = [marks.first_of(entry, (key,)) for key in _VERDICT_KEYS]
    given = [value for value in values if value is not None]
    told = {_in_json(value) for value in given} - {None}
    return given if len(told) > 1 else next(iter(given), None)


def _of_table(text: str, claims: Sequence[str]) -> list[bool | str] | None:
    """The verdicts of a table between bars: its first column is the number, the verdict stands in the column
    that its head names, else in the one cell of the row that is a verdict.
    """
    rows = marks.table_of(text)
    if not rows or not any(marks.number_of(row[0], NOUNS) for row in rows):
        return None
    has_head = marks.number_of(rows[0][0], NOUNS) is None
    named = re.compile(r"verdict|judge?ment|label|result|status|answer|support|decision").search
    place = marks.column(rows[0], lambda cell: bool(named(cell))) if has_head else None
    said: dict[int, set[bool | str]] = {}
    for row in rows[1:] if has_head else rows:
        if (number := marks.number_of(row[0], NOUNS)) is None or not 1 <= number <= len(claims):
            continue
        cells = [row[place]] if place else row[1:]
        verdicts = {one for cell in cells if (one := verdict_of(cell, claims[number - 1])) is not None}
        said.setdefault(number, set()).update(verdicts or {"malformed"})
    return [_one(said.get(number)) for number in range(1, len(claims) + 1)]
