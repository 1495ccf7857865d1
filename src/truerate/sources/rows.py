"""Rows of source files (`cuts.py` makes them): how a field is read and checked, and why a row is not kept."""

import re
from enum import StrEnum
from typing import Any

from truerate.core.errors import listed
from truerate.core.text import clean


class Reason(StrEnum):
    """Why a row was not kept. Those of `UNSUITABLE` are sound rows that the protocol cannot use: they never
    stop a run.

    `duplicate`: the same was read before; `contradiction`: a text is labelled in two ways, or a row's fields
    disagree; `conflict`: one id has two contents; `unlabelled`, `improper`: the publishers' own word for no
    label, and for a question without an answer; `unknown-label`, `unknown-value`: a label, or another field's
    value, is none of theirs.
    """

    UNPARSABLE = "unparsable"
    MISSING_FIELD = "missing-field"
    WRONG_TYPE = "wrong-type"
    EMPTY_FIELD = "empty-field"
    UNKNOWN_VALUE = "unknown-value"
    UNRESOLVED = "unresolved"
    OUT_OF_RANGE = "out-of-range"
    UNKNOWN_LABEL = "unknown-label"
    CONFLICT = "conflict"
    CONTRADICTION = "contradiction"
    DUPLICATE = "duplicate"
    NO_EXCHANGE = "no-exchange"
    NO_KNOWLEDGE = "no-knowledge"
    NO_MAJORITY = "no-majority"
    OVERLAP = "overlap"
    MALFORMED = "malformed"
    EMPTY_SPAN = "empty-span"
    UNKNOWN_TYPE = "unknown-type"
    ALTERED = "altered"
    UNLABELLED = "unlabelled"
    IMPROPER = "improper"
    TOXIC = "toxic"
    NOT_ENGLISH = "not-english"
    REDACTED = "redacted"
    EMPTY_TURN = "empty-turn"
    UNUSABLE_NAME = "unusable-name"


_FAULTY = """
    unparsable missing-field wrong-type empty-field unknown-value unresolved out-of-range unknown-label
    conflict overlap
"""
UNSUITABLE = frozenset(Reason) - set(map(Reason, _FAULTY.split()))

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_WHOLE = re.compile(r"-?\d{1,18}")  # more digits are no number of anything here, and no column holds them
_NAMES: dict[type, str] = {
    str: "text", list: "a list", int: "a whole number", dict: "an object", float: "a number",
    bool: "true or false", type(None): "null",
}  # fmt: skip


