"""What the sample browser filters records by: values as codes, and one letter per record and judge."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

from truerate.core.data_files import read_data
from truerate.site.vocabulary import Vocabulary

T = TypeVar("T")
FORMS: dict[str, dict[str, Any]] = read_data(Path(__file__).with_name("forms.yaml"), dict)
# A letter per judge and labelled record, by missed and extra: agrees, misses a label, marks without one, both.
AGREEMENT = {(False, False): "a", (True, False): "m", (False, True): "x", (True, True): "b"}


def in_turn(strata: Mapping[Any, Sequence[T]]) -> Iterator[T]:
    """The units of all strata, one of each after the other in the order of their keys, until none is left."""
    turns = zip_longest(*(strata[key] for key in sorted(strata)))
    return (unit for turn in turns for unit in turn if unit is not None)


def coded(key: str, values: list, vocabulary: Vocabulary) -> dict:
    """Return a column as its distinct values with labels, and a code or a list of codes per record."""
    lists = {id(value): value for value in values if isinstance(value, list)}  # few: equal ones are one
    plain = {value for value in values if isinstance(value, str)}
    names = sorted(plain.union(*lists.values()), key=vocabulary.sort_key)
    code_of = {name: code for code, name in enumerate(names)}
    codes_of = {key: [code_of[name] for name in value] for key, value in lists.items()}
    codes = [codes_of[id(value)] if isinstance(value, list) else code_of[value] for value in values]
    return {"values": [[name, vocabulary.value(key, name)] for name in names], "codes": codes}


class Index:
    """The index over records of a form, gathered in passing, so that they need not be in memory."""

    def __init__(self, form: str):
        self.form = FORMS[form]
        self.values: dict[str, list] = {key: [] for key in self.form["filters"]}
        self.ids: list[str] = []
        self._letters: dict[str, bytearray] = {}
        self._equal: dict[tuple | str | None, str | list] = {}

    def add(self, records: Sequence[Mapping], columns: Mapping[str, Iterable] | None = None) -> None:
        """Add records, with their filters as columns; `_outcome` of a record is a letter per judge."""
        for key, (_, _, *field) in self.form["filters"].items():
            name = field[0] if field else key
            for value in columns[key] if columns else (record[name] for record in records):
                # the first of equal values: a table holds a text for each, most of them the same few
                equal = tuple(value) if isinstance(value, list) else value
                self.values[key].append(self._equal.setdefault(equal, "" if value is None else value))
        for number, record in enumerate(records, len(self.ids)):
            for judge, letter in record["_outcome"].items():
                letters = self._letters.setdefault(judge, bytearray())
                letters.extend(b"-" * (number - len(letters)) + letter.encode())
        self.ids.extend(record["id"] for record in records)

    @property
    def judges(self) -> dict[str, str]:
        """Per judge one letter for each record, - where it says nothing of it."""
        n = len(self.ids)
        return {name: self._letters[name].decode().ljust(n, "-") for name in sorted(self._letters)}

    def as_dict(self, vocabulary: Vocabulary, **facts: object) -> dict:
        """Return the index as the page reads it, with what a form adds."""
        shown = {
            **dict.fromkeys(("form", "n", "n_all", "unit", "ids", "types", "layers", "leader")),
            "n": len(self.ids),
            "ids": self.ids,
            "form": self.form.get("form"),
            "unit": self.form.get("unit"),
            "filters": [[key, heading, none] for key, (heading, none, *_) in self.form["filters"].items()],
            "columns": {key: coded(key, values, vocabulary) for key, values in self.values.items()},
            "judged": self.form.get("judged", ()),
            "outcomes": self.form.get("outcomes", ()),
            "judges": self.judges,
        }
        return {name: value for name, value in (shown | facts).items() if value is not None}
