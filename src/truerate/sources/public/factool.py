"""FacTool's knowledge questions (Chern et al. 2023): labelled claims of ChatGPT's replies, no evidence."""

from pathlib import Path

from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet, changed, matching, numbered
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_lines
from truerate.sources.rows import BadRow, Reason, Row

FILE = "knowledge_qa.jsonl"
CLONE = f"datasets/knowledge_qa/{FILE}"
MODEL = "ChatGPT"
CARD = published_card("factool")
SET = PublicSet(
    repository="GAIR-NLP/factool",
    holds={"knowledge questions": (CLONE, FILE)},
    labelled_by="people (whether each claim is right)",
)


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Claims as samples of task `fact`, hallucinated if labelled false, on an item per question."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    file = next(iter(matching(folder, FILE, CLONE)), FILE)
    collection.read(file, changed(json_lines, numbered(0)), lambda row: _keep(collection, row))
    return collection.tables()


def _keep(collection: Collection, row: Row) -> None:
    prompt, number = row.text("prompt"), row.integer("row")
    row.text("response")
    claims = [_claim(Row(entry, index)) for index, entry in enumerate(row.items("claims"), 1)]
    if _label(row) != all(is_true for _, is_true in claims):
        raise BadRow(Reason.CONTRADICTION, "field 'label' is not whether all of the claims are true")
    collection.once("the row", number, row=row)
    collection.once_said(
        "the reply", row, but=("row",)
    )  # a copy of the published line has a number of its own
    collection.once("the prompt", prompt, row=row)
    item = collection.item("entity", group=("prompt", prompt), question=prompt, row=number)
    for index, (text, is_true) in enumerate(claims):
        attributes = {"label_source": "published", "generator": MODEL, "place": index}
        collection.sample(item, text, task="fact", is_hallucinated=not is_true, **attributes)


def _claim(claim: Row) -> tuple[str, bool]:
    return claim.text("claim"), _label(claim)


def _label(row: Row) -> bool:
    label = row.get("label")
    if not isinstance(label, bool):
        raise BadRow(Reason.WRONG_TYPE, f"field 'label' is {str(label)[:40]!r}; it must be true or false")
    return label
