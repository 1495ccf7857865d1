"""The sample browser's records where rights allow ids alone: what a text is called, what is said of it, and
where whoever may read it finds it.
"""

from collections.abc import Iterator

import polars as pl

from truerate.core.rights import PLAIN_ATTRIBUTES
from truerate.core.schemas import unpaired
from truerate.site.samples_index import Gathered
from truerate.site.tables import Board, rows_by

FORM = "ids"
FILTERS = (
    ("task", "Task", "All tasks"),
    ("lang", "Language", "All languages"),
    ("label", "Label", "Both labels"),
    ("generator", "Written by", "Anyone"),
)
COLUMNS = (
    *("sample_id", "item_id", "task", "lang", "is_hallucinated"),
    *("label_source", "generator", "attributes"),
)
UNLABELLED = (None, None, "fact", None, None, None, None, [])  # by COLUMNS
BATCH = 4_000


def closed_records(board: Board, n_max: int) -> tuple[Iterator[dict], dict]:
    """At most `n_max` texts as ids, one after the other, and the index over them, which is whole once they were
    read: the labelled ones; of a board without any the facts of its replies, whose label is null. No word of a
    text, question or document is in either.
    """
    index: dict = {}
    return _records(board, n_max, index), index


def _records(board: Board, n_max: int, index: dict) -> Iterator[dict]:
    gathered = Gathered(name for name, *_ in FILTERS)
    samples = (_facts(board, n_max) if board.samples.is_empty() else board.samples.select(COLUMNS)).sort(
        "task", "sample_id"
    )
    for batch in samples.head(n_max).iter_slices(BATCH):
        items = rows_by(board.items.select("item_id", "attributes"), "item_id", batch["item_id"])
        for row in batch.iter_rows(named=True):
            record = _record(row, items.get(row["item_id"], {}))
            gathered.add(record, _values(row))
            yield record
    index |= gathered.columns(FILTERS, board.vocabulary) | {
        "form": FORM,
        "n_all": board.n_texts,
        "types": [],
        "layers": [],
        "judged": [],
        "outcomes": [],
        "judges": {},
        "place": _place(board),
    }


def _facts(board: Board, n_max: int) -> pl.DataFrame:
    """The first facts by id, as rows of labelled texts without a label."""
    columns = {"sample_id": "fact_id", "item_id": "item_id", "generator": "subject"}
    facts = board.facts.lazy().select(**columns).sort("sample_id").head(n_max).collect()
    langs = board.items.select("item_id", "lang")
    return facts.join(langs, on="item_id", how="left", maintain_order="left").select(
        pl.col(name) if name in ("lang", *columns) else pl.lit(value, dtype).alias(name)
        for (name, dtype), value in zip(board.samples.select(COLUMNS).schema.items(), UNLABELLED, strict=True)
    )


def _values(row: dict) -> dict[str, str]:
    return {
        "task": row["task"],
        "lang": row["lang"] or "",
        "label": {True: "hallucinated", False: "right", None: ""}[row["is_hallucinated"]],
        "generator": row["generator"] or "",
    }


def _record(row: dict, item: dict) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    facts = unpaired(item.get("attributes")) | unpaired(row["attributes"])
    where = {key: value for key, value in facts.items() if key in PLAIN_ATTRIBUTES}
    return {
        "id": row["sample_id"],
        "item": row["item_id"],
        "lang": row["lang"],
        "task": row["task"],
        "wrong": row["is_hallucinated"],
        "source": row["label_source"],
        "by": row["generator"],
        "where": sorted(where.items()),
        "_outcome": {},
        "_search": [row["sample_id"], row["item_id"], *where.values()],
    }


def _place(board: Board) -> dict[str, str]:
    """Where the texts are, as the source's card tells it."""
    return {key: str(board.source_card.get(key) or "") for key in ("title", "url", "licence", "citation")}
