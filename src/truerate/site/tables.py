"""The tables that the site is made of: no date, commit, path or host name stands in them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import polars as pl

from truerate.core import schemas
from truerate.core.card import Card
from truerate.core.metric import Metric
from truerate.core.schemas import unpaired
from truerate.site.charts.curves import Curve
from truerate.site.measures import Measure
from truerate.site.models.aliases import Aliases
from truerate.site.models.catalogue import Catalogue, catalogue_of
from truerate.site.vocabulary import Vocabulary

NO_RANK = dict.fromkeys(("rank_low", "rank_high", "is_leading"))


@dataclass(frozen=True)
class Board:
    """One board with all that its page and its sample browser show.

    `name`, `track`, `source`: as in params.yaml. `title`: the heading ("<track> on <source>").
    `is_simulated`: the source or an asked model is simulated, so every page of the board carries the banner.
    `roles`: who did what in building the data set, role to model alias, in the words of the page
    (`{"generator": "quill", "filter judge": "quill", "responder": "quill"}`); subjects of the same family are
    flagged. `samples`, `items`, `documents`, `generations`, `facts`, `judgements`, `audit` (Score rows,
    metrics `shortcut_*`), `counts`: frames of `truerate.core.schemas`; an empty frame leaves its section out.
    `detector`: the one whose counts make the board's rates, `{"member", "scope", "labels"}`; empty where a
    track has none. `reference`: what detectors are given of an article, `lead`, `article` or `retrieved`, and
    then `reference_sentences` of it. `tokenizer`: what cuts the tokens that rates and token scores count;
    empty where a track counts none. `topics`: dicts with `task`, `topic`, `words` (list), `judge`, `n`,
    `rate` (share judged wrongly), `is_failed` (topics.json). `source_card`: `name`, `title`, `citation`,
    `licence`, `redistribution` (yes, ids-only, no), `url`, `lang`, `note`; texts are shown in the sample
    browser only where redistribution is `yes` (`own_redistribution`: of what it does not have from another
    source). `track_card`: what the track says of itself. `metrics`: the records of the track's numbers, in
    the order in which they are told; `shared_metrics`: of those that any board may carry. `steps`: of the
    track's graph, in their order: `name`, `role`, `does`, `reads` (names). `prompts`: the templates that were
    asked (`pipeline.publishing.board_prompts`). `idle`: a sentence per model that
    is named and asked nothing, detector that judged nothing, and metric with cells of far fewer texts than
    those beside them. `open_texts`: by table the rows whose texts may be shown, where these are of some tasks
    alone; `withheld`: the rights of the others (name, licence, url), whose records are ids.
    """

    name: str
    track: str
    source: str
    title: str
    track_card: Card = field(kw_only=True)
    is_simulated: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    samples: pl.DataFrame = field(default_factory=lambda: schemas.frame(schemas.Sample))
    items: pl.DataFrame = field(default_factory=lambda: schemas.frame(schemas.Item))
    documents: pl.DataFrame | pl.LazyFrame = field(default_factory=lambda: schemas.frame(schemas.Document))
    generations: pl.DataFrame = field(default_factory=lambda: schemas.frame(schemas.Generation))
    facts: pl.DataFrame | pl.LazyFrame = field(default_factory=lambda: schemas.frame(schemas.Fact))
    judgements: pl.DataFrame = field(default_factory=lambda: schemas.frame(schemas.Judgement))
    audit: pl.DataFrame = field(default_factory=lambda: schemas.frame(schemas.Score))
    counts: pl.DataFrame = field(default_factory=lambda: schemas.frame(schemas.Count))
    topics: Sequence[Mapping] = ()
    detector: Mapping[str, str] = field(default_factory=dict)
    tokenizer: str = ""
    reference: str = "lead"
    reference_sentences: int = 0
    source_card: Mapping = field(default_factory=dict)
    metrics: Sequence[Metric] = ()
    shared_metrics: Sequence[Metric] = ()
    steps: Sequence[Mapping] = ()
    idle: Sequence[str] = ()
    prompts: Sequence[Mapping] = ()
    open_texts: Mapping[str, pl.DataFrame | pl.LazyFrame] = field(default_factory=dict)
    withheld: Sequence[Mapping] = ()

    @property
    def ranks(self) -> str:
        """What is ranked, in the words of the track's card."""
        return self.track_card.ranks.what

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """The measures of the board by name, its track's before those that every board may carry."""
        of_track = {metric.name: Measure.of(metric, self.track) for metric in self.metrics}
        return of_track | {metric.name: Measure.of(metric) for metric in self.shared_metrics}

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The measures and words of the board's values: the shared ones and those of its track."""
        return Vocabulary.of(self.measures, self.track_card.words)

    @cached_property
    def n_texts(self) -> int:
        """How many texts can be read one by one: labelled ones, else the facts of replies."""
        return self.samples.height or n_rows(self.facts)

    @property
    def is_recognition(self) -> bool:
        """Whether the board ranks who notices hallucination, not who hallucinates less."""
        return "recognition" in self.ranks


