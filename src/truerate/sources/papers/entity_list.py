"""A ready list of entities: a name per row, perhaps with its domain and its number of chats."""

from functools import partial

from truerate.core.keys import content_id
from truerate.core.text import MAX_NAME, name_fault, name_key
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import csv_records, json_rows
from truerate.sources.rows import BadRow, Reason, Row

FILES = ("entities.csv", "entities.jsonl")
_FAULTS = {
    "too-long": f"the name is longer than {MAX_NAME} characters",
    "control-character": "the name holds a control character",
    "path-like": "the name is a path or an address",
}


@reads("entity_list")
def read(collection: Collection) -> None:
    """Read each name as an item of task `entity`; fields `name`, and perhaps `domain`, `n_chats` and `url`.

    Of names that differ in case, quotes, blanks or a possessive alone the first counts, the others are
    duplicates.
    """
    present = [file for file in FILES if (collection.folder / file).is_file()]
    collection.refuse_none(present, "no list of entities", *FILES)
    for file in present:
        cut = partial(csv_records, columns=("name",)) if file.endswith(".csv") else json_rows
        collection.read(file, cut, partial(_keep, collection))


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
    about = {name: row.optional_text(name) for name in ("domain", "url")}
    collection.entity(entity_id(collection, shown), shown, n_chats=n_chats, **about)


def entity_id(collection: Collection, name: str) -> str:
    """The id of an entity by its name. Raises BadRow where an equal name was read before."""
    item_id = content_id("entity", collection.name, name_key(name))
    if item_id in collection.items:
        raise BadRow(Reason.DUPLICATE, f"the same name was already read as {item_id}")
    return item_id
