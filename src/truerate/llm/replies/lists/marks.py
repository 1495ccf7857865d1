"""Lines of a list: each a mark and the words behind it. Also JSON and tables between bars.

The form that prompts ask for is `[1] …`. Read as well: `(1)`, `1)`, `1.`, `1:`, `1 –`, `【1】`, behind a
bullet, a quotation mark or a heading's hashes, with a word before the number (`Sentence 1:`, `[Claim 1]`),
with a letter or a decimal behind it (`[1a]`, `[1.2]`), twice (`1. [1]`), and several numbers (`[1–2]`, `[1,
3]`, `[1][2]`). Of the forms in one reply only the plainest counts (`FORMS`, in this order), so that a
numbered note below a list is no entry of it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.blocks import plain
from truerate.llm.replies.matching import phrases

FORMS = ("square", "worded", "round", "bare")
MAX_RANGE = 50  # numbers that one range may span
BULLETS = "-*+•·‣◦–—"
_LEAD = " \t>#*_`\"'“„«" + BULLETS
_CLOSING = {"“": "”", "„": "“", "«": "»"}
_NUMBER = r"\d{1,4}(?:\.\d{1,2}|[a-z]\b)?(?:(?: ?[-–—−~,;/&+]| (?:and|und|to|bis)){1,2} ?\d{1,4}){0,30}"
_BRACKET = lazy(
    rf"([\[［【(（]) ?(?:([^\W\d_]{{1,9}})\.? ?)?#?{_NUMBER}[.:]? ?([\]］】)）])"
    r"(?:[-–—,;& ]{0,3}\[\d{1,4}\](?= ?\S)){0,30}"
)
_WORDED = lazy(rf"([^\W\d_]{{1,9}})\.? ?#?({_NUMBER})(?= ?[:：.)|]| ?[-–—→=]>?(?: |$)|$)[).]?")
_BARE = lazy(r"(\d{1,4})(?:\.\d{1,2}|[a-z])?(?: ?[.．)）\]:：、](?!\d)| ?[-=]>| [-–—→](?= )|$)")
_DIGITS = lazy(r"(?<![.\d])\d+")
_SIGN = lazy(r"(?:(?:[)\]](?=[ :])|[:：]|[.．、,;](?= |$)|[-=]>|→|[-–—|▸►•·⇒➜](?= ))\s*){1,2}")
_ITEM = lazy(r"(?:[-*+•·‣◦–—] |\(?(?:\d{1,2}|[a-z])[.)] )\s*(\S.*)")
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
    with a bullet or a word behind which no sentence ends (`not`, `because`, `the`): that goes on.
    """
    lines = plain(text).split("\n")
    parts = [lines[0]]
    for above, line in zip(lines, lines[1:], strict=False):
        last = above.rstrip().rpartition(" ")[2].strip('*_"“(').casefold()
        is_open = last in phrases("OPENS_CLAUSE") or last in phrases("DANGLING") and line[:1] not in ("[", "")
        parts += [" " if is_open or above.strip(" >") in tuple(BULLETS) and line.strip() else "\n", line]
    return "".join(parts).strip()


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
    if (mark := _mark(rest, nouns)) is None:
        return None
    numbers, form, text = mark
    closing = _CLOSING.get(lead[-1:], lead[-1:] if lead[-1:] in ('"', "'", "`") else "")
    text = (text.removeprefix(closing) if text.startswith(closing) else text.removesuffix(closing)).strip()
    if sign := _SIGN.match(text):
        text = text[sign.end() :]
    is_exact = form == "square" and rest.startswith("[") and not lead.strip(BULLETS + " ")
    return Entry(numbers, text, form, is_exact and not sign and len(numbers) == 1, sign is not None)


