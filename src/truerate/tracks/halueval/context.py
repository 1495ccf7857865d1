"""What is asked about: an item joined with the texts of its documents, and which items a board asks about."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from truerate.core.keys import draw
from truerate.core.schemas import pair

# general replies are not made to be wrong: people label them
SAMPLED_TASKS = ("qa", "dialogue", "summarization")
NOUNS = {"qa": "Answer", "dialogue": "Response", "summarization": "Summary", "general": "Response"}


@dataclass(frozen=True, slots=True)
class Context:
    """One item with its knowledge. `history` holds all turns up to and including the one that is answered."""

    item_id: str
    task: str
    group_id: str
    lang: str
    knowledge: str
    history: str
    question: str
    right_answer: str | None

    @property
    def values(self) -> dict[str, str]:
        """What every prompt about the item prints."""
        return {"knowledge": self.knowledge, "history": self.history, "question": self.question}


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, Context]:
    """Return every item by its id, with the texts of its documents joined by blank lines."""
    texts = dict(documents.select("document_id", "text").iter_rows())
    columns = ("item_id", "task", "group_id", "lang", "history", "question", "right_answer")
    by_id = {}
    for row in items.iter_rows(named=True):
        values = {name: row[name] for name in columns}
        if (
            row["task"] == "dialogue"
        ):  # the earlier turns and the user turn that is answered, one line per turn
            earlier, last = row["history"].strip(), row["question"]
            last = last if last.startswith("[Human]:") else f"[Human]: {last}"
            values["history"] = f"{earlier}\n{last}" if earlier else last
        knowledge = "\n\n".join(texts[name] for name in row["document_ids"] if name in texts)
        by_id[row["item_id"]] = Context(**values, knowledge=knowledge)
    return by_id


def chosen_items(items: pl.DataFrame, sizes: Mapping[str, int | None], seed: int) -> pl.DataFrame:
    """Return the first `sizes[task]` items (null: all) of each task in a seeded order, so that a larger size
    keeps the earlier items.

    Items without a right answer are of no use to tasks that sample against one and are passed over, as are
    the items of the probe set; tasks without a size are left out.
    """
    kept: list[str] = []
    for task, n in sizes.items():
        fit = (pl.col("task") == task) & ~is_probe()
        if task in SAMPLED_TASKS:
            fit &= pl.col("right_answer").is_not_null()
        ids = items.filter(fit)["item_id"].to_list()
        kept.extend(sorted(ids, key=lambda name: (draw(seed, name), name))[:n])
    return items.filter(pl.col("item_id").is_in(kept)).sort("item_id")


def is_probe() -> pl.Expr:
    """Return whether a source's item or sample belongs to the probe set on which labellers are screened."""
    return pair("attributes", "is_probe").fill_null("False") == "True"
