"""The stage `sources`: public formats become tables."""

from collections.abc import Callable

import polars as pl

from truerate.config.layout import Layout
from truerate.config.places import claim
from truerate.config.stage_settings import Stage
from truerate.core.schemas import (
    Document,
    Item,
    Judgement,
    Reject,
    Sample,
    Table,
    load,
    read_json,
    save,
)
from truerate.flow.guard import handed, refuse_edited, write_json
from truerate.flow.tracks import known_tasks, refuse_other_tasks
from truerate.sources import SourceTables

SOURCE = {"documents": Document, "items": Item, "samples": Sample, "judgements": Judgement, "rejects": Reject}


def import_source(at: Layout, name: str) -> None:
    """Read one source by its reader into tables and a card."""
    refuse_edited(at, Stage("sources"))
    tables = check_source(handed(at, Stage("sources")), name)
    if (known := known_tasks()) is not None:
        own = {"items": tables.items, "samples": tables.samples}
        refuse_other_tasks(own, known, where=f"source {name!r}")
    claim(at, "sources")
    for table, model in SOURCE.items():
        save(model, getattr(tables, table), at.source(name, table))
    write_json(at.source(name, "card.json"), tables.card)


def check_source(at: Layout, name: str) -> SourceTables:
    """Read one source by its reader and write nothing. Raises TruerateError where it cannot be read."""
    from truerate.sources import fetch, read_source

    source = at.p.source(name)
    return read_source(name, source, fetch.folder_of(name, source, at), at.p.on_bad_row)


def load_source(
    at: Layout, board: str, *, reading: Callable[[type[Table], str], pl.DataFrame] = load
) -> SourceTables:
    """The tables of a board's source."""
    name = at.p.board(board).source
    tables = {table: reading(model, at.source(name, table)) for table, model in SOURCE.items()}
    return SourceTables(**tables, card=read_json(at.source(name, "card.json")))
