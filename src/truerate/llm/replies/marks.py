"""Numbered entries of a reply: lines that begin with the number of what they speak of, in whatever marks.

The form that prompts ask for is `[1] …`. Read as well: `(1)`, `1)`, `1.`, `1:`, `1 –`, `#1`, `①`, `【1】`, bold,
quoted or in backticks, behind a bullet or a heading's hashes, behind a word (`Sentence 1:`, `[Claim 1]`), with a
letter or a decimal behind it (`[1a]`, `[1.2]`), twice (`1. [1]`, `[1] [1]`), and ranges (`[1–2]`, `[1, 3]`,
`[1][2]`). Of the forms in one reply only the plainest counts (`FORMS`, in this order), so that a numbered note
below a list is no entry of it.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from truerate.core.patterns import lazy

FORMS = ("square", "worded", "circled", "round", "bare")
MAX_RANGE = 50  # numbers that one range may span
_LEAD = r"(?:>[ \t]*)*(?:[-*+•·‣◦–—][ \t]+)?(?:#{1,6}[ \t]+)?"
_SHUT = r"[*_`\"'”»]*"
_SIGN = lazy(r"(?:[:：]|[.．、,;](?=\s|$)|->|=>|→|[-–—](?=\s)|\|(?=\s))[*_`]*\s*")
_PAIRS = {"[": "]", "<": ">", "［": "］", "【": "】", "〔": "〕", "{": "}", "(": ")", "（": "）"}
_ROUND = "(（"
_BRACKET = lazy(r"([\[［【〔{(（<])\s*([^\[\]［］【】〔〕{}()（）<>\n]{1,40}?)\s*([\]］】〕})）>])")
_JOINED = lazy(r"\s*(?P<to>[-–—]|to\b|bis\b)?(?:,|;|&|and\b|und\b)?\s*(?=[\[［【〔{(（<])")
_CIRCLED = lazy(r"([①-⑳⓪❶-❿])|(\d)\ufe0f?\u20e3")
_BARE = lazy(
    r"(?P<alone>\d{1,3})$|#(?P<hash>\d{1,4})(?=\s)|#?(?P<plain>\d{1,4})(?:\.\d{1,2}|[a-z])?"
    r"(?:[ ]*[*_`\"]*(?:[.．](?!\d)|[)）\]:：、](?!\d))|\t| +[-–—→](?= )| *[-=]>)"
)
_DECIMAL = lazy(r"\A(\d{1,3})(\.\d{1,2})\s+(?=\D)")
_ITEM = lazy(r"\s*(?:[-*+•·‣◦–—]\s+|\(?(?:\d{1,2}|[a-z])[.)]\s+)(\S.*)")


class Entry(NamedTuple):
    """A numbered line: its numbers, the words behind the mark, the form of the mark, and whether that is the
    form which was asked for (`[1] …`) to the letter. `sign`: a colon or dash behind the mark was cut.
    """

    numbers: tuple[int, ...]
    text: str
    form: str
    is_exact: bool
    has_sign: bool = False


class Line(NamedTuple):
    """A line of a reply, outer blank space removed, and the entry that it is (None: none)."""

    text: str
    entry: Entry | None


def lines_of(text: str, nouns: Sequence[str]) -> list[Line]:
    """The lines of a text; `nouns` are the words that may stand in a mark. Only the plainest form of mark that
    occurs makes an entry.
    """
    lines = [line.strip() for line in text.splitlines()]
    # `1.1 fact`: only where no line has another mark
    n_decimal = sum(1 for line in lines if _DECIMAL.match(line))
    if n_decimal > 1 and not any(entry_of(line, nouns) for line in lines):
        lines = [_DECIMAL.sub(r"\1\2) ", line) for line in lines]
    read = [Line(line, entry_of(line, nouns)) for line in lines]
    forms = {line.entry.form for line in read if line.entry}
    first = next((form for form in FORMS if form in forms), None)
    return [line if line.entry and line.entry.form == first else Line(line.text, None) for line in read]


def entry_of(line: str, nouns: Sequence[str]) -> Entry | None:
    """The entry that a line is; None where it does not begin with a mark."""
    whole = line.strip()
    opened = re.match(rf"({_LEAD})([*_`\"'“„«]*)[ \t]*", whole)
    assert opened is not None  # all of it is optional
    found = _mark(whole[opened.end() :], nouns)
    if found is None:
        return None
    numbers, form, rest, is_plain = found
    closing = re.match(_SHUT, rest)
    assert closing is not None
    rest = rest[closing.end() :]
    has_sign = False
    rest = re.sub(r"\A[)\]](?=[\s:：])", "", rest)
    for _ in range(2):
        if sign := _SIGN.match(rest.lstrip()):
            rest, has_sign = rest.lstrip()[sign.end() :], True
    rest = re.sub(r"\A(?:[*_]+|[▸►▶»·•‣◦⇒➜➔])(?=\s)", "", rest.strip()).strip()
    if opened[2] and not closing[0]:  # what the mark opened closes behind the words
        rest = rest.removesuffix(opened[2].translate(str.maketrans("“„«", "””»"))).strip()
    exact = is_plain and form == "square" and not opened[2] and "#" not in opened[1] and ">" not in opened[1]
    return Entry(numbers, rest, form, exact and not has_sign, has_sign)


def _mark(text: str, nouns: Sequence[str]) -> tuple[tuple[int, ...], str, str, bool] | None:
    """Numbers, form, what follows, and whether the mark is a number in square brackets alone."""
    if bracketed := _bracketed(text, nouns):
        return bracketed
    if circled := _CIRCLED.match(text):
        number = int(unicodedata.numeric(circled[1])) if circled[1] else int(circled[2])
        return (number,), "circled", text[circled.end() :], False
    if worded := _worded_mark(text, nouns):
        return worded
    if (bare := _BARE.match(text)) is None:
        return None
    # a number of a list in front of the mark itself: `1. [1] …`
    rest = text[bare.end() :].strip()
    inner = _bracketed(re.sub(r"\A[*_`]+", "", rest), nouns)
    if inner and inner[1] == "square":
        return inner[0], inner[1], inner[2], False
    if worded := _worded_mark(rest, nouns):
        return worded
    return (int(bare["alone"] or bare["hash"] or bare["plain"]),), "bare", rest, False


def _worded_mark(text: str, nouns: Sequence[str]) -> tuple[tuple[int, ...], str, str, bool] | None:
    """A mark that is a word and numbers, also with these in brackets (`Sentence [1]: …`)."""
    word = re.match(rf"(?:{_spelled(tuple(nouns))})\s+(?=[\[(]\s*\d)", text, re.IGNORECASE)
    if word and (inner := _bracketed(text[word.end() :], nouns)):
        return inner[0], "worded", inner[2], False
    found = _worded(tuple(nouns)).match(text)
    numbers = numbers_in(found[1], nouns) if found else None
    return (numbers, "worded", text[found.end() :], False) if found and numbers else None


def _bracketed(text: str, nouns: Sequence[str]) -> tuple[tuple[int, ...], str, str, bool] | None:
    """A mark in brackets, and further ones right behind it: the same number again, or more of a range."""
    first = _BRACKET.match(text)
    if first is None or _PAIRS[first[1]] != first[3] or (numbers := numbers_in(first[2], nouns)) is None:
        return None
    form, rest = ("round" if first[1] in _ROUND else "square"), text[first.end() :]
    is_plain = first[1] == "[" and first[2].isdecimal()
    while (joint := _JOINED.match(rest)) and (more := _BRACKET.match(rest[joint.end() :])):
        again = numbers_in(more[2], nouns) if more[1] == first[1] else None
        behind = rest[joint.end() + more.end() :]
        if (
            again is None
            or not behind.strip()
            or (joint["to"] and not numbers[-1] < again[0] <= numbers[-1] + MAX_RANGE)
        ):
            break
        between = range(numbers[-1], again[0]) if joint["to"] else ()
        numbers, is_plain, rest = tuple(dict.fromkeys((*numbers, *between, *again))), False, behind
    return numbers, form, rest, is_plain


def numbers_in(mark: str, nouns: Sequence[str]) -> tuple[int, ...] | None:
    """The numbers of a mark without its brackets: one, a range or a list; None where it holds something else."""
    plain = re.sub(
        rf"(?i)(?<![a-z])(?:{_spelled(tuple(nouns))})\.?\s*(?=#?\d)|#", "", mark.strip(" *_`")
    ).strip()
    if single := re.fullmatch(r"(\d{1,4})(?:\.\d{1,2}|[a-z])?[.:]?", plain):
        return (int(single[1]),)
    if span := re.fullmatch(r"(\d{1,4})\s*(?:[-–—−~]|to|through|bis)\s*(\d{1,4})", plain):
        first, last = int(span[1]), int(span[2])
        return tuple(range(first, last + 1)) if first < last <= first + MAX_RANGE else None
    if re.fullmatch(r"\d{1,4}(?:\s*(?:,|;|/|&|\+|and|und)\s*\d{1,4})+", plain):
        return tuple(dict.fromkeys(int(one) for one in re.findall(r"\d+", plain)))
    return None


@lru_cache(maxsize=16)
def _spelled(nouns: tuple[str, ...]) -> str:
    return "|".join(sorted((re.escape(noun) for noun in nouns), key=len, reverse=True))


@lru_cache(maxsize=16)
def _worded(nouns: tuple[str, ...]) -> re.Pattern[str]:
    """A word and a number, closed by a sign or alone on the line."""
    return re.compile(
        rf"(?:{_spelled(nouns)})\.?\s*#?(\d{{1,4}}(?:\s*(?:[-–,&]|and|to|und|"
        rf"bis)\s*\d{{1,4}})*)(?=[*_`\"]*\s*(?:[:：.)|]|[-–—→](?=\s)|->|=>|$))[).]?",
        re.IGNORECASE,
    )


def item_of(line: str) -> str | None:
    """What an entry of a list without meaning in its marks says (`- …`, `a) …`); None where the line is none."""
    found = _ITEM.fullmatch(line)
    return found[1].strip() if found else None


# ---- JSON and tables ----------------------------------------------------------------------------------------


def is_json_like(text: str) -> bool:
    """Whether a text begins as JSON does, and not as a mark does."""
    return bool(re.match(r"\s*(?:\{\s*(?:\"|\}|\n)|\[\s*(?:[\"{\]\[\n]|true|false))", text))


def json_of(text: str) -> Any:
    """The one JSON value that a text is, or holds in a fence; None where there is none."""
    fenced = re.findall(r"```(?:json\w*)?\s*\n(.*?)\n?\s*```", text, re.DOTALL | re.IGNORECASE)
    for part in (text.strip(), *fenced) if len(fenced) < 2 else (text.strip(),):
        if not is_json_like(part):
            continue
        try:
            return json.loads(part, object_pairs_hook=_all_said)
        except (ValueError, RecursionError):
            continue
    # one object a line
    lines = [
        line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("```")
    ]
    if len(lines) > 1 and all(line.startswith("{") for line in lines):
        try:
            return [json.loads(line, object_pairs_hook=_all_said) for line in lines]
        except (ValueError, RecursionError):
            return None
    return None


def _all_said(named: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which a name that stands twice has all that it says, as a list: JSON keeps the last, and the others
    would be lost without a word.
    """
    said: dict[str, list[Any]] = {}
    for name, value in named:
        if value not in said.setdefault(name, []):
            said[name].append(value)
    return {
        name: values[0]
        if len(values) == 1
        else [one for value in values for one in (value if isinstance(value, list) else [value])]
        for name, values in said.items()
    }


