"""Numbered entries of a reply: lines that begin with the number of what they speak of, in whatever marks.

The form that prompts ask for is `[1] …`. Read as well: `(1)`, `1)`, `1.`, `1:`, `1 –`, `①`, `【1】`, quoted,
behind a bullet or a heading's hashes, behind a word (`Sentence 1:`, `[Claim 1]`), with a letter or a decimal
behind it (`[1a]`, `[1.2]`), twice (`1. [1]`), and ranges (`[1–2]`, `[1, 3]`). Of the forms in one reply only
the plainest counts (`FORMS`, in this order), so that a numbered note below a list is no entry of it. Also
JSON and tables between bars.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.matching import phrases

FORMS = ("square", "worded", "circled", "round", "bare")
MAX_RANGE = 50  # numbers that one range may span
BULLETS = "-*+•·‣◦–—"
_LEAD = " \t>#*_`\"'“„«" + BULLETS
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "«": "»"}
_NUMBERS = r"\d{1,4}(?:\.\d{1,2}|[a-z]\b)?(?:(?: ?[-–—−~,;/&+]| (?:and|und|to|bis)){1,2} ?\d{1,4}){0,30}"
_BRACKET = lazy(
    rf"([\[［【〔{{(（<]) ?(?:([^\W\d_]{{1,9}})\.? ?)?#?({_NUMBERS})[.:]? ?([\]］】〕}})）>])", re.I
)
_WORDED = lazy(rf"([^\W\d_]{{1,9}})\.? ?#?({_NUMBERS})(?= ?[:：.)|]| ?[-–—→=]>?(?: |$)|$)[).]?", re.I)
_BARE = lazy(r"(\d{1,4})(?:\.\d{1,2}|[a-z])?(?: ?[.．)）\]:：、](?!\d)| ?[-=]>| [-–—→](?= )|$)")
_DIGITS = lazy(r"(?<![.\d])\d+")
_NO_JOINT = lazy(r"[\d .]")
_HASHED = lazy(r"#(\d{1,4})(?= )")
_SIGN = lazy(r"[)\]](?=[ :])|[:：]|[.．、,;](?= |$)|[-=]>|→|[-–—|*_▸►▶»·•‣◦⇒➜➔](?= )")
_ITEM = lazy(r"(?:[-*+•·‣◦–—] |\(?(?:\d{1,2}|[a-z])[.)] )\s*(\S.*)")
# marks of emphasis around words: an opening one behind no letter, and its like before no letter
_EMPHASIS = lazy(r"(?<![\w*\\])(\*{1,3}|_{1,3})(?=[^\s*_])([^*_]*[^*_\s])\1(?![\w*])")
_BLANKS = lazy(r"[^\S\n]+")
_TABBED = lazy(r"^[ \t]*(\d{1,3})\t", re.MULTILINE)  # a number in a column of its own
_FENCED = lazy(r"^```(?:json\w*)?[ \t]*\n([^`]*)```", re.MULTILINE | re.IGNORECASE)


class Entry(NamedTuple):
    """A numbered line: its numbers, the words behind the mark, the form of the mark, and whether that is the
    form which was asked for (`[1] …`) to the letter. `has_sign`: a colon or dash behind the mark was cut.
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


def level(text: str) -> str:
    """A reply with single blanks and without emphasis around words. Its lines stay, but for one that ends
    with a word behind which no sentence ends (`not`, `because`, `the`): that goes on. Asterisks between
    numbers, bullets and underscores within words are no emphasis.
    """
    lines = _BLANKS.sub(" ", _TABBED.sub(r"[\1] ", text)).split("\n")
    parts = [lines[0]]
    for above, line in zip(lines, lines[1:], strict=False):
        last = above.rstrip().rpartition(" ")[2].strip('*_"“(').casefold()
        is_open = (
            last in phrases("OPENS_CLAUSE")
            or last in phrases("DANGLING")
            and line.lstrip()[:1] not in ("[", "")
        )
        parts += [" " if is_open else "\n", line]
    text = "".join(parts).strip()
    for _ in range(3 if "*" in text or "_" in text else 0):
        text = _EMPHASIS.sub(r"\2", text)
    return text


