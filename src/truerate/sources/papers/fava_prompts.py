"""FAVA's files of prompts (Mishra et al. 2024), from which silver passages are written: the input of its
generator (`title` with the article's `intro`), and the prompts of its annotations (`prompt`) with a reference
(`evidence` or `reference`). As published, annotations name no reference: such a row is a reject.
"""

from collections.abc import Sequence
from functools import partial

from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_rows
from truerate.sources.papers.silver_prompts import keep_prompt
from truerate.sources.rows import BadRow, Reason, Row

FILES = ("annotations.json", "passages.jsonl")
LANG = "en"
QUESTION = "What is {title}, and what is known about it?"  # about a title; the paper's own is not printed


@reads("fava", name="FAVA's prompts")
def read(collection: Collection, languages: Sequence[str] = ()) -> None:
    """Read each prompt as an item of task `silver` in each of `languages` (default English)."""
    present = collection.present(*FILES)
    collection.refuse_none(present, "none of FAVA's prompts", *FILES)
    for file in present:
        collection.read(file, json_rows, partial(_keep, collection, languages or (LANG,)))


def _keep(collection: Collection, languages: Sequence[str], row: Row) -> None:
    title = row.optional_text("title") or row.optional_text("subject")
    if "intro" in row.values:
        question, reference = QUESTION.format(title=row.text("title").strip()), row.text("intro")
    else:
        question = row.text("prompt").strip()
        reference = row.optional_text("evidence") or row.optional_text("reference") or ""
    if not reference.strip():
        raise BadRow(Reason.NO_KNOWLEDGE, f"no reference beside the prompt {question[:60]!r}")
    keep_prompt(collection, question, reference, languages, lang=LANG, subject=title, origin="FAVA")
