"""Columns of a sample browser's index: values as codes, and one letter per record and judge."""

from collections.abc import Iterable, Mapping, Sequence

from truerate.site.vocabulary import Vocabulary


def coded(key: str, values: list, vocabulary: Vocabulary) -> dict:
    """A column as its distinct values with labels, and per record its code, or the list of its codes where a
    record has several values.
    """
    names = sorted(
        {name for value in values for name in (value if isinstance(value, list) else [value])},
        key=vocabulary.sort_key,
    )
    places = {name: place for place, name in enumerate(names)}
    codes = [
        [places[name] for name in value] if isinstance(value, list) else places[value] for value in values
    ]
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
        self._told: dict[tuple, list] = {}

    def add(self, record: Mapping, values: Mapping[str, str | list[str]]) -> None:
        """Take down one record, with its values of the filters; its `_outcome` is a letter per judge."""
        for key, value in values.items():
            self.values[key].append(self._one(value))
        for judge, letter in record["_outcome"].items():
            letters = self._letters.setdefault(judge, bytearray())
            letters.extend(b"-" * (len(self.ids) - len(letters)) + letter.encode())
        self.ids.append(record["id"])

    def _one(self, value: str | list[str]) -> str | list[str]:
        """Equal lists once: most records have the same few."""
        return self._told.setdefault(tuple(value), value) if isinstance(value, list) else value

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
