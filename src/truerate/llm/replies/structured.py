"""Replies in a form for machines: JSON (whole, in a fence, behind words, cut off at its end), one-level tags,
a table between bars, a box of LaTeX, boxes to tick. What is read are names and plain values; nesting is
flattened.
"""

import ast
import json
import re
from typing import Any

from truerate.core.patterns import lazy
from truerate.llm.replies.cutting import unfenced

# a pair of JSON or of Python's own writing whose value is complete, for texts that do not parse as a whole
_PAIR = lazy(
    r"[\"']([^\"'\n]{1,60})[\"']\s{0,9}:\s{0,9}(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|(true|false|null|none)\b|(-?\d{1,18})\b)",
    re.IGNORECASE,
)
_TAGGED = lazy(r"<([A-Za-z][\w-]{0,40})>([^<>]*)</\1>")
_BOX = lazy(r"\$*\\boxed\s{0,9}\{\s{0,9}(?:\\(?:text|textbf|mathrm|texttt)\s{0,9}\{)?([^{}]*)\}?\s{0,9}\}\$*")
_PLAIN_TEX = lazy(r"\s*\$*\\(?:text|textbf|mathrm|mathbf)\s{0,9}\{([^{}]*)\}\$*\s*")
_TICK_BOX = lazy(
    r"^[ \t>*-]{0,12}(?:\[(?P<tick>[xX✓✔ ]?)\]|(?P<sign>[☑☒☐□]))[ \t]*(?P<what>\S[^\n]*)$", re.MULTILINE
)
_NAME = lazy(r"[\"'] ?:")
_DECODER = json.JSONDecoder(strict=False)  # a string may be broken over lines
_WORDS = {"true": True, "false": False, "null": None, "none": None}
MAX_TRIES = 20  # brackets from which JSON is sought
MAX_ROWS = 200  # of a table that is read


def pairs(text: str) -> list[tuple[str, Any]] | None:
    """The names and values of the JSON in a reply, of its tags where it holds no JSON; None without either.
    Members of a list have the name of the list, or none.
    """
    plain = unfenced(text).text
    if "{" in plain or plain.startswith("["):
        if pairs_found := _json(plain):
            return pairs_found
    if "<" in plain and (tagged := _TAGGED.findall(plain)):
        return [(name_key(name), value.strip()) for name, value in tagged]
    return None


def is_cut(text: str) -> bool:
    """Return whether an object of JSON that does not parse holds more names than values that can be read."""
    some = pairs(text) if "{" in text else None
    inside = text[text.find("{") : text.rfind("}") + 1]
    if not some or len(_NAME.findall(text[text.find("{") :])) <= len(some) + (
        not text.rstrip(" `\n").endswith("}")
    ):
        return False
    try:
        json.loads(inside, strict=False)
    except (ValueError, RecursionError):
        return True
    return False


def top(text: str) -> list[tuple[str, Any]]:
    """The names and plain values that stand at the top of the JSON object that a reply is, beside nested
    ones; none of other replies.
    """
    plain = unfenced(text).text.strip()
    try:
        value = json.loads(plain, strict=False) if plain.startswith("{") else None
    except (ValueError, RecursionError):
        return []
    if not isinstance(value, dict) or not any(isinstance(part, dict | list) for part in value.values()):
        return []
    return [(name_key(str(key)), part) for key, part in value.items() if not isinstance(part, dict | list)]


def outside(text: str) -> str:
    """A reply without its JSON and tags: what it says beside them."""
    plain = unfenced(text).text
    start = plain.find("{")
    if start >= 0 and _json(plain):
        return plain[:start].strip()
    return _TAGGED.sub(" ", plain).strip() if "<" in plain else plain


def cells(text: str) -> list[tuple[str, Any]]:
    """The names and values of a table between bars: of each column by its head where a line of dashes stands
    below that, else of rows of two cells; none where neither is there.
    """
    rows = _rows(text)
    if len(rows) > MAX_ROWS:
        return []
    if rows and len(rows[-1]) < len(rows[0]):
        return []  # it breaks off
    if ruled := table(text):
        head, body = ruled
        return [(name_key(name), cell) for row in body for name, cell in zip(head, row, strict=True)]
    return [(name_key(row[0]), row[1]) for row in rows] if rows and all(len(row) == 2 for row in rows) else []


