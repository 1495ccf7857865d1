"""What a track says of itself for its readers: its card, which pages, terminal and Hub print."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StrictBool
from pydantic.dataclasses import dataclass

from truerate.core.data_files import RECORD, read_data

Text = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, config=RECORD)
class Section:
    """One step of the protocol for a reader: its name, the paper's section, what happens in it."""

    name: str
    section: str
    text: str


@dataclass(frozen=True, config=RECORD)
class Ranked:
    """What the boards of a track rank: a metric, the slice that leads, and both in words."""

    metric: str
    slice: Mapping[str, str]
    what: str


@dataclass(frozen=True, config=RECORD)
class Words:
    """The display words of a track's tables; others are shown as spelled, capitalised, with spaces for
    hyphens.

    `values`: of slice values, steps, subjects and papers, in table order. `by_key`: under one slice key.
    `names`: keys whose values are names. `powers`: keys of powers of ten (`10^3`), with the word before the
    number. `quantities`: of published.csv; with the paper before it (`helma:n_samples`) if papers differ.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    by_key: Mapping[tuple[str, str], str] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    powers: Mapping[str, str] = field(default_factory=dict)
    quantities: Mapping[str, str] = field(default_factory=dict)

    def __or__(self, other: "Words") -> "Words":
        """Both, in this order; an entry of `other` replaces one of the same name, at its place in `other`."""
        kept = {value: text for value, text in self.values.items() if value not in other.values}
        return Words(
            values={**kept, **other.values},
            by_key={**self.by_key, **other.by_key},
            names=self.names | other.names,
            powers={**self.powers, **other.powers},
            quantities={**self.quantities, **other.quantities},
        )


@dataclass(frozen=True, config=RECORD)
class Card:
    """A track for its readers: paper, tasks, steps, ranking, and what it must not be read as.

    `tasks`: what an item is, by task. `attributes`: keys without third parties' text, which may always be
    published. `asked`: the metric whose subjects are the models asked, if params.yaml does not tell. `forms`:
    further formats of its samples, by reader (`hub.forms`). `words`: display words. `is_audited`: whether
    shortcuts are audited. `unit`: of what it ranks. `judged_caveats`: hold if models give the verdicts.
    `takes_errata`: whether boards also show ranks by corrected labels.
    """

    name: Text
    title: Text
    paper: Text
    citation: Text
    url: Text
    summary: Text
    tasks: Mapping[str, str]
    steps: tuple[Section, ...]
    ranks: Ranked
    caveats: tuple[str, ...] = ()
    judged_caveats: tuple[str, ...] = ()
    attributes: frozenset[str] = frozenset()
    asked: str | None = None
    forms: tuple[str, ...] = ()
    words: Words = Words()
    is_audited: StrictBool = True
    unit: Text = "unit"
    takes_errata: StrictBool = False


def read_card(path: Path) -> Card:
    """Return the card that a card.yaml holds; its keys are the fields of `Card`. Raises TruerateError."""

    def build(card: dict[str, Any]) -> Card:
        words = card.get("words", {})
        by_key = {
            (key, value): text for key, of in words.get("by_key", {}).items() for value, text in of.items()
        }
        return Card(**card | {"words": Words(**words | {"by_key": by_key})})

    return read_data(path, build)
