"""What a reply is checked against: the texts that its source holds for the item."""

from typing import NamedTuple

import polars as pl


class Context(NamedTuple):
    """An item with its knowledge: the text that was given, else nothing."""

    item_id: str
    knowledge: str
    question: str
    history: str = ""


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, Context]:
    """The contexts of items by item_id, in the items' order; texts of several documents are joined by blank lines."""
    texts = dict(documents.select("document_id", "text").iter_rows())
    rows = items.select("item_id", "question", "document_ids", "history").iter_rows()
    return {
        item: Context(item, "\n\n".join(texts[one] for one in ids if one in texts), question, history)
        for item, question, ids, history in rows
    }