class BadRow(Exception):
    """A row that cannot be kept; holds the reason and what exactly is wrong."""

    def __init__(self, reason: Reason, detail: str):
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class Row:
    """One row of a file: its 1-based number, and its fields, each asked for by the type it must have."""

    def __init__(self, values: object, number: int):
        if not isinstance(values, dict):
            raise BadRow(Reason.WRONG_TYPE, f"the row must be an object with fields, not {type_name(values)}")
        self.values, self.number = values, number

    def get(self, field: str) -> object:
        """The value of a field; a field that is absent or null is missing."""
        value = self.values.get(field)
        if value is None:
            raise BadRow(Reason.MISSING_FIELD, f"field {field!r} is missing")
        return value

    def text(self, field: str, *, may_be_empty: bool = False) -> str:
        """A cleaned text."""
        value = clean(_is(self.get(field), str, f"field {field!r}"))
        if not may_be_empty and not value.strip():
            raise BadRow(Reason.EMPTY_FIELD, f"field {field!r} is empty")
        return value

    def turn(self, field: str) -> str:
        """A cleaned text that somebody said; one without words is an empty turn."""
        text = self.text(field, may_be_empty=True)
        if not text.strip():
            raise BadRow(Reason.EMPTY_TURN, f"field {field!r} holds no text")
        return text

    def optional_text(self, field: str) -> str | None:
        """A cleaned text, None where the field is absent, null or empty."""
        return None if self.values.get(field) is None else self.text(field, may_be_empty=True) or None

    def choice(self, field: str, allowed: tuple[str, ...]) -> str:
        """One of the allowed values."""
        value = self.text(field, may_be_empty=True)
        if value not in allowed:
            problem = f"field {field!r} is {value[:40]!r}; allowed: {listed(allowed)}"
            raise BadRow(Reason.UNKNOWN_VALUE, problem)
        return value

    def label(self, field: str, allowed: tuple[str, ...]) -> str:
        """A documented label; any other is a typing error or a damaged file, never a missing label."""
        return label_of(self.get(field), allowed, f"field {field!r}")

    def language(self, field: str = "lang") -> str:
        """A language code, in lower case: two or three letters, as ISO 639 has them."""
        code = self.text(field).strip().lower()
        if not _LANGUAGE.fullmatch(code):
            problem = f"field {field!r} is {code[:40]!r}; write an ISO 639 code of two or three letters"
            raise BadRow(Reason.UNKNOWN_VALUE, problem)
        return code

    def items(self, field: str) -> list:
        """A list, of whatever."""
        return _is(self.get(field), list, f"field {field!r}")

    def rows(self, field: str) -> list["Row"]:
        """A list of objects, numbered from 1."""
        return [Row(entry, number) for number, entry in enumerate(self.items(field), 1)]

    def row(self, field: str) -> "Row":
        """An object, under the number of its row."""
        return Row(self.get(field), self.number)

    def texts(self, field: str) -> list[str]:
        """A list of cleaned texts."""
        return texts(self.items(field), f"field {field!r}")

    def integer(self, field: str) -> int:
        """A whole number, also where a CSV cell holds it as text."""
        value = self.get(field)
        if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
            return int(value)
        return _is(value, int, f"field {field!r}")

    def number_or_none(self, field: str) -> float | None:
        """A number; None where the field is absent, null, or the number that is none."""
        value = self.values.get(field)
        return None if value is None or value != value else _is(value, float, f"field {field!r}")

    def truth(self, field: str) -> bool:
        """True or false."""
        return _is(self.get(field), bool, f"field {field!r}")

    def flag(self, field: str) -> bool | None:
        """True, false, or None where the field is absent or null."""
        value = self.values.get(field)
        if value is not None and not isinstance(value, bool):
            problem = f"field {field!r} must be true, false or null, not {type_name(value)}"
            raise BadRow(Reason.WRONG_TYPE, problem)
        return value

    def attributes(self) -> dict[str, Any]:
        """The pairs of `key` and `value` in the field `attributes` of a table of truerate, if it is there."""
        pairs = self.rows("attributes") if self.values.get("attributes") is not None else []
        return {pair.text("key"): pair.get("value") for pair in pairs}


def label_of(value: object, allowed: tuple[str, ...], what: str) -> str:
    """The documented label that a value is, in whatever case. Raises BadRow for any other value."""
    word = clean(_is(value, str, what))
    meant = next((label for label in allowed if label.casefold() == word.casefold()), None)
    if meant is None:
        problem = f"{what} is {word[:40]!r}, which is no label; allowed: {listed(allowed)}"
        raise BadRow(Reason.UNKNOWN_LABEL, problem)
    return meant


def texts(values: object, what: str) -> list[str]:
    """A list of cleaned texts out of any value."""
    entries = enumerate(_is(values, list, what), 1)
    return [clean(_is(value, str, f"{what}, entry {number}")) for number, value in entries]


def titled(value: object, what: str) -> tuple[str, object]:
    """A `[title, something]` pair with a cleaned title."""
    pair = _is(value, list, what)
    if len(pair) != 2:
        raise BadRow(Reason.WRONG_TYPE, f"{what} must be a pair [title, …], has {len(pair)} entries")
    return clean(_is(pair[0], str, f"{what}, its title")), pair[1]


def span(start: int, end: int, kind: str | None = None, p: float | None = None) -> dict[str, Any]:
    """A span as the column `spans` holds it: code points, half-open."""
    return {"start": start, "end": end, "type": kind, "p": p}


def _is(value: object, wanted: type, what: str) -> Any:
    is_wanted = isinstance(value, int | float) if wanted is float else isinstance(value, wanted)
    if not is_wanted or (wanted in (int, float) and isinstance(value, bool)):
        raise BadRow(Reason.WRONG_TYPE, f"{what} must be {_NAMES[wanted]}, not {type_name(value)}")
    return value


def type_name(value: object) -> str:
    """Return what a value is, in words."""
    return _NAMES.get(type(value), type(value).__name__)
