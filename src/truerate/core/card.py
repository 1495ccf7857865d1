"""What a track says of itself for its readers: its card, which pages, terminal and Hub print."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """One step of the protocol as a reader is told of it: its name, the paper's section, what happens in it."""

    name: str
    section: str
    text: str


@dataclass(frozen=True)
class Ranked:
    """What the boards of a track rank: a metric, the slice that leads, and both in words."""

    metric: str
    slice: Mapping[str, str]
    what: str


@dataclass(frozen=True)
class Card:
    """A track for its readers: which paper, which tasks, which steps, what is ranked, what it must not be read
    as.

    `tasks`: what an item of each task is, by the name that stands in tables. `attributes`: keys of Item and
    Sample attributes that hold no text of third parties, so that they may be published whatever the licence.
    `asked`: the metric whose subjects are the models that were asked, where that is not known from
    params.yaml.
    """

    name: str
    title: str
    paper: str
    citation: str
    url: str
    summary: str
    tasks: Mapping[str, str]
    steps: tuple[Section, ...]
    ranks: Ranked
    caveats: tuple[str, ...] = ()
    attributes: frozenset[str] = frozenset()
    asked: str | None = None
