"""Columns of a sample browser's index: values as codes, and one letter per record and judge."""

from collections.abc import Iterable, Mapping, Sequence

from truerate.site.vocabulary import Vocabulary

JUDGES = ("Judged by", "Any judge")


def coded(key: str, values: list, vocabulary: Vocabulary) -> dict:
    """A column as its distinct values with labels, and per record its code, or the list of its codes where a
    record has several values.
    """
    lists = {id(value): value for value in values if isinstance(value, list)}  # few: equal ones are one
    plain = {value for value in values if isinstance(value, str)}
    names = sorted(plain.union(*lists.values()), key=vocabulary.sort_key)
    places = {name: place for place, name in enumerate(names)}
    told = {key: [places[name] for name in value] for key, value in lists.items()}
    codes = [told[id(value)] if isinstance(value, list) else places[value] for value in values]
    return {"values": [[name, vocabulary.value(key, name)] for name in names], "codes": codes}


class Gathered:
    """What the index says of each record, taken down while records pass: a board's records need not be in
    memory together.
    """

    def __init__(self, keys: Iterable[str]):
        self.values: dict[str, list] = {key: [] for key in keys}
        self.ids: list[str] = []
        self.layers: set[str] = set()
        self.types: set[str] = set()
        self._letters: dict[str, bytearray] = {}
        self._told: dict[tuple | str, str | list] = {}

    def add(self, record: Mapping, values: Mapping[str, str | list[str]]) -> None:
        """Take down one record, with its values of the filters; its `_outcome` is a letter per judge."""
        self.extend([record], {key: [value] for key, value in values.items()})

    def extend(self, records: Sequence[Mapping], values: Mapping[str, list]) -> None:
        """Take down records, with a column of values per filter."""
        for key, column in values.items():
            self.values[key].extend(map(self._one, column))
        for place, record in enumerate(records, len(self.ids)):
            for judge, letter in record["_outcome"].items():
                letters = self._letters.setdefault(judge, bytearray())
                letters.extend(b"-" * (place - len(letters)) + letter.encode())
        self.ids.extend(record["id"] for record in records)

    def _one(self, value: str | list[str]) -> str | list[str]:
        """Equal values once: most records have the same few, and a column of a table holds a text for each."""
        return self._told.setdefault(tuple(value) if isinstance(value, list) else value, value)

    @property
    def judges(self) -> dict[str, str]:
        """Per judge one letter for each record, - where it says nothing of it."""
        n = len(self.ids)
        return {name: self._letters[name].decode().ljust(n, "-") for name in sorted(self._letters)}

    def columns(self, filters: Sequence[tuple[str, str, str]], vocabulary: Vocabulary) -> dict:
        """What the page filters by: values as codes."""
        return {
            "n": len(self.ids),
            "ids": self.ids,
            "filters": [list(one) for one in filters],
            "columns": {name: coded(name, self.values[name], vocabulary) for name, *_ in filters},
        }
