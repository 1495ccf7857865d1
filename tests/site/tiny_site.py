"""The pages of the tiny tables as they are, rendered once in a process."""

from functools import cache
from pathlib import Path

from tiny_tables import tiny_tables

from truerate.site import render_site


@cache
def tiny_site() -> dict[str, str]:
    """Every file by its path: to be read alone."""
    return render_site(tiny_tables(), Path(__file__).parents[2] / "site")
