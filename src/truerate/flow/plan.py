"""What a build would ask and cost, before it asks anything: `truerate plan`."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.display import show_table
from truerate.core.errors import TruerateError
from truerate.core.schemas import Document, Generation, frame, read_parquet
from truerate.flow import graph
from truerate.flow.dataset import beside_all, replies_of, step_function, with_beside
from truerate.flow.sources import load_source
from truerate.flow.tracks import track_of
from truerate.llm import Reply, Request, estimate
from truerate.llm.dry_run import DryRun, Planned, assumed_reply
from truerate.sources import SourceTables
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

Given = tuple[pl.DataFrame, dict[str, pl.DataFrame]]  # what a step gives: replies, and tables beside them


def plan(at: Layout, board: str | None) -> pl.DataFrame:
    """One line per board, step and model: new calls, replies already stored, and the bounds of tokens and money.

    Replies that later questions depend on and that are not stored are assumed to lead to the most questions,
    so `n_calls` is an upper bound, exact once everything is stored. Raises TruerateError where a source has
    not been imported.
    """
    lines = []
    for name in [board] if board else at.p.boards:
        at.p.board(name)
        there = at.on(name)
        for step in planned(there, name, _source(at, name)):
            cost = asdict(estimate(step.requests, there))
            lines.append({"board": name, "step": step.step, "model": step.model} | cost)
    return pl.DataFrame(lines, schema=COLUMNS)


def planned(at: Layout, board: str, tables: SourceTables) -> list[Planned]:
    """Every step of the board with what it asks of whom, in the order of the build. `tables` are the source's.

    The very functions of the steps are run, on stored replies and, where none is, on assumed ones. What stands
    in for a model asks nobody and is not run.
    """
    offered, light = track_of(at, board, "plan"), _light(at, board)
    given: dict[tuple[str, str], Given] = {}
    asked: list[Planned] = []
    for step in graph.steps_of(at, board):
        for model in graph.jobs(at, board, step):
            read = [
                (earlier.name, *given[earlier.name, name])
                for earlier, name in graph.read_by(at, board, step, model)
            ]
            documents = [beside["documents"] for _, _, beside in read if "documents" in beside]
            replies = replies_of([row[:2] for row in read], pl.concat([frame(Document), *documents]))
            if graph.is_stand_in(step, model):
                instead = getattr(offered, step.name, None)
                given[step.name, model] = _stood_in(at, board, step, instead, tables, replies)
                continue
            dry_run = DryRun(_assuming(offered.assumed, step.name, at.p.track(board)))
            run = partial(step_function(at, board, step.name), asking=dry_run)
            shards = [run(light, board, model, tables, shard, replies) for shard in range(at.p.n_shards)]
            given[step.name, model] = _joined(map(with_beside, shards))
            asked += _by_model(step, model, dry_run.asked)
    return asked


def _light(at: Layout, board: str) -> Layout:
    """The settings with those that a plan can do without (`LIGHT` of the track's `plan`)."""
    light = getattr(track_of(at, board, "plan"), "LIGHT", {})
    own = at.p.board(board)
    changed = own.model_copy(update={"settings": dict(own.settings) | light})
    return replace(at, p=at.p.model_copy(update={"boards": {**at.p.boards, board: changed}}))


def _assuming(
    assumed: Callable[[str, str, Request, Any], str], step: str, settings: Any
) -> Callable[[str, Request], Reply]:
    return lambda key, request: assumed_reply(key, assumed(step, key, request, settings))


def _stood_in(
    at: Layout,
    board: str,
    step: Step,
    instead: Callable[..., Given] | None,
    tables: SourceTables,
    replies: dict,
) -> Given:
    """What a build of this very board has found where no model is asked, else what the track assumes of it
    (`instead`), else nothing.
    """
    try:
        paths = graph.files(at, board, step.name)
    except TruerateError:  # its source is not imported here, so nothing has a key
        paths = []
    if paths and all(Path(path).is_file() for path in paths):
        found = [
            (read_parquet(path), {name: beside_all([path], name) for name in step.beside}) for path in paths
        ]
        return _joined(found)
    return instead(at, board, tables, replies) if instead else (frame(Generation), {})


def _joined(shards: Iterable[Given]) -> Given:
    """The tables of all shards, one behind another."""
    rows, tables = zip(*shards, strict=True)
    names = dict.fromkeys(name for beside in tables for name in beside)
    return pl.concat(rows), {name: pl.concat([beside[name] for beside in tables]) for name in names}


def _by_model(step: Step, model: str, requests: list[Request]) -> list[Planned]:
    """A line per model that is asked; one without a call where a step's own model is asked nothing."""
    asked: dict[str, list[Request]] = {} if step.asks else {model: []}
    for request in requests:
        asked.setdefault(request.model, []).append(request)
    return [Planned(step.name, name, found) for name, found in asked.items()]


def _source(at: Layout, board: str):
    try:
        return load_source(at, board)
    except (TruerateError, FileNotFoundError):
        known = f"planning {board!r}: source {at.p.board(board).source!r}"
        raise TruerateError(
            f"{known} is not imported yet; run `dvc repro sources` (it asks no model)"
        ) from None


def show(lines: pl.DataFrame, *, as_json: bool) -> None:
    """Print the plan with its totals by model and of all."""
    sums = pl.col(pl.Int64, pl.Float64).sum()
    models, total = lines.group_by("model", maintain_order=True).agg(sums), lines.select(sums)
    if as_json:
        whole = {"steps": lines.to_dicts(), "models": models.to_dicts(), "total": total.row(0, named=True)}
        print(json.dumps(whole, ensure_ascii=False, indent=1))
        return
    show_table(
        pl.concat([lines, models, total], how="diagonal").with_columns(pl.col("board").fill_null("total")),
        as_json=False,
    )
