"""Rows of source files: how a field is looked up and checked, and why a row is not kept. `cuts.py` makes them of files."""

import re
from enum import StrEnum

from truerate.core.errors import listed
from truerate.core.text import clean


class Reason(StrEnum):
    """Why a row was not kept. Those of `UNSUITABLE` are sound rows that the protocol cannot use: they never
    stop a run.

    Three speak of what was read before: `duplicate`, the same again; `contradiction`, a text that is labelled
    in two ways (also a row whose own fields disagree); `conflict`, one id with two contents, of which one
    must be wrong. And four of values: `unlabelled`, the publishers' own word for no label; `improper`, theirs
    for a question that cannot be answered; `unknown-label`, a label that is none of theirs; `unknown-value`,
    the same of any other field.
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


UNSUITABLE = (
    Reason.CONTRADICTION,
    Reason.DUPLICATE,
    Reason.NO_EXCHANGE,
    Reason.NO_KNOWLEDGE,
    Reason.NO_MAJORITY,
    Reason.MALFORMED,
    Reason.EMPTY_SPAN,
    Reason.UNKNOWN_TYPE,
    Reason.ALTERED,
    Reason.UNLABELLED,
    Reason.IMPROPER,
    Reason.TOXIC,
    Reason.NOT_ENGLISH,
    Reason.REDACTED,
    Reason.EMPTY_TURN,
    Reason.UNUSABLE_NAME,
)


_LANGUAGE = re.compile(r"[a-z]{2,3}")
_WHOLE = re.compile(r"-?\d{1,18}")  # more digits are no number of anything here, and no column holds them


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

    def optional_text(self, field: str) -> str | None:
        """A cleaned text, None where the field is absent, null or empty."""
        return None if self.values.get(field) is None else self.text(field, may_be_empty=True) or None

    def choice(self, field: str, allowed: tuple[str, ...]) -> str:
        """One of the allowed values."""
        value = self.text(field, may_be_empty=True)
        if value not in allowed:
            raise BadRow(
                Reason.UNKNOWN_VALUE, f"field {field!r} is {value[:40]!r}; allowed: {listed(allowed)}"
            )
        return value

    def label(self, field: str, allowed: tuple[str, ...]) -> str:
        """A documented label; any other is a typing error or a damaged file, never a missing label."""
        return label_of(self.get(field), allowed, f"field {field!r}")

    def language(self, field: str = "lang") -> str:
        """A language code, in lower case: two or three letters, as ISO 639 has them."""
        code = self.text(field).strip().lower()
        if not _LANGUAGE.fullmatch(code):
            raise BadRow(
                Reason.UNKNOWN_VALUE,
                f"field {field!r} is {code[:40]!r}; write an ISO 639 code of two or three letters",
            )
        return code

    def items(self, field: str) -> list:
        """A list, of whatever."""
        return _is(self.get(field), list, f"field {field!r}")

    def texts(self, field: str) -> list[str]:
        """A list of cleaned texts."""
        return texts(self.items(field), f"field {field!r}")

    def integer(self, field: str) -> int:
        """A whole number, also where a CSV cell holds it as text."""
        value = self.get(field)
        if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
            return int(value)
        return _is(value, int, f"field {field!r}")


def label_of(value: object, allowed: tuple[str, ...], what: str) -> str:
    """The documented label that a value is, in whatever case. Raises BadRow for any other value."""
    word = clean(_is(value, str, what))
    meant = next((label for label in allowed if label.casefold() == word.casefold()), None)
    if meant is None:
        raise BadRow(
            Reason.UNKNOWN_LABEL, f"{what} is {word[:40]!r}, which is no label; allowed: {listed(allowed)}"
        )
    return meant


def texts(values: object, what: str) -> list[str]:
    """A list of cleaned texts out of any value."""
    return [
        clean(_is(value, str, f"{what}, entry {number}"))
        for number, value in enumerate(_is(values, list, what), 1)
    ]


def titled(value: object, what: str) -> tuple[str, object]:
    """A `[title, something]` pair with a cleaned title."""
    pair = _is(value, list, what)
    if len(pair) != 2:
        raise BadRow(Reason.WRONG_TYPE, f"{what} must be a pair [title, …], has {len(pair)} entries")
    return clean(_is(pair[0], str, f"{what}, its title")), pair[1]


def _is(value: object, wanted: type, what: str):
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise BadRow(Reason.WRONG_TYPE, f"{what} must be {_NAMES[wanted]}, not {type_name(value)}")
    return value


_NAMES = {
    str: "text",
    list: "a list",
    int: "a whole number",
    dict: "an object",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def type_name(value: object) -> str:
    """What a value is, in words."""
    return _NAMES.get(type(value), type(value).__name__)
