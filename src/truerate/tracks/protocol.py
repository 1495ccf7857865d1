"""What a track offers: a class per paper, whose methods the stages call.

A track is a folder of `truerate.tracks`: `protocol.py` holds `PROTOCOL`, one object of its class;
`settings.py` its blocks of params.yaml, `Settings` and `Sizes`; data about the paper lies beside: `card.yaml`
and `metrics.yaml` for its readers (core/card.py, core/metric.py), `graph.yaml` its steps in the paper's words
(tracks/contract.py), `published.csv` its printed numbers and `published.yaml` what these can be held against.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from truerate.config import Backbone
from truerate.config.detectors import Grid
from truerate.core.card import Card, read_card
from truerate.core.claims import Claim, FileCounts
from truerate.core.data_files import read_data
from truerate.core.metric import Metric, read_metrics
from truerate.tracks.contract import Step, read_graph

if TYPE_CHECKING:
    import polars as pl

FOLDER = Path(__file__).parent
REQUIRED = ("name", "settings", "sizes", "contexts", "exported", "score")  # what every protocol has
Table = Callable[..., "pl.DataFrame"]
Columns = Mapping[str, tuple[str, ...]]  # of tables by their name


class Protocol:
    """A paper's protocol as the stages know it. Every one has what REQUIRED names; the rest has a default."""

    name: ClassVar[str]  # of its folder
    settings: ClassVar[type]
    sizes: ClassVar[type]
    step_functions: ClassVar[Mapping[str, Callable[..., Any]]] = {}  # the function of each step of its graph

    # items and documents of a board -> what each text is checked against: `item_id, knowledge, question,
    # history`
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
    training: ClassVar[Table | None] = None
    targets: ClassVar[Table | None] = None
    # what is wrong with a board's settings, as lines
    faults: ClassVar[Callable[..., Iterable[str]] | None] = None
    # what `make real` shows of a board, from samples, scores and the source's card
    public_tables: ClassVar[Callable[..., list[tuple[str, "pl.DataFrame"]]] | None] = None

    # the template that a reply came from, by the settings, its purpose and its attributes; one that does not
    # exist where none was used
    template: ClassVar[Callable[..., str]] = staticmethod(lambda _, purpose, __: purpose)

    # ---- tables that outgrow memory
    queried: ClassVar[tuple[str, ...]] = ()  # tables of the source that steps are given as queries
    # steps whose files `exported` takes one model and shard at a time, as `slices`, and whose rows it keeps
    # in `gathered`
    sliced: ClassVar[tuple[str, ...]] = ()
    # tables of the data set that `score` is given besides those of every track, and of these the columns that
    # it reads
    scored: ClassVar[tuple[str, ...]] = ()
    scored_columns: ClassVar[Columns] = {}
    # the purpose of replies whose references (`pipeline.evaluate.contexts`) `score` is given, too
    referenced: ClassVar[str] = ""
    # a table's name and some of its rows -> what `score` reads of these
    pruned: ClassVar[Table | None] = None
    # an expression that holds of those judgements of detectors that `score` reads
    scored_judgements: ClassVar[Callable[..., "pl.Expr"] | None] = None
    # the `part` of each `target_id`, where `score` reads judgements part by part, one of them in memory at a
    # time
    scored_parts: ClassVar[Table | None] = None
    # of tables besides samples, what `label` reads: the columns; and a table's name, some of its rows and the
    # tasks -> rows
    labelled_columns: ClassVar[Columns] = {}
    labelled: ClassVar[Table | None] = None

    # ---- printed numbers in published.csv: `totals`, `counted` and `reasons` lie in published.yaml
    claims: ClassVar[tuple[Claim, ...]] = ()  # what else they must be of one another
    # by metric the key of its slice whose values are of as many texts
    alike: ClassVar[Mapping[str, str]] = {}

    # ---- what a plan takes for granted before anything is asked
    # the reply that stands for one that has not come, by step, key, request and settings; every track with
    # steps has it
    assumed: ClassVar[Callable[..., str] | None] = None
    # of a step that no model does, what is assumed of it
    stand_ins: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    first_drawn: ClassVar[tuple[str, ...]] = ()  # sizes whose first texts stay the same whatever the size
    services: ClassVar[Callable[..., Iterable[dict[str, Any]]]] = lambda *_: ()  # what is asked beside models
    # the precision that labels will give, with notes on it
    label_precision: ClassVar[Callable[..., Iterable[dict[str, Any]]]] = lambda *_: ()
    label_notes: ClassVar[Callable[..., Iterable[str]]] = lambda *_: ()
    # lines on a source's own texts: how many labelled ones models are asked about, which entities have no domain
    text_notes: ClassVar[Callable[..., Iterable[str]] | None] = None
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
    def graph(self) -> tuple[Step, ...]:
        """The steps of its data set."""
        return graph_of_track(self.name)

    @cached_property
    def published(self) -> dict[str, Any]:
        """What printed numbers can be held against (published.yaml); empty without such a file."""
        path = FOLDER / self.name / "published.yaml"
        return read_data(path, dict) if path.is_file() else {}

    @property
    def totals(self) -> tuple[tuple[str, ...], ...]:
        """Printed totals that must be sums of others: source, table, metric, how its parts begin."""
        return tuple(tuple(total) for total in self.published.get("totals", ()))

    @property
    def reasons(self) -> Mapping[tuple[str, str], str]:
        """Why a table cannot be checked from what is public, by source and table."""
        tables = self.published.get("reasons", {})
        return {(source, table): why for source, of in tables.items() for table, why in of.items()}

    @property
    def counted(self) -> tuple[FileCounts, ...]:
        """Printed figures that are counts of public files."""
        return tuple(FileCounts(**entry) for entry in self.published.get("counted", ()))

    @property
    def marks_tokens(self) -> bool:
        """Whether token detectors can learn on its boards and judge them."""
        return self.training is not None and self.targets is not None and issubclass(self.sizes, Grid)


def card_of_track(name: str) -> Card:
    """Return the card of a track, without importing its code; TruerateError where it has none."""
    return read_card(FOLDER / name / "card.yaml")


def metrics_of_track(name: str) -> tuple[Metric, ...]:
    """Return the records of a track's metrics in their order; raises TruerateError where it has none."""
    return read_metrics(FOLDER / name / "metrics.yaml")


@cache
def graph_of_track(name: str) -> tuple[Step, ...]:
    """Return the steps of a track, of which no code is imported for it."""
    return read_graph(FOLDER / name / "graph.yaml")


# ---- GPU hours ---------------------------------------------------------------------------------------------

READ = 2.0  # operations per parameter (without embeddings) and token that a network takes to read
# Operations per second that a training reaches on one H200: 8,300 tokens/s of an 8B, about half of 700
# TFLOP/s (reckoned, not measured).
REACHED = 3.57e14
SECONDS = 3_600


class GridCell(NamedTuple):
    """A detector on the grid of a board: its member, whether it is of one language, and whether it is asked
    of texts that nobody labelled.
    """

    member: str
    is_mono: bool
    is_everywhere: bool


class GpuHours(NamedTuple):
    """One network on one board: how many detectors it is, and the hours of all of them together."""

    member: str
    n_detectors: int
    train: float
    judge: float


def hours(backbone: Backbone, operations_per_parameter: float) -> float:
    """Return the hours of one GPU for so many operations per parameter (per token, times tokens); 0 of a network
    that does not say its size (`resources.size_b`).
    """
    return operations_per_parameter * (backbone.resources.size_b or 0.0) * 1e9 / REACHED / SECONDS
