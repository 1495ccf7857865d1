"""What an answer is checked against."""

from typing import NamedTuple

import polars as pl


class Context(NamedTuple):
    """A question with the sentence that answers it."""

    item_id: str
    question: str
    knowledge: str
    right_answer: str
    history: str = ""


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, Context]:
    """The contexts of items by item_id, in the items' order."""
    text = dict(documents.select("document_id", "text").iter_rows())
    rows = items.select("item_id", "question", "document_ids", "right_answer").iter_rows()
    return {
        item: Context(item, asked, " ".join(map(text.get, ids)), right) for item, asked, ids, right in rows
    }
