"""The records of all tracks' metrics, and what needs them, for tests of pages."""

from pathlib import Path

from truerate.leaderboard.metrics import METRICS as SHARED
from truerate.site import board as site_board
from truerate.site import panels as site_panels
from truerate.site.measures import Measure
from truerate.site.vocabulary import Vocabulary
from truerate.tracks.protocol import card_of_track, metrics_of_track

TRACKS = Path(__file__).parents[1] / "src" / "truerate" / "tracks"
NAMES = tuple(sorted(path.parent.name for path in TRACKS.glob("*/card.yaml")))


def records(track):
    """The records of a track's own metrics by name."""
    return {one.name: one for one in metrics_of_track(track)}


def card(track):
    """The card of a track."""
    return card_of_track(track)


def of_track(track):
    """What a board of the track has of it: its card and the records of its metrics."""
    return {"track_card": card(track), "metrics": tuple(records(track).values()), "shared_metrics": SHARED}


def measures(track):
    """The measures of a board of the track."""
    own = {name: Measure.of(one, track) for name, one in records(track).items()}
    return own | {one.name: Measure.of(one) for one in SHARED}


def vocabulary(*tracks):
    """The measures of tracks and the words of their values."""
    found = {name: one for track in reversed(tracks) for name, one in measures(track).items()}
    return Vocabulary.of(found, *(card(track).words for track in tracks))


ALL = vocabulary(*NAMES)


def of_board(rows):
    """The vocabulary of the track that the rows' board runs; of all tracks where its name tells none."""
    board = rows[0].get("board", "") if rows else ""
    return next((vocabulary(track) for track in NAMES if board.startswith(track)), ALL)


def panels(rows, view):
    """The panels of a view over rows of one board, whose name begins with that of its track."""
    return site_panels.panels(rows, view, of_board(rows))


def others(rows, page):
    """What no section of a page shows of one board's rows."""
    return site_board.others(rows, page, of_board(rows))
