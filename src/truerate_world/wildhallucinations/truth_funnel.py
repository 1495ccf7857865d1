"""The planted truth of the funnel from chats to entities. An entity is eligible if a usable message names it
and a page tells of it; an ambiguous, invented or private name is not.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from truerate.core.text import name_key
from truerate_world.encyclopedia import World
from truerate_world.steps import planted_row, score_rows
from truerate_world.wildhallucinations.models.pages import RELEVANT, web
from truerate_world.wildhallucinations.models.planted import names_in, planted_as

SUBJECT = "entities"
OVER_LIMIT = "over-limit"


@dataclass(frozen=True)
class Funnel:
    """Keys of names: `eligible`, `kept`, and `passed` (kept, or left out for want of room)."""

    eligible: frozenset[str]
    kept: frozenset[str]
    passed: frozenset[str]

    @property
    def precision(self) -> float | None:
        """Share of the kept names that are eligible, None where none is kept."""
        return len(self.kept & self.eligible) / len(self.kept) if self.kept else None

    @property
    def recall(self) -> float | None:
        """Share of the eligible names that passed, None where none is eligible."""
        return len(self.passed & self.eligible) / len(self.eligible) if self.eligible else None


def funnel(
    world: World, messages: Iterable[str], kept: Iterable[str], over_limit: Iterable[str] = ()
) -> Funnel:
    """The funnel of a board: `messages` are the usable ones, `kept` and `over_limit` names."""
    names = [name for message in messages for name in names_in(world, message) if name.kind == "entity"]
    eligible = frozenset(name_key(name.surface) for name in names if is_on_web(world, name.entity))
    kept_keys = frozenset(map(name_key, kept))
    return Funnel(eligible, kept_keys, kept_keys | frozenset(map(name_key, over_limit)))


def is_on_web(world: World, entity: int) -> bool:
    """Whether any page of the web is about an entity (a redirect leads to such a page)."""
    return any(page.kind in (*RELEVANT, "redirect") for page in web(world).results[entity])


def funnel_scores(
    board: str,
    *,
    world: World,
    chats: pl.DataFrame,
    items: pl.DataFrame,
    rejects: pl.DataFrame,
    inputs: str = "",
) -> list[dict]:
    """Return planted rows: funnel_precision, funnel_recall, and funnel_n. `chats`: the source's Item rows of
    task `chat`; `items` and `rejects`: the board's. No row without a denominator.
    """
    entities = items.filter(pl.col("task") == "entity")["question"]
    over = rejects.filter(pl.col("reason") == OVER_LIMIT)["text"]
    messages = chats.filter(pl.col("task") == "chat")["question"]
    counts = funnel(world, messages, entities, over)
    n_kept, n_eligible = len(counts.kept), len(counts.eligible)
    rows = []
    if counts.precision is not None:
        rows.append(planted_row("funnel_precision", SUBJECT, {}, counts.precision, n_kept))
    if counts.recall is not None:
        rows.append(planted_row("funnel_recall", SUBJECT, {}, counts.recall, n_eligible))
    rows.append(planted_row("funnel_n", SUBJECT, {"stage": "eligible"}, n_eligible, n_eligible))
    return score_rows(rows, board, inputs)


def kinds_kept(world: World, kept: Iterable[str]) -> dict[str, int]:
    """How many kept names are planted as what; `none` for names that are not planted."""
    counts: dict[str, int] = {}
    for name in kept:
        named = planted_as(world, name)
        kind = named.kind if named else "none"
        counts[kind] = counts.get(kind, 0) + 1
    return counts
