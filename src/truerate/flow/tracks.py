"""The tracks, found by the names of their folders, each loaded and checked once as what the contract says."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.config.track_blocks import declared, found
from truerate.core.errors import TruerateError, listed
from truerate.tracks.contract import OPTIONAL, REQUIRED, Card, Protocol

ABSENT = object()


@cache
def load_track(name: str) -> Protocol:
    """A track as its folder offers it. Raises TruerateError where there is no such folder, or it lacks a part
    that every track has.
    """
    if name not in found():
        raise TruerateError(f"no track {name!r}; there: {listed(found())}")
    parts: dict[str, Any] = {"settings": declared(name, "Settings"), "sizes": declared(name, "Sizes")}
    for part, place in REQUIRED.items():
        if (value := _part(name, *place)) is ABSENT:
            raise TruerateError(
                f"track {name!r} lacks `{place[1]}`, which tracks/{name}/{place[0]}.py must hold; "
                f"every track has: {listed(where for _, where in REQUIRED.values())}, Settings, Sizes"
            )
        parts[part] = value
    parts |= {part: value for part, place in OPTIONAL.items() if (value := _part(name, *place)) is not ABSENT}
    for part, value in parts.items():
        _refuse_unfit(name, part, value)
    return Protocol(name=name, **parts)


def _part(track: str, module: str, name: str) -> Any:
    """What stands under a name in a module of a track, ABSENT where there is none."""
    whole = f"truerate.tracks.{track}.{module}"
    try:
        return getattr(import_module(whole), name, ABSENT)
    except ModuleNotFoundError as error:
        if error.name != whole:
            raise
        return ABSENT


def _refuse_unfit(track: str, part: str, value: Any) -> None:
    """Raise TruerateError for a part that is not of the kind that the contract says."""
    module, name = (REQUIRED | OPTIONAL).get(part, ("settings", part))
    if part == "card":
        is_fit, kind = isinstance(value, (Card, dict)), "a Card of tracks/contract.py"
    elif part in ("scored", "totals"):
        is_fit, kind = isinstance(value, tuple), "a tuple"
    elif part == "reasons":
        is_fit, kind = isinstance(value, dict), "a mapping"
    else:
        is_fit, kind = callable(value), "a function"
    if not is_fit:
        raise TruerateError(
            f"track {track!r}: `{name}` of tracks/{track}/{module}.py is a {type(value).__name__}; it must be {kind}"
        )


def protocol_of(at: Layout, board: str) -> Protocol:
    """The track that a board runs."""
    return load_track(at.p.board(board).track)


def track_of(at: Layout, board: str, part: str) -> ModuleType:
    """A module of the track that a board runs, where the whole track is not needed (`scratch`, `wiring`,
    `plan`).
    """
    return import_module(f"truerate.tracks.{at.p.board(board).track}.{part}")


def card_of(at: Layout, board: str) -> Any:
    """The card of the track that a board runs."""
    return track_of(at, board, "card").CARD


def told_by(card: Any, name: str) -> Any:
    """What a card says under a name."""
    return card.get(name, ()) if isinstance(card, Mapping) else getattr(card, name)


def tasks_of(track: str) -> tuple[str, ...]:
    """The tasks of a track, in the order of its card."""
    return tuple(told_by(import_module(f"truerate.tracks.{track}.card").CARD, "tasks"))


def refuse_other_tasks(tables: Mapping[str, pl.DataFrame], allowed: Iterable[str], *, where: str) -> None:
    """Raise TruerateError where rows of `items` or `samples` are of a task that is none of the allowed."""
    known = set(allowed)
    for name in ("items", "samples"):
        if name in tables and (lost := sorted(set(tables[name]["task"].unique()) - known)):
            raise TruerateError(f"{where}: {name} of task {lost[0]!r}; allowed: {listed(known)}")


def marking_tracks() -> list[str]:
    """The tracks whose texts token detectors can mark."""
    return [name for name in found() if load_track(name).marks_tokens]
