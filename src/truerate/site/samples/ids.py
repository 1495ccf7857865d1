"""Records where rights allow ids alone: ids, labels, and where a reader finds the texts."""

from collections.abc import Iterator

import polars as pl

from truerate.core.rights import PLAIN_ATTRIBUTES
from truerate.core.schemas import unpaired
from truerate.site.samples.index import Index
from truerate.site.tables import Board, rows_by

COLUMNS = (
    *("sample_id", "item_id", "task", "lang", "is_hallucinated"),
    *("label_source", "generator", "attributes"),
)
UNLABELLED = (None, None, "fact", None, None, None, None, [])  # by COLUMNS
LABELS = {True: "hallucinated", False: "right", None: ""}
BATCH = 4_000


def records(board: Board, n_max: int) -> tuple[Iterator[dict], dict]:
    """Return at most `n_max` texts as ids and their index: labelled ones, else facts of replies; no words."""
    index: dict = {}
    return _records(board, n_max, index), index


def _records(board: Board, n_max: int, index: dict) -> Iterator[dict]:
    gathered = Index("ids")
    samples = _facts(board, n_max) if board.samples.is_empty() else board.samples.select(COLUMNS)
    for batch in samples.sort("task", "sample_id").head(n_max).iter_slices(BATCH):
        items = rows_by(board.items.select("item_id", "attributes"), "item_id", batch["item_id"])
        entries = [_record(row, items.get(row["item_id"], {})) for row in batch.to_dicts()]
        gathered.add(entries)
        yield from entries
    card = board.source_card
    source = {key: str(card.get(key) or "") for key in ("title", "url", "licence", "citation")}
    index |= gathered.as_dict(board.vocabulary, n_all=board.n_texts, types=[], layers=[], place=source)


def _facts(board: Board, n_max: int) -> pl.DataFrame:
    """The first facts by id, as rows of labelled texts without a label."""
    columns = {"sample_id": "fact_id", "item_id": "item_id", "generator": "subject"}
    facts = board.facts.lazy().select(**columns).sort("sample_id").head(n_max).collect()
    langs = board.items.select("item_id", "lang")
    return facts.join(langs, on="item_id", how="left", maintain_order="left").select(
        pl.col(name) if name in ("lang", *columns) else pl.lit(value, dtype).alias(name)
        for (name, dtype), value in zip(board.samples.select(COLUMNS).schema.items(), UNLABELLED, strict=True)
    )


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
        "_label": LABELS[row["is_hallucinated"]],
        "_outcome": {},
        "_search": [row["sample_id"], row["item_id"], *where.values()],
    }
