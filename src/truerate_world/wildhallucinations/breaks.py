"""What breaks builds on the real web and at real models, planted on demand: the closed world's card of it, by
name.

The demo plants none of it (`serve` without `--breaks`), so that no row of a committed board moves. What is
planted hangs on addresses, names and how often they were asked, never on time: what holds once holds again. A
server plants what breaks the WEB; what MODELS do, and how entities are called, is part of the truth that a board
is held against: who asks for it hands it to world, models and truth alike (`broken_models`).
"""

from truerate_world.data import beside

_DATA = beside(__file__)

# name -> what is planted under it
WEB = _DATA["web"]
MODELS = _DATA["models"]
ALL = "all"


def parse_breaks(text: str) -> frozenset[str]:
    """Names of WEB joined by commas, `all` for all of them; empty for an empty text. ValueError with one line
    that says what is allowed.
    """
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    if names == {ALL}:
        return frozenset(WEB)
    if unknown := sorted(names - WEB.keys()):
        raise ValueError(f"breaks {unknown[0]!r}: allowed are {ALL}, or, joined by commas, {', '.join(WEB)}")
    return names
