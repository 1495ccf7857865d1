"""BEGIN (Dziri et al. 2022): responses of dialogue models to knowledge, which people label as backed by it or
not.

Read as published (tab-separated, without quoting, a folder per corpus), or as JSON Lines with the fields
COLUMNS.
"""

from functools import partial
from pathlib import Path

from truerate.sources.clone import matching, public_set
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_lines, numbered, tab_records
from truerate.sources.raw.dialogue import CORPORA, item_on
from truerate.sources.rows import Row

COLUMNS = ("model_name", "data_source", "knowledge", "message", "response", "begin_label")
LABELS = {"Fully attributable": False, "Not fully attributable": True, "Generic": False}
NAMES = {"cmu": "cmu", "tc": "topicalchat", "wow": "wow"}  # of the corpora in the rows, and here
SET = public_set("begin")


@reads("begin")
def read(collection: Collection) -> None:
    """Read each response as a gold sample of an item of task `dialogue`, hallucinated where it is not fully
    attributable to the knowledge; a generic one, which says nothing of the matter, is not.
    """
    clone, ours = zip(*SET.holds.values(), strict=True)
    present = {file: file.partition("_")[0] for file in collection.present(*ours)}
    files = () if present else matching(collection.folder, *clone)
    published = {file: Path(file).name.split("_")[1] for file in files}
    collection.refuse_none(present or published, "none of BEGIN's files", *clone, *ours)
    for file, split in present.items():
        collection.read(file, json_lines, partial(_keep, collection, split))
    for file, split in published.items():
        cut = numbered(partial(tab_records, columns=COLUMNS))
        collection.read(file, cut, partial(_keep, collection, split))


def _keep(collection: Collection, split: str, row: Row) -> None:
    corpus, model = row.choice("data_source", tuple(NAMES)), row.text("model_name")
    knowledge = row.text("knowledge")
    label, number = row.label("begin_label", tuple(LABELS)), row.integer("row")
    response, before = row.turn("response"), row.optional_text("message")
    collection.once("the row", split, corpus, number, row=row)
    collection.once_said("the response", row, but=("row",))
    item = item_on(collection, knowledge, before, licence=CORPORA[NAMES[corpus]], corpus=corpus)
    attributes = {"generator": model, "begin": label, "row": number, "published_split": split}
    collection.sample(item, response, is_hallucinated=LABELS[label], label_source="gold", **attributes)
    collection.counts[f"n_{label.lower().replace(' ', '-')}"] += 1
