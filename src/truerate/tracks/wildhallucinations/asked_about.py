"""Which entities a board asks about: those of its source, or those curated from its chats; and of these the
ones that have pages.
"""

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Document, Item, frame
from truerate.llm.generation import generations
from truerate.tracks.wildhallucinations import entities
from truerate.tracks.wildhallucinations.evidence import with_evidence

Replies = dict[str, pl.DataFrame]


def curated(at: Layout, board: str, tables, upstream: Replies) -> tuple[list[dict], list[dict]]:
    """Item rows of the entities, without documents, and Reject rows of the names that were taken out.

    Of a source that brings entities of its own none is judged, but the take-down list and the limit hold.
    """
    own = tables.items.filter(pl.col("task") == "entity")
    limit, settings = at.p.size_of(board).entities, at.p.track(board)
    if not own.is_empty():
        return entities.given(own, limit=limit, seed=at.p.seed, takedown=settings.takedown)
    chats = tables.items.filter(pl.col("task") == "chat")
    rows = (upstream.get(step, generations([])) for step in ("extract", "curate"))
    return entities.curated(chats, *rows, limit=limit, seed=at.p.seed, takedown=settings.takedown)


def with_pages(at: Layout, board: str, tables, upstream: Replies) -> tuple[pl.DataFrame, list[dict]]:
    """Items of the entities that have pages, with those, and Reject rows of all that were taken out. Of documents
    ids and `is_wikipedia` are read.
    """
    kept, rejects = curated(at, board, tables, upstream)
    parts = [tables.documents.lazy(), upstream.get("documents", frame(Document)).lazy()]
    documents = pl.concat([part.select("document_id", "is_wikipedia") for part in parts]).collect()
    kept, without = with_evidence(kept, upstream.get("evidence", generations([])), documents)
    return frame(Item, kept), [*rejects, *without]