def _mark(text: str, nouns: frozenset[str]) -> tuple[tuple[int, ...], str, str] | None:
    """Numbers, form and what follows of a text that begins with a mark."""
    if bracket := _BRACKET.match(text):
        numbers = numbers_in(bracket[0])
        is_known = bracket[2] is None or bracket[2].casefold() in nouns
        if not numbers or not is_known or bracket[1] + bracket[3] not in ("[]", "［］", "【】", "()", "（）"):
            return None
        return numbers, "round" if bracket[1] in "(（" else "square", text[bracket.end() :]
    first, _, behind = text.partition(" ")
    if first.casefold() in nouns and behind[:1] == "[" and (inner := _mark(behind, nouns)):
        return inner[0], "worded", inner[2]
    if word := _WORDED.match(text):
        named = numbers_in(word[2]) if word[1].casefold() in nouns else None
        return (named, "worded", text[word.end() :]) if named else None
    if (bare := _BARE.match(text)) is None:
        return None
    rest = text[bare.end() :].strip()
    inner = _mark(rest, nouns) if rest[:1] in ("[", "【") or rest[:1].isalpha() else None
    return inner if inner and inner[1] != "round" else ((int(bare[1]),), "bare", rest)


@lru_cache(maxsize=512)
def numbers_in(mark: str) -> tuple[int, ...] | None:
    """The numbers of a mark: one, a range or a list; None for a range that is none."""
    numbers = [int(digits) for digits in _DIGITS.findall(mark)]
    joints = [joint.strip(" []") for joint in _DIGITS.split(mark)[1:-1]]
    if len(joints) == 1 and joints[0] in ("-", "–", "—", "−", "~", "to", "bis"):
        first, last = numbers
        return tuple(range(first, last + 1)) if first < last <= first + MAX_RANGE else None
    return tuple(dict.fromkeys(numbers)) if not set("-–—−~") & set("".join(joints)) else None


def item_of(line: str) -> str | None:
    """The words of an entry whose mark has no meaning (`- …`, `a) …`); None if the line is none."""
    match = _ITEM.fullmatch(line)
    return match[1].strip() if match else None


def is_json_like(text: str) -> bool:
    """Return whether a text begins as JSON does, and not as a mark does."""
    head = "".join(text[:40].split())
    return head.startswith(('{"', "{}", '["', "[{", "[]", "[[", "[true", "[false"))


def json_of(text: str) -> Any:
    """The one JSON value that a text is, or holds in its one fence, objects on lines of their own as a list;
    None where there is none, or an object has a name twice.
    """
    fenced = _FENCED.findall(text)
    for part in (text.strip(), *(inside.strip() for inside in fenced if len(fenced) == 1)):
        if is_json_like(part):
            rows = re.sub(r"\}[ ,]*\n\s*\{", "},\n{", part)
            for value in (part, f"[{rows.rstrip(' ,')}]"):
                try:
                    return json.loads(value, object_pairs_hook=_object)
                except (ValueError, RecursionError):
                    continue
    return None


def _object(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises ValueError where a name stands twice in it."""
    if len(dict(fields)) < len(fields):
        raise ValueError("a name stands twice")
    return dict(fields)


def number_of(value: Any, nouns: frozenset[str]) -> int | None:
    """The one number that a key, a field or a cell holds, in any mark; None where it holds something else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    mark = _mark(f"[{value.replace('_', ' ').strip('[]()#*. ')}]", nouns) if isinstance(value, str) else None
    return mark[0][0] if mark and len(mark[0]) == 1 and not mark[2] else None


def first_of(value: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """The value under the first of some keys that an object has, whatever its capitals and blanks; None
    without any.
    """
    folded = {key.casefold().replace(" ", "_"): field for key, field in value.items()}
    return next((folded[key] for key in keys if key in folded), None)


def table_of(text: str) -> list[list[str]]:
    """The rows of a table between bars, cells without marks of form; none where fewer than two lines are
    such, or a line beside them stands between. The line below the head goes, the head stays.
    """
    lines = [line.strip() for line in text.split("\n")]
    barred = [at for at, line in enumerate(lines) if "|" in line]
    if not barred or barred != list(range(barred[0], barred[-1] + 1)):
        return []
    is_framed = lines[barred[0]].startswith("|") and lines[barred[0]].endswith("|")
    rows = []
    for line in lines[barred[0] : barred[-1] + 1]:
        inside = line.removeprefix("|").removesuffix("|")
        if is_framed and len(line) - len(inside) != 2:
            return []
        cells = [cell.strip(" *_`\t") for cell in inside.split("|")]
        rows += [cells] if any(cell.strip(":-") for cell in cells) else []
    return rows if len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1 else []
