"""The tracks, found by the names of their folders."""

from importlib import import_module
from types import ModuleType

from truerate.config.layout import Layout
from truerate.core.card import Card
from truerate.core.errors import TruerateError
from truerate.core.metric import Metric
from truerate.leaderboard.metrics import METRICS as SHARED


def track_of(at: Layout, board: str, part: str) -> ModuleType:
    """A module of the track that a board runs (`steps`, `plan`, `card`, …)."""
    return import_module(f"truerate.tracks.{at.p.board(board).track}.{part}")


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
        twice = next(one.name for one in records if one is not by_name[one.name])
        raise TruerateError(f"track {at.p.board(board).track!r}: two records of metric {twice!r}; keep one")
    return by_name