def table(text: str) -> tuple[list[str], list[list[str]]] | None:
    """The head and the rows of a table between bars, below whose head a line of dashes stands; None without
    one.
    """
    rows = _rows(text)
    if len(rows) < 2 or not all("-" in cell and not cell.strip("-").strip(":") for cell in rows[1]):
        return None
    return rows[0], [row for row in rows[2:] if len(row) == len(rows[0])]


def _rows(text: str) -> list[list[str]]:
    """The cells of the lines of a text that hold a bar."""
    lines = (line.strip().removeprefix("|").removesuffix("|") for line in text.splitlines() if "|" in line)
    return [[cell.strip(" *_`\t") for cell in line.split("|")] for line in lines]


def without_cells(text: str) -> str:
    """A text without the lines of a table between bars."""
    return "\n".join(line for line in text.splitlines() if "|" not in line)


def unboxed(text: str) -> str:
    """A text with `\\boxed{…}` replaced by what is in it, on a line of its own; `\\text{…}` that is all there
    is likewise.
    """
    if "\\" not in text:
        return text
    if pairs_found := _PLAIN_TEX.fullmatch(text):
        return pairs_found[1]
    return _BOX.sub(lambda box: f"\n{box[1].strip()}\n", text).strip() if "\\boxed" in text else text


def ticked(text: str) -> str:
    """A text with the one ticked of several boxes in the place of them; with no or several ticks as it is."""
    boxes = list(_TICK_BOX.finditer(text))
    ticked = [box for box in boxes if (box["tick"] or "").strip() or (box["sign"] or "☐") in "☑☒"]
    if len(boxes) < 2 or len(ticked) != 1:
        return text
    return _TICK_BOX.sub(lambda box: ticked[0]["what"] if box.start() == ticked[0].start() else "", text)


def name_key(name: str) -> str:
    """A name as it is compared: small letters, words parted by single blanks."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return " ".join(re.sub(r"[\W_]+", " ", spaced).casefold().split())


def _json(text: str) -> list[tuple[str, Any]] | None:
    """The first JSON object or list in a text that parses, with those right behind it; else the complete
    pairs of one that does not.
    """
    position = -1
    for _ in range(MAX_TRIES):
        position = min((at for sign in "{[" if (at := text.find(sign, position + 1)) >= 0), default=-1)
        if position < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list) and (text[:position] + text[end:]).strip():
            continue  # a number in brackets within words
        if flat := _flat("", value):
            return flat + _json_behind(text, end)
    if "{" not in text:
        return None
    inside = text[text.find("{") :]
    if (written := _as_python(inside[: inside.rfind("}") + 1])) is not None:
        return _flat("", written) or None
    return [(name_key(pair[0]), _plain(pair)) for pair in _PAIR.findall(inside)] or None


def _json_behind(text: str, position: int) -> list[tuple[str, Any]]:
    """The names and values of the JSON objects that stand from a place on, one behind the other."""
    pairs_found: list[tuple[str, Any]] = []
    while True:
        while position < len(text) and text[position] in " \t\r\n,;":
            position += 1
        if text[position : position + 1] != "{":
            return pairs_found
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return pairs_found
        pairs_found += _flat("", value)


def _as_python(text: str) -> dict[Any, Any] | None:
    """The object that a text is in Python's own writing; None where it is none."""
    if not text.startswith("{'"):
        return None
    try:
        value = ast.literal_eval(text.replace("\n", " "))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _plain(pair: tuple[str, ...]) -> Any:
    _, double, single, word, number = pair
    if word:
        return _WORDS[word.casefold()]
    return int(number) if number else double or single


def _flat(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in _flat(name_key(str(key)), inner)]
    if isinstance(value, list):
        return [pair for inner in value for pair in _flat(name, inner)]
    return [(name, value)]
