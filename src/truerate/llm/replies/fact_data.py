"""Facts by the number of their sentence in JSON values and tables."""

import re
from typing import Any

from truerate.core.patterns import lazy
from truerate.llm.replies import marks
from truerate.llm.replies.fact_words import Told, stated

# the words that may stand in the mark of a sentence
NOUNS = (
    "sentence",
    "sentences",
    "sent",
    "satz",
    "phrase",
    "frase",
    "s",
    "no",
    "nr",
    "number",
    "zeile",
    "句",
    "句子",
    "第",
)
_NUMBER_KEYS = (
    "sentence",
    "sentence_id",
    "sentence_number",
    "sentence_index",
    "number",
    "id",
    "index",
    "n",
    "no",
    "nr",
)
_FACT_KEYS = (
    "fact",
    "facts",
    "atomic_fact",
    "atomic_facts",
    "text",
    "claim",
    "claims",
    "statement",
    "content",
)
_IN_CELL = lazy(r"\s*<br\s*/?>\s*", re.IGNORECASE)  # a line's end inside a cell of a table


def of_json(text: str, n: int) -> tuple[list[Told], int] | None:
    """What a JSON value says; None where the reply is none, or none that names sentences."""
    value = marks.json_of(text)
    if value is None:
        return None
    if (
        isinstance(value, dict)
        and len(value) == 1
        and isinstance(inner := next(iter(value.values())), list | dict)
    ):
        value = inner if not marks.number_of(next(iter(value)), NOUNS) else value
    pairs = _pairs_of(value, n)
    if pairs is None or any(number == 0 for number, _ in pairs):
        return None
    told: list[Told] = []
    n_malformed = 0
    for number, words in pairs:
        for word in words or [""]:
            found = stated((number,), word, ("json",)) if word else [Told((number,), None, ("json",))]
            told += found if 1 <= number <= n else []
            n_malformed += not found or not 1 <= number <= n
    return told, n_malformed


def _pairs_of(value: Any, n: int) -> list[tuple[int, list[str]]] | None:
    """Numbers and facts of a JSON value: an object by number, a list of objects, of lists by place, of lines."""
    if isinstance(value, dict):
        pairs = [(marks.number_of(key, NOUNS), _strings(one)) for key, one in value.items()]
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        pairs = [
            (
                marks.number_of(marks.first_of(one, _NUMBER_KEYS), NOUNS),
                _strings(marks.first_of(one, _FACT_KEYS)),
            )
            for one in value
        ]
    elif isinstance(value, list) and value and all(_is_pair(one) for one in value):
        pairs = [(marks.number_of(number, NOUNS), _strings(words)) for number, words in value]
    elif isinstance(value, list) and value and all(isinstance(one, list) for one in value):
        pairs = [(place, _strings(one)) for place, one in enumerate(value, 1)] if len(value) == n else []
    elif isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        entries = [marks.entry_of(one, NOUNS) for one in value]
        pairs = [(entry.numbers[0], [entry.text]) if entry else (None, None) for entry in entries]
    else:
        return None
    if not pairs or any(number is None or words is None for number, words in pairs):
        return None
    return [(number, words) for number, words in pairs if number is not None and words is not None]


def _is_pair(value: Any) -> bool:
    """Whether a value is a list of a number and a text."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], int)
        and isinstance(value[1], str | list)
    )


def _strings(value: Any) -> list[str] | None:
    """The texts of a field: one, several, or none at all; None where it holds anything else."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [one.strip() for one in value if one.strip()]
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        inner = [_strings(marks.first_of(one, _FACT_KEYS)) for one in value]
        return None if any(one is None for one in inner) else [word for one in inner for word in one or []]
    return None


def of_table(text: str, n: int) -> tuple[list[Told], int] | None:
    """What a table says; None where there is none, or its columns cannot be told."""
    rows = marks.table_of(text)
    if not rows:
        return None
    has_head = all(marks.number_of(cell, NOUNS) is None for cell in rows[0])
    numbers = next(
        (
            at
            for at in range(len(rows[0]))
            if all(not row[at] or marks.number_of(row[at], NOUNS) for row in rows[has_head:])
        ),
        None,
    )
    facts: int | None = 1 - numbers if len(rows[0]) == 2 and numbers is not None else None
    if (
        has_head
        and (place := marks.column(rows[0], lambda cell: "fact" in cell or "claim" in cell)) is not None
    ):
        facts = place
    if numbers is None or facts is None or facts == numbers:
        return None
    told: list[Told] = []
    n_malformed, number = 0, None
    for row in rows[1:] if has_head else rows:
        number = marks.number_of(row[numbers], NOUNS) if row[numbers] else number
        is_known = number is not None and 1 <= number <= n
        for words in [part for part in _IN_CELL.split(row[facts]) if part] or [""]:
            words = marks.item_of(words) or words
            found = stated((number,), words, ("table",)) if number is not None and is_known else []
            n_malformed += not found
            told += found
    return told, n_malformed
