"""The tracks, found by the names of their folders."""

from importlib import import_module
from types import ModuleType

from truerate.config.layout import Layout


def track_of(at: Layout, board: str, part: str) -> ModuleType:
    """A module of the track that a board runs (`steps`, `plan`, `card`, …)."""
    return import_module(f"truerate.tracks.{at.p.board(board).track}.{part}")
