"""What a build would ask and cost, before it asks anything: `truerate plan`."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import polars as pl

from truerate.config.layout import Layout
from truerate.core import aggregates
from truerate.core.errors import TruerateError
from truerate.core.process.display import show_table
from truerate.core.schemas import Document, Generation, frame, read_parquet
from truerate.llm.ask import estimate
from truerate.llm.dry_run import DryRun, Planned, assumed_reply
from truerate.llm.request import Estimate, Reply, Request
from truerate.pipeline import graph
from truerate.pipeline.dataset import beside_all, replies_of, step_function, with_beside
from truerate.pipeline.planning.gpu_plan import NOTE
from truerate.pipeline.planning.judge_plan import LATER, judges
from truerate.pipeline.sources import load_source
from truerate.pipeline.tracks import protocol_of
from truerate.sources.tables import SourceTables
from truerate.tracks.asking import Asking
from truerate.tracks.contract import Step

COLUMNS = {
    "board": pl.String,
    "step": pl.String,
    "model": pl.String,
    "n_calls": pl.Int64,
    "n_stored": pl.Int64,
    "tokens_low": pl.Int64,
    "tokens_high": pl.Int64,
    "usd_low": pl.Float64,
    "usd_high": pl.Float64,
}

REASKED = (
    "n_calls and the high sums are upper bounds: each reply counts as one that cannot be read and is asked for "
    "once more (llm.reask: 1)"
)

Given = tuple[pl.DataFrame, dict[str, pl.DataFrame]]  # what a step gives: replies, and tables beside them
Run = Callable[..., Given]  # the work of a step, asking as it is told to


class OfModel(Protocol):
    """What is made of that which one step asks of one model."""

    def add(self, requests: Sequence[Request], reminders: Sequence[Request]) -> None:
        """Take what a part of the step asks."""


Line = TypeVar("Line", bound=OfModel)


def plan(config: Layout, board: str | None) -> pl.DataFrame:
    """One line per board, step and model: new calls, stored replies, and bounds of tokens and money.

    Replies that later questions depend on are assumed to lead to the most questions, and to be re-asked
    (`llm.reask`): `n_calls` is an upper bound, exact once everything is stored. Services of the track
    (`services` of its plan) and judges behind endpoints have lines too. Raises TruerateError if a source is
    not imported.
    """
    lines = []
    for name in [board] if board else config.p.boards:
        config.p.board(name)
        there = config.on(name)
        planned_lines, given = planned_with(there, name, imported(config, name), partial(Priced, there))
        lines += [{"board": name} | line.row() for line in planned_lines]
        lines += [
            {"board": name, "tokens_low": 0, "tokens_high": 0} | service
            for service in protocol_of(there, name).services(there, name, given)
        ]
        for step, model, requests in judges(there, name):
            cost = {} if requests is None else asdict(estimate(requests, there))  # not known yet
            lines.append({"board": name, "step": step, "model": model} | cost)
    return pl.DataFrame(lines, schema=COLUMNS)


class Priced:
    """What one step asks of one model as a line of the plan: its cost is kept, part by part."""

    def __init__(self, config: Layout, step: str, model: str) -> None:
        self.config, self.step, self.model = config, step, model
        self._costs: list[Estimate] = []
        self._counted: tuple[set[bytes], set[bytes]] = set(), set()

    def add(self, requests: Sequence[Request], reminders: Sequence[Request]) -> None:
        """Take what a further part of the step asks; what an earlier part asked already counts once.
        Reminders count among the calls and the high bounds: they may be needed.
        """
        first, reminded = (
            estimate(some, self.config, counted=counted)
            for some, counted in zip((requests, reminders), self._counted, strict=True)
        )
        names = ("n_calls", "tokens_high", "usd_high")
        sums = {name: getattr(first, name) + getattr(reminded, name) for name in names}
        self._costs.append(replace(first, **sums))

    def row(self) -> dict[str, Any]:
        """The line."""
        parts = [asdict(cost) for cost in self._costs]
        cost = {field.name: sum(part[field.name] for part in parts) for field in fields(Estimate)}
        return {"step": self.step, "model": self.model} | cost


def planned(config: Layout, board: str, tables: SourceTables) -> list[Planned]:
    """Every step of the board with what it asks of whom, in build order: the steps' own functions run on
    stored or assumed replies. `tables` are the source's. Stand-ins for models ask nobody and are not run.
    """
    return planned_with(config, board, tables, Planned)[0]


def planned_with(
    config: Layout, board: str, tables: SourceTables, line: Callable[[str, str], Line]
) -> tuple[list[Line], dict[tuple[str, str], Given]]:
    """A `line` of every step and model from its requests, and what stand-ins gave, by step and model."""
    asked: list[Line] = []

    def job(step: Step, model: str, run: Run) -> Given:
        dry_run, lines = DryRun(assuming(config, board, step)), dict[str, Line]()
        if not step.asks:  # one without a call where a step's own model is asked nothing
            lines[model] = line(step.name, model)

        def note_requests() -> None:
            taken = dry_run.taken()  # requests, and reminders
            for name in dict.fromkeys(request.model for some in taken for request in some):
                if name not in lines:
                    lines[name] = line(step.name, name)
                lines[name].add(*([request for request in some if request.model == name] for some in taken))

        given = run(dry_run, note_requests)
        asked.extend(lines.values())
        return given

    return asked, walk(config, board, tables, job)


def walk(
    config: Layout, board: str, tables: SourceTables, job: Callable[[Step, str, Run], Given]
) -> dict[tuple[str, str], Given]:
    """Run every step and model of the board in build order on what those before gave; returns what stand-ins
    gave. Replies are dropped once no later step reads them. `job` runs all shards of one step by calling it
    with how to ask.
    """
    stand_ins = protocol_of(config, board).stand_ins
    given: dict[tuple[str, str], Given] = {}
    last = _last_read(config, board)
    for step in graph.steps_of(config, board):
        for model in graph.jobs(config, board, step):
            read = [
                (earlier.name, *given[earlier.name, name])
                for earlier, name in graph.read_by(config, board, step, model)
            ]
            documents = [beside["documents"] for _, _, beside in read if "documents" in beside]
            replies = replies_of([row[:2] for row in read], pl.concat([frame(Document), *documents]))
            if graph.is_stand_in(step, model):
                instead = stand_ins.get(step.name)
                given[step.name, model] = _stood_in(config, board, step, instead, tables, replies)
                continue
            function = step_function(config, board, step.name)
            run = partial(
                _all_shards, partial(function, config, board, model, tables), replies, config.p.n_shards
            )
            given[step.name, model] = job(step, model, run)
            for done in [key for key in given if last.get(key, key) == (step.name, model)]:
                del given[done]
    return given


def _last_read(config: Layout, board: str) -> dict[tuple[str, str], tuple[str, str] | None]:
    """By step and model the last that read what it gave; stand-ins and unread ones are left out."""
    last: dict[tuple[str, str], tuple[str, str] | None] = {}
    for step in graph.steps_of(config, board):
        for model in graph.jobs(config, board, step):
            if graph.is_stand_in(step, model):
                last[step.name, model] = None
            for earlier, name in graph.read_by(config, board, step, model):
                if last.get((earlier.name, name), ()) is not None:
                    last[earlier.name, name] = (step.name, model)
    return last


def _all_shards(
    function: Callable[..., Any],
    replies: dict,
    n_shards: int,
    asking: Asking,
    after: Callable[[], None] = lambda: None,
) -> Given:
    """Return what a step gives over all its shards, asking as `asking` does; `after` is called behind each."""

    def of_shard(shard: int) -> Given:
        tables = with_beside(function(shard, replies, asking=asking))
        after()
        return tables

    return _joined(of_shard(shard) for shard in range(n_shards))


def assuming(config: Layout, board: str, step: Step) -> Callable[[str, Request], Reply]:
    """The reply that stands, in a step, for one that has not come: by its key and request."""
    assumed, settings = protocol_of(config, board).assumed, config.p.track(board)
    assert assumed is not None  # every track with steps has it (`check_tracks`)
    return lambda key, request: assumed_reply(key, assumed(step.name, key, request, settings))


def _stood_in(
    config: Layout,
    board: str,
    step: Step,
    instead: Callable[..., Given] | None,
    tables: SourceTables,
    replies: dict,
) -> Given:
    """Return what a build has where no model is asked; of other items the track's `instead`, else nothing."""
    try:
        paths = graph.files(config, board, step.name)
    except TruerateError:  # its source is not imported here, so nothing has a key
        paths = []
    assumed = instead(config, board, tables, replies) if instead else (frame(Generation), {})
    if not paths or not all(Path(path).is_file() for path in paths):
        return assumed
    built = _joined(
        (read_parquet(path), {name: beside_all([path], name) for name in step.beside}) for path in paths
    )
    # a build whose replies are no longer stored found nothing for the items that are assumed now
    others = assumed[0].join(built[0], on="item_id", how="anti", maintain_order="left")
    beside = {name: pl.concat([rows, assumed[1].get(name, rows[:0])]) for name, rows in built[1].items()}
    return built if others.is_empty() else (pl.concat([built[0], others]), beside)


