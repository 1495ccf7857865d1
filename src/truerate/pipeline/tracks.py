"""The tracks, found by the names of their folders, each loaded and checked once as what the contract says."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import ModuleType

import polars as pl

from truerate.config.layout import Layout
from truerate.config.track_blocks import broken, declared, track_names
from truerate.core.card import Card
from truerate.core.errors import TruerateError, listed
from truerate.core.metric import Metric
from truerate.leaderboard.metrics import METRICS as SHARED
from truerate.tracks.protocol import REQUIRED, Protocol, card_of_track, metrics_of_track
from truerate.tracks.registry import built_in

_KINDS: dict[type, tuple[str, ...]] = {
    str: ("referenced",),
    tuple: ("queried", "sliced", "scored", "totals", "claims", "first_drawn"),
    Mapping: ("step_functions", "reasons", "scored_columns", "labelled_columns", "alike", "stand_ins"),
}


@cache
def load_track(name: str) -> Protocol:
    """A track's protocol. Raises TruerateError without its folder or a part that every track has."""
    if name not in track_names():
        raise TruerateError(f"no track {name!r}; there: {listed(track_names())}")
    declared(name, "Settings"), declared(name, "Sizes")
    protocol: object = built_in(name) or getattr(_module_of(name, "protocol"), "PROTOCOL", None)
    if not isinstance(protocol, Protocol):
        raise TruerateError(
            f"track {name!r}: tracks/{name}/protocol.py must hold `PROTOCOL`, an object of a class of "
            "tracks/protocol.py"
        )
    if fault := next(_unfit(protocol), None):
        raise TruerateError(f"track {name!r}: its {type(protocol).__name__} {fault}")
    protocol.card, protocol.metrics  # noqa: B018 - read here, so that a file that does not hold is told at once
    return protocol


def _unfit(protocol: Protocol) -> Iterator[str]:
    """Yield what a protocol lacks, and parts that are not of their kind."""
    for part in REQUIRED:
        if not hasattr(protocol, part):
            yield f"lacks `{part}`; every protocol has: {listed(REQUIRED)}"
    for part in (
        name
        for name in (*vars(Protocol).get("__annotations__", {}), "totals", "reasons")
        if name not in ("name", "settings", "sizes")
    ):
        value = getattr(protocol, part, None)
        kind = next((kind for kind, parts in _KINDS.items() if part in parts), None)
        if kind and not isinstance(value, kind):
            yield f"has a {type(value).__name__} as `{part}`; it must be a {kind.__name__.lower()}"
        if not kind and value is not None and not callable(value):
            yield f"has a {type(value).__name__} as `{part}`; it must be a function"


def protocol_of(config: Layout, board: str) -> Protocol:
    """The track that a board runs."""
    return load_track(config.p.board(board).track)


def _module_of(track: str, part: str) -> ModuleType | None:
    """A module of a track by its name, None where there is none. Raises TruerateError where it is broken."""
    whole = f"truerate.tracks.{track}.{part}"
    try:
        return import_module(whole)
    except Exception as error:  # noqa: BLE001 - whatever a module of a track raises is a fault of the track
        if not isinstance(error, ModuleNotFoundError) or error.name != whole:
            raise TruerateError(broken(whole, error)) from None
        return None


def card_of(config: Layout, board: str) -> Card:
    """The card of the track that a board runs."""
    return card_of_track(config.p.board(board).track)


def metrics_of(config: Layout, board: str) -> tuple[Metric, ...]:
    """The records of the numbers that the track of a board publishes, in their order."""
    return metrics_of_track(config.p.board(board).track)


def records_of(config: Layout, board: str) -> dict[str, Metric]:
    """The metric records of a board by name: its track's and the common ones. TruerateError for a double."""
    records = (*metrics_of(config, board), *SHARED)
    by_name = {record.name: record for record in records}
    if len(by_name) < len(records):
        twice = next(name for name, times in Counter(record.name for record in records).items() if times > 1)
        raise TruerateError(
            f"track {config.p.board(board).track!r}: two records of metric {twice!r}; keep one"
        )
    return by_name


def tasks_of(track: str) -> tuple[str, ...]:
    """The tasks of a track, in the order of its card."""
    return tuple(card_of_track(track).tasks)


def refuse_other_tasks(tables: Mapping[str, pl.DataFrame], allowed: Iterable[str], *, where: str) -> None:
    """Raise TruerateError where rows of `items` or `samples` are of a task that is none of the allowed."""
    tasks = set(allowed)
    for name in ("items", "samples"):
        if name in tables and (lost := sorted(set(tables[name]["task"].unique()) - tasks)):
            raise TruerateError(f"{where}: {name} of task {lost[0]!r}; allowed: {listed(tasks)}")


def known_tasks() -> set[str] | None:
    """The tasks that the cards of all tracks name; None if one cannot be read: unused tracks stop nothing."""
    try:
        return {task for track in track_names() for task in card_of_track(track).tasks}
    except TruerateError:
        return None


def marking_tracks() -> list[str]:
    """The tracks whose texts token detectors can mark, as far as they can be loaded."""
    marking = []
    for name in track_names():
        with suppress(TruerateError):
            marking += [name] if load_track(name).marks_tokens else []
    return marking
