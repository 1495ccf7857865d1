"""What the rules run: one step, one model, one shard. Each reads the source's tables and the replies of the
steps before it.
"""

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import shard_of
from truerate.llm.generation import generations
from truerate.tracks.halueval import general, steps

Replies = dict[str, pl.DataFrame]


def sample(at: Layout, board: str, model: str, tables, shard: int, replies: Replies) -> pl.DataFrame:
    """A generator writes candidates for one shard of the items."""
    return steps.sample(at, board, model, tables, shard)


def filter(
    at: Layout, board: str, model: str, tables, shard: int, replies: Replies
) -> pl.DataFrame:  # the paper's name of the step
    """The filter judge picks the more plausible candidate of one shard's items."""
    return steps.filter(
        at,
        board,
        of_shard(replies, "sample", shard, at.p.n_shards),
        tables.items,
        tables.documents,
        tables.samples,
    )


def of_shard(replies: Replies, step: str, shard: int, n_shards: int) -> pl.DataFrame:
    """The replies of an earlier step about the items of one shard."""
    rows = replies.get(step, generations([]))
    return rows.filter(
        pl.Series([shard_of(item, n_shards) == shard for item in rows["item_id"]], dtype=pl.Boolean)
    )


def respond(at: Layout, board: str, model: str, tables, shard: int, replies: Replies) -> pl.DataFrame:
    """The responder answers one shard of the general queries."""
    return steps.respond(at, board, tables.items, tables.documents, shard)


def recognise(
    at: Layout, board: str, model: str, tables, shard: int, replies: Replies
) -> tuple[pl.DataFrame, Replies]:
    """A subject judges one shard of the texts: its replies, and beside them its judgements."""
    dataset = steps.assembled(at, board, tables, replies)
    responses = general.selected(dataset.generations)
    made, judged = steps.recognise(
        at, board, model, dataset.samples, dataset.items, tables.documents, responses, shard
    )
    return made, {"judgements": judged}