Fill = Callable[..., str]  # a template, the way to the site's root, and its values: the page


class CommittedBoard(Protocol):
    """A board of results/ as the site's other pages show it (`results.pages.DrawnBoard`)."""

    @property
    def card(self) -> Mapping: ...
    @property
    def name(self) -> str: ...
    @property
    def headline(self) -> Measure: ...
    @property
    def has_models(self) -> bool: ...
    @property
    def is_judged(self) -> bool: ...
    @property
    def judges_own(self) -> Sequence[str]: ...
    @property
    def measures(self) -> Mapping[str, Measure]: ...
    @property
    def scores(self) -> Sequence[Any]: ...
    @property
    def ranked(self) -> Sequence[Any]: ...
    @property
    def models(self) -> Sequence[Any]: ...
    @property
    def published(self) -> Sequence[Any]: ...
    @property
    def judge_errors(self) -> Sequence[Any]: ...
    @property
    def table(self) -> pl.DataFrame | None: ...
    @property
    def downloads(self) -> Mapping[str, str]: ...
    @property
    def texts(self) -> pl.DataFrame | None: ...

    def ends(self, score: Any, between: str = " to ") -> str:
        """The interval of a score as printed."""

    def in_words(self, where: tuple[tuple[str, str], ...]) -> str:
        """A slice in words."""

    def files(self, fill: Fill) -> dict[str, str]:
        """Its page and the tables beside it, by path."""

    @property
    def records(self) -> tuple[list[dict], dict]:
        """Its texts as records of the sample browser, and their index; both empty without texts."""

    def address(self, score: Any) -> str:
        """The address, from the site's root, of what stands behind a score."""

    def is_best(self, score: Any) -> bool:
        """Whether the subject of a headline may be the best."""

    def in_short(self) -> dict:
        """Its line in the list of boards: its size, who may be the best, who labelled or judged."""