def _joined(shards: Iterable[Given]) -> Given:
    """The tables of all shards, one behind another."""
    rows, tables = zip(*shards, strict=True)
    names = dict.fromkeys(name for beside in tables for name in beside)
    return pl.concat(rows), {name: pl.concat([beside[name] for beside in tables]) for name in names}


def imported(config: Layout, board: str) -> SourceTables:
    """The tables of a board's source. Raises TruerateError where it has not been imported."""
    try:
        return load_source(config, board)
    except (TruerateError, FileNotFoundError):
        what = f"planning {board!r}: source {config.p.board(board).source!r}"
        raise TruerateError(
            f"{what} is not imported yet; run `dvc repro sources` (it asks no model)"
        ) from None


def labels(config: Layout, board: str | None) -> pl.DataFrame:
    """Lines on the planned labels of each board whose track plans them, in the track's own columns."""
    lines = []
    for name in [board] if board else config.p.boards:
        lines += [
            {"board": name} | line
            for line in protocol_of(config, name).label_precision(config.on(name), name)
        ]
    return pl.DataFrame(lines, infer_schema_length=None)


def label_notes(config: Layout, board: str | None) -> list[str]:
    """Notes on people's labels of each board whose track has some (`label_notes` of its `plan`)."""
    notes = []
    for name in [board] if board else config.p.boards:
        notes += [f"{name}: {note}" for note in protocol_of(config, name).label_notes(config.on(name), name)]
    return notes


