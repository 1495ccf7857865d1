"""A ready list of entities: a name per row, perhaps with its domain and its number of chats."""

from pathlib import Path

from truerate.core.errors import SourceError
from truerate.core.keys import content_id
from truerate.core.text import MAX_NAME, name_fault, name_key
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import Cut, csv_records, json_rows
from truerate.sources.rows import BadRow, Reason, Row

FILES = ("entities.csv", "entities.jsonl")
CARD = published_card("entity_list")
_FAULTS = {
    "too-long": f"the name is longer than {MAX_NAME} characters",
    "control-character": "the name holds a control character",
    "path-like": "the name is a path or an address",
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each name as an item of task `entity`; fields `name`, and perhaps `domain`, `n_chats` and `url`.

    Names that differ in case, quotes, blanks or a possessive alone are one: the first row counts, the others
    are duplicates.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = [file for file in FILES if (folder / file).is_file()]
    if not present:
        raise SourceError(
            f"source {name!r}: no list of entities in {str(folder)!r}; looked for: {', '.join(FILES)}"
        )
    for file in present:
        collection.read(
            file, _csv if file.endswith(".csv") else json_rows, lambda row: _keep(collection, row)
        )
    return collection.tables()


def _csv(raw: bytes) -> Cut:
    return csv_records(raw, ("name",))


def _keep(collection: Collection, row: Row) -> None:
    given, shown = row.values.get("name"), row.text("name").strip()
    fault = name_fault(given.encode("utf-8", "replace").decode("utf-8").strip(" "))
    if fault == "empty":
        raise BadRow(Reason.EMPTY_FIELD, "field 'name' holds no letter or digit")
    if fault is not None:
        raise BadRow(Reason.UNUSABLE_NAME, f"{fault}: {_FAULTS[fault]}")
    n_chats = None if row.values.get("n_chats") in (None, "") else row.integer("n_chats")
    if n_chats is not None and n_chats < 0:
        raise BadRow(Reason.OUT_OF_RANGE, f"field 'n_chats' is {n_chats}; it must be 0 or more")
    item_id = content_id("entity", collection.name, name_key(shown))
    if item_id in collection.items:
        raise BadRow(Reason.DUPLICATE, f"the same name was already read as {item_id}")
    collection.entity(
        item_id, shown, n_chats=n_chats, domain=row.optional_text("domain"), url=row.optional_text("url")
    )
