"""Keys of services, which stand in the environment alone."""

import os

from truerate.core.errors import SettingsError


def secret(variable: str, doing: str, what: str) -> str:
    """The value of a variable of the environment. Raises SettingsError where it has none that can be sent."""
    value = os.environ.get(variable, "")
    if value and value.isascii() and value.isprintable():
        return value
    wrong = "is not set" if not value else "holds a line break or a character beyond ASCII"
    raise SettingsError(f"{doing}: the variable {variable} {wrong}; export it with {what}")
