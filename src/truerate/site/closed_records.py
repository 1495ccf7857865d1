"""The sample browser's records where rights allow ids alone: what a text is called, what is said of it, and
where whoever may read it finds it.
"""

from collections.abc import Iterator

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
BATCH = 4_000


def closed_records(board: Board, n_max: int) -> tuple[Iterator[dict], dict]:
    """At most `n_max` labelled texts as ids, one after the other, and the index over them, which is whole once
    they were read. No word of a text, question or document is in either.
    """
    index: dict = {}
    return _records(board, n_max, index), index


def _records(board: Board, n_max: int, index: dict) -> Iterator[dict]:
    gathered = Gathered(name for name, *_ in FILTERS)
    columns = [
        *("sample_id", "item_id", "task", "lang", "is_hallucinated"),
        *("label_source", "generator", "attributes"),
    ]
    samples = board.samples.select(columns).sort("task", "sample_id").head(n_max)
    for batch in samples.iter_slices(BATCH):
        items = rows_by(board.items.select("item_id", "attributes"), "item_id", batch["item_id"])
        for row in batch.iter_rows(named=True):
            record = _record(row, items.get(row["item_id"], {}))
            gathered.add(record, _values(row))
            yield record
    index |= gathered.columns(FILTERS, board.vocabulary) | {
        "form": FORM,
        "n_all": board.samples.height,
        "types": [],
        "layers": [],
        "judged": [],
        "outcomes": [],
        "judges": {},
        "place": _place(board),
    }


def _values(row: dict) -> dict[str, str]:
    return {
        "task": row["task"],
        "lang": row["lang"] or "",
        "label": "hallucinated" if row["is_hallucinated"] else "right",
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
