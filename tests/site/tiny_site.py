"""The pages of the tiny tables: as they are, rendered once in a process, or of some of their boards with something changed."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from tiny_tables import tiny_tables

from truerate.site import Board, Tables, render_site
from truerate.site.docs import schema_docs

SITE = Path(__file__).parents[2] / "site"


@cache
def tiny_site() -> dict[str, str]:
    """Every file by its path: to be read alone."""
    return render_site(replace(tiny_tables(), schema_docs=schema_docs()), SITE)


def tables_of(*boards: Board, n: int = 0, **changes) -> Tables:
    """The tables of these boards alone, or of the first `n` tiny ones."""
    tables = tiny_tables()
    return replace(tables, boards=boards or tables.boards[:n], **changes)


def site_of(*boards: Board, n: int = 0, **changes) -> dict[str, str]:
    """The files of a site of `tables_of`: a fraction of the time of all boards."""
    return render_site(tables_of(*boards, n=n, **changes), SITE)
