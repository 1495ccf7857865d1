"""The tracks, found by the names of their folders, each loaded and checked once as what the contract says."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.config.track_blocks import broken, declared, found
from truerate.core.card import Card
from truerate.core.errors import TruerateError, listed
from truerate.core.metric import Metric
from truerate.leaderboard.metrics import METRICS as SHARED
from truerate.tracks.contract import OPTIONAL, PLANNED, REQUIRED, Part, Planning, Protocol

ABSENT = object()


@cache
def load_track(name: str) -> Protocol:
    """A track as its folder offers it. Raises TruerateError where there is no such folder, or it lacks a part
    that every track has.
    """
    if name not in found():
        raise TruerateError(f"no track {name!r}; there: {listed(found())}")
    parts: dict[str, Any] = {"settings": declared(name, "Settings"), "sizes": declared(name, "Sizes")}
    for part, place in (REQUIRED | OPTIONAL).items():
        module, value = _part(name, place)
        if value is not ABSENT:
            _refuse_unfit(name, part, value, f"`{place.name}` of tracks/{name}/{module}.py")
            parts[part] = value
        elif part in REQUIRED:
            files = " or ".join(f"tracks/{name}/{one}.py" for one in place.modules)
            raise TruerateError(
                f"track {name!r}: it lacks `{place.name}`, which {files} must hold; "
                f"every track has: {listed(one.name for one in REQUIRED.values())}, Settings, Sizes"
            )
    return Protocol(name=name, **parts)


def _part(track: str, place: Part) -> tuple[str, Any]:
    """The first module of a track that holds a part, and what stands there; ABSENT where none does."""
    for module in place.modules:
        if (value := getattr(module_of_track(track, module), place.name, ABSENT)) is not ABSENT:
            return module, value
    return "", ABSENT


def _refuse_unfit(track: str, part: str, value: Any, where: str) -> None:
    """Raise TruerateError for a part that is not of the kind that the contract says."""
    if part == "card":
        is_fit, kind = isinstance(value, Card), "a Card of tracks/contract.py"
    elif part in ("queried", "sliced", "scored", "totals", "claims", "metrics", "graph"):
        is_fit, kind = isinstance(value, tuple), "a tuple"
    elif part in ("reasons", "scored_columns", "labelled_columns", "alike"):
        is_fit, kind = isinstance(value, dict), "a mapping"
    else:
        is_fit, kind = callable(value), "a function"
    if not is_fit:
        raise TruerateError(f"track {track!r}: {where} is a {type(value).__name__}; it must be {kind}")


def protocol_of(at: Layout, board: str) -> Protocol:
    """The track that a board runs."""
    return load_track(at.p.board(board).track)


def track_of(at: Layout, board: str, part: str) -> ModuleType:
    """A module of the track that a board runs, where the whole track is not needed (`steps`)."""
    return import_module(f"truerate.tracks.{at.p.board(board).track}.{part}")


def planning_of(at: Layout, board: str) -> Planning:
    """What the track of a board says before anything is asked; the defaults of what it does not say."""
    name = at.p.board(board).track
    parts = vars(module_of_track(name, "plan") or object)
    stand_ins = {step.name: parts[step.name] for step in load_track(name).graph if step.name in parts}
    return Planning(
        stand_ins=stand_ins, **{part: parts[place] for part, place in PLANNED.items() if place in parts}
    )


def module_of_track(track: str, part: str) -> ModuleType | None:
    """A module of a track by its name, None where there is none. Raises TruerateError where it is broken."""
    whole = f"truerate.tracks.{track}.{part}"
    try:
        return import_module(whole)
    except Exception as error:  # noqa: BLE001 - whatever a module of a track raises is a fault of the track
        if not isinstance(error, ModuleNotFoundError) or error.name != whole:
            raise TruerateError(broken(whole, error)) from None
        return None


def card_of(at: Layout, board: str) -> Card:
    """The card of the track that a board runs."""
    return track_of(at, board, "card").CARD


def metrics_of(at: Layout, board: str) -> tuple[Metric, ...]:
    """The records of the numbers that the track of a board publishes, in their order."""
    return track_of(at, board, "metrics").METRICS


def records_of(at: Layout, board: str) -> dict[str, Metric]:
    """The records of all metrics that a board may carry, by name: its track's, then those of every board.
    Raises TruerateError where two have one name.
    """
    records = (*metrics_of(at, board), *SHARED)
    by_name = {record.name: record for record in records}
    if len(by_name) < len(records):
        twice = next(name for name, times in Counter(one.name for one in records).items() if times > 1)
        raise TruerateError(f"track {at.p.board(board).track!r}: two records of metric {twice!r}; keep one")
    return by_name


def tasks_of(track: str) -> tuple[str, ...]:
    """The tasks of a track, in the order of its card."""
    return tuple(import_module(f"truerate.tracks.{track}.card").CARD.tasks)


def refuse_other_tasks(tables: Mapping[str, pl.DataFrame], allowed: Iterable[str], *, where: str) -> None:
    """Raise TruerateError where rows of `items` or `samples` are of a task that is none of the allowed."""
    known = set(allowed)
    for name in ("items", "samples"):
        if name in tables and (lost := sorted(set(tables[name]["task"].unique()) - known)):
            raise TruerateError(f"{where}: {name} of task {lost[0]!r}; allowed: {listed(known)}")


def known_tasks() -> set[str] | None:
    """The tasks that the cards of all tracks name; None where one cannot be read, so that nobody knows
    what it names: a track that no board uses stops nothing.
    """
    try:
        cards = [_part(track, REQUIRED["card"])[1] for track in found()]
    except TruerateError:
        return None
    return (
        {task for card in cards for task in card.tasks} if all(isinstance(c, Card) for c in cards) else None
    )


def marking_tracks() -> list[str]:
    """The tracks whose texts token detectors can mark, as far as they can be loaded."""
    marking = []
    for name in found():
        with suppress(TruerateError):
            marking += [name] if load_track(name).marks_tokens else []
    return marking
