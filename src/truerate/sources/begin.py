"""BEGIN (Dziri et al. 2022): responses of dialogue models to knowledge, with people's labels of whether it
backs them.

Read as JSON Lines with the fields `model_name`, `data_source`, `knowledge`, `message`, `response` and
`begin_label`.
"""

from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.dialogue import taken_in_turns
from truerate.sources.rows import BadRow, Reason, Row, json_lines

FILES = tuple(
    f"{split}_{corpus}.jsonl" for split in ("dev", "test") for corpus in ("cmu", "topicalchat", "wow")
)
LABELS = {"Fully attributable": False, "Not fully attributable": True, "Generic": False}
CARD = {
    "name": "BEGIN",
    "citation": "N. Dziri, H. Rashkin, T. Linzen, D. Reitter. Evaluating Attribution in Dialogue Systems: The BEGIN Benchmark. TACL 2022. "
    "Texts: CMU DoG, Topical-Chat, Wizard of Wikipedia.",
    "licence": "CC BY 4.0; CDLA-Sharing-1.0 (Topical-Chat)",
    "redistribution": "yes",
    "url": "https://github.com/google/BEGIN-dataset",
    "lang": "en",
}
CORPORA = {  # as the files name them, and what their texts may be used under
    "cmu": "Carnegie Mellon University notice (CMU DoG)",
    "tc": "CDLA-Sharing-1.0 (Topical-Chat)",
    "wow": "CC BY-SA 4.0 (Wikipedia)",
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each response as a gold sample of an item of task `dialogue`, hallucinated where it is not fully
    attributable to the knowledge.

    A generic one, which says nothing of the matter, is not.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = [file for file in FILES if collection.has(file)]
    if not present:
        raise SourceError(
            f"source {name!r}: none of BEGIN's files in {str(folder)!r}; looked for: {', '.join(FILES)}"
        )
    for file in present:
        collection.read(file, json_lines, partial(_keep, collection, file.partition("_")[0]))
    return collection.tables()


def _keep(collection: Collection, split: str, row: Row) -> None:
    corpus, model, knowledge = (
        row.choice("data_source", tuple(CORPORA)),
        row.text("model_name"),
        row.text("knowledge"),
    )
    label, number = row.label("begin_label", tuple(LABELS)), row.integer("row")
    response, before = row.text("response", may_be_empty=True), row.optional_text("message")
    if not response.strip():
        raise BadRow(Reason.EMPTY_TURN, "field 'response' holds no text")
    collection.once("the row", split, corpus, number, row=row)
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
