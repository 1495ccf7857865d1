"""Mistakes in the settings of a board that only this track can see: languages that nobody knows or nobody writes."""

from collections.abc import Iterator
from functools import partial

from truerate.config.layout import Layout
from truerate.core.errors import listed, meant
from truerate.core.languages import LANGUAGES, language
from truerate.core.mistakes import mistakes


def faults(at: Layout, board: str) -> Iterator[str]:
    """A line per mistake, which begins with the place of the setting."""
    settings, where = at.p.track(board), at.p.place(board, "languages")
    named = {where: settings.languages} | {
        f"models.{alias}.languages": at.p.model(alias).languages for alias in settings.subjects
    }
    lines = [
        line
        for place, codes in named.items()
        for code in codes
        for line in mistakes(place, language, code, place, near=partial(meant, code, LANGUAGES))
    ]
    yield from lines or _unwritten(at, board, where)


def _unwritten(at: Layout, board: str, where: str) -> Iterator[str]:
    """Languages that the board asks for and the command of its source is not told to write."""
    name = at.p.board(board).source
    source = at.p.source(name)
    written = source.languages or at.p.languages
    is_told = "{languages}" in (source.make or "")
    if lost := [code for code in at.p.track(board).languages if code not in written] if is_told else []:
        what = f"{lost[0]!r} is not written by source {name!r} of board {board!r}"
        yield f"{where}: {what}; it writes: {listed(written)}"
