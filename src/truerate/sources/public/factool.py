"""FacTool's knowledge questions (Chern et al. 2023): labelled claims of ChatGPT's replies, no evidence."""

from functools import partial

from truerate.sources.clone import matching, public_set
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_lines, numbered
from truerate.sources.rows import BadRow, Reason, Row

MODEL = "ChatGPT"
SET = public_set("factool")
CLONE, FILE = SET.patterns


@reads("factool")
def read(collection: Collection) -> None:
    """Claims as samples of task `fact`, hallucinated if labelled false, on an item per question."""
    file = next(iter(matching(collection.folder, FILE, CLONE)), FILE)
    collection.read(file, numbered(json_lines), partial(_keep, collection))


def _keep(collection: Collection, row: Row) -> None:
    prompt, number = row.text("prompt"), row.integer("row")
    row.text("response")
    claims = [(claim.text("claim"), claim.truth("label")) for claim in row.rows("claims")]
    if row.truth("label") != all(is_true for _, is_true in claims):
        raise BadRow(Reason.CONTRADICTION, "field 'label' is not whether all of the claims are true")
    collection.once("the row", number, row=row)
    # a copy of the published line has a number of its own
    collection.once_said("the reply", row, but=("row",))
    collection.once("the prompt", prompt, row=row)
    item = collection.item("entity", group=("prompt", prompt), question=prompt, row=number)
    for index, (text, is_true) in enumerate(claims):
        about = {"label_source": "published", "generator": MODEL, "task": "fact", "place": index}
        collection.sample(item, text, is_hallucinated=not is_true, **about)
