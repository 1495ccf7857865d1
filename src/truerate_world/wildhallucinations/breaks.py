"""Faults of the real web and of real models, planted on demand by name. The demo plants none of them. They
depend on addresses, names and attempts, never on time. A server plants those of the WEB; those of MODELS are
part of the truth: a caller hands them to world, models and truth.
"""

from truerate_world.data import beside

_DATA = beside(__file__)

# name -> what is planted under it
WEB = _DATA["web"]
MODELS = _DATA["models"]
ALL = "all"


def parse_breaks(text: str) -> frozenset[str]:
    """Return names of WEB joined by commas (`all`: each); ValueError says what is allowed."""
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    if names == {ALL}:
        return frozenset(WEB)
    if unknown := sorted(names - WEB.keys()):
        raise ValueError(f"breaks {unknown[0]!r}: allowed are {ALL}, or, joined by commas, {', '.join(WEB)}")
    return names
