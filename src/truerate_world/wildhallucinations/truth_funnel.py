"""The planted truth of the funnel from chats to entities: which names ought to be kept, and how many of those
that were kept ought to be.

An entity of the encyclopedia ought to be kept where a usable message names it and a page of the web tells of
it; a name that is ambiguous, invented or private ought not.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from truerate.core.schemas import pairs
from truerate.core.text import name_key
from truerate_world.encyclopedia import World
from truerate_world.wildhallucinations.models.pages import RELEVANT, web
from truerate_world.wildhallucinations.models.planted import names_in, planted_as

DIGITS = 6
SUBJECT = "entities"
OVER_LIMIT = "over-limit"


@dataclass(frozen=True)
class Funnel:
    """Keys of names: `eligible` (ought to be kept), `kept`, and `passed` (kept, or left out for want of room
    alone).
    """

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
    named = (named for message in messages for named in names_in(world, message))
    eligible = frozenset(
        name_key(entity_name.surface)
        for entity_name in named
        if entity_name.kind == "entity" and is_told_of(world, entity_name.entity)
    )
    held = frozenset(map(name_key, kept))
    return Funnel(eligible, held, held | frozenset(map(name_key, over_limit)))


def is_told_of(world: World, entity: int) -> bool:
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
    """Score rows of method `planted`: funnel_precision and funnel_recall in [0, 1] (n: kept, eligible
    entities), and funnel_n.

    `chats` are the source's Item rows of task `chat`, `items` the board's of task `entity`, `rejects` the
    board's; what was left out for want of room counts as found. No row where there is nothing to divide by.
    """
    entities = items.filter(pl.col("task") == "entity")["question"]
    over = rejects.filter(pl.col("reason") == OVER_LIMIT)["text"]
    found = funnel(world, chats.filter(pl.col("task") == "chat")["question"], entities, over)
    made = [
        ("funnel_precision", {}, found.precision, len(found.kept)),
        ("funnel_recall", {}, found.recall, len(found.eligible)),
        ("funnel_n", {"stage": "eligible"}, float(len(found.eligible)), len(found.eligible)),
    ]
    texts_by_name = {
        "board": board,
        "subject": SUBJECT,
        "low": None,
        "high": None,
        "method": "planted",
        "inputs": inputs,
    }
    return [
        {**texts_by_name, "metric": metric, "slice": pairs(**where), "value": round(value, DIGITS), "n": n}
        for metric, where, value, n in made
        if value is not None
    ]


def kinds_kept(world: World, kept: Iterable[str]) -> dict[str, int]:
    """How many kept names are planted as what; `none` for names that are not planted."""
    counts: dict[str, int] = {}
    for name in kept:
        named = planted_as(world, name)
        kind = named.kind if named else "none"
        counts[kind] = counts.get(kind, 0) + 1
    return counts
