"""Mistakes in the settings of a board that only this track can see: a detector of rates that nobody builds, or a
judge of no board.
"""

from collections.abc import Iterator

from truerate.config.layout import Layout
from truerate.core.errors import listed, meant


def faults(at: Layout, board: str) -> Iterator[str]:
    """A line per mistake, which begins with the place of the setting."""
    named = at.p.track(board).detector
    members = [
        member
        for family in at.p.families(board)
        for member in at.p.detectors[family].members_on(at.p.board(board).track)
    ]
    if named is not None and named not in members:
        what = f"{named!r} is no detector of board {board!r}{meant(named, members)}"
        yield f"{at.p.place(board, 'detector')}: {what}; there: {listed(members)}"