def call_notes(config: Layout, lines: pl.DataFrame) -> list[str]:
    """The note that calls are an upper bound, where replies may be asked for once more; else none."""
    return [REASKED] if config.p.llm.reask and lines["n_calls"].sum() else []


def show(
    lines: pl.DataFrame,
    labelled: pl.DataFrame,
    *,
    as_json: bool,
    gpu: pl.DataFrame | None = None,
    notes: Sequence[str] = (),
) -> None:
    """Print the plan with totals by model and of all, GPU hours, labels and `notes`."""
    sums = aggregates.total(pl.col(pl.Int64, pl.Float64)) + 0  # of no rows polars gives -0.0
    models, total = lines.group_by("model", maintain_order=True).agg(sums), lines.select(sums)
    if as_json:
        whole = {"steps": lines.to_dicts(), "models": models.to_dicts(), "total": total.row(0, named=True)}
        whole |= {"gpu": gpu.to_dicts()} if gpu is not None else {}
        whole |= {"labels": labelled.to_dicts(), "notes": list(notes)}
        print(json.dumps(whole, ensure_ascii=False, indent=1))
        return
    show_table(
        pl.concat([lines, models, total], how="diagonal").with_columns(pl.col("board").fill_null("total")),
        as_json=False,
    )
    if lines["n_calls"].null_count():
        print(LATER)
    if gpu is not None and not gpu.is_empty():
        print()
        show_table(gpu, as_json=False)
        print(NOTE)
    if not labelled.is_empty():
        print("\nWhat people's labels will tell, per language:")
        show_table(labelled, as_json=False)
    for note in notes:
        print(note)
