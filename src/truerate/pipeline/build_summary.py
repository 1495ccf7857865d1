"""The summary at the end of a build: models of which little could be used, and requests that an endpoint's
faults ended.

A build in which nothing went wrong has none. Nothing of it enters a table; who is named and does nothing is
said on the board's page, too (`unasked.on_page`).
"""

import os
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.core.process.terminal import say
from truerate.core.schemas import is_cut, pair, read_parquet
from truerate.llm.generation import standing
from truerate.llm.transport.verdict import FAULTS
from truerate.pipeline.causes import BUILD
from truerate.pipeline.checks import unasked

LIMIT = 0.5  # share of a model's replies in a step, on a board, beyond which it is named
KINDS = ("dead", "unread", "cut")
READ = ("purpose", "model", "status", "reason", "finish_reason", "prompt_key", "attributes")


def print_build_summary(config: Layout, boards: Iterable[str] | None = None) -> None:
    """Print the lines on some boards at a stage's end; `truerate build` prints those of all at its own."""
    for line in lines(config, boards) if BUILD not in os.environ else ():
        say(line)


def lines(config: Layout, boards: Iterable[str] | None = None) -> list[str]:
    """The lines on a build: useless models, dead letters, other names, idle or unsearching models, thin cells."""
    named = config.p.boards if boards is None else boards
    replies = {
        board: of_board(config, board)
        for board in named
        if Path(config.dataset(board, "generations")).is_file()
    }
    summary = [line for board, rows in replies.items() for line in useless(board, rows)]
    for board in replies:
        summary += unasked.built(config, board)
        summary += unasked.of_tables(config, board)
    return summary + given_up(replies) + other_names(replies)


def of_board(config: Layout, board: str) -> pl.DataFrame:
    """The replies of declared models on a board, each of one `kind`: dead, unread, cut, or null where it
    could be used.

    A cut reply is `cut` whatever could be read of it; one that was re-asked is not counted beside the one
    that stands.
    """
    rows = standing(read_parquet(config.dataset(board, "generations"), columns=READ))
    kind = pl.when(is_cut()).then(pl.lit("cut")).when(status="dead").then(pl.lit("dead"))
    kind = kind.when(status="unparsed").then(pl.lit("unread"))
    return rows.filter(pl.col("model").is_in(list(config.p.models))).with_columns(kind=kind)


def useless(board: str, replies: pl.DataFrame) -> list[str]:
    """A line per model that has a step in which more than LIMIT of its replies are dead, unread or cut."""
    counts = [pl.len().alias("n"), *((pl.col("kind") == kind).sum().alias(kind) for kind in KINDS)]
    steps = replies.group_by("model", "purpose", maintain_order=True).agg(counts)
    steps = steps.filter(pl.sum_horizontal(KINDS) > LIMIT * pl.col("n")).sort("model", "purpose")
    by_model: dict[str, list[str]] = {}
    for row in steps.iter_rows(named=True):
        parts = ", ".join(f"{row[kind]:,} {kind}" for kind in KINDS if row[kind])
        by_model.setdefault(row["model"], []).append(f"{row['purpose']}: {parts} of {row['n']:,}")
    return [
        f"board {board!r}: most replies of model {model!r} are of no use: {'; '.join(parts)}"
        for model, parts in by_model.items()
    ]


def other_names(replies: dict[str, pl.DataFrame]) -> list[str]:
    """A line per model that answered under another name: a server may answer for any."""
    if not replies:
        return []
    names = [rows.select("model", served=pair("attributes", "served")) for rows in replies.values()]
    counts = pl.concat(names).drop_nulls().group_by("model", "served").len().sort("model", "served")
    return [
        f"model {model!r}: {n:,} of its replies were given by {served!r}; see to models.{model}.model or to "
        "the server"
        for model, served, n in counts.iter_rows()
    ]


def given_up(replies: dict[str, pl.DataFrame]) -> list[str]:
    """A line on requests given up for faults of an endpoint: how many, why, where, how to ask them again."""
    reason = (
        pl.col("reason").str.split(": ").list.last()
    )  # of an instruction that broke off: `teaching turn: timeout`
    dead = [
        rows.filter(status="dead").select("prompt_key", reason=reason, board=pl.lit(board))
        for board, rows in replies.items()
    ]
    letters = pl.concat(dead).filter(pl.col("reason").is_in(FAULTS)) if dead else pl.DataFrame()
    if letters.is_empty():
        return []
    boards = ", ".join(letters["board"].unique(maintain_order=True))
    n = dict(
        letters.group_by("reason", maintain_order=True)
        .agg(pl.col("prompt_key").n_unique())
        .sort("reason")
        .iter_rows()
    )
    counts = ", ".join(f"{name} {count:,}" for name, count in n.items())
    commands = " and ".join(f"`truerate llm dead --retry {name}`" for name in n)
    what = f"{sum(n.values()):,} requests were given up for faults of an endpoint ({counts}), on {boards}"
    return [f"{what}; once the endpoint is well, {commands} and then `dvc repro` ask them again"]
