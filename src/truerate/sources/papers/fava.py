"""Labelled passages in FAVA's tags (Mishra et al. 2024), one reference each.

Rows have `marked` and `reference`, or `errored_passage` and `evidence`, as FAVA's generator writes them, or
`completion` and `prompt`, as its published training file has them. `<delete>` holds the right words and
`<mark>` the hallucinated ones; in `completion` it is the other way round: there the tags are the corrections
that a model is to suggest. Detectors are only tested on rows of HELD_OUT.
"""

import re
from functools import partial

from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_rows
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tagged import laid_onto, tagged

HELD_OUT = "heldout.jsonl"
FILES = ("fava.jsonl", "training.json", HELD_OUT)
CARD = published_card("fava")
_PROMPT = re.compile(
    r"\s*Read the following references:\s*(?P<reference>.+?)\s*Please identify all the errors .+?"
    r"(?:\[Text\]|\bText:)(?P<text>.+?)(?:\[Edited\]|\bEdited:)?\s*\Z",
    re.DOTALL,
)
_BLANKS = re.compile(r"[ \t]+")
_CORRECTED = re.compile(r"</?(?:mark|delete)>")
_SWAPPED = {"<mark>": "<delete>", "</mark>": "</delete>", "<delete>": "<mark>", "</delete>": "</mark>"}


@reads("fava")
def read(collection: Collection) -> None:
    """Each passage as an item of task `train` or `held-out` with its silver sample."""
    present = collection.present(*FILES)
    collection.refuse_none(present, "none of FAVA's files", *FILES)
    for file in present:
        task = "held-out" if file == HELD_OUT else "train"
        collection.read(file, json_rows, partial(_keep, collection, task))


def _keep(collection: Collection, task: str, row: Row) -> None:
    reference, marked, published = _parts(row)
    collection.counts["n_passages"] += 1
    tagged_text = tagged(marked)
    text = tagged_text.text if published is None else published
    spans = laid_onto(text, tagged_text)
    lang = row.language() if "lang" in row.values else CARD["lang"]
    subject = row.optional_text("subject")
    item = collection.item(
        task,
        group=("reference", reference),
        right_answer=_BLANKS.sub(" ", tagged_text.original).strip(),  # an insertion leaves its blanks behind
        lang=lang,
        document_ids=[collection.document(reference, title=subject or "", lang=lang)],
        subject=subject,
        id=row.optional_text("id"),
        is_shared=True,
    )
    collection.sample(item, text, is_hallucinated=bool(spans), label_source="silver", spans=spans)
    collection.counts["n_passages_kept"] += 1


def _parts(row: Row) -> tuple[str, str, str | None]:
    """Reference, passage with `<mark>` around hallucinated words, and the published passage if the row has
    it.
    """
    if "completion" in row.values:
        match = _PROMPT.fullmatch(row.text("prompt"))
        if match is None:
            raise BadRow(
                Reason.UNPARSABLE, "field 'prompt' holds no references followed by a text to correct"
            )
        marked = _CORRECTED.sub(lambda tag: _SWAPPED[tag[0]], row.text("completion"))
        return match["reference"], marked, match["text"].strip()
    if "errored_passage" in row.values:
        return row.text("evidence"), row.text("errored_passage"), None
    return row.text("reference"), row.text("marked"), None
