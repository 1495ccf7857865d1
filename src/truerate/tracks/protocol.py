"""What a track offers: a class per paper, whose methods the stages call.

A track is a folder of `truerate.tracks`: `protocol.py` holds `PROTOCOL`, one object of its class; `card.yaml` and
`metrics.yaml` what readers are told (core/card.py, core/metric.py); `settings.py` its blocks of params.yaml, `Settings`
and `Sizes`; `graph.py` its steps in the paper's words, `GRAPH`.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from truerate.config.detectors import Grid
from truerate.core.card import Card, read_card
from truerate.core.claims import Claim
from truerate.core.metric import Metric, read_metrics
from truerate.tracks.contract import Step

if TYPE_CHECKING:
    import polars as pl

FOLDER = Path(__file__).parent
REQUIRED = ("name", "graph", "settings", "sizes", "contexts", "exported", "score")  # what every protocol has


class Protocol:
    """A paper's protocol as the stages know it. Every one has what REQUIRED names; the rest has a default."""

    name: ClassVar[str]  # of its folder
    graph: ClassVar[tuple[Step, ...]]
    settings: ClassVar[type]
    sizes: ClassVar[type]
    step_functions: ClassVar[Mapping[str, Callable[..., Any]]] = {}  # the function of each step of its graph

    # items and documents of a board -> what each text is checked against: `item_id, knowledge, question, history`
    contexts: ClassVar[Callable[..., Mapping[str, Any]]]
    # the replies of all steps -> the tables of the data set, and tasks for annotators
    exported: ClassVar[Callable[..., tuple[dict[str, "pl.DataFrame"], list[dict[str, Any]]]]]
    # labels and judgements -> scores and outcomes
    score: ClassVar[Callable[..., tuple["pl.DataFrame", "pl.DataFrame"]]]
    # people's labels -> samples, judgements, agreement
    label: ClassVar[Callable[..., Any] | None] = None
    # the topics of failure
    topics: ClassVar[Callable[..., list[dict[str, Any]]] | None] = None
    # the texts that token detectors learn from, and those that they mark
    training: ClassVar[Callable[..., "pl.DataFrame"] | None] = None
    targets: ClassVar[Callable[..., "pl.DataFrame"] | None] = None
    # what is wrong with a board's settings, as lines
    faults: ClassVar[Callable[..., Iterable[str]] | None] = None
    # what `make real` shows of a board, from samples, scores and the source's card
    public_tables: ClassVar[Callable[..., list[tuple[str, "pl.DataFrame"]]] | None] = None

    # ---- tables that outgrow memory
    queried: ClassVar[tuple[str, ...]] = ()  # tables of the source that steps are given as queries
    # steps whose files `exported` takes one model and shard at a time, as `slices`, and whose rows it gives to `keep`
    sliced: ClassVar[tuple[str, ...]] = ()
    scored: ClassVar[
        tuple[str, ...]
    ] = ()  # tables of the data set that `score` is given besides those of every track
    scored_columns: ClassVar[
        Mapping[str, tuple[str, ...]]
    ] = {}  # of these tables the columns that `score` reads
    # a table's name and some of its rows -> what `score` reads of these
    thinned: ClassVar[Callable[..., "pl.DataFrame"] | None] = None
    # an expression that holds of those judgements of detectors that `score` reads
    scored_judgements: ClassVar[Callable[..., "pl.Expr"] | None] = None
    # the `part` of each `target_id`, where `score` reads judgements part by part, one of them in memory at a time
    scored_parts: ClassVar[Callable[..., "pl.DataFrame"] | None] = None
    labelled_columns: ClassVar[
        Mapping[str, tuple[str, ...]]
    ] = {}  # of tables besides samples, what `label` reads
    # a table's name, some of its rows and the tasks -> what `label` reads of these
    labelled: ClassVar[Callable[..., "pl.DataFrame"] | None] = None

    # ---- printed numbers in published.csv
    totals: ClassVar[tuple[tuple[str, str, str, str], ...]] = ()  # those that must be sums of others
    claims: ClassVar[tuple[Claim, ...]] = ()  # what else they must be of one another
    reasons: ClassVar[Mapping[tuple[str, str], str]] = {}  # why a table cannot be checked
    alike: ClassVar[
        Mapping[str, str]
    ] = {}  # by metric the key of its slice whose values are of as many texts

    # ---- what a plan takes for granted before anything is asked
    # the reply that stands for one that has not come, by step, key, request and settings; every track with steps has it
    assumed: ClassVar[Callable[..., str] | None] = None
    stand_ins: ClassVar[
        Mapping[str, Callable[..., Any]]
    ] = {}  # of a step that no model does, what is assumed of it
    first_drawn: ClassVar[tuple[str, ...]] = ()  # sizes whose first texts stay the same whatever the size
    services: ClassVar[Callable[..., Iterable[dict[str, Any]]]] = lambda *_: ()  # what is asked beside models
    label_precision: ClassVar[Callable[..., Iterable[dict[str, Any]]]] = (
        lambda *_: ()
    )  # what labels will tell
    label_notes: ClassVar[Callable[..., Iterable[str]]] = lambda *_: ()
    gpu_hours: ClassVar[Callable[..., Iterable[tuple[Any, ...]]]] = lambda *_: ()  # of its networks

    @cached_property
    def card(self) -> Card:
        """The track for its readers."""
        return card_of_track(self.name)

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        """A record of each number that its boards publish."""
        return metrics_of_track(self.name)

    @property
    def marks_tokens(self) -> bool:
        """Whether token detectors can learn on its boards and judge them."""
        return self.training is not None and self.targets is not None and issubclass(self.sizes, Grid)


def card_of_track(name: str) -> Card:
    """Return the card of a track, of which no code is imported for it; raises TruerateError where it has none."""
    return read_card(FOLDER / name / "card.yaml")


def metrics_of_track(name: str) -> tuple[Metric, ...]:
    """Return the records of a track's metrics in their order; raises TruerateError where it has none."""
    return read_metrics(FOLDER / name / "metrics.yaml")
