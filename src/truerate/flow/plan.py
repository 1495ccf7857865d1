"""What a build would ask and cost, before it asks anything: `truerate plan`."""

import json
from dataclasses import asdict

import polars as pl

from truerate.config.layout import Layout
from truerate.core.display import show_table
from truerate.core.errors import TruerateError
from truerate.flow.sources import load_source
from truerate.flow.tracks import track_of
from truerate.llm import estimate

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


def plan(at: Layout, board: str | None) -> pl.DataFrame:
    """One line per board, step and model: new calls, replies already stored, and the bounds of tokens and money.

    Replies that later questions depend on and that are not stored are assumed to lead to the most questions,
    so `n_calls` is an upper bound, exact once everything is stored. Raises TruerateError where a source has
    not been imported.
    """
    lines = []
    for name in [board] if board else at.p.boards:
        there = at.on(name)
        for step in track_of(at, name, "plan").planned(there, name, _source(at, name)):
            cost = asdict(estimate(step.requests, there))
            lines.append({"board": name, "step": step.step, "model": step.model} | cost)
    return pl.DataFrame(lines, schema=COLUMNS)


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
