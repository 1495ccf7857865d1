"""The stage `sources`: public formats become tables."""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.config.places import claim
from truerate.config.stage_settings import Stage, whole_articles
from truerate.core.errors import SourceError
from truerate.core.schemas import Document, Table, load, read_json, save, save_query, scan
from truerate.pipeline.dataset_tables import SOURCE
from truerate.pipeline.guard import refuse_edited, write_json
from truerate.pipeline.repair.imported import save_state, state_of
from truerate.pipeline.tracks import known_tasks, protocol_of, refuse_other_tasks
from truerate.sources.tables import SourceTables

ARTICLES = "articles"  # the whole texts of articles, where a board gives them to its detectors


def import_source(config: Layout, name: str) -> None:
    """Read one source by its reader into tables and a card."""
    refuse_edited(config, Stage("sources"))
    state = state_of(config, name)
    tables = check_source(config, name)
    if (tasks := known_tasks()) is not None:
        with_tasks = {"items": tables.items, "samples": tables.samples}
        refuse_other_tasks(with_tasks, tasks, where=f"source {name!r}")
    claim(config, "sources")
    for table, model in SOURCE.items():
        data = getattr(tables, table)
        (save_query if isinstance(data, pl.LazyFrame) else save)(model, data, config.source(name, table))
    write_json(config.source(name, "card.json"), tables.card)
    whole = Path(config.source(name, ARTICLES))
    whole.unlink(missing_ok=True)
    if name in whole_articles(config.p):
        save(Document, articles_of(config, name, tables.documents.lazy().collect()), whole)
    save_state(config, name, state)


def articles_of(config: Layout, name: str, documents: pl.DataFrame) -> pl.DataFrame:
    """The documents of a source that are leads of articles, each with the whole text in place of its lead."""
    from truerate.sources.hub import fetch
    from truerate.sources.raw.wikipedia import whole_texts

    texts = whole_texts(Path(fetch.folder_of(name, config.p.source(name), config)), name)
    articles = documents.filter(pl.col("document_id").is_in(list(texts)))
    whole = [texts[document] for document in articles["document_id"]]
    return articles.with_columns(text=pl.Series(whole, dtype=pl.String))


def check_source(config: Layout, name: str) -> SourceTables:
    """Read one source by its reader and write nothing. Raises TruerateError where it cannot be read, or holds
    rows of which none can be used.
    """
    from truerate.sources.hub import fetch
    from truerate.sources.reading import read_source

    source = config.p.source(name)
    tables = read_source(name, source, fetch.folder_of(name, source, config), config.p.on_bad_row)
    if tables.items.is_empty() and not tables.rejects.is_empty():
        first = tables.rejects.row(0, named=True)
        what = f"no row of it can be used, {tables.rejects.height:,} rejected"
        raise SourceError(f"source {name!r}: {what}; {first['where']} row {first['row']}: {first['detail']}")
    return tables


def load_source(
    config: Layout, board: str, *, reading: Callable[[type[Table], str], pl.DataFrame] = load
) -> SourceTables:
    """The tables of a board's source. Those that its track names (`queried`) are queries: of them each reads
    what it needs.
    """
    name = config.p.board(board).source
    queried = protocol_of(config, board).queried
    tables = {}
    for table, model in SOURCE.items():
        path = config.source(name, table)
        tables[table] = scan(model, [path]) if table in queried else reading(model, path)
    return SourceTables(**tables, card=read_json(config.source(name, "card.json")))
