"""WildHallucinations (Zhao et al. 2024): entities from people's chats, each with its category and the web
pages found for it.

Its card documents the columns `entity`, `perplexity`, `info` (up to ten pages), `category` and `wiki` (1:
some page is Wikipedia's), in Parquet files `data/train-*`. What a page holds is not documented; by public
code that reads it, `text` and `status_code` (200 where it was got), and perhaps `url`: a page's title and
address are read where they are there.
"""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.core.keys import content_id
from truerate.core.text import name_fault, name_key
from truerate.sources.cards import is_of_wikipedia, published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_rows
from truerate.sources.parquet import SUFFIX, parquet_rows
from truerate.sources.rows import BadRow, Reason, Row

COLUMNS = ("entity", "perplexity", "info", "category", "wiki")
GOT = 200
MOST_CHARS = 100_000_000  # of pages that are in memory together: those of the paper's list have 2.7 billion
CARD = published_card("wildhallucinations")
WIKIPEDIA, WEB = "CC BY-SA 4.0", "not stated (web page)"


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each entity as an item of task `entity` with its pages as documents; attributes `name`, `domain`
    (category), `perplexity`, `wiki`.

    Pages that were not got, or hold no text, are left out; an entity without a page is a reject.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD, most_chars=MOST_CHARS)
    present = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in (SUFFIX, ".jsonl")
    )
    if not present:
        raise SourceError(f"source {name!r}: no entities in {str(folder)!r}; looked for: *.parquet, *.jsonl")
    for file in present:
        cut = (
            partial(parquet_rows, columns=COLUMNS, needed=COLUMNS[:1]) if file.endswith(SUFFIX) else json_rows
        )
        collection.read(file, cut, partial(_keep, collection), in_parts=True)
    return collection.tables()


def _keep(collection: Collection, row: Row) -> None:
    shown = row.text("entity").strip()
    fault = name_fault(shown)
    if fault is not None:
        raise BadRow(Reason.UNUSABLE_NAME, f"field 'entity' is no name that can be used: {fault}")
    item_id = content_id("entity", collection.name, name_key(shown))
    if item_id in collection.items:
        raise BadRow(Reason.DUPLICATE, f"the same name was already read as {item_id}")
    category, perplexity, wiki = row.optional_text("category"), _number(row, "perplexity"), _wiki(row)
    pages = [_page(Row(entry, index)) for index, entry in enumerate(row.items("info"), 1)]
    got = [page for page in pages if page is not None]
    collection.counts.update(n_pages=len(pages), n_pages_without_text=len(pages) - len(got))
    if not got:
        raise BadRow(Reason.NO_KNOWLEDGE, "none of its pages holds text")
    collection.entity(
        item_id,
        shown,
        document_ids=_documents(collection, got),
        domain=category,
        perplexity=perplexity,
        wiki=wiki,
    )


def _documents(collection: Collection, pages: Sequence[dict]) -> list[str]:
    """The ids of an entity's pages, in their order, each once."""
    return list(dict.fromkeys(collection.document(**page) for page in pages))


def _page(page: Row) -> dict | None:
    """A page as the columns of its document, None where there is no text of it."""
    status, text = page.values.get("status_code"), page.optional_text("text")
    if status not in (None, GOT, str(GOT)) or not (text or "").strip():
        return None
    url = page.optional_text("url") or page.optional_text("link")
    is_wikipedia = is_of_wikipedia(url)
    rights = {"licence": WIKIPEDIA if is_wikipedia else WEB, "is_wikipedia": is_wikipedia}
    return {"text": text, "title": page.optional_text("title") or "", "url": url, **rights}


def _value(row: Row, field: str) -> object:
    """The value of a field; None also for the number that is none, as tables in memory write an absent one."""
    value = row.values.get(field)
    return None if isinstance(value, float) and math.isnan(value) else value


def _number(row: Row, field: str) -> float | None:
    value = _value(row, field)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise BadRow(Reason.WRONG_TYPE, f"field {field!r} must be a number or null, not {str(value)[:40]!r}")
    return value


def _wiki(row: Row) -> bool | None:
    """Whether a page of Wikipedia is among them, as published (1, 0, true or false)."""
    value = _value(row, "wiki")
    if value not in (None, 0, 1):
        raise BadRow(Reason.UNKNOWN_VALUE, f"field 'wiki' is {str(value)[:40]!r}; allowed: 0, 1, true, false")
    return None if value is None else bool(value)
