"""Who the subjects of a board are to other tools: organisation/name, maker, whether the weights are open."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from truerate.config.layout import Layout
from truerate.site.models.aliases import Aliases, Entry

SIMULATED, UNKNOWN = "closed-world", "unknown"  # stand before a name where no organisation does
AVAILABLE = {"open": "open_weights", "open_weights": "open_weights", "closed": "closed_weights"}
LONGEST = 100  # characters of a folder's name
_NO_NAME = re.compile(r'[<>:"/\\|?*\x00-\x1f]')  # what no folder's name holds on every system
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|data|com\d|lpt\d)(?=\.|$)")


def folder_of(name: str) -> str:
    """A name as that of a folder on every system."""
    plain = _NO_NAME.sub("_", name)[:LONGEST].rstrip(". ")
    return f"_{plain}" if not plain or _RESERVED.match(plain) else plain


class Model(NamedTuple):
    """A model: `id` is organisation/name, `maker` its maker in words or None, `availability` that of its weights."""

    id: str
    maker: str | None
    availability: str = UNKNOWN

    @property
    def folders(self) -> tuple[str, str]:
        """Organisation and name as folders that every system takes."""
        organisation, _, name = self.id.partition("/")
        return folder_of(organisation), folder_of(name)


def declared(config: Layout, board: str, subject: str) -> Model | None:
    """A model that a board asks by its entry in params.yaml, or any of a simulated board; None of other subjects."""
    if config.p.source(config.p.board(board).source).is_simulated:
        return Model(f"{SIMULATED}/{subject}", None)
    if subject not in config.p.models_of(board):
        return None
    entry = config.p.model(subject)
    availability = {True: "open_weights", False: "closed_weights"}.get(entry.is_open, UNKNOWN)
    return Model(entry.model if "/" in entry.model else f"{UNKNOWN}/{entry.model}", None, availability)


def model_of(board: str, subject: str, aliases: Aliases, row: Mapping[str, Any] | None = None) -> Model:
    """A subject of a board of real models, by `results/models.yaml` and its own `row` of published figures.
    Settings behind a name (`@reasoning=low`) are no part of the model where the row names its base.
    """
    row = row or {}
    name = row.get("base") or subject
    spelled = {spelling: maker for maker, each in aliases.makers.items() for spelling in each}
    entry = next((entry for entry in aliases.models if _is_named(entry, name, board)), None)
    organisation = name.partition("/")[0] if "/" in name else ""
    maker = row.get("maker") or (entry and entry.maker) or spelled.get(organisation)
    maker = spelled.get(maker, maker) if maker else None
    weights = row.get("weights") or (entry and entry.weights) or ""
    if not organisation:
        first = (aliases.makers.get(maker) or (maker,))[0] if maker else UNKNOWN
        name = f"{first}/{name}"
    return Model(name, maker, AVAILABLE.get(weights, UNKNOWN))


def _is_named(entry: Entry, name: str, board: str) -> bool:
    aliases = (alias.name == name and board in (alias.boards or [board]) for alias in entry.names)
    return entry.name in (name, name.rpartition("/")[2]) or any(aliases)
