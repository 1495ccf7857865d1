"""BEGIN (Dziri et al. 2022): responses of dialogue models to knowledge, with people's labels of whether it
backs them.

Read as the publishers have it (tab-separated, without quoting, a folder per corpus), or as JSON Lines with the fields
`model_name`, `data_source`, `knowledge`, `message`, `response` and `begin_label`.
"""

from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet, changed, matching, numbered
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_lines, tab_records
from truerate.sources.raw.dialogue import taken_in_turns
from truerate.sources.rows import BadRow, Reason, Row

FILES = tuple(
    f"{split}_{corpus}.jsonl" for split in ("dev", "test") for corpus in ("cmu", "topicalchat", "wow")
)
SPLITS = ("dev", "test")
COLUMNS = ("model_name", "data_source", "knowledge", "message", "response", "begin_label")
LABELS = {"Fully attributable": False, "Not fully attributable": True, "Generic": False}
CARD = published_card("begin")
CORPORA = {  # as the files name them, and what their texts may be used under
    "cmu": "Carnegie Mellon University notice (CMU DoG)",
    "tc": "CDLA-Sharing-1.0 (Topical-Chat)",
    "wow": "CC BY-SA 4.0 (Wikipedia)",
}


FOLDERS = {"cmu": "cmu", "tc": "topicalchat", "wow": "wow"}  # what the corpora are called here
CLONE = tuple(f"*/begin_{split}_{corpus}.tsv" for split in SPLITS for corpus in CORPORA)
SET = PublicSet(
    repository="google/BEGIN-dataset",
    holds={
        f"{split} on {FOLDERS[corpus]}": (f"*/begin_{split}_{corpus}.tsv", f"{split}_{FOLDERS[corpus]}.jsonl")
        for split in SPLITS
        for corpus in CORPORA
    },
    labelled_by="people (whether the knowledge backs each response)",
    unproven=("dev on wow", *(f"test on {corpus}" for corpus in FOLDERS.values())),
)


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each response as a gold sample of an item of task `dialogue`, hallucinated where it is not fully
    attributable to the knowledge.

    A generic one, which says nothing of the matter, is not.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = {file: file.partition("_")[0] for file in FILES if collection.has(file)}
    published = {} if present else {file: _split(file) for file in matching(folder, *CLONE)}
    if not present and not published:
        looked = f"{', '.join(CLONE)}; {', '.join(FILES)}"
        raise SourceError(f"source {name!r}: none of BEGIN's files in {str(folder)!r}; looked for: {looked}")
    for file, split in present.items():
        collection.read(file, json_lines, partial(_keep, collection, split))
    for file, split in published.items():
        collection.read(
            file,
            changed(partial(tab_records, columns=COLUMNS), numbered(0)),
            partial(_keep, collection, split),
        )
    return collection.tables()


def _split(file: str) -> str:
    """The split that a published file's name tells: `cmu-dog/begin_dev_cmu.tsv` is `dev`."""
    return Path(file).name.split("_")[1]


def _keep(collection: Collection, split: str, row: Row) -> None:
    corpus = row.choice("data_source", tuple(CORPORA))
    model = row.text("model_name")
    knowledge = row.text("knowledge")
    label, number = row.label("begin_label", tuple(LABELS)), row.integer("row")
    response, before = row.text("response", may_be_empty=True), row.optional_text("message")
    if not response.strip():
        raise BadRow(Reason.EMPTY_TURN, "field 'response' holds no text")
    collection.once("the row", split, corpus, number, row=row)
    collection.once_said("the response", row, but=("row",))
    _, question = taken_in_turns([before] if before else [])
    item = collection.item(
        "dialogue",
        group=("knowledge", knowledge),
        question=question,
        document_ids=[collection.document(knowledge, licence=CORPORA[corpus], is_wikipedia=corpus == "wow")],
        corpus=corpus,
        is_shared=True,
    )
    attributes = {"generator": model, "begin": label, "row": number, "published_split": split}
    collection.sample(item, response, is_hallucinated=LABELS[label], label_source="gold", **attributes)
    collection.counts[f"n_{label.lower().replace(' ', '-')}"] += 1
