"""Replies in a form for machines: JSON (whole, in a fence, behind words, cut off at its end), one-level tags,
and a box of LaTeX. What is read are names and plain values; nesting is flattened.
"""

import json
import re
from typing import Any

from truerate.llm.replies.cutting import unfenced

# a pair of JSON or of Python's own writing whose value is complete, for texts that do not parse as a whole
_PAIR = re.compile(
    r"[\"']([^\"'\n]{1,60})[\"']\s*:\s*(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|(true|false|null|"
    r"none)\b|(-?\d{1,18})\b)",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"<([A-Za-z][\w\-]{0,40})>\s*([^<>]*?)\s*</\1>")
_BOX = re.compile(r"\$*\\boxed\s*\{\s*(?:\\(?:text|textbf|mathrm|texttt)\s*\{)?\s*([^{}]*?)\s*\}?\s*\}\$*")
_WORDS = {"true": True, "false": False, "null": None, "none": None}


def pairs(text: str) -> list[tuple[str, Any]] | None:
    """The names and values of the JSON in a reply, of its tags where it holds no JSON; None without either.
    Members of a list have the name of the list, or none.
    """
    plain = unfenced(text).text
    if "{" in plain or plain.startswith("["):
        if found := _json(plain):
            return found
    if "<" in plain and (tagged := _TAGGED.findall(plain)):
        return [(name_key(name), value) for name, value in tagged]
    return None


def outside(text: str) -> str:
    """A reply without its JSON and tags: what it says beside them."""
    plain = unfenced(text).text
    start = plain.find("{")
    if start >= 0 and _json(plain):
        return plain[:start].strip()
    return _TAGGED.sub(" ", plain).strip() if "<" in plain else plain


def unboxed(text: str) -> str:
    """A text with `\\boxed{…}` replaced by what is in it, on a line of its own."""
    return _BOX.sub(lambda found: f"\n{found[1]}\n", text).strip() if "\\boxed" in text else text


def name_key(name: str) -> str:
    """A name as it is compared: small letters, words parted by single blanks."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return " ".join(re.sub(r"[\W_]+", " ", spaced).casefold().split())


def _json(text: str) -> list[tuple[str, Any]] | None:
    """The first JSON object or list in a text that parses; else the complete pairs of one that does not."""
    decoder = json.JSONDecoder()
    for place in [found.start() for found in re.finditer(r"[{\[]", text)][:20]:
        try:
            value, end = decoder.raw_decode(text[place:])
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list) and (text[:place] + text[place + end :]).strip():
            continue  # a number in brackets within words
        if flat := _flat("", value):
            return flat
    if "{" not in text:
        return None
    found = _PAIR.findall(text[text.find("{") :])
    return [(name_key(pair[0]), _plain(pair)) for pair in found] or None


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