def lines_of(text: str, nouns: frozenset[str]) -> list[Line]:
    """The lines of a text; `nouns` are the words that may stand in a mark. Only the plainest form of mark
    that occurs makes an entry.
    """
    read = [Line(line.strip(), entry_of(line, nouns)) for line in text.split("\n")]
    forms = {line.entry.form for line in read if line.entry}
    first = next((form for form in FORMS if form in forms), None)
    return [line if line.entry and line.entry.form == first else Line(line.text, None) for line in read]


@lru_cache(maxsize=1024)
def entry_of(line: str, nouns: frozenset[str]) -> Entry | None:
    """The entry that a line is; None where it does not begin with a mark."""
    whole = line.strip()
    rest = whole.lstrip(_LEAD)
    lead = whole[: len(whole) - len(rest)]
    match = _mark(rest, nouns) or (
        _mark_at(_HASHED.match(f"#{rest}"), f"#{rest}") if lead.endswith("#") else None
    )
    if match is None:
        return None
    numbers, form, text = match
    has_sign = False
    if lead and text.startswith(closing := _QUOTES.get(lead[-1], "\0")):
        text = text[len(closing) :]
    elif lead and text.endswith(closing):
        text = text[: -len(closing)]
    text = text.strip()
    for _ in range(2):
        if sign := _SIGN.match(text):
            text, has_sign = text[sign.end() :].strip(), True
    is_exact = form == "square" and rest.startswith("[") and not lead.strip(BULLETS + " ")
    return Entry(numbers, text, form, is_exact and not has_sign and len(numbers) == 1, has_sign)


def _mark(text: str, nouns: frozenset[str]) -> tuple[tuple[int, ...], str, str] | None:
    """Numbers, form and what follows of a text that begins with a mark."""
    if bracket := _BRACKET.match(text):
        numbers = _numbers(bracket, nouns)
        form, rest = ("round" if bracket[1] in "(（" else "square"), text[bracket.end() :]
        for _ in range(MAX_RANGE if numbers else 0):
            more = _BRACKET.match(next_ := rest.lstrip(" ,;&-–—"))
            if more is None or more[1] != bracket[1]:
                break
            behind, restart = next_[more.end() :], _numbers(more, nouns)
            is_range = any(sign in rest[: len(rest) - len(next_)] for sign in "-–—")
            if (
                not (numbers and restart)
                or not behind.strip()
                or (is_range and not numbers[-1] < restart[0] < numbers[-1] + MAX_RANGE)
            ):
                break
            between = range(numbers[-1], restart[0]) if is_range else ()
            numbers, rest = tuple(dict.fromkeys((*numbers, *between, *restart))), behind
        return (numbers, form, rest) if numbers else None
    if text[:1] and (text[0] in "①②③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿" or (text[0].isdecimal() and text[1:2] == "\u20e3")):
        return (int(unicodedata.numeric(text[0])),), "circled", text[1:].lstrip("\u20e3\ufe0f")
    if word := _WORDED.match(text):
        if word[1].casefold() not in nouns or not (numbers := numbers_in(word[2])):
            return None
        return numbers, "worded", text[word.end() :]
    first, _, behind = text.partition(" ")
    if (
        first.casefold() in nouns
        and (bracket := _BRACKET.match(behind))
        and (item := _numbers(bracket, nouns))
    ):
        return item, "worded", behind[bracket.end() :]
    return _mark_at(_BARE.match(text), text, nouns)


def _mark_at(
    match: re.Match[str] | None, text: str, nouns: frozenset[str] = frozenset()
) -> tuple[tuple[int, ...], str, str] | None:
    """A bare number; the number of a list in front of the mark itself (`1. [1] …`) gives way to that."""
    if match is None:
        return None
    rest = text[match.end() :].strip()
    inner = _mark(rest, nouns) if rest[:1] in ("[", "【") or rest[:1].isalpha() else None
    if inner and inner[1] in ("square", "worded"):
        return inner
    return (int(match[1]),), "bare", rest


