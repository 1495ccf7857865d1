"""What a track offers: typed records and functions, some of them optional; the only list of them there is.

A track is a folder of `truerate.tracks` with four modules, found by the name of the folder:

- `card.py`: `CARD`, a `Card`;
- `settings.py`: `Settings` and `Sizes`, the blocks of params.yaml that are the track's own;
- `graph.py`: `GRAPH`, its steps in the paper's words, from which rules, scratch keys and the plan follow;
- `metrics.py`: `METRICS`, a record of each number that it publishes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from truerate.config.detectors import Grid

if TYPE_CHECKING:
    import polars as pl

Direction = Literal["up", "down", ""]
Unit = Literal["share", "number", "tenth", "count"]


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


@dataclass(frozen=True)
class Metric:
    """One number that a track publishes, for pages, terminal, Hub and CSV alike.

    `definition` says what it is, with the paper's section or equation; `unit`: `share` in [0, 1] (shown in
    per cent), `number` (two digits), `tenth` (one digit), `count`; `direction`: `up` where more is better,
    `down` where less is, empty where neither; `table`: the table of a board that it stands in; `chance`: what
    guessing gets, `chance_where` where that differs by a value of the slice; `interval`: the rule that makes
    its interval, empty where it has none.
    """

    name: str
    label: str
    definition: str
    table: str
    unit: Unit = "share"
    direction: Direction = ""
    chance: float | None = None
    chance_where: Mapping[tuple[str, str], float] = field(default_factory=dict, hash=False)
    interval: str = ""


@dataclass(frozen=True)
class Resources:
    """What one job of a step needs of a machine, for Snakemake and a cluster: GPUs, memory, minutes."""

    gpus: int = 0
    memory_mb: int = 2_000
    minutes: int = 60


@dataclass(frozen=True)
class Reads:
    """What a step reads of an earlier one: its files of all models, of those of a `role` alone, or (`is_own`)
    of the model that the step itself is about.
    """

    step: str
    role: str | None = None
    is_own: bool = False


@dataclass(frozen=True)
class Step:
    """One step of a track's data set, in the paper's words; a rule per step, a job per model and shard.

    `role`: the setting of the track that names the model or models whose files these are; `asks`: further
    roles that the step asks; `beside`: tables that it gives besides replies.
    """

    name: str
    role: str
    does: str
    reads: tuple[Reads, ...] = ()
    asks: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    resources: Resources = Resources()


@dataclass(frozen=True)
class Protocol:
    """A track as the stages know it: `flow.tracks` loads it from the folder's modules and checks it.

    Required: `settings` and `sizes` (settings.py), `card` (card.py), `contexts` (context.py: items and
    documents of a board → what each text is checked against, `item_id, knowledge, question, history`),
    `exported` and `score` (steps.py). Optional: `scored`, tables of the data set that `score` is given besides
    those of every track; `label` (people's labels → samples, judgements, agreement), `topics` (of failure),
    `training` and `targets` (the texts that token detectors learn from, and mark), all of steps.py; `faults`
    (checks.py: what is wrong with a board's settings, as lines); `public_tables` (public_tables.py: what `make
    real` shows of a board, from samples, scores and the source's card); `totals` and `reasons` (published.py: of the
    printed numbers in published.csv those that must be sums of others, and why a table cannot be checked).
    """

    name: str
    card: Any
    settings: type
    sizes: type
    contexts: Callable[..., "pl.DataFrame"]
    exported: Callable[..., tuple[dict[str, "pl.DataFrame"], list[dict]]]
    score: Callable[..., tuple["pl.DataFrame", "pl.DataFrame"]]
    scored: tuple[str, ...] = ()
    label: Callable[..., Any] | None = None
    topics: Callable[..., list[dict]] | None = None
    training: Callable[..., "pl.DataFrame"] | None = None
    targets: Callable[..., "pl.DataFrame"] | None = None
    faults: Callable[..., Iterable[str]] | None = None
    public_tables: Callable[..., list[tuple[str, "pl.DataFrame"]]] | None = None
    totals: tuple[tuple[str, str, str, str], ...] = ()
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def marks_tokens(self) -> bool:
        """Whether token detectors can learn on its boards and judge them."""
        return self.training is not None and self.targets is not None and issubclass(self.sizes, Grid)


# Where each part of a Protocol stands: module and name. Those of REQUIRED must be there.
REQUIRED = {
    "card": ("card", "CARD"),
    "contexts": ("context", "context_frame"),
    "exported": ("steps", "exported"),
    "score": ("steps", "score"),
}
OPTIONAL = {
    "scored": ("steps", "SCORED"),
    "label": ("steps", "label"),
    "topics": ("steps", "topics"),
    "training": ("steps", "training"),
    "targets": ("steps", "targets"),
    "faults": ("checks", "faults"),
    "public_tables": ("public_tables", "public_tables"),
    "totals": ("published", "TOTALS"),
    "reasons": ("published", "REASONS"),
}
