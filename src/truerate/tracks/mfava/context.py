"""What is asked about and what texts are checked against: an item joined with its reference, and which items
a board takes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from truerate.core.keys import draw
from truerate.llm.generation import facts


@dataclass(frozen=True, slots=True)
class Context:
    """One item with its reference (`knowledge`), what it is about (`subject`), and the attributes of its row."""

    item_id: str
    task: str
    group_id: str
    lang: str
    source: str
    document_ids: tuple[str, ...]
    knowledge: str
    question: str
    subject: str
    known: dict[str, str]

    @property
    def history(self) -> str:
        """Nothing was said before."""
        return ""


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, Context]:
    """Every item by its id, with the texts of its documents joined by blank lines in the order of
    `document_ids`.
    """
    known = {
        row["document_id"]: row
        for row in documents.select("document_id", "title", "text").iter_rows(named=True)
    }
    return {row["item_id"]: _context(row, known) for row in items.iter_rows(named=True)}


def _context(row: dict, documents: dict[str, dict]) -> Context:
    found = [documents[name] for name in row["document_ids"] if name in documents]
    attributes = facts(row)
    titles = (
        attributes.get("subject"),
        attributes.get("title"),
        *(document["title"] for document in found),
        row["question"],
    )
    return Context(
        item_id=row["item_id"],
        task=row["task"],
        group_id=row["group_id"],
        lang=row["lang"],
        source=row["source"],
        document_ids=tuple(row["document_ids"]),
        knowledge="\n\n".join(document["text"] for document in found),
        question=row["question"],
        subject=next((title for title in titles if title), ""),
        known=attributes,
    )


def chosen(found: Iterable[Context], n: int, seed: int) -> list[Context]:
    """The first `n` of each language in a seeded order, sorted by id, so that a larger `n` keeps the earlier
    ones.
    """
    by_lang: dict[str, list[Context]] = {}
    for one in found:
        by_lang.setdefault(one.lang, []).append(one)
    kept = [
        one
        for group in by_lang.values()
        for one in sorted(group, key=lambda one: (draw(seed, one.item_id), one.item_id))[:n]
    ]
    return sorted(kept, key=lambda one: one.item_id)
