"""What a reply is checked against: the texts that its source holds for the item."""

import polars as pl

from truerate.tracks.asking import PlainContext


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, PlainContext]:
    """Return the contexts of items by id, in their order; texts of documents are joined by blank lines."""
    texts = dict(documents.select("document_id", "text").iter_rows())
    rows = items.select("item_id", "question", "document_ids", "history").iter_rows()
    return {
        item: PlainContext(item, "\n\n".join(texts[name] for name in ids if name in texts), question, history)
        for item, question, ids, history in rows
    }
