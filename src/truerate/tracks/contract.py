"""What a track offers: typed records and functions, some of them optional; the only list of them there is.

A track is a folder of `truerate.tracks` with four modules, found by the name of the folder:

- `card.py`: `CARD`, the `Card` that card.yaml holds;
- `settings.py`: `Settings` and `Sizes`, the blocks of params.yaml that are the track's own;
- `graph.py`: `GRAPH`, its steps in the paper's words, from which rules, scratch keys and the plan follow;
- `metrics.py`: `METRICS`, the record that metrics.yaml holds of each number that it publishes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from truerate.config.detectors import Grid

if TYPE_CHECKING:
    import polars as pl

from truerate.core.card import Card, Ranked, Section, Words
from truerate.core.claims import Cell, Claim, Counted, HiddenSet, Matrices, Mixture, Weighted, Whole
from truerate.core.metric import Direction, Metric, Unit

__all__ = [
    "Card",
    "Cell",
    "Claim",
    "Counted",
    "Direction",
    "HiddenSet",
    "Matrices",
    "Metric",
    "Mixture",
    "Planning",
    "Ranked",
    "Reads",
    "Resources",
    "Section",
    "Step",
    "Unit",
    "Weighted",
    "Whole",
    "Words",
]


@dataclass(frozen=True)
class Resources:
    """What one job of a step needs of a machine, for Snakemake and a cluster: GPUs, memory, minutes."""

    gpus: int = 0
    memory_mb: int = 2_000
    minutes: int = 60


@dataclass(frozen=True)
class Reads:
    """What a step reads of an earlier one: its files of all models, of those of a `role` alone, or (`is_own`)
    of the model that the step itself is about. `is_of_shard`: of its own shard alone, where both steps go by the
    same items, so that a job never holds what belongs to the others.

    `is_needed`: where the earlier step has no file, this one has none either.
    """

    step: str
    role: str = ""
    is_own: bool = False
    is_needed: bool = False
    is_of_shard: bool = False


@dataclass(frozen=True)
class StandIn:
    """What does a step's work where no model is asked: weights that are read here, the web.

    `name` stands in paths where a model's alias would. `setting` is the setting of the track that puts it in
    the place of the step's model; empty where it does the work always, once for all models of the role.
    """

    name: str
    setting: str = ""


@dataclass(frozen=True)
class Step:
    """One step of a track's data set, in the paper's words: a rule per step, a job per model and shard.

    `role`: the setting of the track that names the model or models whose files these are; `asks`: the
    settings that name who is asked in their place, without all of whom the step has no file; `reads`: earlier
    steps of the graph; `beside`: tables that it gives besides replies; `does`: what happens in it.
    """

    name: str
    role: str
    does: str
    reads: tuple[Reads, ...] = ()
    asks: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    stand_in: StandIn | None = None
    resources: Resources = Resources()


@dataclass(frozen=True)
class Protocol:
    """A track as the stages know it: `flow.tracks` loads it from the folder's modules and checks it.

    Required: `settings` and `sizes` (settings.py), `card` (card.py), `contexts` (context.py: items and
    documents of a board → what each text is checked against, `item_id, knowledge, question, history`),
    `exported` (steps.py) and `score` (scores.py or steps.py). Optional: `queried`, tables of the source that steps are given
    as queries, for they outgrow memory (steps.py); `sliced`, steps with a file per model and shard
    that `exported` takes one model and shard at a time, as `slices`, and whose rows it gives to `keep` (steps.py);
    `scored`, tables of the data set that
    `score` is given besides those of every track, `scored_columns`, of tables whose other columns it does not read those
    that it does (steps.py), `thinned` (a table's name and some of its rows → what `score` reads of these, as they are
    read; scores.py), `scored_judgements`, an expression that holds of those
    judgements of detectors that it reads (all, where there is none; scores.py), `scored_parts`, the `part` of each
    `target_id` that judgements name, from items, samples and generations, where `score` reads them part by part: it is
    given queries by part, and one part of them is in memory at a time (scores.py); `label` (people's labels → samples, judgements,
    agreement; labels.py or steps.py), `labelled_columns`, of the tables of the data set that it reads besides samples the
    columns that it does (all tables whole, where there are none; steps.py), `labelled` (a table's name, some of its rows
    and the tasks → what `label` reads of these, as they are read; labels.py), `topics`
    (of failure), `training` and `targets` (the texts that token
    detectors learn from, and mark; steps.py); `faults`
    (checks.py: what is wrong with a board's settings, as lines); `public_tables` (public_tables.py: what `make
    real` shows of a board, from samples, scores and the source's card); `totals`, `claims` and `reasons`
    (published.py: of the printed numbers in published.csv those that must be sums of others, what else they
    must be of one another, and why a table cannot be checked); `alike`: by metric the key of its slice whose
    values are measured on as many texts (scores.py).
    """

    name: str
    card: Card
    graph: tuple[Step, ...]
    metrics: tuple[Metric, ...]
    settings: type
    sizes: type
    contexts: Callable[..., Mapping[str, Any]]
    exported: Callable[..., tuple[dict[str, "pl.DataFrame"], list[dict[str, Any]]]]
    score: Callable[..., tuple["pl.DataFrame", "pl.DataFrame"]]
    queried: tuple[str, ...] = ()
    sliced: tuple[str, ...] = ()
    scored: tuple[str, ...] = ()
    scored_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    thinned: Callable[[str, "pl.DataFrame"], "pl.DataFrame"] | None = None
    scored_judgements: Callable[..., "pl.Expr"] | None = None
    scored_parts: Callable[..., "pl.DataFrame"] | None = None
    label: Callable[..., Any] | None = None
    labelled_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    labelled: Callable[..., "pl.DataFrame"] | None = None
    topics: Callable[..., list[dict[str, Any]]] | None = None
    training: Callable[..., "pl.DataFrame"] | None = None
    targets: Callable[..., "pl.DataFrame"] | None = None
    faults: Callable[..., Iterable[str]] | None = None
    public_tables: Callable[..., list[tuple[str, "pl.DataFrame"]]] | None = None
    totals: tuple[tuple[str, str, str, str], ...] = ()
    claims: tuple[Claim, ...] = ()
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)
    alike: Mapping[str, str] = field(default_factory=dict)

    @property
    def marks_tokens(self) -> bool:
        """Whether token detectors can learn on its boards and judge them."""
        return self.training is not None and self.targets is not None and issubclass(self.sizes, Grid)


@dataclass(frozen=True)
class Planning:
    """What a track says before anything is asked (its module plan.py, which a track that asks nobody lacks).

    `assumed`: the reply that stands for one that has not come, by step, key, request and settings; every track with
    steps has it. `stand_ins`: by step, what is assumed of it where no model does its work. `first_drawn`: sizes
    whose first texts stay the same whatever the size. `services`: lines of what is asked beside models. `labels`,
    `label_notes`: what people's labels will tell. `gpu_hours`: of its networks.
    """

    assumed: Callable[..., str] | None = None
    stand_ins: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    first_drawn: tuple[str, ...] = ()
    services: Callable[..., Iterable[dict[str, Any]]] = lambda *_: ()
    labels: Callable[..., Iterable[dict[str, Any]]] = lambda *_: ()
    label_notes: Callable[..., Iterable[str]] = lambda *_: ()
    gpu_hours: Callable[..., Iterable[tuple[Any, ...]]] = lambda *_: ()


class Part(NamedTuple):
    """Under which name a part of a Protocol stands, in the first of these modules that has it."""

    name: str
    modules: tuple[str, ...]


# Where each part of a Protocol stands. Those of REQUIRED must be there.
REQUIRED = {
    "card": Part("CARD", ("card",)),
    "graph": Part("GRAPH", ("graph",)),
    "metrics": Part("METRICS", ("metrics",)),
    "contexts": Part("contexts", ("context",)),
    "exported": Part("exported", ("steps",)),
    "score": Part("score", ("steps", "scores")),
}
OPTIONAL = {
    "queried": Part("QUERIED", ("steps",)),
    "sliced": Part("SLICED", ("steps",)),
    "scored": Part("SCORED", ("steps",)),
    "scored_columns": Part("SCORED_COLUMNS", ("steps",)),
    "thinned": Part("thinned", ("scores",)),
    "scored_judgements": Part("scored_judgements", ("scores",)),
    "scored_parts": Part("scored_parts", ("scores",)),
    "label": Part("label", ("steps", "labels")),
    "labelled_columns": Part("LABELLED_COLUMNS", ("steps",)),
    "labelled": Part("labelled", ("labels",)),
    "topics": Part("topics", ("steps",)),
    "training": Part("training", ("steps",)),
    "targets": Part("targets", ("steps",)),
    "faults": Part("faults", ("checks",)),
    "public_tables": Part("public_tables", ("public_tables",)),
    "totals": Part("TOTALS", ("published",)),
    "claims": Part("CLAIMS", ("published",)),
    "reasons": Part("REASONS", ("published",)),
    "alike": Part("ALIKE", ("scores",)),
}
# Under which name plan.py holds each part of a Planning but its stand-ins, which bear the names of their steps.
PLANNED = {
    "assumed": "assumed",
    "first_drawn": "FIRST_DRAWN",
    "services": "services",
    "labels": "labels",
    "label_notes": "label_notes",
    "gpu_hours": "gpu_hours",
}