@dataclass(frozen=True)
class Tables:
    """Everything that `render_site` reads.

    `title`: the site's name (params `site.title`). `boards`: in the order shown; the first leads the home
    page. `models`: alias to `{family, model (the name its endpoint knows), endpoint, is_simulated}`; missing
    keys are shown as unknown. `rows`: one `Row` frame of all boards. `ledger`: dicts with `board`, `quantity`, `published`, `ours`,
    `low`, `high`, `verdict` (reproduced, differs, cannot be checked), `reason`, `source`; any may be missing.
    `metric_docs`, `detector_docs`: dicts with `name`, `module`, `doc` (of functions: `site.docs.function_docs`,
    of detectors: what each is); `schema_docs`: dicts with `name`, `doc`, `columns`
    (dicts `name`, `dtype`, `is_nullable`, `rule`), from `site.docs.schema_docs`. `max_samples`: records per
    board in the sample browser. `confidence`: of every interval. `audit_threshold`: accuracy of a shortcut
    from which a set is flagged. `real`: the boards of results/, which open the home page; `aliases`: which of
    their names are one model. `curves`: bins of p and thresholds of detectors, from the rows. `datasheets`: by
    board, sections of `name` and `answers`, each with `question`, `lines` and what the `author` said.
    """

    title: str
    boards: tuple[Board, ...]
    models: Mapping[str, Mapping]
    rows: pl.DataFrame
    ledger: Sequence[Mapping] = ()
    metric_docs: Sequence[Mapping] = ()
    detector_docs: Sequence[Mapping] = ()
    schema_docs: Sequence[Mapping] = ()
    max_samples: int = 200
    confidence: float = 0.95
    audit_threshold: float = 0.75
    real: tuple[CommittedBoard, ...] = ()
    aliases: Aliases = Aliases()
    curves: tuple[Curve, ...] = ()
    datasheets: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def is_simulated(self) -> bool:
        """Whether any board needs the banner, so whether pages about all boards carry it."""
        return any(board.is_simulated for board in self.boards)

    @property
    def is_all_simulated(self) -> bool:
        """Whether no board is about real models."""
        return all(board.is_simulated for board in self.boards)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The real models. Raises TruerateError where `aliases` and `real` do not fit."""
        return catalogue_of(self.aliases, self.real)

    def family(self, subject: str) -> str | None:
        """Return who made a model, null where unknown or where the subject is no model."""
        return self.models.get(subject, {}).get("family")

    def kind_words(self, subject: str, kind: str) -> str:
        """Return what a subject is, below its name: the name by which a model's endpoint knows it, else its
        kind.
        """
        if kind == "model":
            return self.models.get(subject, {}).get("model") or "model"
        return "baseline" if kind == "baseline" else f"{kind} figure"

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """The measures of all boards by name, for what stands on no board's page; of two tracks with one name
        the first's.
        """
        measures: dict[str, Measure] = {}
        for board in reversed(self.boards):
            measures |= board.measures
        return measures

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The measures and words of all boards, for what stands on no board's page."""
        return Vocabulary.of(self.measures, *(board.track_card.words for board in self.boards))

    def rows_of(self, board: str) -> list[dict]:
        """The rows of one board as dicts, `slice` as a plain dict."""
        return [dict(row) for row in self._rows_by_board.get(board, ())]

    @cached_property
    def laid_out(self) -> dict[int, tuple]:
        """What several pages show of a board, by the board's `id`, beside the board itself; see
        board.page_and_rows.
        """
        return {}

    @cached_property
    def _rows_by_board(self) -> dict[str, list[dict]]:
        """Made once: each page asks."""
        by_board: dict[str, list[dict]] = {}
        for row in self.rows.to_dicts():
            by_board.setdefault(row["board"], []).append(row | {"slice": unpaired(row["slice"])})
        return by_board


def rows_by(table: pl.DataFrame | pl.LazyFrame, key: str, names: Iterable[str]) -> dict[str, dict]:
    """Return the rows of these names by name, as dicts; of a query no other row is read."""
    rows = table.lazy().filter(pl.col(key).is_in(sorted(set(names)))).collect()
    return {row[key]: row for row in dicts_of(rows)}


def dicts_of(table: pl.DataFrame) -> Iterator[dict]:
    """Yield every row as a dict, read by column: twice as fast as `iter_rows`, more where lists are empty."""
    names = table.columns
    return (dict(zip(names, row, strict=True)) for row in tuples_of(table))


def tuples_of(table: pl.DataFrame) -> Iterator[tuple]:
    """Every row as a tuple, as `dicts_of` has them."""
    return zip(*(_values(column) for column in table.get_columns()), strict=True)


def _values(column: pl.Series) -> list:
    """The values of a column; of lists, only what is in some is turned into Python's objects."""
    if column.dtype != pl.List:
        return column.to_list()
    lengths = column.list.len()
    full = iter(column.filter(lengths > 0).to_list())
    return [next(full) if n else None if n is None else [] for n in lengths.to_list()]


def n_rows(table: pl.DataFrame | pl.LazyFrame) -> int:
    """Return how many rows a table has that may be given as a query."""
    return int(table.lazy().select(pl.len()).collect().item())


def texts_of(documents: pl.DataFrame | pl.LazyFrame, items: Mapping[str, Mapping]) -> dict[str, str]:
    """The texts of the documents that items name, by id."""
    names = {name for item in items.values() for name in item["document_ids"] or ()}
    return {name: row["text"] for name, row in rows_by(documents, "document_id", names).items()}


def known_texts(item: Mapping, texts: Mapping[str, str]) -> list[str]:
    """The texts of the documents that one item names, of those that are there."""
    return [texts[name] for name in item.get("document_ids") or () if name in texts]
