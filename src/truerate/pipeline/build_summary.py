"""What the end of a build has to say of its replies: models of which little could be used, and requests that
an endpoint's faults ended.

A build in which nothing went wrong says nothing here. Nothing of it enters a table; who is named and does nothing is
said on the board's page, too (`unasked.on_page`).
"""

import os
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import is_cut, pair, read_parquet
from truerate.core.terminal import say
from truerate.llm.generation import standing
from truerate.llm.transport.verdict import FAULTS
from truerate.pipeline.causes import BUILD
from truerate.pipeline.checks import unasked

LIMIT = 0.5  # share of a model's replies in a step, on a board, beyond which it is named
KINDS = ("dead", "unread", "cut")
READ = ("purpose", "model", "status", "reason", "finish_reason", "prompt_key", "attributes")


def tell(at: Layout, boards: Iterable[str] | None = None) -> None:
    """Print the lines on some boards at the end of a stage; `truerate build` prints those of all boards when it ends."""
    if BUILD not in os.environ:
        for line in lines(at, boards):
            say(line)


def lines(at: Layout, boards: Iterable[str] | None = None) -> list[str]:
    """The lines on a build: models of little use, dead letters, other names, idle models and detectors, thin cells."""
    asked = at.p.boards if boards is None else boards
    replies = {
        board: of_board(at, board) for board in asked if Path(at.dataset(board, "generations")).is_file()
    }
    said = [line for board, rows in replies.items() for line in useless(board, rows)]
    for board in replies:
        said += [
            *unasked.built(at, board),
            *unasked.silent_detectors(at, board),
            *unasked.thin_cells(at, board),
        ]
    return said + given_up(replies) + other_names(replies)


def of_board(at: Layout, board: str) -> pl.DataFrame:
    """The replies of declared models on a board, each of one `kind`: dead, unread, cut, or null where it could
    be used.

    A cut reply is `cut` whatever could be read of it; one that was re-asked is not counted beside the one that
    stands.
    """
    rows = standing(read_parquet(at.dataset(board, "generations"), columns=READ)).filter(
        pl.col("model").is_in(list(at.p.models))
    )
    kind = (
        pl.when(is_cut())
        .then(pl.lit("cut"))
        .when(status="dead")
        .then(pl.lit("dead"))
        .when(status="unparsed")
        .then(pl.lit("unread"))
    )
    return rows.with_columns(kind=kind)


def useless(board: str, replies: pl.DataFrame) -> list[str]:
    """A line per model that has a step in which more than LIMIT of its replies are dead, unread or cut."""
    counts = [pl.len().alias("n"), *((pl.col("kind") == kind).sum().alias(kind) for kind in KINDS)]
    steps = (
        replies.group_by("model", "purpose", maintain_order=True)
        .agg(counts)
        .filter(pl.sum_horizontal(KINDS) > LIMIT * pl.col("n"))
        .sort("model", "purpose")
    )
    return [
        f"board {board!r}: most replies of model {model!r} are of no use: {'; '.join(_step(row) for row in rows.iter_rows(named=True))}"
        for (model,), rows in steps.group_by("model", maintain_order=True)
    ]


def _step(row: dict) -> str:
    parts = ", ".join(f"{row[kind]:,} {kind}" for kind in KINDS if row[kind])
    return f"{row['purpose']}: {parts} of {row['n']:,}"


def other_names(replies: dict[str, pl.DataFrame]) -> list[str]:
    """A line per model that answered under another name than it was asked by: a server may answer for any name."""
    found = [
        rows.select("model", served=pair("attributes", "served")).drop_nulls() for rows in replies.values()
    ]
    counted = (
        pl.concat(found).group_by("model", "served").len().sort("model", "served")
        if found
        else pl.DataFrame()
    )
    return [
        f"model {model!r}: {n:,} of its replies were given by {served!r}; see to models.{model}.model or to the server"
        for model, served, n in counted.iter_rows()
    ]


def given_up(replies: dict[str, pl.DataFrame]) -> list[str]:
    """A line on requests given up for faults of an endpoint: how many, why, on which boards, how to ask them again."""
    reason = (
        pl.col("reason").str.split(": ").list.last()
    )  # of a lesson that broke off: `teaching turn: timeout`
    dead = [
        rows.filter(status="dead")
        .select("prompt_key", reason=reason, board=pl.lit(board))
        .filter(pl.col("reason").is_in(FAULTS))
        for board, rows in replies.items()
    ]
    letters = pl.concat(dead) if dead else pl.DataFrame()
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
