"""The records of all tracks' metrics, and what needs them, for tests of pages."""

from importlib import import_module
from pathlib import Path

from truerate.leaderboard.metrics import METRICS as SHARED
from truerate.site import board as site_board
from truerate.site import panels as site_panels
from truerate.site.measures import Measure

TRACKS = Path(__file__).parents[1] / "src" / "truerate" / "tracks"
NAMES = tuple(sorted(path.parent.name for path in TRACKS.glob("*/card.py")))


def records(track):
    """The records of a track's own metrics by name."""
    return {one.name: one for one in import_module(f"truerate.tracks.{track}.metrics").METRICS}


def card(track):
    """The card of a track."""
    return import_module(f"truerate.tracks.{track}.card").CARD


def measures(track):
    """The measures of a board of the track."""
    own = {name: Measure.of(one, track) for name, one in records(track).items()}
    return own | {one.name: Measure.of(one) for one in SHARED}


ALL = {name: one for track in reversed(NAMES) for name, one in measures(track).items()}


def panels(rows, view):
    """The panels of a view over rows of whatever track."""
    return site_panels.panels(rows, view, ALL)


def others(rows, page):
    """What no section of a page shows, of whatever track."""
    return site_board.others(rows, page, ALL)
