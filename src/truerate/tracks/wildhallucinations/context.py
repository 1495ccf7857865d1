"""What is asked about and what texts are checked against: an entity joined with the text of its web pages."""

from dataclasses import dataclass

import polars as pl

from truerate.llm.generation import facts


@dataclass(frozen=True, slots=True)
class Context:
    """One entity (`name`) with the ids, texts and titles of its pages, in the order of the search's results, and the
    attributes of its row.
    """

    item_id: str
    group_id: str
    lang: str
    name: str
    document_ids: tuple[str, ...]
    pages: tuple[str, ...]
    known: dict[str, str]
    titles: tuple[str, ...] = ()

    @property
    def knowledge(self) -> str:
        """All pages as one text."""
        return "\n\n".join(self.pages)

    @property
    def question(self) -> str:
        """The name that is asked about."""
        return self.name

    @property
    def history(self) -> str:
        """Nothing was said before."""
        return ""


def contexts(items: pl.DataFrame, documents: pl.DataFrame | pl.LazyFrame) -> dict[str, Context]:
    """Every entity by its id. Other items (a user's turn) are no context; of the pages those that the entities
    name are read.
    """
    entities = items.filter(pl.col("task") == "entity")
    named = entities["document_ids"].explode().drop_nulls().unique(maintain_order=True)
    own = documents.lazy().filter(pl.col("document_id").is_in(named.implode()))
    read = own.select("document_id", "text", "title").collect()
    texts = {name: (text, title) for name, text, title in read.iter_rows()}
    return {row["item_id"]: _context(row, texts) for row in entities.iter_rows(named=True)}


def _context(row: dict, texts: dict[str, tuple[str, str]]) -> Context:
    found = tuple(name for name in row["document_ids"] if name in texts)
    return Context(
        item_id=row["item_id"],
        group_id=row["group_id"],
        lang=row["lang"],
        name=row["question"],
        document_ids=found,
        pages=tuple(texts[name][0] for name in found),
        known=facts(row),
        titles=tuple(texts[name][1] for name in found),
    )
