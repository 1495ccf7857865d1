"""What the steps of every track do: which models they may ask, how they ask, and what they ask about."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import shard_of
from truerate.llm import Reply
from truerate.llm.generation import Prompted

# How a step asks: `llm.ask`, or what a plan puts in its place to see what would be asked.
Asking = Callable[..., list[Reply]]
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
    """The replies to what was prepared, in its order; nothing is begun where nothing is asked. Raises
    TruerateError as `llm.ask` does.
    """
    return asking([prompted.request for prompted in asked], at, label=label) if asked else []


def in_shard(found: Iterable[Some], shard: int, n_shards: int) -> list[Some]:
    """Those contexts that belong to one shard by the item's id, in their order."""
    return [one for one in found if shard_of(one.item_id, n_shards) == shard]


def context_frame(found: Mapping[str, Context]) -> pl.DataFrame:
    """Contexts as a frame of CONTEXT's columns: what a detector sees beside the text."""
    return pl.DataFrame(
        {name: [getattr(one, name) for one in found.values()] for name in CONTEXT},
        schema=dict.fromkeys(CONTEXT, pl.String),
    )