def number_of(value: Any, nouns: Sequence[str]) -> int | None:
    """The one number that a key, a field or a cell holds, in any mark; None where it holds something else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int):
        return value
    numbers = numbers_in(value.replace("_", " ").strip("[]() "), nouns)
    return numbers[0] if numbers and len(numbers) == 1 else None


def first_of(value: dict[str, Any], keys: Sequence[str]) -> Any:
    """The value under the first of some keys that an object has, whatever its capitals and blanks; None
    without any.
    """
    folded = {key.casefold().replace(" ", "_"): one for key, one in value.items()}
    return next((folded[key] for key in keys if key in folded), None)


def table_of(text: str) -> list[list[str]]:
    """The rows of a table between bars, cells without marks of form; none where fewer than two lines are such.

    The line below the head goes, the head stays.
    """
    rows = []
    for line in text.splitlines():
        if "|" in (inside := line.strip().removeprefix("|").removesuffix("|")):
            cells = [cell.strip(" *_`\t") for cell in inside.split("|")]
            if not all(re.fullmatch(r":?-*:?", cell) for cell in cells):
                rows.append(cells)
    return rows if len(rows) > 1 and len({len(row) for row in rows}) == 1 and len(rows[0]) > 1 else []


def column(head: Sequence[str], is_it: Callable[[str], bool]) -> int | None:
    """The place of the one column whose head is meant; None without one, or with several."""
    found = [place for place, cell in enumerate(head) if is_it(cell.casefold())]
    return found[0] if len(found) == 1 else None
