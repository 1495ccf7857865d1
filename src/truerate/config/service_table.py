"""Tables of services (YAML beside their module), of which a setting names an entry or gives one in the same form."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BeforeValidator


@cache
def entries(table: Path) -> dict[str, dict[str, Any]]:
    """The services of a table, by name."""
    with table.open(encoding="utf-8") as file:
        found: dict[str, dict[str, Any]] = yaml.safe_load(file)
    return found


def named_in(table: Path, example: str) -> BeforeValidator:
    """Replace a service's name by its entry in a table. ValueError for an unknown name, with the keys of a form
    (`example`).
    """

    def entry(value: object) -> object:
        """The entry that a name stands for; a value that is no name, as it is."""
        if not isinstance(value, str):
            return value
        known = entries(table)
        if value not in known:
            raise ValueError(
                f"no service {value!r}; known: {', '.join(known)}; or give its form ({example}, …)"
            )
        return known[value]

    return BeforeValidator(entry)
