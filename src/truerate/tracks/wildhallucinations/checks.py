"""Mistakes in the settings of a board that only this track can see: files that cannot be read, and a simulated
web for real entities.
"""

from collections.abc import Iterator

from truerate.config.layout import Layout
from truerate.core.mistakes import mistakes
from truerate.tracks.wildhallucinations.entities import takedown_keys
from truerate.web.recorded import recorded


def faults(at: Layout, board: str) -> Iterator[str]:
    """A line per mistake, which begins with the place of the setting."""
    settings = at.p.track(board)
    yield from mistakes(at.p.place(board, "takedown"), takedown_keys, settings.takedown)
    if settings.search.recorded:
        yield from mistakes(at.p.place(board, "search.recorded"), recorded, settings.search.recorded, ())
    yield from simulated_web(at, board)


def simulated_web(at: Layout, board: str) -> Iterator[str]:
    """A line where models would be asked about real entities and their pages come from a simulated web."""
    settings = at.p.track(board)
    used = {
        "search.endpoint": settings.search.endpoint if settings.search.url else None,
        "fetch.proxy": settings.fetch.proxy,
    }
    simulated = [key for key, endpoint in used.items() if endpoint and at.p.endpoints[endpoint].is_simulated]
    is_real = not at.p.source(at.p.board(board).source).is_simulated
    if simulated and is_real and at.p.models_on(board, settings.subjects):
        key = simulated[0]
        what = f"{at.p.place(board, key)} is {used[key]!r}, which is simulated, and the source of board {board!r} is not"
        yield f"{what}; name the address of a real search in search.url with endpoint: null, and proxy: null"