def _numbers(bracket: re.Match[str], nouns: frozenset[str]) -> tuple[int, ...] | None:
    is_pair = "[［【〔{(（<".index(bracket[1]) == "]］】〕})）>".index(bracket[4])
    is_known = bracket[2] is None or bracket[2].casefold() in nouns
    return numbers_in(bracket[3]) if is_pair and is_known else None


@lru_cache(maxsize=512)
def numbers_in(mark: str) -> tuple[int, ...] | None:
    """The numbers of a mark without its brackets: one, a range or a list; None for a range that is none."""
    match = [int(item) for item in _DIGITS.findall(mark)]
    joint = _NO_JOINT.sub("", mark)
    if len(match) == 2 and joint in ("-", "–", "—", "−", "~", "to", "bis"):
        first, last = match
        return tuple(range(first, last + 1)) if first < last <= first + MAX_RANGE else None
    return tuple(dict.fromkeys(match)) if not set("-–—−~") & set(joint) or len(match) == 1 else None


def item_of(line: str) -> str | None:
    """The words of an entry whose mark has no meaning (`- …`, `a) …`); None if the line is none."""
    match = _ITEM.fullmatch(line)
    return match[1].strip() if match else None


def is_json_like(text: str) -> bool:
    """Whether a text begins as JSON does, and not as a mark does."""
    head = re.sub(r"\s+", "", text[:40])
    return head.startswith(('{"', "{}", '["', "[{", "[]", "[[", "[true", "[false"))


def json_of(text: str) -> Any:
    """The one JSON value that a text is, or holds in its one fence; None where there is none. A name that
    stands twice in an object has all that it says, as a list.
    """
    fenced = _FENCED.findall(text)
    for part in (text.strip(), *(item.strip() for item in fenced if len(fenced) == 1)):
        lines = [line for line in part.split("\n") if line.strip()]
        is_rows = len(lines) > 1 and all(
            line.startswith("{") and line.rstrip(" ,").endswith("}") for line in lines
        )
        try:
            if is_rows:
                return [json.loads(line.rstrip(" ,"), object_pairs_hook=_all_said) for line in lines]
            if is_json_like(part):
                return json.loads(part, object_pairs_hook=_all_said)
        except (ValueError, RecursionError):
            continue
    return None


def _all_said(named: list[tuple[str, Any]]) -> dict[str, Any]:
    values_by_name: dict[str, list[Any]] = {}
    for name, value in named:
        if value not in values_by_name.setdefault(name, []):
            values_by_name[name].append(value)
    return {name: values[0] if len(values) == 1 else _flat(values) for name, values in values_by_name.items()}


def _flat(values: list[Any]) -> list[Any]:
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def number_of(value: Any, nouns: frozenset[str]) -> int | None:
    """The one number that a key, a field or a cell holds, in any mark; None where it holds something else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return None
    bare = value.replace("_", " ").strip("[]()#*. ")
    match = _mark(f"[{bare}]", nouns)
    return match[0][0] if match and len(match[0]) == 1 and not match[2] else None


def first_of(value: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """The value under the first of some keys that an object has, whatever its capitals and blanks; None
    without any.
    """
    folded = {key.casefold().replace(" ", "_"): item for key, item in value.items()}
    return next((folded[key] for key in keys if key in folded), None)


def table_of(text: str) -> list[list[str]]:
    """The rows of a table between bars, cells without marks of form; none where fewer than two lines are
    such, or a line beside them stands between. The line below the head goes, the head stays.
    """
    rows: list[list[str]] = []
    is_framed = is_over = False
    for line in (line.strip() for line in text.split("\n")):
        if "|" not in line:
            is_over = bool(rows)
            continue
        inside = line.removeprefix("|").removesuffix("|")
        cells = [cell.strip(" *_`\t") for cell in inside.split("|")]
        is_framed = is_framed or (not rows and line.startswith("|") and line.endswith("|"))
        if is_over or (is_framed and len(line) - len(inside) != 2):
            return []
        if any(cell.strip(":-") for cell in cells):
            rows.append(cells)
    return rows if len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1 else []
