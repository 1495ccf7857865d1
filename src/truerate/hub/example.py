"""One row of a data set as its card shows it."""

import json
from collections.abc import Sequence

from truerate.hub.release import Config

N_SHOWN = 200  # characters of a value


def example_of(configs: Sequence[Config]) -> list[tuple[str, str]]:
    """The first row of the default config's last split, column by column, long values cut; empty where the
    rows of that config hold no texts. Columns without a value are left out.
    """
    default = next(config for config in configs if config.is_default)
    data = list(default.splits.values())[-1]
    if not default.has_texts or data.is_empty():
        return []
    row = data.row(0, named=True)
    return [(name, shown(value)) for name, value in row.items() if value not in (None, "", [])]


def shown(value: object) -> str:
    """A value in short: text as it is, all else as JSON; cut at N_SHOWN characters, and an ellipsis says so."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= N_SHOWN else f"{text[:N_SHOWN].rstrip()} …"
