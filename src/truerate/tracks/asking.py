"""What the steps of every track do: which models they may ask, how they ask, and what they ask about."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import shard_of
from truerate.llm import Reply, Request
from truerate.llm.generation import Prompted

# How a step asks: `llm.ask`, or what a plan puts in its place to see what would be asked.
Asking = Callable[..., list[Reply]]
CUT = "length"  # the finish reason of a reply that ends at its limit of tokens
CONTEXT = ("item_id", "knowledge", "question", "history")


class Context(Protocol):
    """What a track asks about, and what a text of it is checked against."""

    @property
    def item_id(self) -> str:
        """The item."""

    @property
    def knowledge(self) -> str:
        """The text that holds what is true."""

    @property
    def question(self) -> str:
        """What was asked; empty where nothing is."""

    @property
    def history(self) -> str:
        """All turns of a dialogue up to the one that is answered; empty where there is none."""


Some = TypeVar("Some", bound=Context)


def allowed(at: Layout, board: str, alias: str | None) -> bool:
    """Whether a model is named and may stand on the board."""
    return alias is not None and bool(at.p.models_on(board, (alias,)))


def ask_prompted(asked: Sequence[Prompted], at: Layout, label: str, asking: Asking) -> list[Reply]:
    """The replies to what was prepared, in its order; nothing is begun where nothing is asked.

    A reply that ends at its limit of tokens is dealt with by what it was asked for (`llm.cut`, and the
    track's own rules): it stands, or its whole part does, or it is dead. Raises TruerateError as `llm.ask`
    does.
    """
    if not asked:
        return []
    rules = at.p.rules_of_cut(at.track)
    ruled = [rules.get(prompted.purpose, "drop") for prompted in asked]
    requests = [
        one.request if rule == "drop" else replace(one.request, keeps_cut=True)
        for one, rule in zip(asked, ruled, strict=True)
    ]
    replies = asking(requests, at, label=label)
    return [
        _up_to_whole(reply, request, at) if rule == "read" and reply.finish_reason == CUT else reply
        for reply, request, rule in zip(replies, requests, ruled, strict=True)
    ]


def _up_to_whole(reply: Reply, request: Request, at: Layout) -> Reply:
    """A cut reply up to where it is whole; as it is where the model's entry says that such stand."""
    is_kept = at.p.model(request.model).accept_length is not None
    return reply if is_kept else replace(reply, text=whole_part(reply.text))


def whole_part(text: str) -> str:
    """A text that was cut somewhere in its last word, without what may be broken: its last line, or its last
    word where it has one line alone. Empty where that is all of it.
    """
    lines, end, _ = text.rpartition("\n")
    if end:
        return lines
    words = text.rstrip().rpartition(" ")[0] if text == text.rstrip() else text
    return words.rstrip()


def in_shard(found: Iterable[Some], shard: int, n_shards: int | None) -> list[Some]:
    """Those contexts that belong to one shard by the item's id, in their order."""
    assert n_shards is not None  # a layout at work on a board has a number (`Layout.on`)
    return [one for one in found if shard_of(one.item_id, n_shards) == shard]


def number_in_shard(n: int, shard: int, n_shards: int | None) -> int:
    """How many of `n` that are drawn on a board a shard draws, so that all shards together draw `n`."""
    assert n_shards is not None  # a layout at work on a board has a number (`Layout.on`)
    return n // n_shards + (shard < n % n_shards)


def rows_in_shard(items: pl.DataFrame, shard: int, n_shards: int) -> pl.DataFrame:
    """Those rows, of items or of what is said of them, that belong to one shard, in their order.

    Contexts of such items hold the texts of one shard alone.
    """
    is_own = [shard_of(name, n_shards) == shard for name in items["item_id"]]
    return items.filter(pl.Series(is_own, dtype=pl.Boolean))


def context_frame(found: Mapping[str, Context]) -> pl.DataFrame:
    """Contexts as a frame of CONTEXT's columns: what a detector sees beside the text."""
    return pl.DataFrame(
        {name: [getattr(one, name) for one in found.values()] for name in CONTEXT},
        schema=dict.fromkeys(CONTEXT, pl.String),
    )
