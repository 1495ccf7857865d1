"""The words of a page's values: those of every board, with those of a track's card."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from truerate.core.card import Words
from truerate.core.data_files import read_data
from truerate.site.measures import Measure

_WORDS = read_data(Path(__file__).with_name("vocabulary.yaml"), dict)
NAMES = _WORDS["languages"]  # by code: the English name and the name in the language itself
SHARED = Words(
    values=_WORDS["values"],
    by_key={(key, value): text for key, of in _WORDS["by_key"].items() for value, text in of.items()},
)
_AS_SPELLED = ("model", "generator", "base")  # slice keys whose values stay as they are
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Vocabulary:
    """The measures of one board, or of all, by name, and the words of their values, its track's first."""

    measures: Mapping[str, Measure] = field(default_factory=dict)
    words: Words = SHARED

    @classmethod
    def of(cls, measures: Mapping[str, Measure], *tracks: Words) -> "Vocabulary":
        """The shared words and those of tracks; where two tracks differ on one, the first decides."""
        words = SHARED
        for track in reversed(tracks):
            words |= track
        return cls(measures, words)

    @cached_property
    def _order(self) -> dict[str, int]:
        """The place of each value that has words."""
        return {value: number for number, value in enumerate(self.words.values)}

    def label(self, value: str) -> str:
        """A value, step or metric under any key: `chain-of-thought` → Chain of thought."""
        if value in self.words.values:
            return self.words.values[value]
        spelled = value.replace("_", " ").replace("-", " ")
        return spelled[:1].upper() + spelled[1:]

    def value(self, key: str | None, value: str) -> str:
        """A slice value by its key: languages by their English names; a model, the Hub id of one, stays as it
        is.
        """
        if key == "lang":
            return language(value)
        if key in _AS_SPELLED or "/" in value:
            return value
        if key in self.words.names:
            return value[:1].upper() + value[1:]
        if key in self.words.powers and (power := re.fullmatch(r"10\^(\d+)(\+?)", value)):
            above = " and above" if power[2] else ""
            return f"{self.words.powers[key]} 10{power[1].translate(_SUPERSCRIPT)}{above}"
        return self.words.by_key.get((key or "", value)) or self.label(value)

    def subject(self, name: str) -> str:
        """A subject that is no model: `final-stop` → A final full stop; others stay as they are."""
        return self.words.values.get(name, name)

    def quantity(self, part: str, paper: str = "") -> str:
        """One part of a quantity that a paper prints: a metric, a metric with its variant (`accuracy+cot`), a
        slice value; else as it is. Papers call different things by one name: words of this paper alone come
        first.
        """
        for name in (f"{paper}:{part}", part):
            if name in self.words.quantities:
                return self.words.quantities[name]
        name, _, variant = part.partition("+")
        if name in self.measures:
            return ", ".join([self.measures[name].label, *([self.label(variant).lower()] if variant else [])])
        return self.words.values.get(part, part)

    def sort_key(self, value: str) -> tuple[int, str]:
        """Return where a slice value stands: those with words in the order of these, others after them by
        name, numbers in it by their size.
        """
        name = NAMES.get(value, (value,))[0]
        return (
            self._order.get(value, len(self._order)),
            re.sub(r"\d+", lambda digits: digits[0].zfill(9), name),
        )


def language(code: str) -> str:
    """The English name of a language, `all` being all of them; a code that is not known stays as it is."""
    return "All languages" if code == "all" else NAMES.get(code, (code,))[0]


def native_name(code: str) -> str:
    """Return what a language calls itself; empty where that says nothing new."""
    english, native = NAMES.get(code, ("", ""))
    return native if native != english else ""
